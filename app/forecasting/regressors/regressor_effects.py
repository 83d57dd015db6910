"""The effects of known columns on a history and its forecast: the entry point."""

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from app.forecasting.effects import Effects, finite_effects, scale_values
from app.forecasting.regressors.columns import KnownColumns
from app.forecasting.regressors.learning import learn_effects
from app.forecasting.types import ForecastDistribution
from app.timeseries.history import History
from app.timeseries.phases import phase_means
from app.timeseries.types import FloatArray

_MIN_REGRESSOR_POINTS = 24  # shorter histories do not show the effects of columns
# A season is removed before effects are learned if it has this many cycles in the history, and at
# most this many steps.
_MIN_CYCLES = 4
_MAX_SEASON_STEPS = 400


@dataclass(frozen=True)
class RegressorEffects(Effects):
    """Effects of columns: ``by_column`` (k, h) has the part of each column in ``ahead``."""

    by_column: FloatArray

    def add_to(self, distribution: ForecastDistribution, floor: float) -> ForecastDistribution:
        """Return the distribution with the effects and the contribution of each column to the move.

        A move by factors is divided in proportion to their logarithms (Ang 2004, LMDI).
        """
        adjusted = super().add_to(distribution, floor)
        if not self.is_logarithmic:
            return replace(adjusted, contributions=self.by_column)
        move = adjusted.median - distribution.median
        per_log = np.divide(move, self.ahead, out=adjusted.median.copy(), where=self.ahead != 0)
        return replace(adjusted, contributions=self.by_column * per_log)


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
    return finite_effects(partial(_find_column_effects, history, columns), "known columns")


def _find_column_effects(history: History, columns: KnownColumns) -> RegressorEffects | None:
    points = len(history.values)
    if points < _MIN_REGRESSOR_POINTS:
        return None
    scaled = scale_values(history.values)
    period = _filtered_period(history)
    profile = None
    if not scaled.is_logarithmic:
        profile = _phase_profile(scaled.values, period, columns.values.shape[1])
    clipped = columns.clipped_to_seen(points)
    learned = learn_effects(scaled.values, clipped, period, history.period, profile)
    if learned is None:
        return None
    by_column = np.zeros(columns.values.shape)
    # Row by row: a product of matrices would round by their shape, and so by the horizon.
    for column, effect, regressor in zip(
        learned.column_indices, learned.effects, learned.regressors, strict=True
    ):
        by_column[column] += effect * regressor
    by_column -= by_column[:, :points].mean(axis=1, keepdims=True)
    past = by_column[:, :points]
    lowest, highest = past.min(axis=1, keepdims=True), past.max(axis=1, keepdims=True)
    ahead = by_column[:, points:].clip(lowest, highest)
    return RegressorEffects(
        past=past.sum(axis=0) * scaled.unit,
        ahead=ahead.sum(axis=0) * scaled.unit,
        deviation=learned.deviation(points) * scaled.unit,
        is_logarithmic=scaled.is_logarithmic,
        by_column=ahead * scaled.unit,
    )


def _filtered_period(history: History) -> int:
    """Return the period that the filter takes out: the longest that has recurred enough, or 1."""
    max_period = min(len(history.values) // _MIN_CYCLES, _MAX_SEASON_STEPS)
    return max((period for period in history.periods if period <= max_period), default=1)


def _phase_profile(values: FloatArray, period: int, steps: int) -> FloatArray | None:
    """Return the mean of each step's phase, shape (steps,), in units of their mean magnitude.

    None without a season.
    """
    if period == 1:
        return None
    means = phase_means(values, np.arange(len(values)) % period, period)
    unit = float(np.abs(means).mean())
    return means[np.arange(steps) % period] / unit if unit > 0 else None
