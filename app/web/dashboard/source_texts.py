"""Sources and queries in words for pages."""

from dataclasses import dataclass

from app.core.units import count_of
from app.watching.models.sources import QueryState
from app.watching.monitors import clock
from app.watching.sources.source_records import QueryRecord
from app.watching.sources.trials import SourceCheck
from app.web.dashboard.monitor_texts import DIRECTIONS, alert_text
from app.web.dashboard.times import STEPS, format_time

AUTHORIZATIONS = {None: "None", "bearer": "A token", "basic": "A user name and a password"}
UNITS = (*STEPS, (1, "second"))


@dataclass(frozen=True)
class QueryRow:
    """A query as a page shows it: its state in a sentence, its thresholds and its mute in words."""

    record: QueryRecord
    state: str
    alerts: str
    step: str
    muted: str | None

    @property
    def is_empty(self) -> bool:
        """Whether it is read, and there is nothing to watch."""
        return self.record.state is QueryState.LIVE and not self.record.series


def query_row(query: QueryRecord) -> QueryRow:
    settings = query.settings
    until = settings.muted_until
    is_muted = until is not None and until > clock.current_time()
    return QueryRow(
        query,
        _state(query),
        f"{DIRECTIONS[settings.direction]}, {alert_text(settings)}",
        format_seconds(settings.step),
        format_time(until) if until is not None and is_muted else None,
    )


def format_seconds(seconds: int) -> str:
    """Return a duration in its largest whole unit: ``5 minutes``."""
    length, unit = next((length, unit) for length, unit in UNITS if seconds % length == 0)
    return count_of(seconds // length, unit)


def trial_text(trial: SourceCheck) -> str:
    if trial.problem is not None:
        return f"It cannot be read: {trial.problem}."
    version = f"version {trial.version}" if trial.version else "it does not say its version"
    clocks = "its clock agrees with ours"
    if offset := trial.clock_offset_seconds:
        side = "ahead of" if offset > 0 else "behind"
        clocks = f"its clock is {abs(offset):.0f} s {side} ours, which polls take into account"
    return f"It responds: {version}; {clocks}."


def _state(query: QueryRecord) -> str:
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
            return f"It cannot be read{since}: {problem}. It is tried again, and catches up."
        case QueryState.REFUSED:
            return f"Nothing is watched: {problem}. It is tried again every 5 minutes."
