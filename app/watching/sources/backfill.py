"""The first poll of a query: read the history of its series, and learn them."""

import json

import numpy as np
from sqlalchemy import func, select

from app.core.database import db
from app.core.database.engine import read_rows
from app.timeseries.types import FloatArray
from app.watching.context import WatchingContext
from app.watching.models.sources import QueryState
from app.watching.monitors.storage.row_conversion import MONITORS
from app.watching.sources.backward_reads import (
    MAX_SERIES_REASON,
    HistoryColumns,
    HistorySteps,
    read_backwards,
    series_count_problem,
)
from app.watching.sources.client import PrometheusClient
from app.watching.sources.leases import Lease
from app.watching.sources.poll_slots import PauseCallback
from app.watching.sources.query_states import state_columns
from app.watching.sources.responses import Matrix
from app.watching.sources.series import (
    has_ended,
    history_notices,
    learning_history,
    short_history_notices,
)
from app.watching.sources.series_monitors import SeriesMonitors
from app.watching.sources.source_reader import query_settings_of
from app.watching.sources.source_records import Labels
from app.watching.sources.steps import MAX_STEPS_PER_REQUEST

_MIN_DAILY_STEP_SECONDS = 30  # with shorter steps the detector has no daily season
_NO_DAILY_PATTERN = f"with a step below {_MIN_DAILY_STEP_SECONDS} s no daily pattern is learned"
_ROOM_REASON = (
    "that the account has room for; delete monitors, or ask the operator to raise "
    "MONITORS_PER_ACCOUNT"
)
NO_SERIES = "the query returns no series: is it right, and does the server scrape them?"


class TooManySeriesError(Exception):
    """The query returns more series than may be watched; the message has the bound."""

    def __init__(self, message: str, series: int) -> None:
        super().__init__(message)
        self.series = series


def backfill_query(
    context: WatchingContext,
    lease: Lease,
    client: PrometheusClient,
    newest: int,
    pause: PauseCallback,
) -> tuple[int, int]:
    """Create the monitors of all present series, fitted to their history.

    A fill that was interrupted continues: it ends at the same step, and has the monitors that it
    has already created.

    ``newest`` is the newest step that is complete, in Unix seconds. ``pause`` is called between
    series and requests; it raises to stop.

    Return the number of series, and of new monitors. Raise TooManySeriesError, HttpError or
    LeaseLostError.
    """
    query = lease.query
    monitors = SeriesMonitors(context, lease)
    end = query.fill_to if query.fill_to is not None and monitors.known_series else newest
    count = client.count_series(query.query, end)
    _reject_too_many(count, query.max_series, MAX_SERIES_REASON)
    room = _max_monitored_series(context, query.account_id, len(monitors.known_series))
    _reject_too_many(count, room, _ROOM_REASON)
    lease.update(fill_to=end, series=count, **state_columns(QueryState.FILLING))
    histories = _read_histories(lease, client, end, count, pause, monitors) if query.history else {}
    notices = [] if histories or not query.history else [NO_SERIES]
    if query.step < _MIN_DAILY_STEP_SECONDS:
        notices.append(_NO_DAILY_PATTERN)
    series = [values for _, values in histories.values()]
    notices += history_notices(series)
    notices += short_history_notices(series, min(query.history, MAX_STEPS_PER_REQUEST))
    settings = query_settings_of(query).monitor_settings
    for key in sorted(histories):
        pause()
        lease.renew()
        labels, values = histories[key]
        if key not in monitors.known_series:
            monitors.find_or_create(
                labels, end, learning_history(values, end, query.step, settings)
            )
    lease.update(read_to=end, fill_notices=json.dumps(notices + monitors.notices))
    return len(histories), monitors.created


def _max_monitored_series(context: WatchingContext, account_id: int, known_count: int) -> int:
    """Return the maximum number of series with a monitor, including those that have one."""
    monitor_count = select(func.count()).where(MONITORS.c.account_id == account_id)
    ((number,),) = read_rows(db.engine, monitor_count)
    room = context.settings.monitors_per_account - int(number) + known_count
    return max(0, room)  # below 0 if the operator has lowered the setting


def _reject_too_many(count: int, limit: int, reason: str) -> None:
    if count > limit:
        raise TooManySeriesError(series_count_problem(count, limit, reason), count)


def _read_histories(
    lease: Lease,
    client: PrometheusClient,
    end: int,
    count: int,
    pause: PauseCallback,
    monitors: SeriesMonitors,
) -> dict[str, tuple[Labels, FloatArray]]:
    """Return the history of each series that has not ended, by its labels as JSON.

    It is read backwards, so that only series that still exist are kept in memory. Steps whose
    window contains a gap are missing.
    """
    query = lease.query

    def read(first: int, last: int) -> Matrix:
        pause()
        lease.renew()
        return client.query_range(query.query, first, last, query.step)

    steps = HistorySteps(min(query.history, MAX_STEPS_PER_REQUEST), end, query.step)
    columns = HistoryColumns(steps)
    for part in read_backwards(read, steps, count, may_halve=True):
        for notice in part.response.notices:
            monitors.notices.add(notice)
        series = part.response.series
        if part.is_newest:
            alive = [(labels, values) for labels, values in series if not has_ended(values)]
            series = alive[: query.max_series]
            if len(alive) > len(series):  # the server has counted fewer
                monitors.add_too_many_notice()
        columns.add(part, series, part.response.is_empty)
    is_partial = columns.partial_steps(query.query)
    for _, values in columns.by_key.values():
        values[is_partial] = np.nan
    return columns.by_key
