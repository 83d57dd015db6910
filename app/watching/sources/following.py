"""The polls of a query after its first: read the steps that are new, and have them judged."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from sqlalchemy import update

from app.core.database import db
from app.timeseries.types import FloatArray
from app.watching.monitors import fed
from app.watching.monitors.append import append
from app.watching.monitors.records import NoSuchMonitorError
from app.watching.sources.adopting import Adopting, Known
from app.watching.sources.client import Prometheus
from app.watching.sources.connection import TooLargeError
from app.watching.sources.filling import MOST_STEPS, Step
from app.watching.sources.leases import Lease
from app.watching.sources.responses import MAX_SAMPLES, Matrix
from app.watching.sources.series import all_repeat, times_of
from app.watching.sources.tables import SERIES

MOST_OF_APPEND = 1_000
LEAD = 2  # steps that are read again, to see whether all series repeat their last values
ABSENT_STEPS = 5
FORGOTTEN_SECONDS = 7 * 86_400
DAY = 86_400
REPEATING = (
    "all series repeat their last values: is the server still scraping? Ask for "
    "avg_over_time(x[1m]) of gauges: where nothing was scraped it has a gap"
)
CHURN = "{new} of its series are new within a day: aggregate by fewer labels"


@dataclass
class Followed:
    """What was read: numbers of series, new monitors, points, and flagged ones."""

    series: int = 0
    adopted: int = 0
    points: int = 0
    flagged: int = 0
    notices: list[str] = field(default_factory=list)


def follow(lease: Lease, server: Prometheus, end: int, between: Step) -> Followed:
    """Append the points of all steps up to ``end``, the newest that is complete.

    How far was read is noted only when all points up to there are stored.

    Raises:
        BusyError: A monitor was changed by others all the time.
        SourceError: The source cannot be read.
        LeaseLostError: Another worker has taken over.
    """
    query, adopting, followed = lease.query, Adopting(lease), Followed()
    step = query.step
    low = max(query.read_to + step, end - (MOST_STEPS - 1) * step)
    chunk = max(1, min(MOST_OF_APPEND, MAX_SAMPLES // max(1, len(adopting.known))))
    while low <= end:
        high = min(end, low + (chunk - 1) * step)
        lease.keep()
        try:
            response = server.range(query.query, low - LEAD * step, high, step)
        except TooLargeError:
            if chunk == 1:
                raise
            chunk //= 2
            continue
        seen = _append_all(lease, adopting, response, low, followed, between)
        with db.engine.begin() as connection:
            lease.write_in(connection, read_to=high)
            for seen_to, ids in _by_step(seen).items():
                # In one order, so that two workers do not wait for each other.
                these = update(SERIES).where(SERIES.c.monitor_id.in_(sorted(ids)))
                connection.execute(these.values(seen_to=seen_to))
        _look(response, adopting)
        low = high + step
    followed.adopted = adopting.adopted
    _forget(lease, adopting.known.values(), end)
    new = sum(known.since > max(query.fill_to, end - DAY) for known in adopting.known.values())
    if 2 * new > query.max_series:
        adopting.note(CHURN.format(new=new))
    followed.notices = adopting.notices
    return followed


def _append_all(
    lease: Lease,
    adopting: Adopting,
    response: Matrix,
    low: int,
    followed: Followed,
    between: Step,
) -> list[Known]:
    """Append the points of a response; return the series that had some."""
    query, seen = lease.query, []
    followed.series = 0
    for labels, values in response.series:
        between()
        lease.keep()
        present = np.flatnonzero(~np.isnan(values[LEAD:]))
        followed.series += bool(len(present))
        if not len(present):
            continue
        seconds = low + query.step * present
        known = adopting.take(labels, int(seconds[0]))
        if known is None:
            continue
        try:
            taken = append(
                query.account_id,
                known.name,
                times_of(seconds),
                values[LEAD:][present],
                fed_by=query.name,
            )
        except NoSuchMonitorError:
            continue  # forgotten, or deleted with the query: then the lease is lost
        followed.points += len(taken.points)
        followed.flagged += sum(point.is_anomaly for point in taken.points)
        known.seen_to, known.is_absent = int(seconds[-1]), False
        seen.append(known)
    return seen


def _by_step(seen: Iterable[Known]) -> dict[int, list[int]]:
    steps = defaultdict(list)
    for known in seen:
        steps[known.seen_to].append(known.monitor_id)
    return steps


def _look(response: Matrix, adopting: Adopting) -> None:
    """Note what looks wrong about a response."""
    newest: list[FloatArray] = [values[-LEAD - 1 :] for _, values in response.series]
    newest = [values for values in newest if not np.isnan(values[-1])]
    if all_repeat(newest):
        adopting.note(REPEATING)
    for notice in response.notices:
        adopting.note(notice)


def _forget(lease: Lease, known: Iterable[Known], end: int) -> None:
    """Note which series are absent, and delete the monitors of those that were for long."""
    query = lease.query
    for series in known:
        missing = end - series.seen_to
        if missing > FORGOTTEN_SECONDS:
            fed.forget(query.account_id, series.name, query.name)
        elif missing > ABSENT_STEPS * query.step and not series.is_absent:
            fed.note_absent(query.account_id, series.name)
