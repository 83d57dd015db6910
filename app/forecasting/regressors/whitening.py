"""Filter level and season out of a series, so that only noise and effects remain.

The filter is that of a seasonal model (Box and Jenkins 1970):

    (1 - kB)(1 - B^m) / ((1 - tB)(1 - TB^m))

The same filter is applied to the regressors, so that a common trend is not taken for an effect
(Cochrane and Orcutt 1949).
"""

from dataclasses import dataclass

import numpy as np
from scipy.signal import lfilter

from app.timeseries.types import FloatArray, IntArray

# Pairs of k and t: a level that walks, or a deviation that shrinks to the fraction k each step.
_WALKS = tuple((1.0, memory) for memory in (0.0, 0.3, 0.5, 0.7, 0.85, 0.95))
_DEVIATIONS = tuple((kept, 0.0) for kept in (0.0, 0.5, 0.7, 0.8, 0.9, 0.95))
_SEASON_MEMORIES = (0.0, 0.4, 0.7, 0.85, 0.95)
_MAX_RESIDUAL_MEDIANS = 6.0  # residuals are clipped at this many medians of their magnitudes


@dataclass(frozen=True)
class Whitening:
    """A filter.

    Attributes:
        period: The seasonal period m in steps, 1 for none.
        kept: The fraction k of a deviation that remains after a step.
        memory: The parameter t: how slowly the level moves.
        season_memory: The parameter T: how slowly the season changes.
    """

    period: int
    kept: float
    memory: float
    season_memory: float

    @property
    def dropped(self) -> int:
        """The number of first values for which the filter has no result."""
        return self.period + 1 if self.period > 1 else 1

    def apply(self, values: FloatArray) -> FloatArray:
        """Filter values of shape (..., n); return shape (..., n - dropped)."""
        return self.innovations_of(filter_season(values, self.period, self.season_memory))

    def innovations_of(self, level: FloatArray) -> FloatArray:
        """Filter the level out of what ``filter_season`` returned; shape (..., n - dropped)."""
        learned = level[..., self.dropped - 1 :]
        change = learned[..., 1:] - self.kept * learned[..., :-1]
        if not self.memory:
            return change
        return lfilter([1.0], [1.0, -self.memory], change)

    def forecast(self, values: FloatArray, origins: IntArray, horizon: int) -> FloatArray:
        """Return the forecasts by the model of the filter.

        Args:
            values: Shape (..., n).
            origins: The index of the first step of each forecast, shape (o,), above ``dropped``.
            horizon: Steps after each origin.

        Returns:
            Shape (..., o, horizon).
        """
        level = filter_season(values, self.period, self.season_memory)
        innovations = np.zeros(values.shape)
        innovations[..., self.dropped :] = self.innovations_of(level)
        next_level = (
            self.kept * level[..., origins - 1] - self.memory * innovations[..., origins - 1]
        )
        ahead = next_level[..., None] * self.kept ** np.arange(horizon)
        if self.period == 1:
            return ahead
        forecasts = ahead.copy()
        for first in range(0, horizon, self.period):
            steps = slice(first, min(first + self.period, horizon))
            if first == 0:
                lagged = origins[:, None] - self.period + np.arange(steps.stop)
                forecasts[..., steps] += (
                    values[..., lagged] - self.season_memory * level[..., lagged]
                )
            else:
                before = slice(first - self.period, steps.stop - self.period)
                forecasts[..., steps] += (
                    forecasts[..., before] - self.season_memory * ahead[..., before]
                )
        return forecasts


def filter_season(values: FloatArray, period: int, memory: float) -> FloatArray:
    """Return (1 - B^m) / (1 - TB^m) of values of shape (..., n); the first m are 0."""
    if period == 1:
        return values
    count = values.shape[-1]
    cycles = -(-count // period)
    table = np.zeros((*values.shape[:-1], cycles * period))
    table[..., :count] = values
    table = table.reshape(*values.shape[:-1], cycles, period)
    filtered = np.zeros_like(table)
    for cycle in range(1, cycles):
        change = table[..., cycle, :] - table[..., cycle - 1, :]
        filtered[..., cycle, :] = change + memory * filtered[..., cycle - 1, :]
    return filtered.reshape(*values.shape[:-1], cycles * period)[..., :count]


def choose_whitening(values: FloatArray, period: int) -> Whitening:
    """Return the filter with the smallest residuals of ``values`` (n,), n above ``period`` + 1."""
    best = Whitening(period, 1.0, 0.0, 0.0)
    min_loss = np.inf
    has_season = period > 1
    for season_memory in _SEASON_MEMORIES if has_season else (0.0,):
        level = filter_season(values, period, season_memory)
        for kept, memory in (*_WALKS, *_DEVIATIONS) if has_season else _WALKS:
            whitening = Whitening(period, kept, memory, season_memory)
            innovations = np.abs(whitening.innovations_of(level))
            limit = _MAX_RESIDUAL_MEDIANS * float(np.median(innovations))
            loss = float(np.sum(np.minimum(innovations, limit or np.inf) ** 2))
            if loss < min_loss:
                best, min_loss = whitening, loss
    return best
