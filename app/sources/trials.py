"""Try a source or a query from a page: in seconds, and with nothing stored."""

import contextlib
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from app.database.engine import read_connection
from app.forecasting.types import FloatArray
from app.monitors import clock
from app.sources.client import Prometheus
from app.sources.filling import HISTOGRAMS, NOTHING
from app.sources.records import Labels, SourceError, UnreadableCredentialsError
from app.sources.registry import find_source
from app.sources.series import notices_of
from app.sources.servers import server_of

REQUEST_SECONDS = 5.0
DAY = 86_400
MOST_STEPS = 288  # of a preview: more would not be seen
FEWEST_STEPS = 48  # of a preview: with long steps it is longer than a day
AT_ONCE = 2  # trials of a web worker: the rest of its threads serves others
BUSY = "others are being tried at the moment: try again in a few seconds"

_places = threading.BoundedSemaphore(AT_ONCE)


@dataclass(frozen=True)
class SourceTrial:
    """How a source responded.

    Attributes:
        problem: Why it cannot be read; None if it can.
        version: Its version, None if it does not say.
        ahead: By how many seconds its clock is ahead of ours; 0 if they are about equal.
    """

    problem: str | None = None
    version: str | None = None
    ahead: float = 0.0


@dataclass(frozen=True)
class QueryTrial:
    """What a query returns.

    Attributes:
        problem: Why it cannot be read; None if it can.
        count: The number of series at the newest step.
        series: Their labels and values over the last day, or longer with long steps, NaN where
            there is none; empty if there are more than may be watched.
        start: The Unix time of the first value.
        end: The Unix time of the last value.
        notices: What looks wrong about them.
    """

    problem: str | None = None
    count: int = 0
    series: Sequence[tuple[Labels, FloatArray]] = ()
    start: int = 0
    end: int = 0
    notices: Sequence[str] = ()


def try_source(account_id: int, name: str) -> SourceTrial:
    """Ask a source for its clock and its version.

    Raises:
        NoSuchSourceError: The account has no source of this name.
    """
    try:
        with _server(account_id, name) as server:
            ahead = server.ahead()
            return SourceTrial(None, server.version(), ahead)
    except (SourceError, UnreadableCredentialsError) as error:
        return SourceTrial(str(error))


def try_query(
    account_id: int, name: str, query: str, step: int, delay: int, max_series: int
) -> QueryTrial:
    """Ask a source for the last day of a query; the arguments are those of its settings.

    Raises:
        NoSuchSourceError: The account has no source of this name.
    """
    try:
        with _server(account_id, name) as server:
            return _last_day(server, query, step, delay, max_series)
    except (SourceError, UnreadableCredentialsError) as error:
        return QueryTrial(str(error))


@contextlib.contextmanager
def _server(account_id: int, name: str) -> Iterator[Prometheus]:
    """Give a source's server to one of few trials at a time; raises SourceError to one more."""
    with read_connection() as connection:
        source = find_source(connection, account_id, name)
    if not _places.acquire(blocking=False):
        raise SourceError(BUSY)
    try:
        with contextlib.closing(server_of(source, REQUEST_SECONDS)) as server:
            yield server
    finally:
        _places.release()


def _last_day(server: Prometheus, query: str, step: int, delay: int, max_series: int) -> QueryTrial:
    now = clock.now().timestamp() + server.ahead()
    end = int((now - delay) // step * step)
    count = server.count(query, end)
    if count == 0:
        return QueryTrial(notices=[NOTHING])
    if count > max_series:
        return QueryTrial(count=count)
    span = max(DAY, FEWEST_STEPS * step)
    wide = step * -(-span // (step * MOST_STEPS))
    start = end - (span // wide - 1) * wide
    read = server.range(query, start, end, wide)
    present = [(labels, values) for labels, values in read.series if not np.isnan(values).all()]
    notices = [*read.warnings, *([HISTOGRAMS] if read.has_histograms else [])]
    notices += notices_of([values for _, values in present])
    return QueryTrial(None, count, present, start, end, notices)
