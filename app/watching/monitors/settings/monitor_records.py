"""The public types of monitors, without heavy imports."""

import datetime as dt
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Generic, TypeVar

from app.anomalies.results import EVENT_DIRECTIONS, CloseReason, EventKind
from app.core.record_fields import NAME_METADATA, TIMESTAMP_FORMAT, described_field
from app.watching.monitors.settings.monitor_settings import MonitorSettings
from app.watching.monitors.settings.states import (
    MONITOR_STATE_MEANINGS,
    REASON_MEANINGS,
    LearningReason,
    State,
    states_of,
)

T = TypeVar("T")


class MonitorEventKind(StrEnum):
    """The kinds of events that the detector does not find; ``EventKind`` has the others."""

    OVERDUE = "overdue"
    LIMIT_AHEAD = "limit_ahead"
    LIMIT_REACHED = "limit_reached"


LIMIT_KINDS = (MonitorEventKind.LIMIT_AHEAD, MonitorEventKind.LIMIT_REACHED)


class MonitorCloseReason(StrEnum):
    """Why events close that the detector does not close; the others are in ``CloseReason``."""

    ABSENT = "absent"
    REACHED = "reached"


class PointStatus(StrEnum):
    """The status of a point that was sent; the last two are never stored."""

    JUDGED = "judged"
    LEARNING = "learning"
    LATE = "late"
    DUPLICATE = "duplicate"
    CONFLICT = "conflict"


@dataclass(frozen=True)
class Point:
    """A point and its verdict; a late one has None for each number of the verdict.

    ``index`` is that on the grid: 0 for the first point, negative for late ones before it.
    """

    index: int
    timestamp: str
    value: float
    status: PointStatus
    is_anomaly: bool = False
    expected: float | None = None
    lower: float | None = None
    upper: float | None = None
    p_value: float | None = None
    severity: float | None = None


@dataclass(frozen=True)
class EventRecord:
    """An incident of one or more points."""

    id: int = described_field("Never changes.")
    cursor: int = described_field(
        "Cursor: send it as `after` to continue from here. It changes when the "
        "event becomes an alert and when it closes."
    )
    kind: str = described_field(
        "As in `POST /anomalies`; `overdue`: an expected point did not arrive; `limit_ahead`: the "
        "forecast passes the limit; `limit_reached`: a value is beyond the limit.",
        enum=[*EventKind, *MonitorEventKind],
    )
    direction: str | None = described_field(
        "Null if `kind` is `overdue`.", enum=[*EVENT_DIRECTIONS, None]
    )
    start: str = described_field("Timestamp of the first point.", format=TIMESTAMP_FORMAT)
    end: str | None = described_field(
        "Timestamp of the last point; null while the event is open.", format=TIMESTAMP_FORMAT
    )
    peak_timestamp: str = described_field(
        "Timestamp of the point that is farthest from its expected value.", format=TIMESTAMP_FORMAT
    )
    reached_at: str | None = described_field(
        "When the limit is expected to be reached: the first step with a probability of 0.5, or of "
        "`probability` if that is less. Null unless `kind` is `limit_ahead`.",
        format=TIMESTAMP_FORMAT,
    )
    severity: float = described_field(
        "If `kind` is `limit_ahead`, the probability of a value beyond the limit, in percent.",
        minimum=0,
        maximum=100,
    )
    deviation: float | None = described_field(
        "Distance of the value from the expected one at the peak, in the "
        "values' unit; null if `kind` is `overdue` or about a limit.",
        minimum=0,
    )
    is_alert: bool = described_field(
        "Whether it fulfilled `alert_severity`, `alert_min_deviation`, `alert_min_relative` and "
        "`alert_for` at a time when the monitor was not muted. Only alerts are sent."
    )
    closed_as: str | None = described_field(
        "`ended`: the series is back to normal; `new_level`: the new level is the normal one; "
        "`absent`: the query no longer returns the series; `reached`: a value is beyond the limit; "
        "null while the event is open.",
        enum=[*CloseReason, *MonitorCloseReason, None],
    )
    opened_at: dt.datetime = described_field("When the event was detected.")
    closed_at: dt.datetime | None = described_field(
        "When the end was detected; null while the event is open."
    )


@dataclass(frozen=True, kw_only=True)
class MonitorQuality:
    """How well a monitor forecast its newest points, each from those before it."""

    judged: int = described_field("Judged points of the newest 2,000 steps.", minimum=1)
    inside: float = described_field(
        "Coverage: the fraction of them inside the band, on the sides that `direction` watches.",
        minimum=0,
        maximum=1,
    )
    promised: float = described_field(
        "Nominal coverage, that of a clean series: 1 - `false_alarm_rate`.", minimum=0, maximum=1
    )
    mean_error: float = described_field(
        "Mean distance of the values from the expected ones, in the values' unit.", minimum=0
    )
    seasonal_error: float | None = described_field(
        "The same if the value a seasonal period before had been expected, such as that of "
        "yesterday; null without a seasonal period. Where it is given, both are of the points that "
        "have such a value.",
        minimum=0,
    )
    seasonal_period: int | None = described_field(
        "That period, in steps; null without one.", minimum=1
    )


@dataclass(frozen=True, kw_only=True)
class Monitor:
    """A monitor at one moment; ``fed_by`` is the query that feeds it, None if clients do.

    ``source``, ``query`` and ``labels`` are only known where its feed was read.
    """

    id: int
    name: str = described_field(**NAME_METADATA)
    fed_by: str | None
    source: str | None = described_field(
        "Source whose query feeds it; null: clients append its points.", default=None
    )
    query: str | None = described_field(
        "Query that feeds it, and whose settings it has; or null.", default=None
    )
    labels: dict[str, str] | None = described_field(
        "Labels of the series that it is, if a query feeds it; or null.", default=None
    )
    settings: MonitorSettings = described_field(is_inlined=True)
    state: State = described_field(
        f"{MONITOR_STATE_MEANINGS}; `overdue`: the next point is two steps late; `absent`: the "
        "query that feeds it has not returned the series for five steps."
    )
    reason: LearningReason | None = described_field(REASON_MEANINGS)
    is_anomalous: bool = described_field(
        "Whether an anomaly is open, also while the state is `overdue`. Events about a limit and "
        "overdue points do not count."
    )
    points: int = described_field("Number of points stored.", minimum=0)
    last_point: Point | None = described_field("The newest point; null if there is none.")
    created_at: dt.datetime = described_field("When the monitor was created.")
    overdue_at: dt.datetime | None = described_field(
        "When the monitor becomes overdue if no point arrives."
    )
    quality: MonitorQuality | None = described_field(
        "How well it forecast its newest points; null before the first judged one, in lists and in "
        "responses to `PUT`.",
        default=None,
    )

    @property
    def states(self) -> tuple[State, ...]:
        """The state, followed by anomalous if that is hidden by it."""
        return states_of(self.state, self.is_anomalous)


@dataclass(frozen=True)
class PutResult:
    monitor: Monitor
    is_new: bool
    notices: tuple[str, ...]


@dataclass(frozen=True)
class AppendResult:
    """The result of an append: the points as sent, with their status in it, and the state after it.

    ``reason``: why the monitor is learning, None in other states. ``events``: those that it opened,
    made alerts or closed, as they are after it. ``notices`` are short sentences for the client.
    """

    points: list[Point]
    state: State
    reason: LearningReason | None
    events: list[EventRecord]
    notices: tuple[str, ...]


@dataclass(frozen=True)
class Page(Generic[T]):
    """A page; ``next`` is the cursor for the next one, None at the end."""

    items: list[T]
    next: int | None


@dataclass
class Replay:
    """The result of a replay: a verdict for each point, and events, oldest first.

    ``alerted_at`` has the timestamps of the points at which events became alerts, by the event's
    id.
    """

    points: list[Point] = field(default_factory=list)
    events: list[EventRecord] = field(default_factory=list)
    alerted_at: dict[int, str] = field(default_factory=dict)

    @property
    def alerts(self) -> list[EventRecord]:
        return [event for event in self.events if event.is_alert]
