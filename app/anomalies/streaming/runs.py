"""Runs of one value: a sensor that is stuck."""

import math

# A run counts as stuck if it is this many times the longest one so far, and at least this long; the
# usual length must be known from this many points.
_MIN_LENGTH_RATIO, _MIN_STUCK_POINTS, _MIN_LEARNED_POINTS = 3, 12, 50
# After this many points a stuck value becomes the normal one.
_MAX_STUCK_POINTS = 300


class Runs:
    """The current run of equal values, and the usual length of runs.

    Attributes:
        last: The value.
        length: The number of repetitions.
        longest: The longest run that did not count as stuck.
        repeats: How many of the ``points`` before the run repeated their predecessor.
    """

    def __init__(self) -> None:
        self.last = 0.0
        self.length = self.longest = self.repeats = self.points = 0
        self.is_stuck = False

    def add(self, value: float, rate: float) -> bool:
        """Add the next value; return whether a stuck value becomes the normal one."""
        if value == self.last:
            self.length += 1
        else:
            if not self.is_stuck:
                self.longest = max(self.longest, self.length)
                self.repeats += self.length
                self.points += self.length + 1
            self.last, self.length = value, 0
        believed = self.is_stuck and self.length >= _MAX_STUCK_POINTS
        self.is_stuck = self.length < _MAX_STUCK_POINTS and self._is_unusual(rate)
        return believed

    def _is_unusual(self, rate: float) -> bool:
        if self.points < _MIN_LEARNED_POINTS or self.length < max(
            _MIN_STUCK_POINTS, _MIN_LENGTH_RATIO * self.longest
        ):
            return False
        return self.length * math.log((self.repeats + 1) / (self.points + 2)) < math.log(rate)
