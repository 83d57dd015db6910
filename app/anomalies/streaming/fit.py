"""The fit of a stream: everything about a series that does not move from point to point."""

import math
from array import array

from app.anomalies.phases import phase_of
from app.anomalies.streaming.tails import StreamTail

# Distances from the centre, in units, are clipped to this.
_MAX_DISTANCE_UNITS = 1e9
_MAX_FLOAT, _MIN_FLOAT = 1.7e308, 2.3e-308

MAX_LEARNED_POINTS = 10_000
"""A longer history is cut: its end is learned from."""


class StreamFit:
    """What was learned from the points kept.

    Attributes:
        origin: The time of the first point learned from; seasons begin there.
        centre: The median of the values or of their logarithms.
        unit: Their usual distance from it.
        is_log: Whether logarithms are used.
        base: The level that the autoregression returns to, in units.
        periods: Seasonal periods in steps, shortest first.
        profile: The profiles of the periods, one after the other, in units.
        lags: Lags of the autoregression, ascending from 1.
        weights: Their weights.
        least_scale: The least scale of errors, in units, above 0.
        phases: The ratio of the size of errors in each part of the shortest season to the usual.
        up: The tail of errors in usual errors.
        down: The tail of their negatives.
        burst: The tail of the sum of the last errors.
        drift: The tail of the distance from the slow level.
        high: The tail of the values.
        low: The tail of their negatives.
    """

    def __init__(self) -> None:
        self.origin = 0
        self.centre, self.unit, self.base, self.min_scale = 0.0, 1.0, 0.0, 1.0
        self.is_log = False
        self.periods = array("q")
        self.profile = [0.0] * 0
        self.lags, self.weights = array("q", [1]), [1.0]
        self.phases = [1.0]
        self.up, self.down = StreamTail(), StreamTail()
        self.burst, self.drift = StreamTail(), StreamTail()
        self.high, self.low = StreamTail(), StreamTail()

    def plain(self, value: float) -> float:
        """Return a value in units, clipped where it is absurdly far."""
        own = math.log(max(value, _MIN_FLOAT)) if self.is_log else value
        # Halved first: the difference of values near the largest numbers could overflow.
        away = (own / 2 - self.centre / 2) / (self.unit / 2)
        return max(-_MAX_DISTANCE_UNITS, min(_MAX_DISTANCE_UNITS, away))

    def restored(self, plain: float) -> float:
        """Return the value of a number of units, within the range of floating-point numbers."""
        own = self.unit * plain + self.centre
        if self.is_log:
            return math.exp(min(own, math.log(_MAX_FLOAT)))
        return max(-_MAX_FLOAT, min(_MAX_FLOAT, own))

    def season_at(self, time: int) -> float:
        """Return the sum of the profiles at a step, in units."""
        season, begin, since = 0.0, 0, time - self.origin
        for period in self.periods:
            season += self.profile[begin + since % period]
            begin += period
        return season

    def phase_at(self, time: int) -> float:
        """Return the ratio of the size of errors at a step to the usual size."""
        if len(self.phases) == 1:
            return self.phases[0]
        return self.phases[phase_of(time - self.origin, self.periods[0])]
