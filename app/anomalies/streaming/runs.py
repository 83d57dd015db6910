"""Runs of one value: a sensor that is stuck."""

import math

# A run counts as stuck where it is so many times the longest seen, and at least so long; how long
# runs usually are must have been seen on so many points.
_TIMES, _SHORTEST, _LEARNED = 3, 12, 50
# After so many points a stuck value is the normal one.
_BELIEVED = 300


class Runs:
    """The run of equal values under way, and what runs are usual.

    Attributes:
        last: The value.
        length: How often it was repeated.
        longest: The longest run that was not taken for stuck.
        repeats: How many of the ``points`` before the run repeated the one before them.
    """

    def __init__(self) -> None:
        self.last = 0.0
        self.length = self.longest = self.repeats = self.points = 0
        self.is_stuck = False

    def take(self, value: float, rate: float) -> bool:
        """Take the next value; return whether a stuck value is the normal one from here on."""
        if value == self.last:
            self.length += 1
        else:
            if not self.is_stuck:
                self.longest = max(self.longest, self.length)
                self.repeats += self.length
                self.points += self.length + 1
            self.last, self.length = value, 0
        believed = self.is_stuck and self.length >= _BELIEVED
        self.is_stuck = self.length < _BELIEVED and self._is_unusual(rate)
        return believed

    def _is_unusual(self, rate: float) -> bool:
        if self.points < _LEARNED or self.length < max(_SHORTEST, _TIMES * self.longest):
            return False
        return self.length * math.log((self.repeats + 1) / (self.points + 2)) < math.log(rate)
