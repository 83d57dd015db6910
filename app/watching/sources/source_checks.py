"""Requests to a source while a person waits: checks, previews and replays, one for each account."""

import contextlib
import math
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from app.compute.jobs import Job
from app.core.database import utcnow
from app.core.database.engine import read_connection
from app.core.http.errors import HttpError
from app.core.memory_units import MEBIBYTE
from app.core.settings import Settings
from app.timeseries.seconds import DAY_SECONDS
from app.timeseries.types import FloatArray
from app.watching.sources.backfill import NO_SERIES
from app.watching.sources.client import PrometheusClient
from app.watching.sources.responses import Preview
from app.watching.sources.source_reader import get_query, get_source_row
from app.watching.sources.source_records import (
    Labels,
    NoSuchQueryError,
    QueryRejectedError,
    QuerySettings,
    SourceError,
    UnreadableCredentialsError,
)
from app.watching.sources.steps import newest_complete_step

MAX_CHECK_SECONDS = 5.0  # all requests of a check together, and the first one of a replay
_PARSE_SECONDS = 2.0  # the request in which a source parses a new query
_MAX_PREVIEW_STEPS = 288  # steps of a preview: more would not be visible
_MIN_PREVIEW_STEPS = 48  # steps of a preview: with long steps it is longer than a day
_MAX_PREVIEW_SAMPLES = 50_000  # samples of a preview, for which `_MAX_PREVIEW_BYTES` are enough
# Bytes of a preview, which a web worker passes on to an engine process and does not parse.
_MAX_PREVIEW_BYTES = 4 * MEBIBYTE
# The maximum of concurrent checks and replays in a web worker, one for each account. A server that
# does not respond occupies one for `MAX_CHECK_SECONDS`. Each takes a thread that requests without
# an engine share, and twice the response (at most 8 MiB): as received and as sent to an engine.
MAX_CHECKS = 8
ACCOUNT_BUSY = "another check or replay of this account is running: try again when it has ended"
CHECKS_BUSY = f"checks of {MAX_CHECKS} other accounts are running: try again in a few seconds"
_PREVIEW_JOB = Job(
    "app.watching.sources.responses:preview_matrix",
    noun="preview",
    remedy="try it again",
    is_low_priority=True,
)


class RunJob(Protocol):
    """Runs a job in an engine process; its cost is estimated from the ``points`` it computes."""

    def __call__(
        self, job: Job, *arguments: Any, points: int = 0, timeout_seconds: float | None = None
    ) -> Any: ...


class CheckBusyError(SourceError):
    """A check or replay of the account is under way, or too many of others are."""


_accounts_with_check: set[int] = set()
_checks_lock = threading.Lock()


@dataclass(frozen=True)
class SourceCheck:
    """How a source responded; ``problem`` is why it cannot be read, None if it can.

    ``version`` is None if it reports none. ``clock_offset_seconds``: by how many its clock is ahead
    of ours; 0 if they are about equal.
    """

    problem: str | None
    version: str | None = None
    clock_offset_seconds: float = 0.0


@dataclass(frozen=True)
class QueryPreview:
    """The response to a query.

    Attributes:
        problem: Why it cannot be read; None if it can.
        count: The number of series at the newest step.
        present_count: The number with values over the last day, or longer with long steps.
        series: The labels and values of the first of them, NaN where there is none; empty if there
            are more than may be watched.
        start: The Unix time of the first value.
        end: The Unix time of the last value.
        notices: Likely mistakes.
    """

    problem: str | None = None
    count: int = 0
    present_count: int = 0
    series: Sequence[tuple[Labels, FloatArray]] = ()
    start: int = 0
    end: int = 0
    notices: Sequence[str] = ()


def check_source(settings: Settings, account_id: int, name: str) -> SourceCheck:
    """Read a source's clock and version; raise NoSuchSourceError if there is none."""
    try:
        with open_check_client(settings, account_id, name, MAX_CHECK_SECONDS) as client:
            offset = client.clock_offset_seconds()
            return SourceCheck(None, client.version(), offset)
    except (HttpError, UnreadableCredentialsError) as error:
        return SourceCheck(str(error))


def preview_query(
    settings: Settings, account_id: int, source: str, query: QuerySettings, run: RunJob
) -> QueryPreview:
    """Read the last day of a query; raise NoSuchSourceError if there is none."""
    try:
        with open_check_client(settings, account_id, source, MAX_CHECK_SECONDS) as client:
            return _preview_last_day(client, query, run)
    except (HttpError, UnreadableCredentialsError) as error:
        return QueryPreview(str(error))


def new_query_problem(
    settings: Settings, account_id: int, source: str, name: str, query: str
) -> str | None:
    """Return why the source's parser rejects the new ``query`` of the query called ``name``.

    None if the query is not new, is accepted, or gets no response within `_PARSE_SECONDS`. It is
    run at a time before all data, which costs the source next to nothing. Raise NoSuchSourceError
    if the account has no source of this name.
    """
    with contextlib.suppress(NoSuchQueryError):
        if get_query(account_id, source, name).settings.query == query:
            return None
    try:
        with open_check_client(settings, account_id, source, _PARSE_SECONDS) as client:
            client.count_series(query, 0)
    except QueryRejectedError as error:
        return str(error)
    except (HttpError, UnreadableCredentialsError):
        return None
    return None


@contextlib.contextmanager
def open_check_client(
    settings: Settings, account_id: int, name: str, seconds: float
) -> Iterator[PrometheusClient]:
    """Yield the client of a source, while the web worker has a slot for a check of its account.

    ``seconds`` is the time limit of all requests together.

    Raise NoSuchSourceError or CheckBusyError.
    """
    with read_connection() as connection:
        source = get_source_row(connection, account_id, name)
    with (
        acquire_check_slot(account_id),
        contextlib.closing(
            PrometheusClient(settings, source, seconds, MAX_CHECK_SECONDS)
        ) as client,
    ):
        yield client


@contextlib.contextmanager
def acquire_check_slot(account_id: int) -> Iterator[None]:
    """Hold a slot of the web worker for a check or replay of an account.

    Raise CheckBusyError if no slot is free.
    """
    with _checks_lock:
        if account_id in _accounts_with_check:
            raise CheckBusyError(ACCOUNT_BUSY)
        if len(_accounts_with_check) >= MAX_CHECKS:
            raise CheckBusyError(CHECKS_BUSY)
        _accounts_with_check.add(account_id)
    try:
        yield
    finally:
        with _checks_lock:
            _accounts_with_check.remove(account_id)


def _preview_last_day(client: PrometheusClient, query: QuerySettings, run: RunJob) -> QueryPreview:
    step = query.step
    now = utcnow().timestamp() + client.clock_offset_seconds()
    end = newest_complete_step(now, step, query.delay)
    count = client.count_series(query.query, end)
    if count == 0:
        return QueryPreview(notices=[NO_SERIES])
    if count > query.max_series:
        return QueryPreview(count=count)
    seconds = max(DAY_SECONDS, _MIN_PREVIEW_STEPS * step)
    max_steps = max(_MIN_PREVIEW_STEPS, min(_MAX_PREVIEW_STEPS, _MAX_PREVIEW_SAMPLES // count))
    preview_step = step * math.ceil(seconds / (step * max_steps))
    steps = seconds // preview_step
    start = end - (steps - 1) * preview_step
    response = client.query_range_response(
        query.query, start, end, preview_step, _MAX_PREVIEW_BYTES
    )
    preview: Preview | HttpError = run(_PREVIEW_JOB, response, start, preview_step, steps)
    if isinstance(preview, HttpError):
        raise preview
    return QueryPreview(None, count, preview.count, preview.series, start, end, preview.notices)
