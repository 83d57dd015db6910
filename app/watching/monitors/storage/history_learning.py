"""Learn a detector from a history, and store both."""

import math
from collections.abc import Callable

from sqlalchemy import Connection, insert, update

from app.anomalies.results import Direction
from app.anomalies.streaming.detector import StreamDetector
from app.anomalies.streaming.fit import MAX_LEARNED_POINTS
from app.core.database import utcnow
from app.timeseries.series import Series
from app.timeseries.types import FloatArray
from app.watching.context import WatchingContext
from app.watching.monitors.judging.grid import MonitorGrid
from app.watching.monitors.settings.monitor_records import Point, PointStatus
from app.watching.monitors.settings.monitor_settings import MonitorSettings
from app.watching.monitors.storage.detector_parts import split_detector
from app.watching.monitors.storage.row_conversion import (
    PARTS,
    POINTS,
    STATES,
    grid_values,
    point_values,
)

# Returns the packed detector that has learned from values (n,), seasonal periods in steps, the
# false alarm rate and the direction.
Learn = Callable[[FloatArray, tuple[int, ...], float, Direction], bytes]


def learn_detector(settings: MonitorSettings, history: Series | None, learn: Learn) -> bytes | None:
    """Return the packed detector that has learned from ``history``; None without a history."""
    if history is None:
        return None
    latest = history.values[-MAX_LEARNED_POINTS:]
    return learn(latest, *settings.detector_arguments(history.calendar.periods))


def store_history(
    context: WatchingContext,
    connection: Connection,
    monitor_id: int,
    settings: MonitorSettings,
    history: Series,
    learned: bytes,
    *,
    is_fed: bool = False,
) -> None:
    """Store the newest points of a history and the detector that has learned from it.

    A value of the history that is NaN is a missing point.
    """
    count = len(history.values)
    kept = min(count, context.settings.monitor_points_kept)
    grid = MonitorGrid.from_history(history.calendar, count, history.suffix)
    indices = range(count - kept, count)
    points = [
        Point(index, "", value, PointStatus.LEARNING)
        for index, value in zip(indices, history.values[-kept:].tolist(), strict=True)
        if not math.isnan(value)
    ]
    connection.execute(insert(POINTS), [point_values(monitor_id, point) for point in points])
    parts = enumerate(split_detector(learned, connection.dialect.name))
    connection.execute(
        insert(PARTS),
        [{"monitor_id": monitor_id, "part": number, "packed": packed} for number, packed in parts],
    )
    now = utcnow()
    detector = StreamDetector.from_bytes(learned, *settings.detector_arguments(grid.periods))
    connection.execute(
        update(STATES)
        .where(STATES.c.monitor_id == monitor_id)
        .values(
            revision=STATES.c.revision + 1,
            points=len(points),
            newest_index=count - 1,
            newest_at=now,
            is_learning=detector.is_learning,
            overdue_at=None if is_fed else grid.overdue_at(count - 1, now),
            **grid_values(grid),
        )
    )
