"""How long jobs take: a mean for each kind, learned from recent ones."""

from app.compute.jobs import Cost

# A mean is that of recent jobs, exponentially weighted; the guess counts as some of them.
WINDOW_JOBS, PRIOR_JOBS = 16, 8
# A job counts as at most this many means: one that hung says little about the others.
MAX_OUTLIER_RATIO = 4.0


class JobTimes:
    """The mean times of the kinds of jobs in seconds; a kind without jobs has its guess.

    Jobs without a key have means of their own, so that odd ones say nothing about the others.
    """

    def __init__(self) -> None:
        self._means: dict[tuple[str, bool], tuple[float, int]] = {}

    def expected_seconds(self, cost: Cost, *, is_anonymous: bool) -> float:
        """Return how many seconds a job is expected to take."""
        return self._mean(cost, is_anonymous)[0]

    def record(self, cost: Cost, seconds: float, *, is_anonymous: bool) -> None:
        """Learn from the seconds of a job."""
        mean, number = self._mean(cost, is_anonymous)
        number = min(number + 1, WINDOW_JOBS)
        mean += (min(seconds, MAX_OUTLIER_RATIO * mean) - mean) / number
        self._means[cost.kind, is_anonymous] = mean, number

    def _mean(self, cost: Cost, is_anonymous: bool) -> tuple[float, int]:
        return self._means.get((cost.kind, is_anonymous), (cost.seconds, PRIOR_JOBS))
