"""One-step forecasts of a series by three experts, weighted by their recent errors.

The experts are the last value and the slope that leads to it, an exponential level and the fitted
autoregression, all of the series without its season.
"""

from dataclasses import dataclass, field
from operator import sub
from statistics import median
from typing import NamedTuple

from app.anomalies.streaming.fit import StreamFit
from app.anomalies.units import NEGLIGIBLE

_WEIGHT_POWER = -4  # the exponent of an expert's mean error in its weight
# That mean is of about 100 points; of 20 while fewer than `_FIRST_POINTS` have been seen.
_ERROR_GAIN, _FIRST_ERROR_GAIN = 0.01, 0.05
_FIRST_POINTS = 200
# What is learned from a point is clipped, so that an outage changes little.
_MAX_ERROR_RATIO = 6  # typical errors: the error of an expert
_MAX_SCALE_RATIO = 5  # typical errors: the error of the forecast
_MAX_DRIFT_RATIO = 8  # typical distances from the slow level: that of the drift
_MAX_SPREAD_RATIO = 6  # typical distances: that of the typical distance
_MAX_LEVEL_RATIO = 4  # typical distances: that of the slow level
_MEDIUM_GAIN = 0.1  # of the exponential level, per point
_SLOW_GAIN = 0.002  # of the slow level, per point
_DRIFT_GAIN = 0.1  # of the drift, per point
_SPREAD_GAIN = 0.005  # of the typical distance, per point
# The cumulative sums (Page 1954) of distances from the slow level, in typical distances: the slack
# is subtracted from each, and the distances and the sums are clipped at these maxima.
_SLACK, _MAX_DISTANCE, _MAX_SUM = 1.0, 4.0, 40.0
# A value further than this multiple of the typical error is clipped there for the next forecast: a
# spike says nothing about the points after it.
_FAR_RATIO = 4
# The value after it confirms it, and is not clipped, if they differ by less than this fraction of
# its error.
_NEAR_FRACTION = 0.5
_NEAR_POINTS = 5  # the last values, whose median is the recent level
# The number of last differences. They prove a slope if all but the smallest and the largest have
# one sign, which happens once in 2,000 points of a random walk.
SLOPE_POINTS = 16
BURST_POINTS = 10  # points in the sum of errors that shows a burst
# Added to the mean error of an expert, in typical errors, so that its weight stays finite.
_MIN_ERROR_RATIO = 1e-6
_EXPERTS = 3


class ForecastStep(NamedTuple):
    """One point, in the fit's units and without its season; by default a missing one."""

    value: float = 0.0
    expected: float = 0.0
    error: float = 0.0  # the signed distance of the value from its forecast
    scale: float = 1.0  # the typical error there
    burst: float = 0.0  # the sum of the last errors, in typical errors
    drift: float = 0.0  # the distance of the last points from the slow level, in typical distances
    persistence: float = 0.0  # the signed sum of the distances from it that persist
    recent: float = 0.0  # the median of the few last points before it
    level: float = 0.0  # the slow level before it
    last_drift: float = 0.0  # the distance of the last points from that level, before it


@dataclass
class Forecaster:
    """The moving state of the forecasts of a series, in the fit's units and without its season."""

    time: int = 0  # steps, missing ones included
    seen: int = 0  # steps since the fit
    recent: list[float] = field(default_factory=lambda: [0.0])  # the last values, clipped
    medium: float = 0.0  # an exponential level
    level: float = 0.0  # a slow one
    drift: float = 0.0  # the smoothed distance of the last values from the slow level
    rise: float = 0.0  # the sum of the distances above the slow level that persist
    fall: float = 0.0  # the same below it
    last: float = 0.0  # the last value
    scale: float = 0.0  # the typical error
    # The typical distance of a value from the slow level, after a step more than rounding errors.
    spread: float = 0.0
    errors: list[float] = field(default_factory=lambda: [0.0] * _EXPERTS)  # mean, of each expert
    sizes: list[float] = field(default_factory=lambda: [0.0] * BURST_POINTS)  # in typical errors
    far_side: int = 0  # the side of the last value if it was far out: -1, 0 or 1

    def step(self, fit: StreamFit, scaled: float | None) -> ForecastStep:
        """Forecast the next value, in the fit's units, and learn from it.

        ``scaled`` is None for a value that says nothing about the next ones: its forecast replaces
        it.
        """
        forecasts = self._expert_forecasts(fit)
        value = clipped = expected = self._combine_forecasts(forecasts)
        recent = median(self.recent[-_NEAR_POINTS:])
        level, last_drift = self.level, self.drift
        scale = max(self.scale, fit.min_scale) * fit.phase_at(self.time)
        if scaled is not None:
            value = scaled - fit.season_at(self.time)
            clipped = self._clipped_value(value, expected)
            self._learn_errors(value, forecasts, abs(value - expected))
            self._learn_levels(value, clipped)
            self.sizes = [*self.sizes[1:], abs(value - expected) / scale]
        self.recent.append(clipped)
        del self.recent[0]
        self.time += 1
        self.seen += 1
        drift = self.drift / self.spread if self.spread else 0.0
        persistence = self.rise if self.rise >= self.fall else -self.fall
        return ForecastStep(
            value,
            expected,
            error=value - expected,
            scale=scale,
            burst=sum(self.sizes),
            drift=drift,
            persistence=persistence,
            recent=recent,
            level=level,
            last_drift=last_drift,
        )

    def shift_level(self, level: float) -> None:
        """Make another level the normal one from here on."""
        self.level = level
        self.drift = self.rise = self.fall = 0.0

    def return_to(self, value: float, steps: int) -> None:
        """Forget the values of the last ``steps``: the series was at ``value`` before them."""
        count = min(steps, len(self.recent))
        self.recent[-count:] = [value] * count
        self.medium = self.last = value
        self.sizes = [min(size, 1.0) for size in self.sizes]
        self.far_side = 0

    def _expert_forecasts(self, fit: StreamFit) -> tuple[float, float, float]:
        recent, base = self.recent, fit.base
        regression = base
        for lag, weight in zip(fit.lags, fit.weights, strict=True):
            regression += weight * (recent[-lag] - base)
        return recent[-1] + self._proven_slope(), self.medium, regression

    def _proven_slope(self) -> float:
        """Return the slope that the last values prove, 0 if they prove none."""
        last = self.recent[-SLOPE_POINTS - 1 :]
        differences = sorted(map(sub, last[1:], last))
        is_proven = len(differences) == SLOPE_POINTS and differences[1] * differences[-2] > 0
        return median(differences) if is_proven else 0.0

    def _combine_forecasts(self, forecasts: tuple[float, ...]) -> float:
        unit = self.scale or 1.0
        last = forecasts[0]
        total = mean = 0.0
        for error, forecast in zip(self.errors, forecasts, strict=True):
            weight = (error / unit + _MIN_ERROR_RATIO) ** _WEIGHT_POWER
            total += weight
            mean += weight * (forecast - last)
        return last + mean / total

    def _learn_errors(self, value: float, forecasts: tuple[float, ...], size: float) -> None:
        gain = _ERROR_GAIN if self.seen > _FIRST_POINTS else _FIRST_ERROR_GAIN
        ceiling = _MAX_ERROR_RATIO * self.scale
        errors = self.errors
        for expert, forecast in enumerate(forecasts):
            errors[expert] += gain * (min(abs(value - forecast), ceiling) - errors[expert])
        gain = max(1 / (self.seen + 2), _ERROR_GAIN)
        learned = min(size, _MAX_SCALE_RATIO * self.scale)
        self.scale = max(self.scale + gain * (learned - self.scale), NEGLIGIBLE)

    def _clipped_value(self, value: float, expected: float) -> float:
        """Return the value as the next forecasts use it."""
        error = value - expected
        far = _FAR_RATIO * self.scale
        side = (error > far) - (error < -far)
        is_near = abs(value - self.last) < _NEAR_FRACTION * abs(error)
        is_confirmed = side == self.far_side and is_near
        self.far_side, self.last = side, value
        return value if not side or is_confirmed else expected + side * far

    def _learn_levels(self, value: float, clipped: float) -> None:
        deviation, spread = value - self.level, max(self.spread, NEGLIGIBLE)
        self.medium += _MEDIUM_GAIN * (clipped - self.medium)
        self.drift += _DRIFT_GAIN * (_clip_size(deviation, _MAX_DRIFT_RATIO * spread) - self.drift)
        distance = _clip_size(deviation / spread, _MAX_DISTANCE)
        self.rise = min(max(0.0, self.rise + distance - _SLACK), _MAX_SUM)
        self.fall = min(max(0.0, self.fall - distance - _SLACK), _MAX_SUM)
        learned = min(abs(deviation), _MAX_SPREAD_RATIO * spread)
        self.spread = max(spread + _SPREAD_GAIN * (learned - spread), NEGLIGIBLE)
        self.level += _SLOW_GAIN * _clip_size(deviation, _MAX_LEVEL_RATIO * spread)


def _clip_size(value: float, limit: float) -> float:
    return max(-limit, min(limit, value))
