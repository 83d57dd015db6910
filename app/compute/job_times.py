"""Learn how long jobs take: the processor time of each kind, and how contended the cores are."""

import math

from app.compute.jobs import Cost

# Jobs in an exponentially weighted mean, and jobs that the initial guess counts as.
WINDOW_JOBS, PRIOR_JOBS = 16, 8
# A job counts as at most this many means: one that hung says little about others.
MAX_OUTLIER_RATIO = 4.0
# A burst of requests takes the cores from the engines while it is read, and no longer: seconds in
# which most of how contended the cores were is forgotten.
CONTENTION_WINDOW_SECONDS = 3.0
MAX_CONTENTION = 0.9


class JobTimes:
    """The mean seconds of each kind of job; a kind without jobs has the guess of its `Cost`.

    Jobs without a key have separate means, so that unusual ones do not affect the others.

    Args:
        engines: The number of engines.

    """

    def __init__(self, engines: int) -> None:
        self._engines = engines
        self._means: dict[tuple[str, bool], tuple[float, int]] = {}  # of processor seconds
        # The fraction of the engines' time in which their jobs wait for a core.
        self._contention = 0.0
        self._contention_at = -math.inf

    @property
    def slowdown(self) -> float:
        """How many times their processor time jobs take now."""
        return 1 / (1 - self._contention)

    def expected_seconds(self, cost: Cost, *, is_anonymous: bool) -> float:
        return self._mean(cost, is_anonymous)[0] * self.slowdown

    def record(self, cost: Cost, processor_seconds: float, *, is_anonymous: bool) -> None:
        mean, number = self._mean(cost, is_anonymous)
        number = min(number + 1, WINDOW_JOBS)
        mean += (min(processor_seconds, MAX_OUTLIER_RATIO * mean) - mean) / number
        self._means[cost.kind, is_anonymous] = mean, number

    def record_contention(self, seconds: float, processor_seconds: float, now: float) -> None:
        """Record that a job that used ``processor_seconds`` ended after ``seconds``.

        Engines that are idle wait for nothing: a few slow jobs of theirs change next to nothing.
        """
        kept = math.exp((self._contention_at - now) / CONTENTION_WINDOW_SECONDS)
        waited = max(seconds - processor_seconds, 0.0)
        added = waited / (self._engines * CONTENTION_WINDOW_SECONDS)
        self._contention = min(kept * self._contention + added, MAX_CONTENTION)
        self._contention_at = now

    def _mean(self, cost: Cost, is_anonymous: bool) -> tuple[float, int]:
        return self._means.get((cost.kind, is_anonymous), (cost.seconds, PRIOR_JOBS))
