"""The statistics of a point, each with how improbable it is among its own past."""

import math
from dataclasses import dataclass

import numpy as np

from app.anomalies.results import EventKind
from app.anomalies.streaming.expectation import Expectation
from app.anomalies.streaming.recent import RecentTail, Ring

CAUTIOUS = 0.15
ETA = 0.02
# Points of the mean error that shows a burst.
_BURST = 10
# The usual error of a series that was never wrong, in its unit.
_LEAST_SCALE = 1e-9
# Statistics beyond this count as this: float32 holds little more.
_FARTHEST = 1e30


@dataclass(frozen=True)
class Sign:
    """What one statistic says: -log10 of its p-value, the kind of event, and which way."""

    improbability: float
    kind: EventKind
    is_up: bool


@dataclass(frozen=True)
class Reading:
    """What a point shows, in the detector's unit; ``scale`` is the usual error."""

    expected: float
    scale: float
    p_value: float
    signs: tuple[Sign, ...]


class Statistics:
    """The expectation of a series, and the tails of what its points showed.

    Four things count: the error of the forecast, its mean over the last points, how extreme the
    value itself is, and how far the series is from its level and season.
    """

    def __init__(self, period: int, long_period: int) -> None:
        self.expectation = Expectation(period, long_period)
        self.last_errors = [0.0] * _BURST
        self.values, self.errors, self.bursts, self.drifts = Ring(), Ring(), Ring(), Ring()
        self.error_tail, self.burst_tail, self.drift_tail = RecentTail(), RecentTail(), RecentTail()
        self.high_tail, self.low_tail = RecentTail(), RecentTail()
        self.widening = 0.0

    def start(self, value: float) -> None:
        """Begin with the first value."""
        self.expectation.start(value)
        self.values.add(value)

    def skip(self) -> None:
        """Step over a missing value."""
        self.expectation.skip(self.values)

    def read(self, value: float) -> Reading:
        """Return what the next value shows, and learn it."""
        known = self.expectation
        scale = known.scale or _LEAST_SCALE
        wide = math.exp(self.widening)
        expected = known.step(value, self.values)
        error = value - expected
        self.last_errors = [*self.last_errors[1:], abs(error)]
        away = _single(abs(error) / scale)
        burst = _single(sum(self.last_errors))
        drift = _single(abs(known.drift) / (known.spread or _LEAST_SCALE))
        high = _single(value)
        p_value = self.error_tail.p_value(away / wide)
        side = (EventKind.DIP, EventKind.SPIKE)[error > 0]
        signs = (
            _sign(self.error_tail.p_value(away, CAUTIOUS), side, error > 0),
            _sign(self.burst_tail.p_value(burst, CAUTIOUS), EventKind.BURST, error > 0),
            _sign(self.drift_tail.p_value(drift, CAUTIOUS), EventKind.LEVEL_SHIFT, known.drift > 0),
            _sign(self.high_tail.p_value(high, CAUTIOUS), EventKind.SPIKE, True),
            _sign(self.low_tail.p_value(-high, CAUTIOUS), EventKind.DIP, False),
        )
        self._learn(away, burst, drift, high)
        if self.error_tail.fitted:
            self.widening = max(-0.4, min(0.7, self.widening + ETA * ((p_value < 0.05) - 0.05)))
        return Reading(expected, scale * wide, p_value, signs)

    def _learn(self, away: float, burst: float, drift: float, value: float) -> None:
        self.errors.add(away)
        self.bursts.add(burst)
        self.drifts.add(drift)
        self.values.add(value)
        # One a point, so that none pays for all of them.
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
