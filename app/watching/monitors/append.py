"""Append points to a monitor: judge them, and store them with their verdicts in one transaction.

Concurrent writers use optimistic locking: each judges the state it has read, and starts again if
the monitor has changed when it writes.
"""

import datetime as dt
import random
import time

from app.core import instruments
from app.core.database import db, utcnow
from app.timeseries.calendar.timestamps import ParsedTimestamps
from app.timeseries.types import FloatArray
from app.watching.context import WatchingContext
from app.watching.monitors.judging.event_ledger import EventLedger
from app.watching.monitors.judging.grid import MonitorGrid
from app.watching.monitors.judging.point_judge import PointJudge
from app.watching.monitors.settings.errors import (
    BusyMonitorError,
    FedMonitorError,
    NoSuchMonitorError,
)
from app.watching.monitors.settings.monitor_records import AppendResult, Point
from app.watching.monitors.settings.states import reason_of, state_of
from app.watching.monitors.storage.detector_fitter import DetectorFitter, restore_detector
from app.watching.monitors.storage.limit_schedule import advance_evaluation
from app.watching.monitors.storage.row_conversion import StoredMonitor, point_of
from app.watching.monitors.storage.statements import append_statements
from app.watching.monitors.storage.stored_monitors import (
    NewestState,
    make_ledger,
    read_stored,
    write_changes,
)

MAX_APPEND_POINTS = 1_000
# How long an append retries while others write first; after that the client must retry.
_MAX_CONFLICT_SECONDS = 2.0
# The longest random pause before a retry, so that the same writers do not collide again.
_MAX_PAUSE_SECONDS = 0.01


def append_points(
    context: WatchingContext,
    account_id: int,
    name: str,
    timestamps: ParsedTimestamps,
    values: FloatArray,
    fed_by: str | None = None,
) -> AppendResult:
    """Judge and store points, all or none, as if each were sent separately.

    The n ``timestamps`` may be in any order. ``values``, shape (n,), are finite and at most 1e100
    in magnitude. ``fed_by`` is the query that the points are from, if any.

    Raise FedMonitorError, NoSuchMonitorError, PointErrors or BusyMonitorError.
    """
    deadline = time.monotonic() + _MAX_CONFLICT_SECONDS
    while True:
        stored = read_stored(account_id, name)
        if stored is None:
            raise NoSuchMonitorError
        if stored.fed_by is not None and stored.fed_by != fed_by:
            raise FedMonitorError(stored.fed_by)
        appended = _append(context, account_id, stored, timestamps, values.tolist())
        if appended is not None:
            return appended
        if time.monotonic() >= deadline:
            raise BusyMonitorError
        time.sleep(random.uniform(0, _MAX_PAUSE_SECONDS))


def _append(
    context: WatchingContext,
    account_id: int,
    stored: StoredMonitor,
    timestamps: ParsedTimestamps,
    values: list[float],
) -> AppendResult | None:
    """Judge and store points; return None if the monitor has changed since it was read."""
    grid_before = stored.grid
    if grid_before is None:
        settings = stored.settings
        grid_before = MonitorGrid.from_first(settings.data_frequency, settings.step, timestamps)
    grid = grid_before.refined_by(timestamps)
    indices = grid.indices(timestamps)
    now = utcnow()
    ledger = make_ledger(stored, now)
    fitter = DetectorFitter(context.engine, account_id, stored.id, grid.periods)
    judge = _make_judge(stored, grid, indices, ledger, fitter)
    judged = judge.judge(indices, grid.timestamps(indices), values)
    state = state_of(judge.is_learning, ledger.anomaly_event is not None)
    if judge.new:
        newest = _newest_state(stored, grid, judge, now)
        if not write_changes(context, stored, grid, judge.new, newest, ledger):
            return None
        _count_changes(ledger, judge)
        if newest is not None and _is_beyond_limit(stored, judge):
            advance_evaluation(stored.id)
    events = [event.to_record(grid) for event in ledger.reported]
    reason = reason_of(state, judge.reason)
    return AppendResult(judged, state, reason, events, tuple(judge.notices))


def _make_judge(
    stored: StoredMonitor,
    grid: MonitorGrid,
    indices: list[int],
    ledger: EventLedger,
    fitter: DetectorFitter,
) -> PointJudge:
    """Return the judge of points at ``indices``; it continues from the stored state.

    If another release has packed the detector, its open anomaly is ended first.
    """
    detector, is_other_release = restore_detector(stored, grid)
    is_newer = stored.newest_index is None or max(indices) > stored.newest_index
    if is_other_release and is_newer:  # else the event and the detector stay as they are stored
        ledger.end_anomaly(stored.newest_index or 0)
        ledger.finish(state_of(stored.is_learning, is_anomalous=False))
    return PointJudge(
        detector,
        newest=stored.newest_index,
        is_learning=stored.is_learning,
        reason=stored.learning_reason,
        stored=_points_at(stored, grid, indices),
        ledger=ledger,
        fit=fitter.fit,
    )


def _points_at(stored: StoredMonitor, grid: MonitorGrid, indices: list[int]) -> dict[int, Point]:
    """Return the stored points that may be at one of ``indices``."""
    lowest = min(indices)
    if stored.newest_index is None or lowest > stored.newest_index:
        return {}
    engine = db.engine
    rows = append_statements(engine.dialect).points_between.run(
        engine, monitor=stored.id, low=lowest, high=max(indices)
    )
    wanted_indices = set(indices)
    rows = [row for row in rows if row.index in wanted_indices]
    timestamps = grid.timestamps([row.index for row in rows])
    return {point.index: point for point in map(point_of, rows, timestamps)}


def _newest_state(
    stored: StoredMonitor, grid: MonitorGrid, judge: PointJudge, now: dt.datetime
) -> NewestState | None:
    if judge.newest is None or judge.newest == stored.newest_index:
        return None
    due = None if stored.fed_by else grid.overdue_at(judge.newest, now)
    packed = judge.detector.to_bytes()
    return NewestState(judge.newest, now, judge.is_learning, judge.reason, due, packed)


def _is_beyond_limit(stored: StoredMonitor, judge: PointJudge) -> bool:
    limit = stored.settings.limit
    newest = (point.value for point in judge.new if point.index == judge.newest)
    return limit is not None and any(map(limit.is_beyond, newest))


def _count_changes(ledger: EventLedger, judge: PointJudge) -> None:
    for event in ledger.opened:
        instruments.MONITOR_EVENTS.labels(event.kind).inc()
    instruments.MONITOR_RELEARNED.inc(judge.relearned)
