"""How well a monitor has forecast its newest points, compared with the coverage of its band."""

from typing import Any

import numpy as np
from sqlalchemy import Connection, Row, select

from app.core.database.engine import read_connection
from app.timeseries.types import FloatArray
from app.watching.monitors.queries.monitor_queries import read_newest
from app.watching.monitors.settings.monitor_records import MonitorQuality, PointStatus
from app.watching.monitors.storage.row_conversion import POINTS, grid_of, settings_of

# Newest steps that are graded: a week of five-minute data. At most twice as many rows are read.
MAX_QUALITY_STEPS = 2_000


def read_quality(account_id: int, name: str) -> MonitorQuality | None:
    """Return how well a monitor forecast its newest points; None before the first judged one.

    Raise NoSuchMonitorError if the account has no monitor with this name.
    """
    with read_connection() as connection:
        row = read_newest(connection, account_id, name)
        settings = settings_of(row)
        grid = grid_of(row)
        if grid is None:
            return None
        first = row.newest_index - MAX_QUALITY_STEPS + 1
        judged = _judged_points(connection, row.id, first)
        if not judged:
            return None
        period = grid.periods[0] if grid.periods else None
        before = _values_before(connection, row, first, period) if period else {}
    inside = sum(not point.is_anomaly for point in judged)
    errors = _mean_errors(judged, before, period)
    return MonitorQuality(
        judged=len(judged),
        inside=inside / len(judged),
        promised=1 - settings.false_alarm_rate,
        mean_error=errors[0],
        seasonal_error=errors[1],
        seasonal_period=period if errors[1] is not None else None,
    )


def _judged_points(connection: Connection, monitor_id: int, first: int) -> list[Any]:
    columns = (POINTS.c.index.label("index"), *POINTS.c["value", "expected", "is_anomaly"])
    query = select(*columns).where(
        POINTS.c.monitor_id == monitor_id,
        POINTS.c.index >= first,
        POINTS.c.status == PointStatus.JUDGED,
        POINTS.c.expected.is_not(None),
    )
    return [*connection.execute(query)]


def _values_before(
    connection: Connection, row: Row[Any], first: int, period: int
) -> dict[int, float]:
    """Return the values a ``period`` before the graded steps, by their index."""
    query = select(POINTS.c.index, POINTS.c.value).where(
        POINTS.c.monitor_id == row.id,
        POINTS.c.index.between(first - period, row.newest_index - period),
    )
    return dict(connection.execute(query).all())


def _mean_errors(
    judged: list[Any], before: dict[int, float], period: int | None
) -> tuple[float, float | None]:
    """Return the mean errors of the forecasts and of the seasonal naive forecast.

    Both are taken over the points with a value a period before; without any, the second is None.
    """
    pairs = [
        (point.value, point.expected, before[point.index - period])
        for point in judged
        if period is not None and point.index - period in before
    ]
    if not pairs:
        values, expected = np.array([(point.value, point.expected) for point in judged]).T
        return _mean_distance(values, expected), None
    values, expected, seasonal = np.array(pairs).T
    return _mean_distance(values, expected), _mean_distance(values, seasonal)


def _mean_distance(values: FloatArray, others: FloatArray) -> float:
    """Return the mean distance, by halves: the difference of two large values may be infinite."""
    return float(np.mean(np.abs(values / 2 - others / 2))) * 2
