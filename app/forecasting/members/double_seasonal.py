"""Exponential smoothing with two seasonal cycles and autoregressive errors.

Taylor (2003), "Short-term electricity demand forecasting using double seasonal exponential
smoothing", additive form: level, two seasonal states, and an AR(1) term on the one-step error. All
smoothing parameters of a grid run at once, one column each; the best few by their errors at the
past origins are averaged.
"""

from itertools import product

import numpy as np

from app.forecasting.types import FloatArray, MemberForecast
from app.forecasting.validation import Scale, Task, mean_absolute_errors

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
    short, long = cycles
    count, n = series.shape
    columns = len(GRID)
    alpha, gamma_short, gamma_long, phi = np.tile(GRID.T, count)
    level = np.empty(count * columns)
    short_states = np.empty((short, count * columns))
    long_states = np.empty((long, count * columns))
    for k in range(count):
        part = slice(k * columns, (k + 1) * columns)
        start, first, second = initial_states(series[k, :learned], short, long)
        level[part] = start
        short_states[:, part] = first[:, None]
        long_states[:, part] = np.where(GRID[:, 2] == NO_SEASON, 0.0, second[:, None])
    observed = np.repeat(series.T, columns, axis=1) if count > 1 else series.T
    error = np.zeros(count * columns)
    steps = np.arange(horizon)
    carried = phi[None, :] ** (steps[:, None] + 1)

    def forecast(t: int) -> FloatArray:
        states = short_states[(t + steps) % short] + long_states[(t + steps) % long]
        return np.asarray(level[None] + states + carried * error[None])

    wanted = dict(zip(origins, range(len(origins)), strict=True))
    backtest = np.empty((len(origins), horizon, count * columns))
    innovation, change = np.empty_like(level), np.empty_like(level)
    for t in range(n):
        if t in wanted:
            backtest[wanted[t]] = forecast(t)
        short_state, long_state = short_states[t % short], long_states[t % long]
        # In place: the loop is the cost of this member, and half of it was making arrays.
        np.multiply(phi, error, out=innovation)
        np.subtract(observed[t], level, out=error)
        error -= short_state
        error -= long_state
        np.subtract(error, innovation, out=innovation)
        level += np.multiply(alpha, innovation, out=change)
        short_state += np.multiply(gamma_short, innovation, out=change)
        long_state += np.multiply(gamma_long, innovation, out=change)
    final = forecast(n).T.reshape(count, columns, horizon)
    past = backtest.transpose(2, 0, 1).reshape(count, columns, len(origins), horizon)
    return final, past


def double_seasonal(task: Task, short: int, long: int) -> list[MemberForecast]:
    """Return one forecast a scale: the mean of the grid's best at the past origins."""
    series = np.stack([scale.values for scale in task.scales])
    learned = max(min(2 * long, task.origins[0]), short)
    finals, pasts = smooth(series, (short, long), task.horizon, task.origins, learned)
    return [
        average_best(scale, final, past, task.targets)
        for scale, final, past in zip(task.scales, finals, pasts, strict=True)
    ]


def average_best(
    scale: Scale, final: FloatArray, past: FloatArray, targets: FloatArray
) -> MemberForecast:
    """Return the mean of the ``BEST`` grid columns, on the raw scale."""
    past = scale.invert(past)
    best = np.argsort(mean_absolute_errors(past, targets), kind="stable")[:BEST]
    return MemberForecast(
        median=scale.invert(final[best]).mean(axis=0), backtest=past[best].mean(axis=0)
    )
