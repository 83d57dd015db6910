"""What responses hold, and options of requests. Made by ``make client-records``: do not edit."""

import datetime as dt
from dataclasses import dataclass, field
from typing import TypedDict


@dataclass(frozen=True)
class Event:
    """An incident in a series, of one or more points.

    Attributes:
        start: Timestamp of the first point.
        end: Timestamp of the last point.
        kind: ``spike`` and ``dip``: a short deviation above or below the expected value; ``burst``:
            a longer group of deviations; ``level_shift``: the start of a new level; ``flat``: a run
            of one value in a series that normally varies.
        direction: One of ``up``, ``down``.
        peak_timestamp: Timestamp of the most extreme point.
        severity: From 0 to 100.
    """

    start: str
    end: str
    kind: str
    direction: str
    peak_timestamp: str
    severity: float


@dataclass(frozen=True)
class ChangePoint:
    """A lasting change of the level.

    Attributes:
        timestamp: Timestamp of the first point of the new level.
        before: The level before.
        after: The level after.
        p_value: Probability of a change this large in a series without a change point. From 0 to 1.
    """

    timestamp: str
    before: float
    after: float
    p_value: float


@dataclass(frozen=True)
class ModelScore:
    """The errors of a model in a backtest.

    Attributes:
        model_id: One of ``forecast-model-1``, ``forecast-model-2``, ``forecast-model-3``,
            ``forecast-model-4``, ``seasonal_naive``.
        rank: By ``mae``; 1 is the best.
        mae: Mean absolute error of the median.
        rmse: Root of the mean squared error of the median.
        smape: Symmetric mean absolute percentage error of the median. From 0 to 200.
        mase: Mean absolute scaled error: ``mae``, in units of the error of the seasonal naive
            within the history; None where a history has none.
        coverage: Share of the points that lie within the interval; ``confidence`` is what it should
            be. From 0 to 1.
        mean_width: Mean of ``upper_bound`` minus ``lower_bound``.
        msis: Mean scaled interval score: width and misses of the interval, in units of the error of
            the seasonal naive within the history; None where a history has none.
        seconds: CPU time of the model in this backtest; the one number that differs from call to
            call.
    """

    model_id: str
    rank: int
    mae: float
    rmse: float
    smape: float
    mase: float | None
    coverage: float
    mean_width: float
    msis: float | None
    seconds: float


@dataclass(frozen=True)
class Band:
    """The forecasts of a model for a window: one entry per point.

    Attributes:
        median: Point forecasts.
        lower_bound: Lower bounds.
        upper_bound: Upper bounds.
    """

    median: list[float]
    lower_bound: list[float]
    upper_bound: list[float]


@dataclass(frozen=True)
class Window:
    """A part of the past that a backtest forecasts.

    Attributes:
        cutoff: Timestamp of the last point that the models had.
        short_history: Fewer than two seasons come before it, or 20 points where there is none: it
            does not count in the scores, unless all windows are short.
        timestamps: Timestamps of its points, as sent.
        actual: The values that were sent.
        forecasts: By ``model_id``, in the order of the request.
    """

    cutoff: str
    short_history: bool
    timestamps: list[str]
    actual: list[float]
    forecasts: dict[str, Band]


@dataclass(frozen=True)
class MonitorPoint:
    """A point and its verdict; a late one has no numbers.

    Attributes:
        cursor: Cursor: send it as ``after`` to continue from here. It is negative for points older
            than the first one.
        timestamp: On the monitor's time grid.
        status: ``judged``; ``learning``: too few points yet to judge; ``late``: older than the
            newest point, stored but not judged.
        expected: The value forecast from the points before.
        lower_bound: Lower bound of the band.
        upper_bound: Upper bound of the band.
        p_value: From 0 to 1.
        severity: From 0 to 100.
    """

    cursor: int
    timestamp: str
    value: float
    status: str
    is_anomaly: bool
    expected: float | None
    lower_bound: float | None
    upper_bound: float | None
    p_value: float | None
    severity: float | None


@dataclass(frozen=True)
class MonitorEvent:
    """An incident of one or more points.

    Attributes:
        id: Never changes.
        cursor: Cursor: send it as ``after`` to continue from here. It changes when the event
            becomes an alert and when it closes.
        kind: As in ``POST /anomalies``; ``overdue``: an expected point did not arrive;
            ``limit_ahead``: the forecast passes the limit; ``limit_reached``: a value is beyond the
            limit. One of ``spike``, ``dip``, ``burst``, ``level_shift``, ``flat``, ``overdue``,
            ``limit_ahead``, ``limit_reached``.
        direction: None if ``kind`` is ``overdue``. One of ``up``, ``down``.
        start: Timestamp of the first point.
        end: Timestamp of the last point; None while the event is open.
        peak_timestamp: Timestamp of the point that is farthest from its expected value.
        reached_at: When the limit is expected to be reached: the first step with a probability of
            0.5, or of ``probability`` if that is less. None unless ``kind`` is ``limit_ahead``.
        severity: If ``kind`` is ``limit_ahead``, the probability of a value beyond the limit, in
            percent. From 0 to 100.
        deviation: Distance of the value from the expected one at the peak, in the values' unit;
            None if ``kind`` is ``overdue`` or about a limit.
        is_alert: Whether it fulfilled ``alert_severity``, ``alert_min_deviation``,
            ``alert_min_relative`` and ``alert_for`` at a time when the monitor was not muted. Only
            alerts are sent.
        closed_as: ``ended``: the series is back to normal; ``new_level``: the new level is the
            normal one; ``absent``: the query no longer returns the series; ``reached``: a value is
            beyond the limit; None while the event is open.
        opened_at: When the event was detected. In UTC.
        closed_at: When the end was detected; None while the event is open. In UTC.
    """

    id: int
    cursor: int
    kind: str
    direction: str | None
    start: str
    end: str | None
    peak_timestamp: str
    reached_at: str | None
    severity: float
    deviation: float | None
    is_alert: bool
    closed_as: str | None
    opened_at: dt.datetime
    closed_at: dt.datetime | None


@dataclass(frozen=True)
class Limit:
    """What values should not exceed or fall below.

    Attributes:
        upper: Values above it are beyond the limit, in the values' unit; None: no upper limit. From
            -1e+100 to 1e+100.
        lower: Values below it are beyond the limit, in the values' unit; None: no lower limit. From
            -1e+100 to 1e+100.
        horizon: Steps that are forecast. From 1 to 1000.
        probability: An event ``limit_ahead`` opens when the probability of a value beyond the limit
            reaches this at some step of the horizon. From 0.01 to 0.99.
    """

    upper: float | None
    lower: float | None
    horizon: int
    probability: float


@dataclass(frozen=True)
class ReachedSide:
    """When one side of a limit is passed.

    Attributes:
        p10: First step with a probability of at least 10 %; None: none.
        p50: First step with a probability of at least 50 %; None: none.
        p90: First step with a probability of at least 90 %; None: none.
        probability: Highest probability of a step. From 0 to 1.
    """

    p10: str | None
    p50: str | None
    p90: str | None
    probability: float


@dataclass(frozen=True)
class Reached:
    """When a limit is passed, by side.

    Attributes:
        upper: For the upper limit; None without one.
        lower: For the lower limit; None without one.
    """

    upper: ReachedSide | None
    lower: ReachedSide | None


@dataclass(frozen=True)
class MonitorForecast:
    """The forecast of a monitor: parallel lists.

    Attributes:
        forecast_timestamps: Timestamps of the future steps.
        lower_bound: Lower bounds of the prediction interval.
        median: Point forecasts.
        upper_bound: Upper bounds of the prediction interval.
        limit: The limit of the monitor; None: none.
        reached: When the limit is passed; None without one.
    """

    forecast_timestamps: list[str]
    lower_bound: list[float]
    median: list[float]
    upper_bound: list[float]
    limit: Limit | None
    reached: Reached | None


@dataclass(frozen=True)
class MonitorQuality:
    """How well a monitor forecast its newest points.

    Attributes:
        judged: Judged points of the newest 2,000 steps.
        inside: Coverage: the fraction of them inside the band, on the sides that ``direction``
            watches. From 0 to 1.
        promised: Nominal coverage, that of a clean series: 1 - ``false_alarm_rate``. From 0 to 1.
        mean_error: Mean distance of the values from the expected ones, in the values' unit.
        seasonal_error: The same if the value a seasonal period before had been expected, such as
            that of yesterday; None without a seasonal period. Where it is given, both are of the
            points that have such a value.
        seasonal_period: That period, in steps; None without one.
    """

    judged: int
    inside: float
    promised: float
    mean_error: float
    seasonal_error: float | None
    seasonal_period: int | None


@dataclass(frozen=True)
class Alerting:
    """Which points of a monitor or query are anomalies, and which events are alerts.

    Attributes:
        false_alarm_rate: The fraction of points of a clean series that may be flagged: 0.001 is one
            in a thousand. From 0.0001 to 0.1.
        direction: On which sides of the band a point is an anomaly. One of ``both``, ``up``,
            ``down``.
        webhook: Name of the webhook that alerts are sent to, which ``PUT /webhooks/{name}``
            creates; None: none.
        alert_severity: Only events of at least this severity are alerts. Points flagged by chance
            stay below 50 at the default false alarm rate; 75 is twice that evidence; 0: all events.
            From 0 to 100.
        alert_min_deviation: Only events whose value at the peak is at least this far from the
            expected one are alerts, in the values' unit.
        muted_until: Nothing is sent before this time; None: not muted. In UTC.
        limit: Limit that values should not pass. While the forecast of the stored points passes it,
            an event ``limit_ahead`` is open; None: none.
        alert_for: Only events that last at least this number of steps are alerts, from the step on
            at which they do. From 1 to 1000.
        alert_min_relative: Only events whose value at the peak is at least this fraction of the
            expected value away from it are alerts: 0.5 means 50 % above or below it.
    """

    false_alarm_rate: float
    direction: str
    webhook: str | None
    alert_severity: float
    alert_min_deviation: float
    muted_until: dt.datetime | None
    limit: Limit | None
    alert_for: int
    alert_min_relative: float


@dataclass(frozen=True)
class Monitor(Alerting):
    """A monitor: its settings and its state.

    Attributes:
        source: Source whose query feeds it; None: clients append its points.
        query: Query that feeds it, and whose settings it has; or None.
        labels: Labels of the series that it is, if a query feeds it; or None.
        data_frequency: Unit of the step between two points. One of ``Seconds``, ``Minutes``,
            ``Hours``, ``Daily``, ``Weekly``, ``Monthly``, ``Quarterly``, ``Yearly``.
        step: Units of ``data_frequency`` between two points: 5 for five-minute data. From 1 to
            10000.
        state: ``learning``: too few points yet to judge; ``anomalous``: an anomaly is open;
            ``normal``: no anomaly is open; ``overdue``: the next point is two steps late;
            ``absent``: the query that feeds it has not returned the series for five steps.
        reason: Why the monitor is learning; None unless ``state`` is ``learning``. ``new``: it has
            had too few points; ``gap``: more than two seasons of points were missing; ``changed``:
            the series has changed for good.
        is_anomalous: Whether an anomaly is open, also while the state is ``overdue``. Events about
            a limit and overdue points do not count.
        points: Number of points stored.
        last_point: The newest point; None if there is none.
        created_at: When the monitor was created. In UTC.
        overdue_at: When the monitor becomes overdue if no point arrives. In UTC.
        quality: How well it forecast its newest points; None before the first judged one, in lists
            and in responses to ``PUT``.
    """

    name: str
    source: str | None
    query: str | None
    labels: dict[str, str] | None
    data_frequency: str
    step: int
    state: str
    reason: str | None
    is_anomalous: bool
    points: int
    last_point: MonitorPoint | None
    created_at: dt.datetime
    overdue_at: dt.datetime | None
    quality: MonitorQuality | None


@dataclass(frozen=True)
class AppendedPoints:
    """The verdicts: parallel lists, one entry per point.

    Attributes:
        timestamps: Timestamps as sent.
        status: ``judged``; ``learning``: too few points yet to judge; ``late``: older than the
            newest point, stored but not judged; ``duplicate``: already stored with this value, with
            its first verdict; ``conflict``: already stored with another value, which is kept with
            its verdict.
        is_anomaly: True exactly where the value lies outside the band on a side selected by
            ``direction``.
        expected: Values forecast from the points before; None for ``late`` points.
        lower_bound: Lower bounds of the band; None for ``late`` points.
        upper_bound: Upper bounds of the band; None for ``late`` points.
        p_value: Probability that a point of a clean series lies this far out; below
            ``false_alarm_rate`` exactly where ``is_anomaly`` is true; None for ``late`` points.
        severity: 0 to 100: the evidence that something new begins, comparable between monitors.
            Points flagged by chance stay below 50 at the default false alarm rate; 75 is twice that
            evidence; None for ``late`` points.
        state: ``learning``: too few points yet to judge; ``anomalous``: an anomaly is open;
            ``normal``: no anomaly is open.
        reason: Why the monitor is learning; None unless ``state`` is ``learning``. ``new``: it has
            had too few points; ``gap``: more than two seasons of points were missing; ``changed``:
            the series has changed for good.
        events: Events that these points opened, made alerts or closed.
    """

    timestamps: list[str]
    status: list[str]
    is_anomaly: list[bool]
    expected: list[float | None]
    lower_bound: list[float | None]
    upper_bound: list[float | None]
    p_value: list[float | None]
    severity: list[float | None]
    state: str
    reason: str | None
    events: tuple[MonitorEvent, ...]


@dataclass(frozen=True)
class WebhookAttempt:
    """An attempt to send a message.

    Attributes:
        id: The ``webhook-id`` header of every attempt in the format ``standard``.
        type: What the message reports. One of ``event.opened``, ``event.closed``, ``webhook.test``.
        at: When it ended. In UTC.
        status: HTTP status of the response; None without a response.
        error: Why it failed; None if the receiver accepted the message.
    """

    id: str
    type: str
    at: dt.datetime
    status: int | None
    error: str | None


@dataclass(frozen=True)
class Webhook:
    """A receiver of messages.

    Attributes:
        url: HTTPS address that messages are sent to.
        format: ``standard``: signed JSON, as [Standard Webhooks](https://www.standardwebhooks.com),
            signed; ``pagerduty``: a PagerDuty alert (Events API v2), which ``event.closed``
            resolves; the address has the integration key:
            ``https://events.pagerduty.com/v2/enqueue?routing_key=…``, not signed; ``teams``: an
            adaptive card for the webhooks of Microsoft Teams (Workflows), not signed; ``text``:
            ``{"text": "…"}``, for Slack, Mattermost and Google Chat, not signed.
        created_at: When it was created. In UTC.
        last_attempt: None if no message was sent in the last week.
        secret: Secret that signs its messages; only shown when new: in the format ``standard`` for
            the first URL, and for one with another host.
    """

    name: str
    url: str
    format: str
    created_at: dt.datetime
    last_attempt: WebhookAttempt | None
    secret: str | None = field(default=None, repr=False)


@dataclass(frozen=True)
class SourceAuthorization:
    """The type of stored credentials.

    Attributes:
        type: One of ``bearer``, ``basic``.
    """

    type: str


@dataclass(frozen=True)
class AlertmanagerFailure:
    """An Alertmanager that accepts no alerts.

    Attributes:
        url: Its address, as in ``alertmanagers``.
        problem: Why the newest request failed.
        failing_since: Since when all requests have failed. In UTC.
    """

    url: str
    problem: str
    failing_since: dt.datetime


@dataclass(frozen=True)
class QueryState:
    """A query of a source, in short.

    Attributes:
        state: ``waiting``: not read yet, for longer only if no worker runs; ``filling``: the
            history is being read and learned; ``live``: the newest poll succeeded; ``failing``: it
            failed, and is repeated; ``refused``: the query returns too many series.
    """

    name: str
    state: str


@dataclass(frozen=True)
class Source:
    """A server with Prometheus' API.

    Attributes:
        authorization: The type of the stored credentials; None: there are none.
        tenant: Sent as ``X-Scope-OrgID``, which Mimir, Cortex and gateways read; None: not sent.
        alertmanagers: Alertmanagers that receive the open alerts; each of a cluster.
        labels: Labels of each alert that Alertmanagers get, for their routes; those of a query
            replace those of its source.
        failing_alertmanagers: Those of ``alertmanagers`` that did not accept the newest request;
            one is sent every 15 s, with alerts or without.
        queries: By name.
        created_at: When it was created. In UTC.
    """

    name: str
    url: str
    authorization: SourceAuthorization | None
    tenant: str | None
    alertmanagers: tuple[str, ...]
    labels: dict[str, str]
    failing_alertmanagers: tuple[AlertmanagerFailure, ...]
    queries: tuple[QueryState, ...]
    created_at: dt.datetime


@dataclass(frozen=True)
class Query(Alerting):
    """A query of a source: its settings and its state.

    Attributes:
        query: PromQL, which the source parses. Each series that it returns is a monitor. Cannot
            change once there are monitors.
        step: Seconds between two points: a divisor of a day, by default at least 15. With 300, days
            and weeks are learned from the history. Cannot change once there are monitors. From 1 to
            86400.
        history: Steps that are read and learned when the query is new. From 0 to 10000.
        delay: Seconds after which a step is read. VictoriaMetrics needs at least 30. From 0 to
            3600.
        max_series: Maximum number of series; if the query returns more, no monitor is created. The
            default is less if the operator allows less.
        labels: Labels of each alert that Alertmanagers get, for their routes; those of a query
            replace those of its source.
        state: ``waiting``: not read yet, for longer only if no worker runs; ``filling``: the
            history is being read and learned; ``live``: the newest poll succeeded; ``failing``: it
            failed, and is repeated; ``refused``: the query returns too many series.
        series: Series in the newest response.
        monitors: Series that are watched, each as a monitor.
        read_to: The newest step that was read; None before the history was. In UTC.
        polled_at: When the newest poll ended; None before the first. In UTC.
        failing_since: Since when polls fail; None unless ``state`` is ``failing``. In UTC.
        problem: The source's message when it is ``failing`` or ``refused``; else None.
        notices: What looks wrong about the series, and what to ask instead.
        created_at: When it was created. In UTC.
    """

    source: str
    name: str
    query: str
    step: int
    history: int
    delay: int
    max_series: int
    labels: dict[str, str]
    state: str
    series: int
    monitors: int
    read_to: dt.datetime | None
    polled_at: dt.datetime | None
    failing_since: dt.datetime | None
    problem: str | None
    notices: tuple[str, ...]
    created_at: dt.datetime


@dataclass(frozen=True)
class Key:
    """An API key.

    Attributes:
        id: Never changes. From 1 to 2147483647.
        prefix: First characters of the key.
        label: What the key is for.
        permissions: What the key may do.
        state: ``active``; ``rotated``: works until its grace period ends; ``suspended``: works
            again once the account does; ``expired``; ``revoked``.
        created_at: When the key was created. In UTC.
        expires_at: When the key expires, for a rotated key when its grace period ends; None: never.
            In UTC.
        last_used_at: When the key was last used; None: never. In UTC.
        usage_count: Number of calls with the key, including those that failed.
        key: The key itself. Store it now: only its hash is kept.
    """

    id: int
    prefix: str
    label: str
    permissions: tuple[str, ...]
    state: str
    created_at: dt.datetime
    expires_at: dt.datetime | None
    last_used_at: dt.datetime | None
    usage_count: int
    key: str | None = field(default=None, repr=False)


class LimitOptions(TypedDict, total=False):
    """A limit: ``upper``, ``lower`` or both; see ``Limit``."""

    upper: float | None
    lower: float | None
    horizon: int
    probability: float


class AlertOptions(TypedDict, total=False):
    """Settings of alerts, for which the service has defaults: see ``Alerting``."""

    false_alarm_rate: float
    direction: str
    webhook: str | None
    alert_severity: float
    alert_min_deviation: float
    muted_until: str | dt.datetime | None
    limit: LimitOptions | None
    alert_for: int
    alert_min_relative: float


class QueryOptions(AlertOptions, total=False):
    """Settings of a query, for which the service has defaults: see ``Query``."""

    step: int
    history: int
    delay: int
    max_series: int
    labels: dict[str, str]
