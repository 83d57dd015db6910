"""The expectation of the next value: experts, weighted by their errors."""

import math

import numpy as np

from app.anomalies.streaming.recent import Ring
from app.forecasting.types import FloatArray

# Weights fall with this power of an expert's mean error, which remembers about 100 points.
_POWER, _MEMORY, _FIRST_MEMORY, _SETTLED = -4, 0.01, 0.05, 200
# The scale learns faster until the first seasons are known: forecasts improve with them.
_FIRST_GAIN, _SETTLED_SEASONS = 0.03, 3
# Before so many points too little is known to bound what is learned from a value, or to doubt one.
_FIRST_POINTS, _DOUBTING = 10, 30
# A surprise counts for learning up to so many times the usual: an outage teaches little.
_MOST_SCALE, _MOST_ERROR, _MOST_FIT, _MOST_SPREAD, _MOST_LEVEL, _MOST_DRIFT = 5, 6, 4, 6, 4, 8
# Shares of a surprise that the levels, the drift and the spread learn.
_FAST, _MEDIUM, _SLOW, _DRIFT, _SPREAD = 0.4, 0.1, 0.002, 0.1, 0.005
# A value beyond so many usual errors counts as one at that distance in the next forecast: a spike
# says nothing about the points after it. A second one on the same side, nearer to the first
# than this share of its error, counts as it is.
_FAR_OUT, _NEAR = 4, 0.5
# Values of a season ago are looked up in seasons shorter than this, to bound the state.
_LONGEST_LOOK = 3300
# The engine's forecast is moved along with its own last errors.
_FOLLOW = 0.3
# Recursive least squares: the lags, what it keeps per point, its first uncertainty, upkeep.
_LAGS, _KEPT, _UNSURE, _TIDY_EVERY, _LARGEST = 4, 0.9995, 100.0, 200, 1e9
# A profile learns this share of each surprise after its first seasons.
_PROFILE = 0.15
# Longer seasons are kept at this resolution: five minutes of a week.
_MOST_PHASES = 2016
# Of a usual error: keeps the weight of an expert that is never wrong finite.
_TINY = 1e-12

_LAST, _EXPONENTIAL, _SLOWER, _SEASON, _CHANGE, _SQUARES, _ENGINE, _ENGINE_CHANGE, _LONG = range(9)
_EXPERTS = 9
_NO_FORECAST = -1
# What counts as a season, in steps, where a series has none.
NO_SEASON = 100
# So much of a season is forecast at once, to bound the stored forecast.
_LONGEST_FORECAST = 2016


def _clip(value: float, limit: float) -> float:
    return max(-limit, min(limit, value))


class Profile:
    """The mean deviation from the level in each phase of a season, at most ``_MOST_PHASES``."""

    def __init__(self, period: int) -> None:
        self.period = period
        self.values = np.zeros(min(period, _MOST_PHASES), dtype=np.float32)
        self.seen = np.zeros(len(self.values), dtype=np.uint8)

    def at(self, time: int) -> float:
        """Return the deviation at a step, 0 without a season."""
        return self.values.item(self._phase(time)) if self.period else 0.0

    def learn(self, time: int, surprise: float, most: float) -> None:
        """Learn a share of a surprise, at most ``most`` of it once the phase was seen twice."""
        if not self.period:
            return
        phase = self._phase(time)
        seen = self.seen.item(phase)
        self.seen[phase] = min(seen + 1, 255)
        if seen > 1:
            surprise = _clip(surprise, most)
        self.values[phase] += max(1 / (seen + 1), _PROFILE) * surprise

    def _phase(self, time: int) -> int:
        return time % self.period * len(self.values) // self.period


class Expectation:
    """One-step forecasts and the state that they are learned from.

    All values are in the detector's own unit. ``scale`` is the usual error of a forecast,
    ``level`` the slow level, ``drift`` how far the last values are from level and season, and
    ``spread`` how far one value usually is.
    """

    def __init__(self, period: int, long_period: int) -> None:
        self.period, self.long_period = period, long_period
        self.time = 0
        self.far_side = 0
        # The values of the last season and a step, as used.
        self.believed = Ring(period + 1 if period + 1 < _LONGEST_LOOK else 1)
        self.last = 0.0
        self.lags = [0.0] * _LAGS
        self.fast = self.medium = self.level = self.drift = 0.0
        self.spread = self.scale = 0.0
        self.profile = Profile(period)
        self.long_profile = Profile(long_period)
        # The last value before the forecast, then the forecast; times of its first and last step.
        horizon = min(period or NO_SEASON, _LONGEST_FORECAST)
        self.forecast = np.zeros(horizon + 1, dtype=np.float32)
        self.forecast_from = self.forecast_until = _NO_FORECAST
        self.forecast_error = 0.0
        # Mean errors of the experts; below 0: none yet.
        self.errors = [-1.0] * _EXPERTS
        size = 2 + _LAGS + 2 * (period > 0)
        self.coefficients = np.zeros(size)
        self.coefficients[1] = 1.0
        self.uncertainty = np.eye(size) * _UNSURE

    def start(self, value: float) -> None:
        """Begin with the first value."""
        self.lags = [value] * _LAGS
        self.fast = self.medium = self.level = self.last = value
        self.believed.add(value)
        self.time = 1

    @property
    def forecast_horizon(self) -> int:
        """How many steps of a forecast are kept."""
        return len(self.forecast) - 1

    def learn_forecast(self, forecast: FloatArray) -> None:
        """Take a forecast of the next steps as an expert, at most ``forecast_horizon`` of it."""
        count = min(len(forecast), self.forecast_horizon)
        self.forecast[0] = self.lags[0]
        self.forecast[1 : count + 1] = forecast[:count]
        self.forecast_from, self.forecast_until = self.time - 1, self.time - 1 + count
        self.forecast_error = 0.0

    def step(self, value: float) -> float:
        """Return the expectation of the next value, and learn the value."""
        features = self._features()
        said = self._ask(features)
        expected = self._combine(said)
        self._learn_errors(value, abs(value - expected), said)
        squares = said[_SQUARES]
        if squares is not None and self.scale > 0:
            self._learn_squares(value - squares, features)
        believed = self._believed(value, expected)
        self._learn_levels(value, believed)
        self._advance(believed)
        return expected

    def skip(self) -> float:
        """Step over a missing value: return its substitute and learn nothing."""
        expected = self._combine(self._ask(self._features()))
        self._advance(expected)
        return expected

    def away(self, value: float) -> float:
        """Return how far the next value would be from the slow level and its season."""
        return value - self.level - self._season_at(self.time)

    def shift_level(self, by: float) -> None:
        """Make another level the normal one from here on, if it is farther than a value
        usually is."""
        if abs(by) > self.spread:
            self.level += by
            self.drift = 0.0

    def _believed(self, value: float, expected: float) -> float:
        """Return the value as the next forecasts count it."""
        far = _FAR_OUT * self.scale
        error = value - expected
        before = self.far_side
        self.far_side = 0 if abs(error) <= far else int(math.copysign(1, error))
        is_confirmed = before == self.far_side and abs(value - self.last) < _NEAR * abs(error)
        self.last = value
        if not self.far_side or is_confirmed or self.time <= _DOUBTING:
            return value
        return expected + _clip(error, far)

    def _advance(self, value: float) -> None:
        self.lags = [value, *self.lags[:-1]]
        self.believed.add(value)
        self.time += 1

    def _features(self) -> FloatArray:
        """The row of the least squares: lags, a season ago and the forecast's next change."""
        base, m, t = self.medium, self.period, self.time
        features = [self.scale, *(lag - base for lag in self.lags), 0.0]
        if self.forecast_from < t <= self.forecast_until:
            step = t - self.forecast_from
            features[-1] = self.forecast.item(step) - self.forecast.item(step - 1)
        if m:
            known = m < t and m + 1 < _LONGEST_LOOK
            features += (
                [self.believed.back(m) - base, self.believed.back(m + 1) - base]
                if known
                else [0.0, 0.0]
            )
        return np.array(features)

    def _ask(self, features: FloatArray) -> list[float | None]:
        """Return each expert's forecast; None: not yet."""
        m, t, last = self.period, self.time, self.lags[0]
        said: list[float | None] = [None] * _EXPERTS
        said[_LAST], said[_EXPONENTIAL], said[_SLOWER] = last, self.fast, self.medium
        if m and t > m:
            said[_SEASON] = self.level + self.profile.at(t) + self.drift
            if m + 1 < _LONGEST_LOOK:
                said[_CHANGE] = last + self.believed.back(m) - self.believed.back(m + 1)
        if self.long_period and t > self.long_period:
            said[_LONG] = self.level + self._season_at(t) + self.drift
        if t > _LAGS and (not m or t > m + 1):
            said[_SQUARES] = self.medium + float(self.coefficients @ features)
        if self.forecast_from < t <= self.forecast_until:
            forecast = self.forecast.item(t - self.forecast_from)
            said[_ENGINE] = forecast + self.forecast_error
            said[_ENGINE_CHANGE] = last + features.item(1 + _LAGS)
        return said

    def _season_at(self, time: int) -> float:
        return self.profile.at(time) + self.long_profile.at(time)

    def _combine(self, said: list[float | None]) -> float:
        """Return the mean of the experts' forecasts; a new one counts like the best before it."""
        scale = self.scale or 1.0
        known = [e for e, f in zip(self.errors, said, strict=True) if f is not None and e >= 0]
        best = min(known, default=0.0)
        last = self.lags[0]
        total = mean = 0.0
        for expert, forecast in enumerate(said):
            if forecast is None:
                continue
            if self.errors[expert] < 0:
                self.errors[expert] = best
            weight = (self.errors[expert] / scale + _TINY) ** _POWER
            total += weight
            mean += weight * (forecast - last)
        return last + mean / total

    def _learn_errors(self, value: float, error: float, said: list[float | None]) -> None:
        is_first = self.time <= _FIRST_POINTS
        scale = self.scale or error * 0.1
        memory = _MEMORY if self.time > _SETTLED else _FIRST_MEMORY
        settled = self.time > max(_SETTLED, _SETTLED_SEASONS * self.period)
        most = math.inf if is_first else _MOST_ERROR * scale
        for expert, forecast in enumerate(said):
            if forecast is not None:
                wrong = min(abs(value - forecast), most)
                self.errors[expert] += memory * (wrong - self.errors[expert])
        engine = said[_ENGINE]
        if engine is not None:
            self.forecast_error += _FOLLOW * _clip(value - engine, _FAR_OUT * scale)
        seen = error if is_first else min(error, _MOST_SCALE * scale)
        gain = max(1 / (self.time + 1), _MEMORY if settled else _FIRST_GAIN)
        self.scale += gain * (seen - self.scale)

    def _learn_squares(self, error: float, features: FloatArray) -> None:
        """One step of recursive least squares with forgetting (Haykin 2002, ch. 9)."""
        gain = self.uncertainty @ features
        total = _KEPT * self.scale**2 + float(features @ gain)
        if not total > 0:  # squares of the smallest numbers are 0
            return
        step = gain / total
        self.coefficients += step * _clip(error, _MOST_FIT * self.scale)
        self.uncertainty -= step[:, None] * gain
        self.uncertainty /= _KEPT
        if self.time % _TIDY_EVERY == 0:
            self.uncertainty = (self.uncertainty + self.uncertainty.T) / 2
            if not np.trace(self.uncertainty) < _LARGEST:
                self.uncertainty = np.eye(len(self.coefficients)) * _UNSURE

    def _learn_levels(self, value: float, believed: float) -> None:
        t = self.time
        self.fast += _FAST * (believed - self.fast)
        self.medium += _MEDIUM * (believed - self.medium)
        season = self._season_at(t)
        away = self.away(value)
        spread = self.spread or abs(away) * 0.1
        is_first = t <= _FIRST_POINTS
        self.drift += _DRIFT * (_clip(away, _MOST_DRIFT * spread) - self.drift)
        seen = abs(away) if is_first else min(abs(away), _MOST_SPREAD * spread)
        self.spread += max(1 / (t + 1), _SPREAD) * (seen - self.spread)
        learned = away if is_first else _clip(away, _MOST_LEVEL * spread)
        self.level += max(1 / (t + 1), _SLOW) * learned
        most = _MOST_ERROR * spread
        self.profile.learn(t, value - self.level - season, most)
        if self.long_period and t > self.long_period:
            self.long_profile.learn(t, value - self.level - self._season_at(t), most)
