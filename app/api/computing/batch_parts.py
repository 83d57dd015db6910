"""The parts of a batch: which items are next, and whether all can be computed in time.

Each part is taken from the middle of the largest gap, so that costly items at one end are seen
early. The first parts are small: within a second they predict the time of the others. A call is
rejected if the engines cannot compute the remaining items before the deadline, even if

- the items take the shortest time that the spread of the parts' CPU times allows;
- other calls that slow it down end: the slowdown is discounted by up to half, less as time passes.
"""

import math
import threading
from typing import Any

import numpy as np

from app.timeseries.types import FloatArray

SMALL_PARTS = 10
_MIN_MEASURED_PARTS = 5  # parts that predict the others
# Core seconds of a small part, and of the others.
SMALL_PART_SECONDS, PART_SECONDS = 0.1, 0.4
# Lower bound of the mean pace: the mean of the measured parts minus this many standard errors.
# It is estimated after each part: with fewer errors, calls that fit just in time are rejected by
# chance.
_STANDARD_ERRORS = 3.0
_MIN_PACE = 0.01


class BatchParts:
    """The parts of a call, and their results. Used by several threads.

    Args:
        guesses: The seconds of a core that each item may take; only their ratios count.
        engines: How many parts are computed at the same time.
    """

    def __init__(self, guesses: FloatArray, engines: int) -> None:
        self._guessed_before = np.concatenate([[0.0], np.cumsum(guesses)])  # seconds, of each item
        self._engines = engines
        self._gaps = [(0, len(guesses))]  # the items of no part, in order
        self._parts_begun = 0
        self._done_seconds = 0.0  # as guessed
        self._items_done = 0
        self._pace = 1.0  # real seconds per guessed second
        self._measured: list[tuple[float, float, float]] = []  # seconds guessed, of a core, passed
        self._warming_up: set[int] = set()
        self._lock = threading.Lock()
        self._results: dict[int, Any] = {}

    def next_part(self) -> tuple[int, int] | None:
        """Return the ``start`` and ``stop`` of the range of the next items, None at the end."""
        with self._lock:
            if not self._gaps:
                return None
            is_first = self._parts_begun == 0
            core_seconds = SMALL_PART_SECONDS if self._parts_begun < SMALL_PARTS else PART_SECONDS
            part_seconds = core_seconds / self._pace  # as guessed
            longest = max(range(len(self._gaps)), key=self._gap_seconds)
            is_short = self._gap_seconds(longest) <= 2 * part_seconds
            gap_start, gap_stop = self._gaps.pop(longest)
            start = gap_start if is_first or is_short else self._middle(gap_start, gap_stop)
            stop_seconds = self._guessed_before[start] + part_seconds
            stop = int(np.searchsorted(self._guessed_before, stop_seconds, side="right")) - 1
            stop = min(max(stop, start + 1), gap_stop)
            remaining_gaps = [(gap_start, start), (stop, gap_stop)]
            self._gaps[longest:longest] = [gap for gap in remaining_gaps if gap[0] < gap[1]]
            self._parts_begun += 1
            if not self._results:
                self._warming_up.add(start)
            return start, stop

    def record_result(
        self, start: int, stop: int, result: Any, seconds: float, passed_seconds: float
    ) -> None:
        """Keep the result of the items from ``start`` to before ``stop``, and learn from its time.

        ``seconds`` are of a core, ``passed_seconds`` by the clock, with the wait.
        """
        with self._lock:
            guessed = self._guessed_before[stop] - self._guessed_before[start]
            self._results[start] = result
            self._done_seconds += guessed
            self._items_done += stop - start
            core_seconds = max(seconds, _MIN_PACE * guessed)
            self._pace = (self._pace + core_seconds / guessed) / 2
            # Engines load what they need with their first parts.
            if start not in self._warming_up:
                self._measured.append((guessed, core_seconds, passed_seconds))

    @property
    def done_fraction(self) -> float:
        return float(self._done_seconds / self._guessed_before[-1])

    def reachable_fraction(self, elapsed: float, seconds: float) -> float:
        """Return the fraction that fits in ``seconds``, of which ``elapsed`` have passed.

        It is 1 unless the time is clearly too short.
        """
        with self._lock:
            if len(self._measured) < _MIN_MEASURED_PARTS:
                return 1.0
            guessed, taken, passed = np.array(self._measured).T
            remaining_seconds = seconds - elapsed
            remaining_guess = self._guessed_before[-1] - self._done_seconds
            pace = taken.sum() / guessed.sum()
            slowdown = max(1.0, passed.sum() / taken.sum())
            discounted_slowdown = max(1.0, slowdown / (1 + remaining_seconds / seconds))
            lowest_pace = pace - _STANDARD_ERRORS * _standard_error(taken / guessed, guessed)
            core_seconds = self._engines * remaining_seconds
            if remaining_guess * lowest_pace * discounted_slowdown <= core_seconds:
                return 1.0
            reachable = core_seconds / (pace * slowdown * self._guessed_before[-1])
            return min(1.0, self.done_fraction + float(reachable))

    def ordered_results(self) -> list[Any] | None:
        """Return all results in the order of their items, None if some are missing."""
        if self._items_done < len(self._guessed_before) - 1:
            return None
        return [self._results[start] for start in sorted(self._results)]

    def _gap_seconds(self, index: int) -> float:
        start, stop = self._gaps[index]
        return float(self._guessed_before[stop] - self._guessed_before[start])

    def _middle(self, start: int, stop: int) -> int:
        middle = (self._guessed_before[start] + self._guessed_before[stop]) / 2
        return min(int(np.searchsorted(self._guessed_before, middle)), stop - 1)


def _standard_error(paces: FloatArray, weights: FloatArray) -> float:
    """Return the standard error of the weighted mean of several paces."""
    normalized = weights / weights.sum()
    squares = normalized @ (paces - normalized @ paces) ** 2
    mean_variance = normalized @ normalized  # 1 / n of equal ones
    return math.sqrt(squares * mean_variance / (1 - mean_variance))
