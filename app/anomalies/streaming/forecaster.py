"""One-step forecasts of a series by a few experts, and the little that moves with each point.

The experts are the last value, an exponential level and the fitted autoregression, all of the
series without its season. They are weighted by their recent errors.
"""

from typing import NamedTuple

from app.anomalies.streaming.fit import StreamFit

# Weights fall with this power of an expert's mean error, which remembers about 100 points.
_WEIGHT_POWER, _ERROR_MEMORY = -4, 0.01
# The errors are learned faster up to this many points.
_FIRST_ERROR_MEMORY, _FIRST_POINTS = 0.05, 200
# A surprise counts for learning up to so many times the usual: an outage teaches little.
_MAX_ERROR_RATIO, _MAX_SCALE_RATIO, _MAX_DRIFT_RATIO, _MAX_SPREAD_RATIO, _MAX_LEVEL_RATIO = (
    6,
    5,
    8,
    6,
    4,
)
# Shares of a surprise that the levels, the drift and the spread learn.
_MEDIUM_GAIN, _SLOW_GAIN, _DRIFT_GAIN, _SPREAD_GAIN = 0.1, 0.002, 0.1, 0.005
# A value beyond so many usual errors counts as one at that distance in the next forecast: a spike
# says nothing about the points after it. A second one on the same side, nearer to the first than
# this share of its error, counts as it is.
_FAR_RATIO, _NEAR_SHARE = 4, 0.5
BURST_POINTS = 10
"""Points of the sum of errors that shows a burst."""
# Of a usual error: keeps the weight of an expert that is never wrong finite.
_TINY = 1e-6

_EXPERTS = 3


class ForecastStep(NamedTuple):
    """One point, in the fit's units and without its season.

    ``error`` is the signed distance from ``expected``, ``scale`` the usual error there, ``burst``
    the sum of the last errors, and ``drift`` how far the last points are from the slow level, in
    usual distances.
    """

    value: float
    expected: float
    error: float
    scale: float
    burst: float
    drift: float


NO_STEP = ForecastStep(0.0, 0.0, 0.0, 1.0, 0.0, 0.0)
"""The step of a missing point."""


class Forecaster:
    """The moving state of the forecasts of a series.

    ``time`` counts steps, missing ones included. ``recent`` holds the last values as the forecasts
    count them, ``level`` the slow level, ``drift`` the smoothed distance of the last values from it
    and ``spread`` how far one value usually is.
    """

    def __init__(self) -> None:
        self.time = self.seen = 0
        self.recent = [0.0]
        self.medium = self.level = self.drift = self.last = 0.0
        self.scale = self.spread = 0.0
        self.errors = [0.0] * _EXPERTS
        self.sizes = [0.0] * BURST_POINTS
        self.far_side = 0

    def step(self, fit: StreamFit, plain: float) -> ForecastStep:
        """Forecast the next value, in the fit's units, and learn it."""
        value, phase = plain - fit.season_at(self.time), fit.phase_at(self.time)
        forecasts = self._expert_forecasts(fit)
        expected = self._combine(forecasts)
        error = value - expected
        size, scale = abs(error), self.scale
        self._learn_errors(value, forecasts, size)
        believed = self._clipped_value(value, expected, error, scale)
        self._learn_levels(value, believed)
        self._advance(believed)
        drift = self.drift / self.spread if self.spread else 0.0
        usual = max(scale, fit.min_scale) * phase
        self.sizes = [*self.sizes[1:], size / usual]
        return ForecastStep(value, expected, error, usual, sum(self.sizes), drift)

    def skip(self, fit: StreamFit) -> None:
        """Step over a missing value: its forecast takes its place."""
        self._advance(self._combine(self._expert_forecasts(fit)))

    def shift_level(self, level: float) -> None:
        """Make another level the normal one from here on."""
        self.level, self.drift = level, 0.0

    def reset_after_event(self, scale: float, spread: float, level: float, size: float) -> None:
        """Forget the surprises of an incident that is over, before which these were usual.

        ``size`` is that of one error in usual errors.
        """
        self.level = level
        self.scale, self.spread = min(self.scale, scale), min(self.spread, spread)
        self.sizes = [min(each, size) for each in self.sizes]
        self.drift = 0.0

    def _expert_forecasts(self, fit: StreamFit) -> tuple[float, float, float]:
        recent, base = self.recent, fit.base
        regression = base
        for lag, weight in zip(fit.lags, fit.weights, strict=True):
            regression += weight * (recent[-lag] - base)
        return recent[-1], self.medium, regression

    def _combine(self, forecasts: tuple[float, ...]) -> float:
        unit = self.scale or 1.0
        last = forecasts[0]
        total = mean = 0.0
        for error, forecast in zip(self.errors, forecasts, strict=True):
            weight = (error / unit + _TINY) ** _WEIGHT_POWER
            total += weight
            mean += weight * (forecast - last)
        return last + mean / total

    def _learn_errors(self, value: float, forecasts: tuple[float, ...], size: float) -> None:
        memory = _ERROR_MEMORY if self.seen > _FIRST_POINTS else _FIRST_ERROR_MEMORY
        ceiling = _MAX_ERROR_RATIO * self.scale
        errors = self.errors
        for expert, forecast in enumerate(forecasts):
            errors[expert] += memory * (min(abs(value - forecast), ceiling) - errors[expert])
        gain = max(1 / (self.seen + 2), _ERROR_MEMORY)
        self.scale += gain * (min(size, _MAX_SCALE_RATIO * self.scale) - self.scale)

    def _clipped_value(self, value: float, expected: float, error: float, scale: float) -> float:
        """Return the value as the next forecasts count it."""
        far, before = _FAR_RATIO * scale, self.far_side
        self.far_side = (error > far) - (error < -far)
        is_confirmed = before == self.far_side and abs(value - self.last) < _NEAR_SHARE * abs(error)
        self.last = value
        if not self.far_side or is_confirmed:
            return value
        return expected + self.far_side * far

    def _learn_levels(self, value: float, believed: float) -> None:
        away, spread = value - self.level, self.spread
        self.medium += _MEDIUM_GAIN * (believed - self.medium)
        self.drift += _DRIFT_GAIN * (_clip(away, _MAX_DRIFT_RATIO * spread) - self.drift)
        self.spread += _SPREAD_GAIN * (min(abs(away), _MAX_SPREAD_RATIO * spread) - spread)
        self.level += _SLOW_GAIN * _clip(away, _MAX_LEVEL_RATIO * spread)

    def _advance(self, value: float) -> None:
        self.recent.append(value)
        del self.recent[0]
        self.time += 1
        self.seen += 1


def _clip(value: float, limit: float) -> float:
    return max(-limit, min(limit, value))
