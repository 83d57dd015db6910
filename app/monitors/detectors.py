"""Restore the detector of a monitor from its stored state."""

import itertools
from collections.abc import Iterator

import numpy as np
from sqlalchemy import select

from app.anomalies.streaming.detector import StreamDetector, new_detector
from app.database.engine import read_connection
from app.monitors.grid import Grid
from app.monitors.records import Status
from app.monitors.tables import POINTS, Stored

# Newest points learned again if the state is from another release: as many as a request can wait
# for.
MOST_RELEARNED = 2_000


def detector_of(stored: Stored, grid: Grid) -> tuple[StreamDetector, bool]:
    """Return the detector of a monitor, and whether it had to learn its points again.

    This is necessary if another release has stored the state. No event is open then.
    """
    rate, direction = stored.settings.false_alarm_rate, stored.settings.direction
    if not stored.detector:
        return new_detector(grid.periods, rate, direction), False
    try:
        array = np.frombuffer(stored.detector, np.uint8)
        return StreamDetector.from_array(array, rate, direction), False
    except ValueError:
        detector = new_detector(grid.periods, rate, direction)
    for missing, values in _runs(stored.id):
        detector.skip(missing)
        detector.warm_up(np.array(values))
    return detector, True


def _runs(monitor_id: int) -> Iterator[tuple[int, list[float]]]:
    """Yield runs of the newest points, oldest first, each with the number missing before it."""
    newest = (
        select(POINTS.c.place, POINTS.c.value)
        .where(POINTS.c.monitor_id == monitor_id, POINTS.c.status != Status.LATE)
        .order_by(POINTS.c.place.desc())
        .limit(MOST_RELEARNED)
    )
    with read_connection() as connection:
        points = connection.execute(newest).all()[::-1]
    end = points[0].place if points else 0
    for _, run in itertools.groupby(enumerate(points), lambda each: each[1].place - each[0]):
        members = [point for _, point in run]
        yield members[0].place - end, [point.value for point in members]
        end = members[-1].place + 1
