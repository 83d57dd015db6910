"""The fit of a stream: everything about a series that does not move from point to point."""

import math
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from app.anomalies.streaming.bounds import MAX_FLOAT, MIN_FLOAT, ValueBounds
from app.anomalies.surges import RecurringSurges, SurgeStep
from app.anomalies.tail import Tail, Tails
from app.anomalies.units import MAX_DISTANCE_UNITS, NEGLIGIBLE
from app.timeseries.least_squares import lag_columns
from app.timeseries.robust import mad_sigma
from app.timeseries.types import FloatArray

_RANGE_UNITS = 4.0  # the range of nearly all values, in typical distances from the centre
_MIN_COUNT = 0.5  # in logarithms
MAX_LEARNED_POINTS = 10_000  # of a longer history the last points are learned from

# The autoregression of values without their season.
_LAGS = (1, 2, 3, 4)  # the season is another lag, within the bounds below
_MAX_LAG = 200  # steps
_MIN_CYCLES = 3
_RIDGE = 1e-2  # the penalty towards the last value
_HUBER_SIGMAS = 3.0  # larger errors are weighted down (Huber 1964)
_HUBER_ROUNDS = 3


class LearningContext(NamedTuple):
    """What a detector knows about the values that it learns from."""

    time: int  # of the step after the last value
    level_points: int = 0  # the number of latest values that are at a new level, 0 if unknown
    is_uncertain: bool = False  # no value may count as an anomaly: the model was wrong recently


@dataclass
class StatisticTails:
    """The tails of what shows that a point is improbable."""

    errors: Tails = field(default_factory=Tails)  # of scaled errors
    burst: Tail = field(default_factory=Tail)  # of the sum of the last errors
    drift: Tail = field(default_factory=Tail)  # of the distance from the slow level
    persistence: Tail = field(default_factory=Tail)  # of the sum of distances that persist
    high: Tail = field(default_factory=Tail)  # of the values
    low: Tail = field(default_factory=Tail)  # of their negatives


@dataclass
class StreamFit:
    """What was learned from the stored points."""

    origin: int = 0  # time of the first point learned from; seasons begin there
    centre: float = 0.0  # median of the values or of their logarithms
    unit: float = 1.0  # their typical distance from it
    base: float = 0.0  # the level that the autoregression returns to, in units
    min_scale: float = 1.0  # the smallest scale of errors, in units, above 0
    is_log: bool = False
    periods: list[float] = field(default_factory=list)  # in steps, shortest first
    profile_sizes: tuple[int, ...] = ()  # the number of phases of each period
    profile: list[float] = field(default_factory=list)  # of all periods, concatenated, in units
    surges: RecurringSurges = field(default_factory=RecurringSurges)
    lags: tuple[int, ...] = (1,)  # ascending from 1
    weights: list[float] = field(default_factory=lambda: [1.0])  # of the lags
    # The ratio of the size of errors in each part of the shortest season to the typical size.
    phases: list[float] = field(default_factory=lambda: [1.0])
    tails: StatisticTails = field(default_factory=StatisticTails)
    bounds: ValueBounds = field(default_factory=ValueBounds)

    @property
    def typical_size(self) -> float:
        """How large values typically are; of a series around 0 the range of nearly all of them."""
        if self.is_log:
            return self.to_values(0.0)
        return max(abs(self.centre), _RANGE_UNITS * self.unit)

    # As `app.anomalies.units.Units`, for one value: numpy would take ten times as long.

    def to_units(self, value: float) -> float:
        """Return a value in units, clipped if it is far beyond all that are plausible."""
        # A count of 0 is as near to 1 as rounding is, not infinitely far below.
        least = _MIN_COUNT if self.bounds.has_counts else MIN_FLOAT
        transformed = math.log(max(value, least)) if self.is_log else value
        # Halved first: the difference of values near the largest numbers could overflow.
        distance = (transformed / 2 - self.centre / 2) / (self.unit / 2)
        return max(-MAX_DISTANCE_UNITS, min(MAX_DISTANCE_UNITS, distance))

    def to_values(self, units: float) -> float:
        """Return the value of a number of units, within the range of floating-point numbers."""
        transformed = self.unit * units + self.centre
        if self.is_log:
            return math.exp(min(transformed, math.log(MAX_FLOAT)))
        return max(-MAX_FLOAT, min(MAX_FLOAT, transformed))

    def season_at(self, time: int) -> float:
        """Return the sum of the profiles at a step, in units."""
        season, begin, since = 0.0, 0, time - self.origin
        for period, size in zip(self.periods, self.profile_sizes, strict=True):
            position = since % period
            if size == period:
                season += self.profile[begin + int(position)]
            else:
                position *= size / period
                low, high = int(position) % size, (int(position) + 1) % size
                season += self.profile[begin + low] * (1 - position % 1)
                season += self.profile[begin + high] * (position % 1)
            begin += size
        return season

    def phase_at(self, time: int) -> float:
        """Return the ratio of the size of errors at a step to the typical size."""
        parts = len(self.phases)
        if parts == 1:
            return self.phases[0]
        position = (time - self.origin) % self.periods[0]
        return self.phases[int(position * parts / self.periods[0]) % parts]

    def surge_at(self, time: int) -> SurgeStep | None:
        """Return the step of the surge in whose window a time is, None outside all windows."""
        return self.surges.step_at(time - self.origin)


def fit_autoregression(centred: FloatArray, season: int) -> tuple[tuple[int, ...], list[float]]:
    """Return the lags and their weights for values around 0 without their season, shape (n,).

    ``season`` is the shortest period in steps, 0 for none. Outliers hardly move the weights.
    """
    n = len(centred)
    is_short = _LAGS[-1] < season <= _MAX_LAG and n >= _MIN_CYCLES * season
    candidates = {*_LAGS, season, season + 1} if is_short else {*_LAGS}
    lags = tuple(sorted(lag for lag in candidates if lag <= max(1, n // 3)))
    longest, count = lags[-1], len(lags)
    weights = last_value = np.eye(count)[0]
    target = centred[longest:]
    if len(target) >= 2 * count + 8:
        columns = lag_columns(centred, lags)
        residual = target - columns @ last_value
        huber = np.ones(len(target))
        for _ in range(_HUBER_ROUNDS):
            weighted = columns * huber[:, None]
            products = weighted.T @ columns
            ridge = (_RIDGE * np.trace(products) / count + NEGLIGIBLE**2) * np.eye(count)
            weights = last_value + np.linalg.solve(products + ridge, weighted.T @ residual)
            size = np.abs(target - columns @ weights)
            sigma = mad_sigma(size) + NEGLIGIBLE * float(size.mean())
            limit = _HUBER_SIGMAS * max(sigma, NEGLIGIBLE**2)
            huber = np.minimum(1.0, limit / np.maximum(size, NEGLIGIBLE**2))
    return lags, weights.tolist()
