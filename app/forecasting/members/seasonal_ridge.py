"""Ridge autoregression on many lags and calendar terms, for levels and for differences.

A linear autoregression (Hyndman and Athanasopoulos, "Forecasting: principles and practice", 12.5,
"dynamic harmonic regression", here with ridge shrinkage instead of order selection) whose lags
include whole seasonal cycles. Coefficients are refitted at several cuts of the history, so that
forecasts at past origins do not know values after them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from app.forecasting.members.types import BacktestedForecast
from app.forecasting.past_origins import BacktestTask, refit_blocks
from app.forecasting.preprocessing.seasonality import FourierTerms
from app.forecasting.regression import solve_ridge
from app.timeseries.least_squares import fourier_columns, lag_columns
from app.timeseries.types import FloatArray, IntArray

_MAX_GROWTH = 4.0  # the magnitude of forecasts, at most, over that of the past values
_MIN_STEADY_CHANGES = 24
_STEADY_DRIFT = 3.0  # the mean of the changes of a steady drift, in standard deviations
# Penalties, in that of a lag.
_CALENDAR_PENALTY = 3.0
_LEVEL_PENALTY = 0.01  # of the intercept of levels, which is nearly free
_DRIFT_PENALTY = 10.0  # of the intercept of changes, which is shrunk towards 0
_JITTER = 1e-10  # a fraction of the largest term, which keeps systems of collinear columns solvable
# Steps of calendar terms that are cached for the next series: at most 0.8 MB for each design.
_MAX_CACHED_STEPS = 2048


@dataclass(frozen=True)
class RidgeDesign:
    """The regressors of the next value.

    Attributes:
        lags: In steps.
        dummy_period: The period with one indicator per phase, 0 for none.
        fourier: Periods in steps, and the number of sine-cosine pairs of each.
        difference: The lag of the modelled difference: 0 for levels, 1 for changes, a period for
            seasonal differences.
        half_life: The age in steps at which a point has half the weight, 0 for equal weights.
    """

    lags: tuple[int, ...]
    dummy_period: int = 0
    fourier: FourierTerms = ()
    difference: int = 0
    half_life: float = 0.0


def seasonal_ridge(
    task: BacktestTask, design: RidgeDesign, penalties: Sequence[float]
) -> list[BacktestedForecast]:
    """Return one forecast per transformation and penalty.

    Args:
        design: Its lags and difference must be shorter than the history before the first origin.
        penalties: Ridge penalties, in hundredths of the number of points.
    """
    difference = design.difference
    lag_count = len(design.lags)
    horizon = task.horizon
    values = np.stack([transformed.values for transformed in task.transformed])
    modelled = values[:, difference:] - values[:, :-difference] if difference else values
    starts = task.starts - difference
    centre, spread = _location_and_scale(modelled, starts[0], is_change=difference == 1)
    standardized = (modelled - centre[:, None]) / spread[:, None]
    coefficients = _fit_at_starts(standardized, design, penalties, starts)

    ahead = starts[:, None] + np.arange(horizon)
    terms = calendar_terms(design, 0, modelled.shape[1] + horizon)[ahead]
    added = coefficients[..., lag_count:] @ terms.transpose(0, 2, 1)[:, None]
    pasts = standardized[:, starts[:, None] + np.arange(-max(design.lags), 0)].swapaxes(0, 1)
    # All rows share one loop: a step takes as long for one row as for a hundred.
    paths = roll_forward(
        np.repeat(pasts, len(penalties), axis=1).reshape(-1, max(design.lags)),
        design.lags,
        coefficients[..., :lag_count].reshape(-1, lag_count),
        added.reshape(-1, horizon),
    ).reshape(added.shape)
    forecasts = []
    for row, transformed in enumerate(task.transformed):
        by_penalty = paths[:, row].swapaxes(0, 1) * spread[row] + centre[row]
        if difference:
            past = values[row][starts[:, None] + np.arange(difference)]
            by_penalty = integrate(by_penalty, past)
        forecasts += [BacktestedForecast.of_paths(transformed.invert(path)) for path in by_penalty]
    return forecasts


def _location_and_scale(
    modelled: FloatArray, first: int, *, is_change: bool
) -> tuple[FloatArray, FloatArray]:
    """Return the location and scale of each series, from values before the ``first`` origin.

    Changes are centred only if they are steady: otherwise lags would explain the drift and repeat
    every irregularity.
    """
    past = modelled[:, :first]
    centre, spread = past.mean(axis=1), past.std(axis=1)
    if is_change:
        is_steady = (np.abs(centre) > _STEADY_DRIFT * spread) & (first >= _MIN_STEADY_CHANGES)
        centre = np.where(is_steady, centre, 0.0)
    spread = np.where(spread > 0, spread, modelled.std(axis=1))
    return centre, np.where(spread > 0, spread, 1.0)


def _fit_at_starts(
    standardized: FloatArray, design: RidgeDesign, penalties: Sequence[float], starts: IntArray
) -> FloatArray:
    """Return the coefficients of each start, shape (starts, series, penalties, coefficients).

    They are fitted for the last start, and for each block of `refit_blocks`.
    """
    blocks = refit_blocks(starts[:-1])
    cuts = [*(int(block[0]) for block in blocks), standardized.shape[1]]
    block_of_start = np.repeat(np.arange(len(cuts)), [*(len(block) for block in blocks), 1])
    return fit_at_cuts(standardized, design, penalties, cuts)[block_of_start]


def fit_at_cuts(
    standardized: FloatArray, design: RidgeDesign, penalties: Sequence[float], cuts: Sequence[int]
) -> FloatArray:
    """Return ridge coefficients learned from the points before each cut.

    Args:
        standardized: Shape (series, n).
        design: Lags and calendar terms.
        penalties: Ridge penalties, in hundredths of the number of points.
        cuts: Ascending indices up to n.

    Returns:
        Shape (cuts, series, penalties, coefficients).
    """
    series, n = standardized.shape
    longest = max(design.lags)
    lags = len(design.lags)
    terms = calendar_terms(design, longest, n)
    regressors = np.empty((series, n - longest, lags + terms.shape[1]))
    regressors[:, :, :lags] = lag_columns(standardized, design.lags)
    regressors[:, :, lags:] = terms
    sums = _sums_at_cuts(
        regressors, standardized[:, longest:], [cut - longest for cut in cuts], design.half_life
    )
    jitter = _JITTER * (1.0 + np.diagonal(sums.gram, axis1=2, axis2=3).max(axis=2))
    shrinkage = np.outer(np.asarray(penalties) / 100, penalty_of(design))
    ridge = shrinkage * np.maximum(sums.mass, 1.0)[:, None, None, None] + jitter[..., None, None]
    # One system for each cut, series and penalty, all solved together.
    return solve_ridge(sums.gram[:, :, None], sums.moment[:, :, None], ridge)


class _RidgeSums(NamedTuple):
    """The sums over the points before one cut, or before each cut, that ridge is solved from."""

    gram: FloatArray  # products of the regressors with one another, ([cuts,] series, size, size)
    moment: FloatArray  # products of the regressors with the responses, ([cuts,] series, size)
    mass: FloatArray  # the weight of the points, ([cuts])


def _sums_at_cuts(
    regressors: FloatArray, responses: FloatArray, cuts: Sequence[int], half_life: float
) -> _RidgeSums:
    """Return the sums before each cut.

    Args:
        regressors: Shape (series, n, size).
        responses: Shape (series, n).
        cuts: Ascending indices up to n.
        half_life: The age in steps at which a point has half the weight; 0 for equal weights.
    """
    series, _, size = regressors.shape
    sums = _RidgeSums(np.zeros((series, size, size)), np.zeros((series, size)), np.zeros(()))
    at_cuts, start = [], 0
    for cut in cuts:
        end = max(cut, start)
        added = regressors[:, start:end]
        weighted, mass = added, float(end - start)
        if half_life:
            weights = 0.5 ** (np.arange(end - start)[::-1] / half_life)
            weighted, mass = added * weights[:, None], float(weights.sum())
            faded = 0.5 ** ((end - start) / half_life)
            sums = _RidgeSums(*(total * faded for total in sums))
        across = weighted.transpose(0, 2, 1)
        sums = _RidgeSums(
            sums.gram + across @ added,
            sums.moment + (across @ responses[:, start:end, None])[..., 0],
            sums.mass + mass,
        )
        at_cuts.append(sums)
        start = end
    return _RidgeSums(*map(np.stack, zip(*at_cuts, strict=True)))


def calendar_terms(design: RidgeDesign, start: int, stop: int) -> FloatArray:
    """Return the regressors of steps ``start`` to ``stop``, shape (stop - start, terms)."""
    if stop > _MAX_CACHED_STEPS:
        return _make_terms(design.dummy_period, design.fourier, stop)[start:]
    # Histories of about one length share their terms.
    cached_steps = max(256, 1 << (stop - 1).bit_length())
    return _cached_terms(design.dummy_period, design.fourier, cached_steps)[start:stop]


@lru_cache(maxsize=32)
def _cached_terms(dummy_period: int, fourier: FourierTerms, stop: int) -> FloatArray:
    terms = _make_terms(dummy_period, fourier, stop)
    terms.flags.writeable = False
    return terms


def _make_terms(dummy_period: int, fourier: FourierTerms, stop: int) -> FloatArray:
    index = np.arange(stop)
    blocks = [np.ones((stop, 1))]
    if dummy_period:
        blocks.append(np.eye(dummy_period)[index % dummy_period])
    for period, pairs in fourier:
        blocks.append(fourier_columns(index, period, pairs))
    return np.hstack(blocks)


def penalty_of(design: RidgeDesign) -> FloatArray:
    """Return the penalty of each coefficient, shape (coefficients,), in that of a lag."""
    terms = calendar_terms(design, 0, 1).shape[1]
    penalty = np.concatenate([np.ones(len(design.lags)), np.full(terms, _CALENDAR_PENALTY)])
    penalty[len(design.lags)] = _DRIFT_PENALTY if design.difference == 1 else _LEVEL_PENALTY
    return penalty


def roll_forward(
    pasts: FloatArray, lags: Sequence[int], weights: FloatArray, added: FloatArray
) -> FloatArray:
    """Iterate autoregressions, one per row.

    Args:
        pasts: The last ``max(lags)`` values of each row, shape (rows, longest).
        lags: In steps.
        weights: Coefficient of each lag, shape (rows, lags).
        added: The calendar term of each step, shape (rows, h).

    Returns:
        Shape (rows, h), limited to a few times the largest past value, as an autoregression may
        be unstable.
    """
    limits = _MAX_GROWTH * np.maximum(1.0, np.abs(pasts).max(axis=1))
    floors = -limits
    longest = pasts.shape[1]
    horizon = added.shape[1]
    # Steps are the first axis, so that each step's lags are whole rows of memory.
    path = np.empty((longest + horizon, pasts.shape[0]))
    path[:longest] = pasts.T
    offsets = longest - np.asarray(lags)
    weights_by_lag = np.ascontiguousarray(weights.T)
    for step in range(horizon):
        value = np.einsum("lr,lr->r", path[offsets + step], weights_by_lag) + added[:, step]
        path[longest + step] = np.minimum(np.maximum(value, floors), limits)
    return path[longest:].T


def integrate(changes: FloatArray, past: FloatArray) -> FloatArray:
    """Turn forecasts of differences into forecasts of the values.

    Args:
        changes: Shape (..., h).
        past: The last values before them, as many as there are steps between the two values of a
            difference, shape (..., steps).
    """
    difference, horizon = past.shape[-1], changes.shape[-1]
    result = changes.copy()
    result[..., :difference] += past[..., :horizon]
    for first in range(difference, horizon, difference):
        last = min(first + difference, horizon)
        result[..., first:last] += result[..., first - difference : last - difference]
    return result
