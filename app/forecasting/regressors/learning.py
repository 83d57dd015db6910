"""Learn which columns have an effect on a series, and how large it is."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from app.forecasting.regressors.columns import KnownColumns
from app.forecasting.regressors.design import RegressorGroup, main_groups, wave_groups
from app.forecasting.regressors.selection import Moments, select_groups
from app.forecasting.regressors.significance import is_better_than_shifted, supported_fraction
from app.forecasting.regressors.whitening import Whitening, choose_whitening
from app.timeseries.numbers import TINY
from app.timeseries.phases import shrunk_phase_means
from app.timeseries.robust import mad_sigma
from app.timeseries.types import BoolArray, FloatArray, IntArray

MAX_EFFECT_POINTS = 5_000  # the number of last points that effects are learned from
# The maximum number of columns that are learned together, the most correlated ones.
MAX_LEARNED_COLUMNS = 20
_HUBER_SIGMAS = 2.5
_MAX_SIGMAS = 6.0
_PRIOR_POINTS = 5.0  # the weight, in points, of the mean deviation in that of each phase
_MIN_PHASE_DEVIATION_RATIO = 0.1  # to the largest deviation of a phase
_MIN_FILTERED_RATIO = 1e-6  # regressors of which the filter leaves less are ignored


class _Selection(NamedTuple):
    """The selected regressors, (p, n + h), each with its column and prior variance, (p,).

    It also has the filter, the weights of the filtered points, and the moments.
    """

    regressors: FloatArray
    column_indices: IntArray
    prior_variances: FloatArray
    whitening: Whitening
    weights: FloatArray
    moments: Moments

    def take(self, is_taken: BoolArray) -> "_Selection":
        rows = np.flatnonzero(is_taken)
        moments = self.moments
        return self._replace(
            regressors=self.regressors[rows],
            column_indices=self.column_indices[rows],
            prior_variances=self.prior_variances[rows],
            moments=replace(
                moments, gram=moments.gram[np.ix_(rows, rows)], moment=moments.moment[rows]
            ),
        )


class ColumnEffects(NamedTuple):
    """The coefficients of p regressors, shape (p,), and the column of each.

    The regressors have shape (p, n + h), the covariance of the effects (p, p).
    """

    column_indices: IntArray
    effects: FloatArray
    regressors: FloatArray
    covariance: FloatArray
    whitening: Whitening

    def deviation(self, points: int) -> FloatArray:
        """Return the standard deviations of the effects ahead of a known level, shape (h,)."""
        ahead = self.regressors[:, points:]
        expected = self.whitening.forecast(
            self.regressors[:, :points], np.array([points]), ahead.shape[1]
        )
        sizes, axes = np.linalg.eigh(self.covariance)
        along = axes.T * np.sqrt(np.maximum(sizes, 0.0))[:, None]
        unknown = ahead - expected[:, 0]
        squares = np.array([(row[:, None] * unknown).sum(axis=0) ** 2 for row in along])
        return np.sqrt(squares.sum(axis=0))


def learn_effects(
    values: FloatArray,
    columns: KnownColumns,
    filter_period: int,
    shortest_period: int,
    profile: FloatArray | None,
) -> ColumnEffects | None:
    """Return the effects that are significant and have improved past forecasts, None without any.

    Args:
        values: The series or its logarithms, shape (n,).
        columns: Known for n + h steps.
        filter_period: The seasonal period that the filter takes out.
        shortest_period: The shortest seasonal period in steps, 1 for none.
        profile: As in ``main_groups``.
    """
    points = len(values)
    first = max(0, points - MAX_EFFECT_POINTS)
    recent = values[first:]
    strongest = _strongest_columns(columns, recent, filter_period, first)
    groups = main_groups(strongest, points, shortest_period, profile)
    selection = _select_regressors(recent, np.zeros(len(recent)), groups, filter_period, first)
    if selection is not None:
        selection = _significant_columns(recent, selection, first)
    if selection is not None:
        # Waves are only tried for columns that have an effect.
        past = np.ascontiguousarray(selection.regressors[:, first:points])
        effect = selection.moments.solve(selection.prior_variances)[0] @ past
        selected = set(selection.column_indices.tolist())
        groups = [*groups, *wave_groups(strongest, points, shortest_period)]
        groups = [group for group in groups if group.column in selected]
        selection = _select_regressors(recent, effect, groups, filter_period, first)
    return None if selection is None else _supported_effects(selection, recent, first)


def _supported_effects(
    selection: _Selection, values: FloatArray, first: int
) -> ColumnEffects | None:
    """Return the effects, shrunk by their ``supported_fraction``; None if that is 0."""
    past = selection.regressors[:, first : first + len(values)]
    fraction = supported_fraction(
        values, past, selection.weights, selection.prior_variances, selection.whitening
    )
    if not fraction:
        return None
    moments = selection.moments
    mean, covariance = moments.solve(selection.prior_variances)
    noise = max(moments.power - float(moments.moment @ mean), 0.0) / moments.points
    return ColumnEffects(
        column_indices=selection.column_indices,
        effects=fraction * mean,
        regressors=selection.regressors,
        covariance=noise * covariance,
        whitening=selection.whitening,
    )


def _strongest_columns(
    columns: KnownColumns, values: FloatArray, filter_period: int, first: int
) -> KnownColumns:
    """Return the columns with all but ``MAX_LEARNED_COLUMNS`` of them set to 0.

    The columns kept are the most correlated with the series, as values or as distances from their
    mean, all of them filtered. The series (n,) begins at the step ``first`` of the columns.
    """
    if len(columns.values) <= MAX_LEARNED_COLUMNS:
        return columns
    whitening = choose_whitening(values, filter_period)
    filtered_values = whitening.apply(values)
    past = columns.values[:, first : first + len(values)]
    distance = np.abs(past - past.mean(axis=1, keepdims=True))
    filtered = whitening.apply(np.stack([past, distance]))
    power = np.maximum((filtered**2).sum(axis=2), TINY)
    correlation = (np.abs(filtered @ filtered_values) / np.sqrt(power)).max(axis=0)
    weak = np.argsort(-correlation, kind="stable")[MAX_LEARNED_COLUMNS:]
    kept_values = columns.values.copy()
    kept_values[weak] = 0.0
    return replace(columns, values=kept_values)


def _select_regressors(
    values: FloatArray,
    effect: FloatArray,
    groups: list[RegressorGroup],
    filter_period: int,
    first: int,
) -> _Selection | None:
    """Return the regressors of the ``groups`` that are selected, None without any.

    Filter and weights are chosen for the series less the ``effect`` so far, shape (n,). The series
    begins at the step ``first`` of the groups.
    """
    if not groups:
        return None
    last = first + len(values)
    whitening = choose_whitening(values - effect, filter_period)
    residuals = np.abs(whitening.apply(values - effect))
    noise = mad_sigma(residuals)
    if not noise > 0:
        return None
    weights = _point_weights(residuals, noise, filter_period)
    regressors = np.vstack([group.values for group in groups])
    group_indices = np.repeat(np.arange(len(groups)), [len(group.values) for group in groups])
    filtered = whitening.apply(regressors[:, first:last])
    scale = np.sqrt((weights * filtered**2).mean(axis=1))
    is_usable = scale > _MIN_FILTERED_RATIO * regressors[:, first:last].std(axis=1)
    scale = scale[is_usable, None]
    group_indices = group_indices[is_usable]
    moments = Moments.of(filtered[is_usable] / scale, whitening.apply(values), weights)
    group_deviations = select_groups(moments, groups, group_indices)
    column_indices = np.array([group.column for group in groups])[group_indices]
    prior_variances = np.array(
        [group_deviations.get(index, 0.0) ** 2 for index in group_indices.tolist()]
    )
    selection = _Selection(
        regressors=regressors[is_usable] / scale,
        column_indices=column_indices,
        prior_variances=prior_variances,
        whitening=whitening,
        weights=weights,
        moments=moments,
    )
    return selection.take(prior_variances > 0) if group_deviations else None


def _point_weights(residuals: FloatArray, noise: float, period: int) -> FloatArray:
    """Return the weights of points, shape (n,), with mean 1: smaller for outliers and noisy phases.

    Args:
        residuals: The magnitudes of the residuals, shape (n,).
        noise: Their standard deviation.
        period: The seasonal period, whose phases differ in noise.
    """
    phase = np.arange(len(residuals)) % period
    squares = np.minimum(residuals, _MAX_SIGMAS * noise) ** 2
    spread = np.sqrt(
        shrunk_phase_means(squares, phase, period, float(squares.mean()), _PRIOR_POINTS)
    )
    spread = np.maximum(spread, _MIN_PHASE_DEVIATION_RATIO * spread.max())[phase]
    weights: FloatArray = spread**-2.0 * np.minimum(
        1.0, _HUBER_SIGMAS * spread / np.maximum(residuals, spread)
    )
    return weights / float(weights.mean())


def _significant_columns(
    values: FloatArray, selection: _Selection, first: int
) -> _Selection | None:
    """Return the regressors of columns that explain more than if shifted, None without any."""
    whitening = selection.whitening
    past = selection.regressors[:, first : first + len(values)]
    filtered, filtered_values = whitening.apply(past), whitening.apply(values)
    effects = selection.moments.solve(selection.prior_variances)[0]
    is_kept = np.zeros(len(selection.column_indices), dtype=bool)
    for column in np.unique(selection.column_indices):
        is_of_column = selection.column_indices == column
        residuals = filtered_values - effects[~is_of_column] @ filtered[~is_of_column]
        is_kept[is_of_column] = is_better_than_shifted(
            past[is_of_column],
            residuals,
            selection.weights,
            selection.prior_variances[is_of_column],
            whitening,
        )
    return selection.take(is_kept) if is_kept.any() else None
