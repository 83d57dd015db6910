"""Points appended to a monitor, each judged at once, in one transaction with their verdicts.

Writers of one monitor do not wait for each other's computing: each judges what it has read, and
who finds the monitor changed when it wants to write begins again.
"""

import datetime as dt
import random
import time

from app.database import db
from app.forecasting.calendar.timestamps import ParsedTimestamps
from app.forecasting.types import FloatArray
from app.monitors import clock, forecasts
from app.monitors.detectors import detector_of
from app.monitors.events import Ledger
from app.monitors.grid import Grid
from app.monitors.judging import Judging
from app.monitors.records import Appended, BusyError, NoSuchMonitorError, Point, state_of
from app.monitors.tables import Stored, point_of, statements
from app.monitors.writing import Newest, open_events, read_stored, write

# Others may write first for so long; then the client is to try again.
WAIT_SECONDS = 2.0
# Who was not first pauses up to so long, so that the same ones do not meet again.
_MOST_PAUSE_SECONDS = 0.01
# A point is overdue so many steps after the newest: the next one is late by two.
_OVERDUE_STEPS = 3
# Clocks on the wall are at most so far behind UTC.
_WESTERNMOST = dt.timedelta(hours=12)


def append(
    account_id: int, name: str, timestamps: ParsedTimestamps, values: FloatArray
) -> Appended:
    """Judge and store points, all or none, as if each were sent on its own.

    Args:
        account_id: Whose monitor it is.
        name: The monitor's.
        timestamps: Of n points, in any order.
        values: Shape (n,), finite, at most 1e100 in magnitude.

    Raises:
        NoSuchMonitorError: The account has no monitor of this name.
        PointErrors: Points are off the monitor's grid, or too many are missing between them;
            nothing was stored.
        BusyError: Others wrote all the time; nothing was stored.
    """
    deadline = time.monotonic() + WAIT_SECONDS
    while True:
        stored = read_stored(account_id, name)
        if stored is None:
            raise NoSuchMonitorError
        appended = _append(stored, timestamps, values.tolist())
        if appended is not None:
            return appended
        if time.monotonic() >= deadline:
            raise BusyError
        time.sleep(random.uniform(0, _MOST_PAUSE_SECONDS))


def _append(stored: Stored, sent: ParsedTimestamps, values: list[float]) -> Appended | None:
    """Judge and store points; None where the monitor has changed since it was read."""
    known = stored.grid
    if known is None:
        settings = stored.settings
        known = Grid.from_first(settings.data_frequency, settings.step, sent)
    grid, places = known.places(sent)
    now = clock.now()
    ledger = Ledger(stored.revision, *open_events(stored), now)
    points = _points_at(stored, grid, places)
    detector, has_relearned = detector_of(stored, grid)
    if has_relearned:
        ledger.end_under_way(stored.newest_place or 0)
    judging = Judging(detector, stored.newest_place, stored.is_learning, points, ledger)
    taken = judging.take(places, grid.timestamps(places), values)
    state = state_of(judging.is_learning, ledger.under_way is not None)
    if judging.new:
        newest = _newest(stored, grid, judging, now)
        if not write(stored, grid, judging.new, newest, ledger, state):
            return None
        if newest is not None and judging.detector.wants_forecast and newest.is_live(now):
            forecasts.offer(stored.account_id, stored.name)
    events = [event.record(grid) for event in ledger.told]
    return Appended(taken, state, events, tuple(judging.notices))


def overdue_at(grid: Grid, place: int, arrival: dt.datetime) -> dt.datetime | None:
    """Return when points after the one at ``place`` are overdue; None: never, the calendar ends.

    Where timestamps have no offset nobody knows when they are: it is counted from the arrival, but
    not past what the westernmost clock on a wall allows.
    """
    due = grid.moment(place + _OVERDUE_STEPS)
    if due is None or grid.suffix:
        return due
    newest = grid.moment(place)
    steps = due - newest if newest is not None else dt.timedelta(0)
    return min(arrival + steps, due + _WESTERNMOST)


def _points_at(stored: Stored, grid: Grid, places: list[int]) -> dict[int, Point]:
    """The points stored that may be at one of some places."""
    lowest = min(places)
    if stored.newest_place is None or lowest > stored.newest_place:
        return {}
    engine = db.engine
    rows = statements(engine.dialect).points_between.run(
        engine, monitor=stored.id, low=lowest, high=max(places)
    )
    wanted = set(places)
    rows = [row for row in rows if row.place in wanted]
    timestamps = grid.timestamps([row.place for row in rows])
    return {row.place: point_of(row, at) for row, at in zip(rows, timestamps, strict=True)}


def _newest(stored: Stored, grid: Grid, judging: Judging, now: dt.datetime) -> Newest | None:
    """What follows from the newest point; None where no new one is the newest."""
    if judging.newest is None or judging.newest == stored.newest_place:
        return None
    due = overdue_at(grid, judging.newest, now)
    state = judging.detector.to_array().tobytes()
    return Newest(judging.newest, now, judging.is_learning, due, state)
