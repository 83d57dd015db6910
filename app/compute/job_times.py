"""Learn how long jobs take: a mean for each kind, from recent ones."""

from app.compute.jobs import Cost

# Jobs in an exponentially weighted mean, and jobs that the initial guess counts as.
WINDOW_JOBS, PRIOR_JOBS = 16, 8
# A job counts as at most this many means: one that hung says little about others.
MAX_OUTLIER_RATIO = 4.0


class JobTimes:
    """The mean seconds of each kind of job; a kind without jobs has the guess of its `Cost`.

    Jobs without a key have separate means, so that unusual ones do not affect the others.
    """

    def __init__(self) -> None:
        self._means: dict[tuple[str, bool], tuple[float, int]] = {}

    def expected_seconds(self, cost: Cost, *, is_anonymous: bool) -> float:
        return self._mean(cost, is_anonymous)[0]

    def record(self, cost: Cost, seconds: float, *, is_anonymous: bool) -> None:
        mean, number = self._mean(cost, is_anonymous)
        number = min(number + 1, WINDOW_JOBS)
        mean += (min(seconds, MAX_OUTLIER_RATIO * mean) - mean) / number
        self._means[cost.kind, is_anonymous] = mean, number

    def _mean(self, cost: Cost, is_anonymous: bool) -> tuple[float, int]:
        return self._means.get((cost.kind, is_anonymous), (cost.seconds, PRIOR_JOBS))
