"""Events about limits: the worker compares the forecasts of monitors with their limits."""

import datetime as dt
import logging
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import Row, select

from app.anomalies.results import CloseReason, Direction
from app.compute.errors import EngineBusyError, EngineFailedError
from app.compute.jobs import account_tenant
from app.core.database import db, utcnow
from app.core.database.engine import read_rows
from app.core.database.malformed import translate_row_errors
from app.forecasting.jobs.limits import LimitForecast, first_step
from app.forecasting.jobs.windows import equivalent_forecasts
from app.identity.accounts.models import Account
from app.timeseries.calendar.fit import BeyondCalendarError
from app.watching.context import WatchingContext
from app.watching.monitors.judging.event_ledger import EventLedger, StoredEvent
from app.watching.monitors.queries.stored_history import (
    LIMIT_FORECAST_JOB,
    StoredHistory,
    TooFewPointsError,
    read_history,
)
from app.watching.monitors.settings.errors import NoSuchMonitorError
from app.watching.monitors.settings.limits import Limit
from app.watching.monitors.settings.monitor_records import MonitorCloseReason, MonitorEventKind
from app.watching.monitors.storage.limit_schedule import end_evaluations, update_evaluation
from app.watching.monitors.storage.row_conversion import (
    EVENT_COLUMNS,
    EVENTS,
    IS_LIMIT_OPEN,
    LIMITS,
    MONITORS,
    StoredMonitor,
    event_of,
)
from app.watching.monitors.storage.stored_monitors import (
    finish_and_write_events,
    make_ledger,
    read_stored,
)
from app.watching.monitors.worker.due import visit_due_monitors

logger = logging.getLogger(__name__)

_MAX_EVALUATED_LIMITS = 100  # evaluations of one pass; the others are due at the next one
# The time until an evaluation that found no new point, or failed, is repeated.
_RETRY_PERIOD = dt.timedelta(minutes=1)
# Consecutive evaluations that contradict an open event, after which it is closed.
LOW_EVALUATIONS = 2
# An evaluation below this fraction of a limit's ``probability`` contradicts the event.
LOW_FRACTION = 0.5


class DueLimit(NamedTuple):
    """A limit that is due, and its evaluations so far, as in ``monitor_limits``."""

    monitor_id: int
    account_id: int
    monitor: str
    due_at: dt.datetime
    evaluated_index: int | None
    low_evaluations: int
    failing_since: dt.datetime | None


class LimitOutlook(NamedTuple):
    """When and how probably a limit will be passed."""

    direction: Direction  # the side
    probability: float  # the largest one, over the steps ahead, that the value is beyond the limit
    # Steps after the newest point until the limit is reached: the first one with a probability of
    # 0.5, or of the limit's ``probability`` if that is less; None: not within the horizon.
    steps: int | None


def evaluate_limits(context: WatchingContext) -> int:
    """Evaluate the limits that are due; return the number.

    Monitors of suspended accounts are left out until these are resumed.
    """
    now = utcnow()
    due = (
        select(MONITORS.c.id, MONITORS.c.account_id, MONITORS.c.name)
        .add_columns(*LIMITS.c["due_at", "evaluated_index", "low_evaluations", "failing_since"])
        .join(LIMITS, LIMITS.c.monitor_id == MONITORS.c.id)
        .join(Account, Account.id == MONITORS.c.account_id)
        .where(LIMITS.c.due_at <= now, Account.suspended_at.is_(None))
        .order_by(LIMITS.c.due_at)
    )

    def evaluate(row: Row[Any]) -> bool:
        limit = DueLimit._make(row)
        claimed_until = utcnow() + _RETRY_PERIOD  # not ``now``: a pass may take longer
        if not update_evaluation(limit.monitor_id, limit.due_at, {"due_at": claimed_until}):
            return False
        # Read afterwards: whatever changes from here on makes another evaluation due.
        stored = read_stored(limit.account_id, limit.monitor, with_detector=False)
        if stored is None:
            return False
        event = _open_limit_event(stored.id)
        return _LimitEvaluation(context, limit, stored, event, now, claimed_until).run()

    return visit_due_monitors("limits of monitors", due, evaluate, _MAX_EVALUATED_LIMITS)


@dataclass(frozen=True)
class _LimitEvaluation:
    """The evaluation of one limit, claimed until ``claimed_until``.

    Its result is only stored if the monitor and its limit have not changed during the forecast.
    """

    context: WatchingContext
    due: DueLimit
    stored: StoredMonitor
    event: StoredEvent | None
    now: dt.datetime
    claimed_until: dt.datetime

    def run(self) -> bool:
        """Evaluate the limit; return False if the monitor has no new point or has changed."""
        limit, newest = self.stored.settings.limit, self.stored.newest_index
        if limit is None:
            is_written = self._end_event(CloseReason.ENDED)
            return is_written and end_evaluations(self.stored.id, self.claimed_until)
        if self.stored.is_absent:
            update_evaluation(self.stored.id, self.claimed_until, {"failing_since": None})
            return self._end_event(MonitorCloseReason.ABSENT)
        if newest is None or newest == self.due.evaluated_index:
            return False
        try:
            history = read_history(self.due.account_id, self.due.monitor)
            outlook = self._outlook(history, limit)
        except (TooFewPointsError, BeyondCalendarError, NoSuchMonitorError):
            update_evaluation(self.stored.id, self.claimed_until, {"failing_since": None})
            return False
        except (EngineBusyError, EngineFailedError) as error:
            has_trace = isinstance(error, EngineFailedError)
            logger.warning("a limit was not evaluated: %s", error, exc_info=has_trace)
            failing = {"failing_since": self.due.failing_since or self.now}
            update_evaluation(self.stored.id, self.claimed_until, failing)
            return False
        return self._record_outlook(limit, history, outlook)

    def _outlook(self, history: StoredHistory, limit: Limit) -> LimitOutlook:
        """Return the outlook on the more probable side; 0 steps: the limit is passed already."""
        value = float(history.series.values[-1])
        if limit.is_beyond(value):
            direction = Direction.UP if limit.is_above(value) else Direction.DOWN
            return LimitOutlook(direction, 1.0, 0)
        arguments = (history.series, limit.horizon, limit.upper, limit.lower)
        forecasts = equivalent_forecasts(limit.horizon)
        forecast: LimitForecast = self.context.engine.run(
            LIMIT_FORECAST_JOB,
            *arguments,
            cost=LIMIT_FORECAST_JOB.cost(len(history.series.values), forecasts=forecasts),
            tenant=account_tenant(self.due.account_id),
        )
        sides = {Direction.UP: forecast.above, Direction.DOWN: forecast.below}
        pairs = [(side, values) for side, values in sides.items() if values is not None]
        direction, probabilities = max(pairs, key=lambda pair: float(pair[1].max()))
        first = first_step(probabilities, min(0.5, limit.probability))
        steps = None if first is None else first + 1
        return LimitOutlook(direction, float(probabilities.max()), steps)

    def _record_outlook(self, limit: Limit, history: StoredHistory, outlook: LimitOutlook) -> bool:
        """Open, update or close the event; return whether that was stored."""
        newest, grid = history.newest, history.grid
        ledger = make_ledger(self.stored, self.now, self.event)
        low_evaluations = _low_evaluations(self.event, outlook, limit, self.due.low_evaluations)
        if _change_event(ledger, limit, outlook, low_evaluations, newest):
            low_evaluations = 0
        if not self._write_changes(ledger):
            return False
        ends = [grid.utc_datetime(newest), grid.utc_datetime(newest + 1)]
        step = ends[1] - ends[0] if ends[0] and ends[1] else _RETRY_PERIOD
        values = {
            "due_at": self.now + limit.evaluation_interval(step),
            "evaluated_index": newest,
            "low_evaluations": low_evaluations,
            "probability": outlook.probability,
            "direction": outlook.direction.value,
            "reached_index": _reached_index(outlook, newest),
            "failing_since": None,
        }
        return update_evaluation(self.stored.id, self.claimed_until, values)

    def _end_event(self, close_reason: CloseReason | MonitorCloseReason) -> bool:
        ledger = make_ledger(self.stored, self.now, self.event)
        ledger.end_limit(close_reason, self.stored.newest_index or 0)
        return self._write_changes(ledger)

    def _write_changes(self, ledger: EventLedger) -> bool:
        """Write what has changed, if anything; False if the monitor has changed since."""
        if self.stored.grid is None or not ledger.has_changes:
            return True
        return finish_and_write_events(self.context, self.stored, self.stored.grid, ledger)


def _change_event(
    ledger: EventLedger, limit: Limit, outlook: LimitOutlook, low_evaluations: int, newest: int
) -> bool:
    """Change the event about the limit, if there is one; return whether a new one was opened."""
    event = ledger.limit_event
    reached_index = _reached_index(outlook, newest)
    is_reached = outlook.steps == 0
    is_ahead = event is not None and event.kind == MonitorEventKind.LIMIT_AHEAD
    is_same_side = event is not None and event.direction == outlook.direction
    if is_reached and (is_ahead or not is_same_side):
        ledger.end_limit(MonitorCloseReason.REACHED if is_same_side else CloseReason.ENDED, newest)
    elif low_evaluations >= LOW_EVALUATIONS:
        ledger.end_limit(CloseReason.ENDED, newest)
    elif is_ahead and is_same_side:
        ledger.update_limit(outlook.probability, reached_index)
    is_probable = is_reached or outlook.probability >= limit.probability
    if ledger.limit_event is not None or not is_probable or reached_index is None:
        return False
    kind = MonitorEventKind.LIMIT_REACHED if is_reached else MonitorEventKind.LIMIT_AHEAD
    ledger.open_limit(kind, newest, outlook.direction, outlook.probability, reached_index)
    return True


def _reached_index(outlook: LimitOutlook, newest: int) -> int | None:
    return None if outlook.steps is None else newest + outlook.steps


def _low_evaluations(
    event: StoredEvent | None, outlook: LimitOutlook, limit: Limit, before: int
) -> int:
    """Return how many consecutive evaluations, up to this one, contradict the open event."""
    if event is None:
        return 0
    if event.kind == MonitorEventKind.LIMIT_REACHED:
        is_low = outlook.steps != 0
    else:
        is_other_side = outlook.direction != event.direction
        is_low = is_other_side or outlook.probability < LOW_FRACTION * limit.probability
    return before + 1 if is_low else 0


@translate_row_errors()
def _open_limit_event(monitor_id: int) -> StoredEvent | None:
    query = select(*EVENT_COLUMNS).where(EVENTS.c.monitor_id == monitor_id, IS_LIMIT_OPEN)
    rows = read_rows(db.engine, query.order_by(EVENTS.c.id.desc()).limit(1))
    return event_of(rows[0]) if rows else None
