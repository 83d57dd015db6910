"""Runs of one value in a stream."""

import math
from dataclasses import dataclass

from app.anomalies.results import HALF_SEVERITY_EVIDENCE

# A run is stuck if it has this many points, and is this many times as long as the longest so far.
_MIN_STUCK_POINTS = 12
_MIN_STUCK_LENGTH_RATIO = 3
_MIN_POINTS_BEFORE_STUCK = 50  # of the stream: earlier, the typical lengths are unknown
# A run is certainly stuck, with severity 50, if it has this many points and is this many times as
# long as the longest: at the turn of a smooth rounded wave it is at most 4.9 times as long as those
# before.
_MIN_CERTAIN_POINTS = 15
_CERTAIN_LENGTH_RATIO = 5
_MAX_STUCK_POINTS = 300  # after this many points a stuck value becomes the normal one


@dataclass
class FlatRunTracker:
    """The current run of equal values, and how long such runs typically are."""

    last: float = math.nan  # NaN before the first value
    length: int = 0  # repetitions of ``last``
    longest: int = 0  # the longest run that did not count as stuck
    longest_stuck: int = 0  # the longest one that did
    repeats: int = 0  # repetitions among the ``points`` before the run
    points: int = 0
    is_stuck: bool = False

    def add(self, value: float, rate: float) -> bool:
        """Add the next value; return whether a stuck value becomes the normal one."""
        if value == self.last:
            self.length += 1
        else:
            if self.is_stuck:
                self.longest_stuck = max(self.longest_stuck, self.length)
            elif not math.isnan(self.last):
                self.longest = max(self.longest, self.length)
                self.repeats += self.length
                self.points += self.length + 1
            self.last, self.length = value, 0
        becomes_normal = self.is_stuck and self.length >= _MAX_STUCK_POINTS
        self.is_stuck = (
            self.points >= _MIN_POINTS_BEFORE_STUCK
            and _MIN_STUCK_POINTS <= self.length < _MAX_STUCK_POINTS
            and self.length >= _MIN_STUCK_LENGTH_RATIO * self.longest
            and self._run_evidence > -math.log10(rate)
        )
        return becomes_normal

    @property
    def evidence(self) -> float:
        """The evidence that the value is stuck, 0 if it is not.

        Half of that of the run, as other events need two statistics, and no more than the length
        shows beside the longest run.
        """
        if not self.is_stuck:
            return 0.0
        # After a stuck run, the next one as long is less surprising.
        longest = max(self.longest, self.longest_stuck // _MIN_STUCK_LENGTH_RATIO)
        certain = max(_MIN_CERTAIN_POINTS, _CERTAIN_LENGTH_RATIO * longest)
        return min(self._run_evidence / 2, HALF_SEVERITY_EVIDENCE * self.length / certain)

    @property
    def _run_evidence(self) -> float:
        """-log10 of the probability of the run, by the rule of succession."""
        return -self.length * math.log10((self.repeats + 1) / (self.points + 2))
