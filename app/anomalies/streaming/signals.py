"""How improbable a point is: the limits of the band, and the statistics that show an event."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from app.anomalies.results import Direction, EventKind
from app.anomalies.streaming.fit import StreamFit
from app.anomalies.streaming.forecaster import ForecastStep
from app.anomalies.tail import BandLimits

# Without a flagged point, the last points are an event if one of their joint statistics is this
# improbable, in -log10 of its p-value.
_MIN_JOINT_IMPROBABILITY = 2.0
_LOG_10 = math.log(10.0)

# The band is widened or narrowed until these fractions of the points are outside: the gain is how
# far one point moves the logarithm of the width, within the bounds.
_NEAR_RATE, _NEAR_GAIN, _MIN_NEAR, _MAX_NEAR = 0.05, 0.02, -0.4, 0.7
_FAR_RATE, _FAR_GAIN, _MIN_FAR, _MAX_FAR = 0.01, 0.03, -0.1, 0.5
_LOG_NEAR, _LOG_FAR = math.log(_NEAR_RATE), math.log(_FAR_RATE)
# A p-value depends on a width that depends on the p-value: fixed-point iterations.
_ITERATIONS = 2


@dataclass
class Widening:
    """The logarithm of the factor of the band's width: ``near`` for all, ``far`` for its tail.

    Ranks give the requested rate if errors are exchangeable. If they drift, the width follows the
    observed rate (adaptive conformal inference, Gibbs and Candès 2021).
    """

    near: float = 0.0
    far: float = 0.0

    def log_factor(self, log_p: float) -> float:
        """Return the logarithm of the factor at a p-value, given by its logarithm."""
        fraction = (_LOG_NEAR - log_p) / (_LOG_NEAR - _LOG_FAR)
        return self.near + min(1.0, max(0.0, fraction)) * self.far

    def log_p(
        self, scaled_error: float, log_p_of: Callable[[float], float], *, is_learned: bool
    ) -> float:
        """Return the logarithm of the p-value of an error; adapt the width if ``is_learned``.

        ``log_p_of`` is the same function for a band that is not widened.
        """
        near_log_p = log_p = log_p_of(scaled_error * math.exp(-self.near))
        for _ in range(_ITERATIONS):
            log_p = log_p_of(scaled_error / math.exp(self.log_factor(log_p)))
        if is_learned:
            moved = self.near + _NEAR_GAIN * ((near_log_p < _LOG_NEAR) - _NEAR_RATE)
            self.near = max(_MIN_NEAR, min(_MAX_NEAR, moved))
            moved = self.far + _FAR_GAIN * ((log_p < _LOG_FAR) - _FAR_RATE)
            self.far = max(_MIN_FAR, min(_MAX_FAR, moved))
        return log_p


class Signal(NamedTuple):
    """One statistic: -log10 of its p-value, and the kind of event that it shows."""

    improbability: float
    kind: EventKind
    is_lasting: bool = False  # whether it shows a deviation that stays


def band_limits(
    fit: StreamFit, widening: Widening, rate: float, direction: Direction
) -> BandLimits:
    """Return how far from its forecast a point may be, in usual errors."""
    factor = math.exp(widening.log_factor(math.log(rate)))
    return fit.tails.errors.limits(rate, direction).scaled(factor)


def point_signals(
    fit: StreamFit, step: ForecastStep, time: int, log_p: float, direction: Direction
) -> list[Signal]:
    """Return the statistics of a point on the sides of the direction.

    ``log_p`` is the logarithm of the p-value of its error.
    """
    is_up = step.error > 0
    # From the fit's level, relative to the phase.
    distance = (step.value - fit.base) / fit.phase_at(time)
    persistence = fit.tails.persistence.log_p(abs(step.persistence))
    log_ps = (
        (log_p, EventKind.SPIKE if is_up else EventKind.DIP, is_up),
        (fit.tails.burst.log_p(step.burst), EventKind.BURST, is_up),
        (fit.tails.drift.log_p(abs(step.drift)), EventKind.LEVEL_SHIFT, step.drift > 0),
        (fit.tails.high.log_p(distance), EventKind.SPIKE, True),
        (fit.tails.low.log_p(-distance), EventKind.DIP, False),
        (persistence, EventKind.LEVEL_SHIFT, step.persistence > 0, True),
    )
    return [
        Signal(-log_probability / _LOG_10, kind, *is_lasting)
        for log_probability, kind, is_up, *is_lasting in log_ps
        if direction.has_side(is_up)
    ]


def joint_event_kind(signals: list[Signal], direction: Direction) -> EventKind | None:
    """Return the kind of event of the last points together, if they are improbable."""
    kinds = [EventKind.LEVEL_SHIFT]
    if direction is Direction.BOTH:  # a burst has both sides
        kinds.append(EventKind.BURST)
    joint = [signal for signal in signals if signal.kind in kinds]
    best = max(joint, key=lambda signal: signal.improbability, default=None)
    return best.kind if best and best.improbability >= _MIN_JOINT_IMPROBABILITY else None
