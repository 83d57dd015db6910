"""Learn how long jobs take: the times of each kind, and how contended the cores are."""

import math
from typing import NamedTuple

from app.compute.jobs import Cost

_WINDOW_JOBS = 16  # jobs in an exponentially weighted mean
_PRIOR_JOBS = 8  # jobs that the initial guess counts as
# A job counts as at most this many mean times: one that hung says little about others.
MAX_OUTLIER_RATIO = 4.0
# Time constant of the mean contention: a burst takes cores from the engines only while it is read.
_CONTENTION_WINDOW_SECONDS = 3.0
_MAX_CONTENTION = 0.9


class _Means(NamedTuple):
    """The mean seconds of a number of jobs, and their mean CPU seconds."""

    seconds: float
    cpu_seconds: float
    jobs: int


class JobTimes:
    """The mean seconds of each kind of job; a kind without jobs has the guess of its `Cost`.

    Recent jobs may have been slow because a burst of requests was being read. So a job is expected
    to take their mean time, or their CPU time on cores that are as contended as now: the shorter
    one. Jobs without a key have separate means, so that unusual ones do not affect the others.
    """

    def __init__(self, engines: int) -> None:
        self._engines = engines
        self._means: dict[tuple[str, bool], _Means] = {}
        # The fraction of the engines' time in which their jobs wait for a core.
        self._contention = 0.0
        self._contention_at = -math.inf

    def expected_seconds(self, cost: Cost, *, is_anonymous: bool) -> float:
        seconds, cpu_seconds, _ = self._mean(cost, is_anonymous)
        return min(seconds, cpu_seconds / (1 - self._contention))

    def record(self, cost: Cost, seconds: float, cpu_seconds: float, *, is_anonymous: bool) -> None:
        means = self._mean(cost, is_anonymous)
        jobs = min(means.jobs + 1, _WINDOW_JOBS)
        self._means[cost.kind, is_anonymous] = _Means(
            _next_mean(means.seconds, seconds, jobs),
            _next_mean(means.cpu_seconds, cpu_seconds, jobs),
            jobs,
        )

    def record_contention(self, seconds: float, cpu_seconds: float, now: float) -> None:
        """Record that a job that used ``cpu_seconds`` ended after ``seconds``.

        The wait is divided by the time of all engines, so a few slow jobs change little while most
        engines are idle.
        """
        kept = math.exp((self._contention_at - now) / _CONTENTION_WINDOW_SECONDS)
        added = max(seconds - cpu_seconds, 0.0) / (self._engines * _CONTENTION_WINDOW_SECONDS)
        self._contention = min(kept * self._contention + added, _MAX_CONTENTION)
        self._contention_at = now

    def _mean(self, cost: Cost, is_anonymous: bool) -> _Means:
        guess = _Means(cost.guessed_seconds, cost.guessed_seconds, _PRIOR_JOBS)
        return self._means.get((cost.kind, is_anonymous), guess)


def _next_mean(mean: float, newest: float, jobs: int) -> float:
    return mean + (min(newest, MAX_OUTLIER_RATIO * mean) - mean) / jobs
