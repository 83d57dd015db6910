"""The statistics of a point, each with how improbable it is among its own past."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from app.anomalies.results import Direction, EventKind
from app.anomalies.streaming.expectation import Expectation
from app.anomalies.streaming.recent import RecentTail, Ring

# The band is widened or narrowed until these two rates of the points are outside. By how
# much a point moves the logarithm of the width, and how far it may go.
_NEAR, _NEAR_GAIN, _NEAR_LEAST, _NEAR_MOST = 0.05, 0.02, -0.4, 0.7
_FAR, _FAR_GAIN, _FAR_LEAST, _FAR_MOST = 0.01, 0.03, -0.1, 0.5
# A p-value depends on a width that depends on the p-value: so many steps find both.
_STEPS = 2
# Points of the mean error that shows a burst.
_BURST = 10
# The factor of the error, so that more is worse; 0: both directions are bad.
_SIDES = {Direction.BOTH: 0, Direction.UP: 1, Direction.DOWN: -1}
# The usual error of a series without errors, in its unit.
_LEAST_SCALE = 1e-9
# Statistics beyond this count as this: float32 holds little more.
_FARTHEST = 1e30


class Sign(NamedTuple):
    """The result of one statistic: -log10 of its p-value, the kind of event, the direction."""

    improbability: float
    kind: EventKind
    is_up: bool


@dataclass(frozen=True)
class Reading:
    """The statistics of a point, in the detector's unit.

    ``error`` is the signed distance from ``expected``, ``away`` the one from the slow level and its
    season, and ``scale`` the usual error.
    """

    expected: float
    error: float
    away: float
    scale: float
    p_value: float
    signs: tuple[Sign, ...]


class Statistics:
    """The expectation of a series, and the tails of the statistics of its points.

    Four statistics count: the error of the forecast, its mean over the last points, how extreme the
    value itself is, and how far the series is from its level and season. With one direction the
    error counts only on that side, which then has the whole rate.
    """

    def __init__(self, period: int, long_period: int, direction: Direction) -> None:
        self.side = _SIDES[direction]
        self.expectation = Expectation(period, long_period)
        self.last_errors = [0.0] * _BURST
        self.values, self.errors, self.bursts, self.drifts = Ring(), Ring(), Ring(), Ring()
        self.error_tail, self.burst_tail, self.drift_tail = RecentTail(), RecentTail(), RecentTail()
        self.high_tail, self.low_tail = RecentTail(), RecentTail()
        self.near_widening = self.far_widening = 0.0

    def start(self, value: float) -> None:
        """Begin with the first value."""
        self.expectation.start(value)
        self.values.add(value)

    def skip(self) -> None:
        """Step over a missing value."""
        self.values.add(self.expectation.skip())

    def read(self, value: float, most: float = math.inf) -> Reading:
        """Return the statistics of the next value, and learn it.

        An error of more than ``most`` usual ones belongs to a known event: it says nothing about
        the size of errors without events.
        """
        known = self.expectation
        scale = known.scale or _LEAST_SCALE
        from_level = known.away(value)
        expected = known.step(value)
        error = value - expected
        self.last_errors = [*self.last_errors[1:], abs(error)]
        away = _single((error * self.side or abs(error)) / scale)
        burst = _single(sum(self.last_errors))
        drift = _single(abs(known.drift) / (known.spread or _LEAST_SCALE))
        high = _single(value)
        p_value = self._p_value_of_error(away)
        side = EventKind.SPIKE if error > 0 else EventKind.DIP
        signs = (
            _sign(p_value, side, error > 0),
            _sign(self.burst_tail.p_value(burst), EventKind.BURST, error > 0),
            _sign(self.drift_tail.p_value(drift), EventKind.LEVEL_SHIFT, known.drift > 0),
            _sign(self.high_tail.p_value(high), EventKind.SPIKE, True),
            _sign(self.low_tail.p_value(-high), EventKind.DIP, False),
        )
        self._learn(away if away <= most else None, burst, drift, high)
        return Reading(expected, error, from_level, scale, p_value, signs)

    def limit(self, rate: float) -> float:
        """Return how many usual errors, at least 0, a share of ``rate`` is from its forecast."""
        return max(0.0, self.error_tail.limit(rate)) * math.exp(self._widening(rate))

    def _widening(self, p_value: float) -> float:
        """The logarithm of the factor of the width at a p-value.

        Ranks promise a rate where errors are exchangeable. Where they drift the width follows the
        rate seen (adaptive conformal inference, Gibbs and Candès 2021), once for the bulk and
        once more for the tail.
        """
        share = math.log(_NEAR / p_value) / math.log(_NEAR / _FAR)
        return self.near_widening + min(1.0, max(0.0, share)) * self.far_widening

    def _p_value_of_error(self, away: float) -> float:
        """The p-value of a forecast's error in usual errors; the widths learn from it."""
        tail = self.error_tail
        if not tail.fitted:
            return 1.0
        p_value = near = tail.p_value(away * math.exp(-self.near_widening))
        for _ in range(_STEPS):
            p_value = tail.p_value(away * math.exp(-self._widening(p_value)))
        moved = self.near_widening + _NEAR_GAIN * ((near < _NEAR) - _NEAR)
        self.near_widening = max(_NEAR_LEAST, min(_NEAR_MOST, moved))
        moved = self.far_widening + _FAR_GAIN * ((p_value < _FAR) - _FAR)
        self.far_widening = max(_FAR_LEAST, min(_FAR_MOST, moved))
        return p_value

    def _learn(self, away: float | None, burst: float, drift: float, value: float) -> None:
        if away is not None:
            self.errors.add(away)
        self.bursts.add(burst)
        self.drifts.add(drift)
        self.values.add(value)
        # One at each point, so that no point pays for all of them.
        for tail, ring, side in (
            (self.error_tail, self.errors, 1.0),
            (self.burst_tail, self.bursts, 1.0),
            (self.drift_tail, self.drifts, 1.0),
            (self.high_tail, self.values, 1.0),
            (self.low_tail, self.values, -1.0),
        ):
            if tail.is_stale(ring.count):
                tail.fit(ring, side)
                break


def _sign(p_value: float, kind: EventKind, is_up: bool) -> Sign:
    return Sign(-math.log10(p_value), kind, is_up)


def _single(value: float) -> float:
    """The value as float32 holds it, which is how rings keep it."""
    return float(np.float32(max(-_FARTHEST, min(_FARTHEST, value))))
