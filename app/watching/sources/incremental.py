"""The polls of a query after its first: read the steps that are new, and have them judged."""

import datetime as dt
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from sqlalchemy import Row, update

from app.core.database import db, iso_string
from app.core.database.malformed import translate_row_errors
from app.core.http.errors import ResponseTooLargeError
from app.timeseries.seconds import DAY_SECONDS
from app.timeseries.types import BoolArray, FloatArray, IntArray
from app.watching.context import WatchingContext
from app.watching.models.sources import SERIES
from app.watching.monitors import fed_monitors
from app.watching.monitors.append import MAX_APPEND_POINTS, append_points
from app.watching.monitors.settings.errors import NoSuchMonitorError
from app.watching.sources.client import PrometheusClient
from app.watching.sources.leases import Lease
from app.watching.sources.poll_slots import PauseCallback
from app.watching.sources.responses import MAX_SAMPLES, Matrix
from app.watching.sources.series import is_stale, utc_timestamps
from app.watching.sources.series_monitors import KnownSeries, SeriesMonitors
from app.watching.sources.source_records import Labels
from app.watching.sources.steps import (
    ABSENT_STEPS,
    MAX_STEPS_PER_REQUEST,
    find_partial_steps,
    partial_step_count,
)

_OVERLAP_STEPS = 2  # steps that are read again, to see whether all series repeat their last values
_MAX_FILL_NOTICES = 20  # then the oldest is dropped
_DELETE_AFTER_SECONDS = 7 * DAY_SECONDS
_REPEATING_NOTICE = (
    "all series repeat their last values: is the server still scraping? Query "
    "avg_over_time(x[1m]) of gauges: it has a gap where nothing was scraped"
)
_SKIPPED_NOTICE = "after an outage steps up to {last} were not read: {count:,}"
_CHURN_NOTICE = "{new} of its series are new within a day: aggregate by fewer labels"


@dataclass
class PollResult:
    """The numbers of series, new monitors, points and flagged points of a poll."""

    series_count: int = 0
    created_count: int = 0
    point_count: int = 0
    flagged_count: int = 0
    notices: list[str] = field(default_factory=list)


def poll_new_steps(
    context: WatchingContext,
    lease: Lease,
    client: PrometheusClient,
    read_to: int,
    end: int,
    pause: PauseCallback,
) -> PollResult:
    """Append the points of the steps after ``read_to`` up to ``end``, the newest that is complete.

    Of more than `MAX_STEPS_PER_REQUEST` new steps the oldest are skipped, which a notice says until
    the settings change. ``read_to`` moves only when all points from the first one read up to it are
    stored.

    Raise BusyMonitorError, HttpError or LeaseLostError.
    """
    poll = _Poll(context, lease, pause)
    query = lease.query
    partial = partial_step_count(query.query, query.step)
    overlap = max(_OVERLAP_STEPS, partial)
    first = max(read_to + query.step, end - (MAX_STEPS_PER_REQUEST - 1) * query.step)
    fill_notices = _notices_of_skipped(query, read_to, first)
    chunk = max(1, min(MAX_APPEND_POINTS, MAX_SAMPLES // max(1, len(poll.monitors.known_series))))
    for low, high, response in _read_chunks(lease, client, first, end, chunk, overlap):
        is_whole = ~find_partial_steps(response.is_empty, partial)[overlap:]
        _record_read(lease, high, fill_notices, poll.append_response(response, low, is_whole))
        poll.add_notices(response)
    poll.expire_series(end)
    poll.add_churn_notice(end)
    return replace(poll.result, created_count=poll.monitors.created, notices=poll.monitors.notices)


def _read_chunks(
    lease: Lease, client: PrometheusClient, first: int, end: int, chunk: int, overlap: int
) -> Iterator[tuple[int, int, Matrix]]:
    """Yield the first and the last of up to ``chunk`` new steps, and the response for them.

    A response begins ``overlap`` steps earlier. A chunk is halved if its response is too large.
    """
    query, low = lease.query, first
    while low <= end:
        high = min(end, low + (chunk - 1) * query.step)
        lease.renew()
        try:
            response = client.query_range(query.query, low - overlap * query.step, high, query.step)
        except ResponseTooLargeError as error:
            if chunk == 1:
                series = client.count_series(query.query, high)
                problem = f"{error} for {series:,} series: aggregate by fewer labels"
                raise ResponseTooLargeError(problem) from None
            chunk //= 2
            continue
        yield low, high, response
        low = high + query.step


def _record_read(lease: Lease, high: int, fill_notices: str, seen: Iterable[KnownSeries]) -> None:
    with db.engine.begin() as connection:
        lease.update_on(connection, read_to=high, fill_notices=fill_notices)
        for seen_to, ids in _ids_by_step(seen).items():
            # In one order, so that two workers do not wait for each other.
            update_series = update(SERIES).where(SERIES.c.monitor_id.in_(sorted(ids)))
            connection.execute(update_series.values(seen_to=seen_to))


class _Poll:
    """A poll of a leased query: its monitors, and its result so far."""

    def __init__(self, context: WatchingContext, lease: Lease, pause: PauseCallback) -> None:
        self._context, self._lease, self._pause = context, lease, pause
        self.monitors = SeriesMonitors(context, lease)
        self.result = PollResult()

    def append_response(self, response: Matrix, low: int, is_whole: BoolArray) -> list[KnownSeries]:
        """Append the points of a response; return the series that had some.

        ``is_whole`` marks the steps from ``low`` on whose window contains no gap; the others are
        missing points.
        """
        seen = []
        self.result.series_count = 0  # a poll's last response counts: it has the newest steps
        for labels, values in response.series:
            self._pause()
            self._lease.renew()
            newest = values[-len(is_whole) :]
            returned = np.flatnonzero(~np.isnan(newest))
            if not len(returned):
                continue
            self.result.series_count += 1
            steps = returned[is_whole[returned]]
            times = low + self._lease.query.step * steps
            series = self._append(labels, times, newest[steps])
            if series is not None:
                series.seen_to = low + self._lease.query.step * int(returned[-1])
                seen.append(series)
        return seen

    def _append(self, labels: Labels, times: IntArray, values: FloatArray) -> KnownSeries | None:
        """Append points to the monitor of a series, which is created if there are some.

        Return None if there is no monitor.
        """
        if not len(times):
            return self.monitors.find(labels)
        series = self.monitors.find_or_create(labels, int(times[0]))
        if series is None:
            return None
        account_id, fed_by = self._lease.query.account_id, self._lease.query.name
        timestamps = utc_timestamps(times)
        try:
            appended = append_points(
                self._context, account_id, series.name, timestamps, values, fed_by=fed_by
            )
        except NoSuchMonitorError:
            return None  # forgotten, or deleted with the query: then the lease is lost
        self.result.point_count += len(appended.points)
        self.result.flagged_count += sum(point.is_anomaly for point in appended.points)
        series.is_absent = False
        return series

    def add_notices(self, response: Matrix) -> None:
        newest: list[FloatArray] = [values[-_OVERLAP_STEPS - 1 :] for _, values in response.series]
        newest = [values for values in newest if not np.isnan(values[-1])]
        if is_stale(newest):
            self.monitors.notices.add(_REPEATING_NOTICE)
        for notice in response.notices:
            self.monitors.notices.add(notice)

    def add_churn_notice(self, end: int) -> None:
        query = self._lease.query
        day_start = max(query.fill_to or 0, end - DAY_SECONDS)
        new = sum(series.since > day_start for series in self.monitors.known_series.values())
        if 2 * new > query.max_series:
            self.monitors.notices.add(_CHURN_NOTICE.format(new=new))

    def expire_series(self, end: int) -> None:
        """Record which series are absent; delete the monitors of those absent for a week."""
        query = self._lease.query
        for series in self.monitors.known_series.values():
            missing = end - series.seen_to
            if missing > _DELETE_AFTER_SECONDS:
                fed_monitors.delete_fed_monitor(query.account_id, series.name, query.name)
            elif missing > ABSENT_STEPS * query.step and not series.is_absent:
                fed_monitors.record_absence(self._context, query.account_id, series.name)


@translate_row_errors()
def _notices_of_skipped(query: Row[Any], read_to: int, low: int) -> str:
    """Return ``fill_notices`` with the steps skipped between ``read_to`` and ``low``, if any."""
    notices = query.fill_notices
    if count := (low - read_to) // query.step - 1:
        last = iso_string(dt.datetime.fromtimestamp(low - query.step, dt.UTC))
        notice = _SKIPPED_NOTICE.format(count=count, last=last)
        notices = json.dumps([*json.loads(notices), notice][-_MAX_FILL_NOTICES:])
    return notices


def _ids_by_step(seen: Iterable[KnownSeries]) -> dict[int, list[int]]:
    steps = defaultdict(list)
    for series in seen:
        steps[series.seen_to].append(series.monitor_id)
    return steps
