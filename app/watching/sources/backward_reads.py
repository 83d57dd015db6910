"""Read the history of a query backwards: first the newest steps, which show what still exists."""

from collections.abc import Callable, Iterator
from typing import Generic, NamedTuple, TypeVar

from app.core.http.errors import ResponseTooLargeError
from app.watching.sources.responses import MAX_SAMPLES
from app.watching.sources.steps import ENDED_AFTER_STEPS, MAX_STEPS_PER_REQUEST

Response = TypeVar("Response")
MAX_SERIES_REASON = "its max_series; aggregate by fewer labels, or raise it"


class HistorySteps(NamedTuple):
    """The steps of a history: how many, the Unix time of the last, and the seconds between two."""

    step_count: int
    end: int
    step: int


class HistoryPart(NamedTuple, Generic[Response]):
    """A response with consecutive steps of a history.

    Attributes:
        response: The response.
        first: The Unix time of its first step.
        positions: Its positions in the history.
        is_newest: Whether it has the newest steps.
    """

    response: Response
    first: int
    positions: slice
    is_newest: bool


def read_backwards(
    read: Callable[[int, int], Response],
    steps: HistorySteps,
    series: int,
    *,
    may_halve: bool = False,
) -> Iterator[HistoryPart[Response]]:
    """Yield the parts of a history, the newest first.

    Args:
        read: Requests the steps from one Unix time to another.
        steps: The steps of the history.
        series: How many series are expected, which bounds the steps of a request.
        may_halve: Whether a request is repeated for half of its steps if the response is too large.
    """
    chunk = max(ENDED_AFTER_STEPS, min(MAX_STEPS_PER_REQUEST, MAX_SAMPLES // max(1, series)))
    left = steps.step_count
    while left > 0:
        width = min(chunk, left)
        last = steps.end - (steps.step_count - left) * steps.step
        first = last - (width - 1) * steps.step
        try:
            response = read(first, last)
        except ResponseTooLargeError:
            if not may_halve or chunk <= ENDED_AFTER_STEPS:
                raise
            chunk = max(ENDED_AFTER_STEPS, chunk // 2)
            continue
        yield HistoryPart(response, first, slice(left - width, left), left == steps.step_count)
        left -= width


def series_count_problem(count: int, limit: int, reason: str) -> str:
    """Return the problem of a query with more series than ``limit``, which ``reason`` names."""
    return f"the query returns {count:,} series, more than the {limit:,} of {reason}"
