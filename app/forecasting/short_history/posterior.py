"""The posterior of the structures of a short history, and its forecast: a mixture of Student's t.

Each structure (``structures.py``) has a level with a flat prior and a scale with an inverse-gamma
prior. With both integrated out, its likelihood and its Student's t for each step ahead have closed
forms (Rasmussen and Williams 2006, sections 2.7 and 9.4). The weights of the structures are their
likelihoods times their prior: a Bayesian model average (Hoeting et al. 1999).
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp

from app.forecasting.intervals.learned import StructurePrior
from app.forecasting.short_history.mixture import CentredValues, Mixture
from app.forecasting.short_history.structures import likely_structures, make_kernels
from app.timeseries.numbers import TINY
from app.timeseries.types import FloatArray, IntArray

# The structures that forecast: at most this many, of at least this fraction of the largest weight.
_MAX_STRUCTURES = 40
_MIN_WEIGHT_RATIO = 5e-3
# The prior of the scale is at most this many times the root mean square of the changes. It is
# relative to the mean, so that otherwise a level far from 0 would widen intervals.
_MAX_SCALE_RATIO = 2.0
# The minimum residual sum of squares, as a fraction of the total, for data without noise.
_MIN_RESIDUAL = 1e-12
# Steps ahead that are multiplied together. BLAS rounds differently for arrays of another shape, and
# a forecast must not depend on the horizon (docs/developing/decisions.md, D47).
_BLOCK_STEPS = 16


@dataclass(frozen=True)
class Posterior:
    """How likely each structure is, for the raw values and for their logarithms.

    Attributes:
        forms: The values that structures are fitted to, raw and as logarithms.
        unit: The unit of the raw values.
        structures: Shape (k, 3).
        weights: The probability of each structure in each form, shape (forms, k); they sum to 1.
        levels: The estimated level, shape (forms, k).
        posterior_squares: The residual sum of squares, with that of the prior, shape (forms, k).
        degrees: The degrees of freedom of ``posterior_squares``.
        log_likelihood: Of all structures together, up to terms that depend only on n and the prior
            of the scale.
    """

    forms: tuple[CentredValues, ...]
    unit: float
    structures: IntArray
    weights: FloatArray
    levels: FloatArray
    posterior_squares: FloatArray
    degrees: float
    log_likelihood: float

    @property
    def season_probability(self) -> float:
        return float(self.weights[:, self.structures[:, 2] > 0].sum())


class _FittedLevels(NamedTuple):
    """The levels of k structures in each form, and what weighs the structures."""

    levels: FloatArray  # shape (k, forms)
    precision: FloatArray  # of the level, shape (k, 1)
    residual_squares: FloatArray  # shape (k, forms)
    half_log_determinant: FloatArray  # of the covariances, shape (k,)


def fit_posterior(values: FloatArray, period: int, prior: StructurePrior) -> Posterior:
    """Weigh each structure by its likelihood.

    Args:
        values: Shape (n,), not all equal, at least 3.
        period: In steps, 1 for none.
        prior: The prior of the series' frequency.
    """
    points = len(values)
    forms, unit = centred_values(values)
    structures, log_prior = likely_structures(prior, period)
    covariances = make_kernels(points, 1, period).covariances(structures, 0, points)
    fitted = _fit_levels(covariances, forms)

    prior_degrees, prior_variance = _scale_prior(values, unit, prior)
    degrees = points - 1 + prior_degrees
    total_squares = np.array([form.values @ form.values for form in forms])
    posterior_squares = np.maximum(
        fitted.residual_squares + prior_degrees * prior_variance, _MIN_RESIDUAL * total_squares
    )

    # The likelihood without level and scale, which are integrated out, times the priors.
    log_scores = log_prior - fitted.half_log_determinant - 0.5 * np.log(fitted.precision[:, 0])
    log_weights = log_scores[:, None] - 0.5 * degrees * np.log(posterior_squares)
    log_weights += [form.jacobian for form in forms]
    if len(forms) > 1:
        log_weights += np.log(prior.form_weights)
    log_likelihood = float(logsumexp(log_weights))
    return Posterior(
        forms=forms,
        unit=unit,
        structures=structures,
        weights=np.exp(log_weights - log_likelihood).T,
        levels=fitted.levels.T,
        posterior_squares=posterior_squares.T,
        degrees=degrees,
        log_likelihood=log_likelihood,
    )


def _fit_levels(covariances: FloatArray, forms: tuple[CentredValues, ...]) -> _FittedLevels:
    """Estimate the levels by generalized least squares (Rasmussen and Williams 2006, 2.7).

    The inverse of the root of the ``covariances``, shape (k, n, n), makes the values of a
    structure, and what the level adds, independent.
    """
    root = np.asarray(np.linalg.cholesky(covariances), dtype=np.float64)
    ones, values = np.split(_solve_lower(root, _level_columns(forms)), [1], axis=2)
    precision = (ones**2).sum(axis=1)
    levels = (ones * values).sum(axis=1) / precision
    return _FittedLevels(
        levels=levels,
        precision=precision,
        residual_squares=((values - levels[:, None] * ones) ** 2).sum(axis=1),
        half_log_determinant=np.log(np.diagonal(root, axis1=1, axis2=2)).sum(axis=1),
    )


def centred_values(values: FloatArray) -> tuple[tuple[CentredValues, ...], float]:
    """Return ``values`` (n,), raw and, if all are positive, as logarithms, and their unit."""
    unit = float(np.abs(values).mean())
    are_logs = (False, True) if values.min() > 0 else (False,)
    return tuple(CentredValues.of(values / unit, is_log=is_log) for is_log in are_logs), unit


def _solve_lower(roots: FloatArray, columns: FloatArray) -> FloatArray:
    """Solve ``roots`` (k, n, n), lower triangular, for ``columns`` (n, c): shape (k, n, c).

    SciPy would solve one root at a time, which is slower for hundreds of small ones.
    """
    solved = np.repeat(columns[None], len(roots), axis=0)
    for row in range(len(columns)):
        solved[:, row] -= (roots[:, row, None, :row] @ solved[:, :row])[:, 0]
        solved[:, row] /= roots[:, row, row, None]
    return solved


def _scale_prior(values: FloatArray, unit: float, prior: StructurePrior) -> tuple[float, float]:
    """Return the conjugate prior of the scale: degrees of freedom and variance, as of residuals.

    The degrees were learned from series that are not negative.
    """
    changes = np.diff(values) / unit
    max_variance = _MAX_SCALE_RATIO**2 * float(changes @ changes) / len(changes)
    degrees = prior.degrees if values.min() >= 0 else 0.0
    return degrees, min(prior.scale**2, max_variance)


def forecast_mixture(posterior: Posterior, horizon: int, period: int) -> Mixture:
    """Return the forecast of ``horizon`` steps by the structures with the largest weights."""
    ranked = np.sort(posterior.weights, axis=None)[::-1]
    min_weight = max(_MIN_WEIGHT_RATIO * ranked[0], ranked[min(_MAX_STRUCTURES, len(ranked)) - 1])
    has_min_weight = posterior.weights >= min_weight
    used = np.flatnonzero(has_min_weight.any(axis=0))
    is_heavy, structures = has_min_weight[:, used], posterior.structures[used]
    level_weights, spreads, deviations = _predict_structures(
        posterior.forms, structures, horizon, period
    )
    # Axes: forms, structures, steps.
    centres = level_weights * posterior.levels[:, used, None] + np.moveaxis(deviations, 2, 0)
    centres += np.array([form.mean for form in posterior.forms])[:, None, None]
    scales = np.sqrt(posterior.posterior_squares[:, used] / posterior.degrees)
    forms_are_logs = np.array([form.is_log for form in posterior.forms])
    weights = posterior.weights[:, used][is_heavy]
    return Mixture(
        weights=weights / weights.sum(),
        centres=centres[is_heavy],
        spreads=(scales[:, :, None] * spreads)[is_heavy],
        is_log=np.broadcast_to(forms_are_logs[:, None], is_heavy.shape)[is_heavy],
        logs=posterior.forms[-1],
        degrees=posterior.degrees,
        unit=posterior.unit,
    )


def _predict_structures(
    forms: tuple[CentredValues, ...], structures: IntArray, horizon: int, period: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return what k structures expect of the steps ahead (Rasmussen and Williams 2006, 2.7).

    Returns:
        The weight of the level, shape (k, h): 1 for a step that is independent of the known ones;
        the standard deviation, in units of the scale, shape (k, h); and what the deviations of the
        known values from their mean add, shape (k, h, forms).
    """
    points = len(forms[0].values)
    kernels = make_kernels(points, horizon, period)
    covariances = kernels.covariances(structures, 0, points)
    covariances_ahead = kernels.covariances(structures, points, points + horizon)
    inverses: FloatArray = np.linalg.inv(covariances).astype(np.float64, copy=False)
    inverse_ones, inverse_values = np.split(inverses @ _level_columns(forms), [1], axis=2)
    level_weights = 1.0 - _multiply_in_blocks(covariances_ahead, inverse_ones)[:, :, 0]

    # What the known steps explain of the variance is subtracted, the level's uncertainty added.
    regressions = _multiply_in_blocks(covariances_ahead, inverses)
    explained = np.einsum("khn,khn->kh", covariances_ahead, regressions)
    variances = kernels.variances(structures, points) - explained
    variances += level_weights**2 / inverse_ones.sum(axis=1)
    spreads = np.sqrt(np.maximum(variances, TINY))
    return level_weights, spreads, _multiply_in_blocks(covariances_ahead, inverse_values)


def _level_columns(forms: tuple[CentredValues, ...]) -> FloatArray:
    """Return a column of ones, then one of each form's values, shape (n, 1 + forms)."""
    columns = [np.ones(len(forms[0].values)), *(form.values for form in forms)]
    return np.stack(columns, axis=1, dtype=np.float64)


def _multiply_in_blocks(ahead: FloatArray, right: FloatArray) -> FloatArray:
    """Return ``ahead`` (k, h, n) times ``right``; a step's result does not depend on h."""
    steps = ahead.shape[1]
    padded = np.zeros((len(ahead), -(-steps // _BLOCK_STEPS) * _BLOCK_STEPS, ahead.shape[2]))
    padded[:, :steps] = ahead
    blocks = [padded[:, i : i + _BLOCK_STEPS] @ right for i in range(0, steps, _BLOCK_STEPS)]
    return np.concatenate(blocks, axis=1)[:, :steps]
