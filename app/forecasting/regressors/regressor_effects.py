"""The effects of columns that are known ahead on a history and its forecast: the entry point."""

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from app.forecasting.effects import Effects, finite_effects, has_factors
from app.forecasting.regressors.columns import KnownColumns
from app.forecasting.regressors.learning import learn_effects
from app.forecasting.types import ForecastDistribution
from app.timeseries.history import History
from app.timeseries.numbers import power_of_two_unit
from app.timeseries.phases import phase_means
from app.timeseries.types import FloatArray

_MIN_REGRESSOR_POINTS = 24  # shorter histories do not show the effects of columns
# A season of this many cycles and steps is removed before effects are learned.
_MIN_CYCLES = 4
_MAX_SEASON_STEPS = 400


@dataclass(frozen=True)
class RegressorEffects(Effects):
    """What columns do to a series; ``by_column``: to the steps ahead, each column, shape (k, h)."""

    by_column: FloatArray

    def add_to(self, fit: ForecastDistribution, floor: float) -> ForecastDistribution:
        """Return the fit with the effects, and by how much each column moves its median.

        Where effects are factors, the move is divided by logarithms (Ang 2004, LMDI).
        """
        adjusted = super().add_to(fit, floor)
        if not self.is_logarithmic:
            return replace(adjusted, contributions=self.by_column)
        moved = adjusted.median - fit.median
        size = np.divide(moved, self.ahead, out=adjusted.median.copy(), where=self.ahead != 0)
        return replace(adjusted, contributions=self.by_column * size)


def regressor_effects(history: History, columns: KnownColumns | None) -> RegressorEffects | None:
    """Return the effects of columns on a history and on the steps after it.

    Args:
        history: Its values are not all equal.
        columns: Known for the history's steps and those to come, at least one; None for none.

    Returns:
        The effects, all finite. None where the history shows none, and, with an entry in the log,
        where they cannot be computed.
    """
    if columns is None:
        return None
    return finite_effects(partial(_find_effects, history, columns), "known columns")


def _find_effects(history: History, columns: KnownColumns) -> RegressorEffects | None:
    values = history.values
    unit = power_of_two_unit(values)
    points = len(values)
    if points < _MIN_REGRESSOR_POINTS:
        return None
    is_logarithmic = has_factors(values)
    scaled = np.log(values / unit) if is_logarithmic else values / unit
    period = _filtered_period(history)
    profile = None if is_logarithmic else _profile(scaled, period, columns.values.shape[1])
    known = columns.clipped_to_seen(points)
    learned = learn_effects(scaled, known, period, history.period, profile)
    if learned is None:
        return None
    by_column = np.zeros(columns.values.shape)
    # Row by row: a product of matrices would round by their shape, and so by the horizon.
    for column, effect, regressor in zip(
        learned.column, learned.effects, learned.regressors, strict=True
    ):
        by_column[column] += effect * regressor
    past = by_column[:, :points]  # a view: centred with it below
    by_column -= past.mean(axis=1, keepdims=True)
    lowest, highest = past.min(axis=1, keepdims=True), past.max(axis=1, keepdims=True)
    ahead = by_column[:, points:].clip(lowest, highest)
    size = 1.0 if is_logarithmic else unit
    return RegressorEffects(
        past=past.sum(axis=0) * size,
        ahead=ahead.sum(axis=0) * size,
        deviation=learned.deviation(points) * size,
        is_logarithmic=is_logarithmic,
        by_column=ahead * size,
    )


def _filtered_period(history: History) -> int:
    """Return the period that the filter takes out: the longest that has recurred enough, or 1."""
    max_period = min(len(history.values) // _MIN_CYCLES, _MAX_SEASON_STEPS)
    return max((period for period in history.periods if period <= max_period), default=1)


def _profile(values: FloatArray, period: int, count: int) -> FloatArray | None:
    """Return the usual value at each of ``count`` steps, around 1; None without a season."""
    if period == 1:
        return None
    means = phase_means(values, np.arange(len(values)) % period, period)
    size = float(np.abs(means).mean())
    return means[np.arange(count) % period] / size if size > 0 else None
