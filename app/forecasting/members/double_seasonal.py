"""Exponential smoothing with two seasonal cycles and autoregressive errors.

Taylor (2003), "Short-term electricity demand forecasting using double seasonal exponential
smoothing", additive form: level, two seasonal states, and an AR(1) term on the one-step error. All
smoothing parameters of a grid run together, one column each; the best few by their errors at the
past origins are averaged.
"""

from functools import lru_cache
from itertools import product

import numpy as np

from app.forecasting.error_ranking import rank_errors
from app.forecasting.members.types import BacktestedForecast, HighFrequencyMember
from app.forecasting.past_origins import BacktestTask, errors_by_lead
from app.forecasting.preprocessing.transformations import TransformedSeries
from app.timeseries.phases import phase_means
from app.timeseries.types import FloatArray

# Columns: smoothing of the level, of the short and of the long season (0: there is none), and the
# AR(1) coefficient. The last rows are for random walks.
NO_SEASON = 0.0
GRID: FloatArray = np.array(
    [
        *product((0.01, 0.06, 0.25), (0.02, 0.12), (NO_SEASON, 0.1, 0.4, 0.8), (0.0, 0.8)),
        *product((0.8,), (0.02, 0.12), (NO_SEASON, 0.2), (0.0,)),
    ]
)
_AVERAGED_SETS = 6
# Sets of one level smoothing and AR(1) coefficient, a pair, share a row, which is filled up by
# repetition: 7 pairs of 8 sets each, the last of 4 sets and their repetition.
_PAIRS, _PAIR_OF_SET = np.unique(GRID[:, [0, 3]], axis=0, return_inverse=True)
_ROWS = [np.flatnonzero(pair == _PAIR_OF_SET) for pair in range(len(_PAIRS))]
_SET_INDICES = np.array([np.resize(row, max(map(len, _ROWS))) for row in _ROWS])
# Maximum points of one update; the cost of its matrices grows with the square.
_MAX_BLOCK_POINTS = 32


def initial_states(
    values: FloatArray, short: int, long: int
) -> tuple[float, FloatArray, FloatArray]:
    """Return level, short profile (short,) and long profile (long,) of the first long cycles."""
    level = float(values.mean())
    index = np.arange(len(values))
    first = phase_means(values - level, index % short, short)
    return level, first, phase_means(values - level - first[index % short], index % long, long)


class DoubleSeasonalStates:
    """The grid's states over several series of one length.

    No two points of a block share a seasonal state, as it is not longer than the shorter season. So
    one matrix product updates the states by a whole block. States have the shape (phases, pairs,
    columns), a column for each series and set of ``_SET_INDICES``. For two series of hours with the
    seasons 24 and 168::

        level, error            (7, 16)       7 pairs; 2 series of 8 sets each
        short, long             (24, 7, 16), (168, 7, 16)
        inputs of 24 points     (26, 7, 16)   error and level before them, then the points
        _innovation_matrices(24)        (7, 24, 26)   one matrix for each pair
        their product           (7, 24, 16)   the innovations of 24 points, by pair and column

    Args:
        series: Shape (s, n); the initial states see the first ``learned`` points.
        cycles: The two seasonal periods in steps.
        learned: At least the shorter of them.
    """

    def __init__(
        self, series: FloatArray, cycles: tuple[int, int], learned: int, horizon: int
    ) -> None:
        self.block = min(*cycles, _MAX_BLOCK_POINTS)
        parameters = GRID[np.tile(_SET_INDICES, len(series))]
        self.to_level, self.to_short, self.to_long, phi = np.moveaxis(parameters, -1, 0)
        starts = [initial_states(values[:learned], *cycles) for values in series]
        level, short, long = (np.stack(part, axis=-1) for part in zip(*starts, strict=True))
        self.level, self.short, self.long = map(self._repeat_columns, (level, short, long))
        self.long = np.where(self.to_long == NO_SEASON, 0.0, self.long)
        self.error = np.zeros_like(self.level)
        self._values = np.repeat(series.T, _SET_INDICES.shape[1], axis=1)[:, None]
        self._steps = np.arange(horizon)
        self._carried = phi ** (self._steps[:, None, None] + 1)

    @staticmethod
    def _repeat_columns(by_series: FloatArray) -> FloatArray:
        """Repeat columns (..., s), one per series, for each set and pair."""
        pairs, sets = _SET_INDICES.shape
        by_set = np.repeat(by_series, sets, axis=-1)[..., None, :]
        return np.repeat(by_set, pairs, axis=-2)

    def update(self, start: int, stop: int) -> None:
        """Update with the values of steps ``start`` to ``stop``, at most one block."""
        steps = np.arange(start, stop)
        in_short, in_long = steps % len(self.short), steps % len(self.long)
        short, long = self.short[in_short], self.long[in_long]
        inputs = np.empty((2 + len(steps), *self.level.shape))
        inputs[0], inputs[1] = self.error, self.level
        np.subtract(self._values[start:stop], short, out=inputs[2:])
        inputs[2:] -= long
        innovations = (_innovation_matrices(len(steps)) @ inputs.swapaxes(0, 1)).swapaxes(0, 1)
        self.level = self.level + self.to_level * innovations.sum(axis=0)
        self.error = inputs[-1] - self.level + self.to_level * innovations[-1]
        self.short[in_short] = short + self.to_short * innovations
        self.long[in_long] = long + self.to_long * innovations

    def forecast(self, now: int) -> FloatArray:
        """Return the forecast of the steps from ``now`` on, shape (h, pairs, columns)."""
        ahead = now + self._steps
        forecast: FloatArray = self._carried * self.error
        forecast += self.level
        forecast += self.short[ahead % len(self.short)]
        forecast += self.long[ahead % len(self.long)]
        return forecast


@lru_cache(maxsize=_MAX_BLOCK_POINTS)
def _innovation_matrices(points: int) -> FloatArray:
    """Return the matrices that make innovations of a block, shape (pairs, points, 2 + points).

    The columns are for the previous error, the previous level and the ``points`` deseasonalized
    values.
    """
    smoothing, phi = _PAIRS.T[..., None]
    error, level, *values = np.eye(2 + points)
    error, level = (np.tile(unit, (len(_PAIRS), 1)) for unit in (error, level))
    innovations = []
    for value in values:
        before = error
        error = value - level
        innovations.append(error - phi * before)
        level = level + smoothing * innovations[-1]
    columns = np.stack(innovations, axis=1)
    columns.flags.writeable = False
    return columns


def double_seasonal(task: BacktestTask, short: int, long: int) -> list[BacktestedForecast]:
    """Return one forecast per transformation: the mean of the grid's best at the past origins."""
    series = np.stack([transformed.values for transformed in task.transformed])
    learned = max(min(2 * long, task.origins[0]), short)
    forecasts, backtests = run_grid(series, (short, long), task.horizon, task.origins, learned)
    return [
        average_best(transformed, final, past, task)
        for transformed, final, past in zip(task.transformed, forecasts, backtests, strict=True)
    ]


def _by_seasonality(task: BacktestTask) -> list[BacktestedForecast]:
    short = task.seasonality.short
    return double_seasonal(task, short, task.seasonality.state_period or 4 * short)


DOUBLE_SEASONAL = HighFrequencyMember("double seasonal smoothing", _by_seasonality)


def average_best(
    transformed: TransformedSeries, final: FloatArray, past: FloatArray, task: BacktestTask
) -> BacktestedForecast:
    """Return the mean of the ``_AVERAGED_SETS`` best sets of the grid, on the raw scale."""
    backtests = transformed.invert(past)
    errors = errors_by_lead(backtests, task.targets, task.pooled_leads)[:, 0]
    best = rank_errors(errors)[:_AVERAGED_SETS]
    return BacktestedForecast(
        forecast=transformed.invert(final[best]).mean(axis=0), backtest=backtests[best].mean(axis=0)
    )


def run_grid(
    series: FloatArray,
    cycles: tuple[int, int],
    horizon: int,
    origins: tuple[int, ...],
    learned: int,
) -> tuple[FloatArray, FloatArray]:
    """Run the whole grid over several series of one length.

    Args:
        cycles: The two seasonal periods in steps.
        origins: Ascending past origins.
        learned: Number of first points that the initial states may see.

    Returns:
        Forecasts from the end, shape (s, grid, h), and from the origins, (s, grid, origins, h).
    """
    states = DoubleSeasonalStates(series, cycles, learned, horizon)
    forecasts = []
    now = 0
    for origin in (*origins, series.shape[1]):
        for start in range(now, origin, states.block):
            states.update(start, min(start + states.block, origin))
        forecasts.append(states.forecast(origin))
        now = origin
    pairs, sets = _SET_INDICES.shape
    placed = np.stack(forecasts).reshape(len(forecasts), horizon, pairs, len(series), sets)
    paths = np.empty((len(series), len(GRID), len(forecasts), horizon))
    paths[:, _SET_INDICES] = placed.transpose(3, 2, 4, 0, 1)
    return paths[:, :, -1], paths[:, :, :-1]
