"""The newest points of a monitor as a series, for its forecast."""

from dataclasses import dataclass

import numpy as np
from sqlalchemy import Connection, select

from app.compute.jobs import Job
from app.core.database.engine import read_connection
from app.core.database.malformed import translate_row_errors
from app.forecasting.jobs.windows import MAX_HISTORY_POINTS
from app.forecasting.model_ids import MIN_POINTS
from app.timeseries.calendar.fit import Calendar
from app.timeseries.series import Series
from app.watching.monitors.judging.grid import MonitorGrid
from app.watching.monitors.queries.monitor_queries import read_newest
from app.watching.monitors.settings.limits import Limit
from app.watching.monitors.storage.row_conversion import LIMITS, POINTS, grid_of, settings_of

LIMIT_FORECAST_JOB = Job(
    "app.forecasting.jobs.limit_forecasts:forecast_with_limits",
    noun="forecast",
    remedy="send the request again with a smaller horizon",
)


class TooFewPointsError(Exception):
    """The monitor stores ``points``, fewer than a forecast needs."""

    def __init__(self, points: int) -> None:
        super().__init__(f"points stored: {points}, a forecast needs {MIN_POINTS}")
        self.points = points


@dataclass(frozen=True)
class StoredHistory:
    """The newest points of a monitor, NaN where one is missing, and its limit.

    ``newest`` is the index of the last one.
    """

    series: Series
    grid: MonitorGrid
    newest: int
    limit: Limit | None


@translate_row_errors()
def read_history(account_id: int, name: str, *, is_evaluated: bool = False) -> StoredHistory:
    """Return the history for a monitor's forecast: at most ``MAX_HISTORY_POINTS`` steps.

    With ``is_evaluated`` it ends with the point up to which the limit was evaluated last, so that
    its forecast is the one that the limit's event is about; with the newest point if the limit was
    not evaluated yet.

    Raise NoSuchMonitorError or TooFewPointsError.
    """
    with read_connection() as connection:
        row = read_newest(connection, account_id, name)
        settings = settings_of(row)
        grid = grid_of(row)
        if grid is None:
            raise TooFewPointsError(0)
        evaluated = _evaluated_index(connection, row.id) if is_evaluated else None
        newest = row.newest_index if evaluated is None else evaluated
        points = _newest_points(connection, row.id, newest)
    if len(points) < MIN_POINTS:
        raise TooFewPointsError(len(points))
    first = points[0][0]
    values = np.full(newest - first + 1, np.nan)
    indices, stored = np.array(points).T
    values[indices.astype(int) - first] = stored
    calendar = Calendar(
        grid.frequency,
        grid.step,
        grid.periods,
        grid.axis,
        grid.stride,
        grid.anchor + grid.stride * newest,
    )
    return StoredHistory(Series(values, calendar, grid.suffix), grid, newest, settings.limit)


def _evaluated_index(connection: Connection, monitor_id: int) -> int | None:
    """Return the index of the point up to which the limit was evaluated, if it is still stored."""
    is_evaluated_point = (LIMITS.c.monitor_id == monitor_id) & (
        LIMITS.c.evaluated_index == POINTS.c.index
    )
    query = select(POINTS.c.index).join(LIMITS, is_evaluated_point)
    return connection.scalar(query.where(POINTS.c.monitor_id == monitor_id))


def _newest_points(connection: Connection, monitor_id: int, newest: int) -> list[tuple[int, float]]:
    """Return the points of the `MAX_HISTORY_POINTS` steps up to ``newest``."""
    is_within = POINTS.c.index.between(newest - MAX_HISTORY_POINTS + 1, newest)
    query = (
        select(POINTS.c.index, POINTS.c.value)
        .where(POINTS.c.monitor_id == monitor_id, is_within)
        .order_by(POINTS.c.index)
    )
    return [*connection.execute(query)]
