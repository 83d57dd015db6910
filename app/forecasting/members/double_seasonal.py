"""Exponential smoothing with two seasonal cycles and autoregressive errors.

Taylor (2003), "Short-term electricity demand forecasting using double seasonal exponential
smoothing", additive form: level, two seasonal states, and an AR(1) term on the one-step error. All
smoothing parameters of a grid run at once, one column each; the best few by their errors at the
past origins are averaged.
"""

from itertools import product

import numpy as np

from app.forecasting.members.kinds import BacktestedForecast, LongMember
from app.forecasting.past_origins import Task, mean_absolute_errors
from app.forecasting.transformations import Transformed
from app.forecasting.types import FloatArray

# Smoothing of the level, of the short season, of the long season, and the AR(1) coefficient. Where
# the long season's is 0 there is no long season at all; the last rows suit a random walk.
NO_SEASON = 0.0
GRID: FloatArray = np.array(
    [
        *product((0.01, 0.06, 0.25), (0.02, 0.12), (NO_SEASON, 0.05, 0.2, 0.5, 0.8), (0, 0.6, 0.9)),
        *product((0.8,), (0.02, 0.12), (NO_SEASON, 0.2), (0.0,)),
    ]
)
BEST = 6


def initial_states(
    values: FloatArray, short: int, long: int
) -> tuple[float, FloatArray, FloatArray]:
    """Return level, short profile (short,) and long profile (long,) of the first long cycles."""
    level = float(values.mean())
    n = len(values)
    index = np.arange(n)

    def profile(of: FloatArray, period: int) -> FloatArray:
        counts = np.bincount(index % period, minlength=period)
        sums = np.bincount(index % period, weights=of, minlength=period)
        return np.asarray(sums / np.maximum(counts, 1))

    first = profile(values - level, short)
    second = profile(values - level - first[index % short], long)
    return level, first, second


class Filter:
    """The grid's states over several series of one length: a column each parameter set.

    Columns are ordered by series, then as ``GRID``.

    Args:
        series: shape (s, n), of which the initial states see the first ``learned`` points.
        cycles: the two seasonal periods in steps.
        learned: at least the shorter of them.
        horizon: steps forecast.
    """

    def __init__(
        self, series: FloatArray, cycles: tuple[int, int], learned: int, horizon: int
    ) -> None:
        sets = len(GRID)
        # What one unit of innovation adds to level, short and long season.
        parameters = np.tile(GRID.T, len(series))
        self.gains, self.phi = parameters[:3], parameters[3]
        starts = [initial_states(values[:learned], *cycles) for values in series]
        levels, firsts, seconds = (np.stack(part, axis=-1) for part in zip(*starts, strict=True))
        self.level = np.repeat(levels, sets)
        self.short = np.repeat(firsts, sets, axis=1)
        self.long = np.repeat(seconds, sets, axis=1)
        self.long[:, self.gains[2] == NO_SEASON] = 0.0
        self.error = np.zeros_like(self.level)
        self._steps = np.arange(horizon)
        self._carried = self.phi ** (self._steps[:, None] + 1)
        self._innovation, self._corrections = np.empty_like(self.level), np.empty_like(self.gains)

    def step(self, now: int, observed: FloatArray) -> None:
        """Take in the value of step ``now``, one a column."""
        short, long = self.short[now % len(self.short)], self.long[now % len(self.long)]
        error, innovation, corrections = self.error, self._innovation, self._corrections
        # In place: the loop is the cost of this member, and half of it was making arrays.
        np.multiply(self.phi, error, out=innovation)
        np.subtract(observed, self.level, out=error)
        error -= short
        error -= long
        np.subtract(error, innovation, out=innovation)
        to_level, to_short, to_long = np.multiply(self.gains, innovation, out=corrections)
        self.level += to_level
        short += to_short
        long += to_long

    def forecast(self, now: int) -> FloatArray:
        """Return the forecast of the steps from ``now`` on, shape (h, columns)."""
        ahead = now + self._steps
        forecast: FloatArray = self._carried * self.error
        forecast += self.level
        forecast += self.short.take(ahead % len(self.short), axis=0)
        forecast += self.long.take(ahead % len(self.long), axis=0)
        return forecast


def smooth(
    series: FloatArray,
    cycles: tuple[int, int],
    horizon: int,
    origins: tuple[int, ...],
    learned: int,
) -> tuple[FloatArray, FloatArray]:
    """Run the whole grid over several series of one length.

    Args:
        series: shape (s, n).
        cycles: the two seasonal periods in steps.
        horizon: steps forecast.
        origins: ascending past origins.
        learned: number of first points that the initial states may see.

    Returns:
        Forecasts from the end, shape (s, grid, h), and from the origins, (s, grid, origins, h).
    """
    states = Filter(series, cycles, learned, horizon)
    observed = np.repeat(series.T, len(GRID), axis=1) if len(series) > 1 else series.T
    stops = {*origins, len(observed)}
    forecasts = []
    for now in range(len(observed) + 1):
        if now in stops:
            forecasts.append(states.forecast(now))
        if now < len(observed):
            states.step(now, observed[now])
    by_column = np.stack(forecasts).transpose(2, 0, 1)
    paths = by_column.reshape(len(series), len(GRID), len(forecasts), horizon)
    return paths[:, :, -1], paths[:, :, :-1]


def double_seasonal(task: Task, short: int, long: int) -> list[BacktestedForecast]:
    """Return one forecast a transformation: the mean of the grid's best at the past origins."""
    series = np.stack([view.values for view in task.transformed])
    learned = max(min(2 * long, task.origins[0]), short)
    finals, pasts = smooth(series, (short, long), task.horizon, task.origins, learned)
    return [
        average_best(view, final, past, task.targets)
        for view, final, past in zip(task.transformed, finals, pasts, strict=True)
    ]


def average_best(
    view: Transformed, final: FloatArray, past: FloatArray, targets: FloatArray
) -> BacktestedForecast:
    """Return the mean of the ``BEST`` grid columns, on the raw scale."""
    past = view.invert(past)
    best = np.argsort(mean_absolute_errors(past, targets), kind="stable")[:BEST]
    return BacktestedForecast(
        median=view.invert(final[best]).mean(axis=0), backtest=past[best].mean(axis=0)
    )


def _by_seasonality(task: Task) -> list[BacktestedForecast]:
    short = task.seasonality.short
    return double_seasonal(task, short, task.seasonality.second or 4 * short)


DOUBLE_SEASONAL = LongMember("double seasonal smoothing", _by_seasonality)
