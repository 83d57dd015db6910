"""Read the history of a query backwards: first the newest steps, which show what still exists."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from app.core.http.errors import ResponseTooLargeError
from app.timeseries.types import BoolArray, FloatArray
from app.watching.sources.responses import MAX_SAMPLES
from app.watching.sources.series import labels_json
from app.watching.sources.source_records import Labels
from app.watching.sources.steps import (
    ENDED_AFTER_STEPS,
    MAX_STEPS_PER_REQUEST,
    find_partial_steps,
    partial_step_count,
)

Response = TypeVar("Response")
MAX_SERIES_REASON = "of its max_series; aggregate by fewer labels, or raise it"


class HistorySteps(NamedTuple):
    """The steps of a history: how many, the Unix time of the last, and the seconds between two."""

    step_count: int
    end: int
    step: int


class HistoryPart(NamedTuple, Generic[Response]):
    """A response with some steps of a history, from the Unix time ``first``, at ``positions``."""

    response: Response
    first: int
    positions: slice
    is_newest: bool


class HistoryColumns:
    """The series of a history that is read in parts: all that its newest part has.

    ``by_key`` has the labels and values, shape (n,), of each series, by its labels as JSON.
    """

    def __init__(self, steps: HistorySteps) -> None:
        self.by_key: dict[str, tuple[Labels, FloatArray]] = {}
        self._step = steps.step
        self._is_empty = np.ones(steps.step_count, dtype=bool)

    def add(
        self,
        part: HistoryPart[Any],
        series: Iterable[tuple[Labels, FloatArray]],
        is_empty: BoolArray,
    ) -> None:
        """Add the series of a part; ``is_empty``: whether no series has a value at a step."""
        self._is_empty[part.positions] = is_empty
        for labels, values in series:
            key = labels_json(labels)
            if part.is_newest:
                self.by_key[key] = labels, np.full(len(self._is_empty), np.nan)
            if key in self.by_key:
                self.by_key[key][1][part.positions] = values

    def partial_steps(self, query: str) -> BoolArray:
        """Return the steps, shape (n,), whose window reaches over a gap of all series."""
        return find_partial_steps(self._is_empty, partial_step_count(query, self._step))


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
    stop = steps.step_count
    while stop > 0:
        width = min(chunk, stop)
        last = steps.end - (steps.step_count - stop) * steps.step
        first = last - (width - 1) * steps.step
        try:
            response = read(first, last)
        except ResponseTooLargeError:
            if not may_halve or chunk <= ENDED_AFTER_STEPS:
                raise
            chunk = max(ENDED_AFTER_STEPS, chunk // 2)
            continue
        positions = slice(stop - width, stop)
        yield HistoryPart(response, first, positions, stop == steps.step_count)
        stop -= width


def series_count_problem(count: int, limit: int, reason: str) -> str:
    """Return the problem of a query with more series than ``limit``; ``reason`` explains that."""
    return f"the query returns {count:,} series, more than the {limit:,} {reason}"
