"""The texts of pages about sources and queries."""

import datetime as dt
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from app.core.database import utcnow
from app.timeseries.words import count_of
from app.watching.models.sources import QueryState
from app.watching.monitors.queries.activity import count_open_alerts
from app.watching.monitors.settings.monitor_records import Monitor
from app.watching.monitors.settings.states import LearningReason, State
from app.watching.sources.polling import SPREAD_FRACTION
from app.watching.sources.source_checks import SourceCheck
from app.watching.sources.source_reader import find_feeds, list_queries
from app.watching.sources.source_records import QueryRecord
from app.web.dashboard.monitors.texts import (
    DIRECTIONS,
    alert_text,
    limit_setting_text,
    needed_points,
)
from app.web.dashboard.texts import DURATION_UNITS, format_time

AUTHORIZATIONS = {None: "None", "bearer": "A token", "basic": "A user name and a password"}


@dataclass(frozen=True)
class QueryRow:
    """A query as a page shows it: its state in a sentence, its thresholds, limit and mute.

    ``open_alerts`` counts its monitors' alerts.
    """

    record: QueryRecord
    state: str
    alerts: str
    limit: str
    step: str
    muted: str | None
    open_alerts: int

    @property
    def is_empty(self) -> bool:
        """Whether the source responds to it with no series."""
        return self.record.state is QueryState.LIVE and not self.record.series


def query_row(query: QueryRecord, open_alerts: int = 0) -> QueryRow:
    settings = query.settings
    until = settings.muted_until
    is_muted = until is not None and until > utcnow()
    return QueryRow(
        query,
        _state_text(query),
        f"{DIRECTIONS[settings.direction]}, {alert_text(settings)}",
        limit_setting_text(settings.monitor_settings),
        format_seconds(settings.step),
        format_time(until) if until is not None and is_muted else None,
        open_alerts,
    )


def query_rows(account_id: int, source: str) -> list[QueryRow]:
    """Return the queries of a source with the number of their open alerts."""
    feeds = find_feeds(account_id)
    alerts = Counter[str]()
    for monitor, count in count_open_alerts(account_id).items():
        if monitor in feeds:
            alerts[feeds[monitor].query] += count
    return [query_row(query, alerts[query.name]) for query in list_queries(account_id, source)]


def format_seconds(seconds: int) -> str:
    """Return a duration in its largest whole unit: ``5 minutes``."""
    length, unit = next((length, unit) for length, unit in DURATION_UNITS if seconds % length == 0)
    return count_of(seconds // length, unit)


def first_alert_text(
    query: QueryRecord, monitors: Sequence[Monitor], now: dt.datetime
) -> str | None:
    """Return the earliest time of an alert about a fault that starts ``now``, None if unknown.

    It is when the first step after it is read; later while all ``monitors`` learn, or if an alert
    must last for several steps.
    """
    settings, read_to = query.settings, query.read_to
    missing = [count for monitor in monitors if (count := _missing_points(monitor)) is not None]
    if query.state is not QueryState.LIVE or read_to is None or not missing:
        return None
    step = settings.step
    learned_at = read_to.timestamp() + min(missing) * step
    first = math.floor(max(now.timestamp(), learned_at) / step + 1) * step
    read_seconds = first + (settings.alert_for - 1) * step + settings.delay + SPREAD_FRACTION * step
    minute = dt.datetime.fromtimestamp(math.ceil(read_seconds / 60) * 60, dt.UTC)
    learning = f"First it learns {count_of(min(missing), 'point')} more: a" if min(missing) else "A"
    return (
        f"{learning} fault that starts now can be an alert from {format_time(minute)} on: steps "
        f"are {format_seconds(step)} apart, and read {format_seconds(settings.delay)} later."
    )


def _missing_points(monitor: Monitor) -> int | None:
    """Return how many points a monitor learns before it judges one; None: unknown."""
    if monitor.state is not State.LEARNING:
        return 0
    if monitor.reason is not LearningReason.NEW:
        return None
    needed = needed_points(monitor.settings.data_frequency, monitor.settings.step)
    return max(0, needed - monitor.points)


def check_text(check: SourceCheck) -> str:
    if check.problem is not None:
        return f"It cannot be read: {check.problem}."
    version = f"version {check.version}" if check.version else "it does not say its version"
    clocks = "its clock agrees with ours"
    if offset := check.clock_offset_seconds:
        side = "ahead of" if offset > 0 else "behind"
        clocks = f"its clock is {abs(offset):.0f} s {side} ours, which polls take into account"
    return f"It responds: {version}; {clocks}."


def _state_text(query: QueryRecord) -> str:
    problem = query.problem or "no reason is known"
    match query.state:
        case QueryState.WAITING:
            return "The worker reads it within seconds. If it waits longer, no worker runs."
        case QueryState.FILLING:
            return f"The history is being read: {query.monitors:,} of {query.series:,} series done."
        case QueryState.LIVE:
            return f"Read to {format_time(query.read_to)}." if query.read_to else "Read."
        case QueryState.FAILING:
            since = f" since {format_time(query.failing_since)}" if query.failing_since else ""
            return f"It cannot be read{since}: {problem}. It is retried, and will catch up."
        case QueryState.REFUSED:
            return f"Nothing is watched: {problem}. It is retried every 5 minutes."
