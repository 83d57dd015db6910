"""Send the open alerts of fed monitors to Alertmanagers.

Alerts are a state, not messages: all open ones are sent repeatedly, and expire once they are no
longer sent. So nothing is queued, and several workers may send the same alerts.
"""

import asyncio
import datetime as dt
import json
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, Select, func, select

from app.core.database import iso_string, utcnow
from app.core.database.engine import read_connection
from app.core.database.malformed import MALFORMED_ERRORS, skipped_rows, translate_row_errors
from app.core.settings import Settings
from app.delivery.formats.types import MessageType
from app.identity.accounts.models import Account
from app.watching.feeds import feed_title
from app.watching.models.sources import (
    METRIC_LABEL,
    QUERIES,
    SERIES,
    SOURCES,
    QueryState,
    query_name,
)
from app.watching.monitors.settings.limits import parse_limit
from app.watching.monitors.settings.monitor_records import LIMIT_KINDS, MonitorEventKind
from app.watching.monitors.storage.messages import event_summary, limit_value, monitor_link
from app.watching.monitors.storage.row_conversion import (
    EVENT_COLUMNS,
    EVENTS,
    GRID_COLUMNS,
    MONITORS,
    POINTS,
    STATES,
    event_of,
    grid_of,
)
from app.watching.sources.alertmanagers import Alert, AlertRequest, record_results, send_alerts
from app.watching.sources.source_reader import get_source_row
from app.watching.sources.source_records import Labels, QueryRecord

MAX_ALERTS_PER_REQUEST = 1_000
# How long a closed alert is sent, as by Prometheus.
_RESOLVED_REPEAT_PERIOD = dt.timedelta(minutes=15)
# How long an open alert lasts after it was last sent: shorter outages of the worker resolve none.
_ALERT_EXPIRY = dt.timedelta(hours=1)
_FAILING_PERIOD = dt.timedelta(minutes=5)  # how long a source fails before it is an alert
# How long that alert lasts after it was last sent: nothing is sent about its recovery.
_FAILING_EXPIRY = dt.timedelta(minutes=5)
_TEST_EXPIRY = dt.timedelta(minutes=5)  # how long a test alert lasts
_ANOMALY_ALERT, _TEST_ALERT = "SeriesAnomalous", "ForecastTest"
# The names of alerts by the kind of their event; other kinds share one name.
_ALERT_NAMES: dict[str, str] = {
    MonitorEventKind.LIMIT_AHEAD: "LimitAhead",
    MonitorEventKind.LIMIT_REACHED: "LimitReached",
}
RESERVED_LABELS = {"alertname", "monitor", "query", "account", "source"}


class AlertSource(NamedTuple):
    """A source with Alertmanagers; they and its labels are JSON, as stored."""

    id: int
    account_id: int
    name: str
    alertmanagers: str
    labels: str
    account: str


def notify_alertmanagers(settings: Settings) -> int:
    """Send all alerts to their Alertmanagers once; return the number of requests that failed.

    An Alertmanager without alerts gets an empty list, so that one that cannot be reached is known
    before it is needed. Requests for which no time is left are sent next time.
    """
    now = utcnow()
    requests = [*_alert_requests(settings, now)]
    if not requests:
        return 0
    results = asyncio.run(send_alerts(requests, settings.source_allowed_networks))
    record_results(results, now)
    return sum(result.problem is not None for result in results)


def send_test_alert(settings: Settings, account_id: int, account: str, query: QueryRecord) -> None:
    """Send a test alert of a query to the Alertmanagers of its source; record which reject it.

    It has the labels of the query's alerts, without the labels of a series, and expires.
    Raise NoSuchSourceError if the account has no source of this name.
    """
    now = utcnow()
    with read_connection() as connection:
        source = get_source_row(connection, account_id, query.source)
    own = {"alertname": _TEST_ALERT, "query": query.name, "account": account}
    alert = {
        "labels": json.loads(source.labels) | query.settings.labels | own,
        "annotations": {"summary": f"A test alert of the query {query.name}: nothing happened"},
        "startsAt": iso_string(now),
        "endsAt": iso_string(now + _TEST_EXPIRY),
    }
    alerts = [alert | _link_field(settings)]
    urls = json.loads(source.alertmanagers)
    requests = [AlertRequest(account_id, source.id, url, alerts) for url in urls]
    record_results(asyncio.run(send_alerts(requests, settings.source_allowed_networks)), now)


def exported_labels(labels: Labels, taken: Collection[str]) -> Labels:
    """Return a series' labels under names that all versions of Alertmanager accept.

    A name in ``taken``, or that another label has, gets prefixes. Other accepted names are kept.
    """
    names = [name for name, value in labels.items() if value and name != METRIC_LABEL]
    # Those that are kept come first, so that no changed one takes their place.
    names.sort(key=lambda name: name in taken or _plain_label_name(name) != name)
    shown: dict[str, str] = {}
    for name in names:
        plain = _plain_label_name(name)
        while plain in taken or plain in shown:
            plain = f"exported_{plain}"
        shown[plain] = labels[name]
    return shown


def _plain_label_name(name: str) -> str:
    plain = re.sub("[^a-zA-Z0-9_]", "_", name)
    return f"_{plain}" if plain[:1].isdigit() else plain


def _alert_requests(settings: Settings, now: dt.datetime) -> Iterator[AlertRequest]:
    query = select(
        *SOURCES.c["id", "account_id", "name", "alertmanagers", "labels"],
        Account.name.label("account"),
    )
    query = query.join(Account, Account.id == SOURCES.c.account_id)
    query = query.where(SOURCES.c.alertmanagers != "[]", Account.suspended_at.is_(None))
    with read_connection() as connection:
        sources = [*map(AlertSource._make, connection.execute(query))]
        ids = [source.id for source in sources]
        events = _rows_of_sources(connection, _events_query(now), ids)
        failing = _rows_of_sources(connection, _failing_query(now), ids)
    alerts: Mapping[int, list[Alert]] = defaultdict(list)
    sources_by_id = {source.id: source for source in sources}
    for row in events:
        with skipped_rows("alerts of monitors").skip_if_failing(row.monitor_id):
            alert = _event_alert(row, sources_by_id[row.source_id], now)
            alerts[row.source_id].append(alert | _link_field(settings, row.monitor))
    for row in {row.source_id: row for row in failing}.values():
        with skipped_rows(SOURCES.name).skip_if_malformed(row.source_id):
            alert = _source_failing_alert(row, sources_by_id[row.source_id], now)
            alerts[row.source_id].append(alert | _link_field(settings))
    for source in sources:
        with skipped_rows(SOURCES.name).skip_if_malformed(source.id):
            yield from _source_requests(source, alerts[source.id])


def _source_requests(source: AlertSource, alerts: list[Alert]) -> Iterator[AlertRequest]:
    """Yield requests to all Alertmanagers of a source, with an empty list if it has no alerts."""
    for first in range(0, max(1, len(alerts)), MAX_ALERTS_PER_REQUEST):
        part = alerts[first : first + MAX_ALERTS_PER_REQUEST]
        for url in json.loads(source.alertmanagers):
            yield AlertRequest(source.account_id, source.id, url, part)


def _rows_of_sources(connection: Connection, query: Select[Any], ids: Sequence[int]) -> list[Any]:
    """Return the rows about sources, but not of those with a malformed row."""
    source_column = QUERIES.c.source_id
    try:
        return [*connection.execute(query.where(source_column.in_(ids)))]
    except MALFORMED_ERRORS:
        rows: list[Any] = []
        for source_id in ids:
            with skipped_rows(SOURCES.name).skip_if_malformed(source_id):
                rows += connection.execute(query.where(source_column == source_id)).all()
        return rows


def _events_query(now: dt.datetime) -> Select[Any]:
    """Return the query for the newest alerts of each monitor, open or closed not long ago.

    One is about the values, one about the limit.
    """
    others = EVENTS.alias()
    newest = select(func.max(others.c.id)).where(
        others.c.monitor_id == EVENTS.c.monitor_id,
        others.c.is_alert,
        others.c.kind.in_(LIMIT_KINDS) == EVENTS.c.kind.in_(LIMIT_KINDS),
    )
    is_peak = (POINTS.c.monitor_id == EVENTS.c.monitor_id) & (POINTS.c.index == EVENTS.c.peak_index)
    is_new = EVENTS.c.closed_at.is_(None) | (EVENTS.c.closed_at > now - _RESOLVED_REPEAT_PERIOD)
    is_muted = MONITORS.c.muted_until.is_not(None) & (MONITORS.c.muted_until > now)
    return (
        select(*EVENT_COLUMNS, *GRID_COLUMNS, POINTS.c.value)
        .add_columns(*MONITORS.c["data_frequency", "step", "limit", "alert_severity"])
        .add_columns(QUERIES.c.source_id, query_name().label("query"), SERIES.c.labels)
        .add_columns(QUERIES.c.labels.label("query_labels"))
        .add_columns(MONITORS.c.name.label("monitor"), SERIES.c.monitor_id)
        .join_from(EVENTS, SERIES, SERIES.c.monitor_id == EVENTS.c.monitor_id)
        .join(QUERIES, QUERIES.c.id == SERIES.c.query_id)
        .join(MONITORS, MONITORS.c.id == EVENTS.c.monitor_id)
        .join(STATES, STATES.c.monitor_id == EVENTS.c.monitor_id)
        .outerjoin(POINTS, is_peak)
        .where(EVENTS.c.id == newest.scalar_subquery(), is_new, ~is_muted)
    )


def _failing_query(now: dt.datetime) -> Select[Any]:
    """Return the query for the queries that cannot be read, the one that fails longest last."""
    return (
        select(QUERIES.c.source_id, QUERIES.c.problem, QUERIES.c.failing_since.label("since"))
        .where(
            QUERIES.c.state == QueryState.FAILING, QUERIES.c.failing_since <= now - _FAILING_PERIOD
        )
        .order_by(QUERIES.c.failing_since.desc(), QUERIES.c.id.desc())
    )


def _event_alert(row: Any, source: AlertSource, now: dt.datetime) -> Alert:
    with translate_row_errors():
        grid = grid_of(row)
        if grid is None:
            raise ValueError(f"monitor {row.monitor} has an event but no grid")
        event = event_of(row)
        record = event.to_record(grid)
        limit = parse_limit(row.limit)
        source_labels = json.loads(source.labels) | json.loads(row.query_labels)
        series_labels = json.loads(row.labels)
    labels = exported_labels(series_labels, RESERVED_LABELS | source_labels.keys())
    # The threshold was raised. Severities of limits are probabilities, which fall by themselves.
    is_below = event.kind not in LIMIT_KINDS and record.severity < row.alert_severity
    end = now if is_below else now + _ALERT_EXPIRY
    passed_limit = limit_value(limit, event.direction)
    summary = event_summary(MessageType.OPENED, record, row.value, event.expected, passed_limit)
    annotations = {
        "summary": f"{feed_title(row.query, labels)}: {summary}",
        "kind": event.kind,
        "direction": event.direction,
        "severity": f"{record.severity:g}",
        "value": None if row.value is None else f"{row.value:.6g}",
        "expected": None if event.expected is None else f"{event.expected:.6g}",
        "reached_at": record.reached_at,
    }
    event_labels = {
        "alertname": _ALERT_NAMES.get(event.kind, _ANOMALY_ALERT),
        "monitor": row.monitor,
        "query": row.query,
    }
    return {
        "labels": labels | source_labels | event_labels | {"account": source.account},
        "annotations": {name: value for name, value in annotations.items() if value},
        "startsAt": record.start,
        "endsAt": iso_string(event.closed_at or end),
    }


def _source_failing_alert(row: Any, source: AlertSource, now: dt.datetime) -> Alert:
    """Return a source that cannot be read as one alert, however many series it has."""
    return {
        "labels": json.loads(source.labels)
        | {"alertname": "SourceFailing", "source": source.name, "account": source.account},
        "annotations": {"summary": f"{source.name} cannot be read: {row.problem}"},
        "startsAt": iso_string(row.since),
        "endsAt": iso_string(now + _FAILING_EXPIRY),
    }


def _link_field(settings: Settings, monitor: str | None = None) -> Alert:
    link = monitor_link(settings, monitor)
    return {"generatorURL": link} if link else {}
