"""The posterior of the structures of a short history, and its forecast: a mixture of Student's t.

Each structure (``structures.py``) has a level with a flat prior and a scale with an inverse-gamma
prior. With both integrated out, its likelihood and its Student's t for each step ahead have closed
forms (Rasmussen and Williams 2006, sections 2.7 and 9.4). The weights of the structures are their
likelihoods times their prior: a Bayesian model average (Hoeting et al. 1999).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp, ndtr, stdtrit

from app.forecasting.intervals.learned import StructurePrior
from app.forecasting.short_history.structures import likely_structures, make_kernels
from app.timeseries.numbers import TINY
from app.timeseries.types import BoolArray, FloatArray, IntArray

# The structures that forecast: at most this many, of at least this fraction of the largest weight.
_MAX_STRUCTURES = 40
_MIN_WEIGHT_RATIO = 5e-3
# Quantiles of a Student's t: at equal steps of a standard normal, up to this many deviations.
_GRID_POINTS = 41
_MAX_SIGMAS = 3.6
_TIE_DIGITS = 10  # values that differ by less, in units of the series, are equal
# The prior of the scale is at most this many times the root mean square of the changes. It is
# relative to the mean, so that otherwise a level far from 0 would widen intervals.
_MAX_SCALE_RATIO = 2.0
# The minimum residual sum of squares, as a fraction of the total, for data without noise.
_MIN_RESIDUAL = 1e-12
# Logarithms are exponentiated up to this fraction of their range beyond those of the history, and
# up to `_MAX_LOG`.
_LOG_MARGIN = 0.5
_MAX_LOG = 30.0
# Steps ahead that are multiplied together. BLAS rounds differently for arrays of another shape, and
# a forecast must not depend on the horizon (docs/developing/decisions.md, D47).
_BLOCK_STEPS = 16


@dataclass(frozen=True)
class CentredValues:
    """Raw values or logarithms, less their mean.

    Attributes:
        values: Of values in units of ``Posterior.unit``, shape (n,).
        mean: The subtracted mean.
        jacobian: What is added to the log-likelihood to get that of the raw values.
        is_log: Whether they are logarithms.
    """

    values: FloatArray
    mean: float
    jacobian: float
    is_log: bool

    @classmethod
    def of(cls, raw: FloatArray, *, is_log: bool) -> "CentredValues":
        values = np.log(raw) if is_log else raw
        jacobian = -float(values.sum()) if is_log else 0.0
        return cls(values - values.mean(), float(values.mean()), jacobian, is_log)


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


@dataclass(frozen=True)
class Mixture:
    """A weighted sum of Student's t with one number of degrees of freedom.

    Attributes:
        weights: Shape (k,).
        centres: In ``unit``, shape (k, h).
        spreads: In ``unit``, shape (k, h).
        is_log: Which components are of logarithms, shape (k,).
        logs: The logarithms of the history.
        degrees: The degrees of freedom.
        unit: The unit of the values.
    """

    weights: FloatArray
    centres: FloatArray
    spreads: FloatArray
    is_log: BoolArray
    logs: CentredValues
    degrees: float
    unit: float


@dataclass(frozen=True)
class Quantiles:
    """Quantiles of each step: ascending ``values`` (h, k) in ``unit``, at ``levels`` (h, k)."""

    values: FloatArray
    levels: FloatArray
    unit: float

    @classmethod
    def of(cls, mixture: Mixture) -> "Quantiles":
        """Return the quantiles of a mixture, from weighted values of each Student's t.

        Between these the distribution is linear, so that a quantile never falls as its level rises.
        """
        edges = ndtr(np.linspace(-_MAX_SIGMAS, _MAX_SIGMAS, _GRID_POINTS + 1))
        edges[0], edges[-1] = 0.0, 1.0
        mass = np.diff(edges)
        standard = stdtrit(mixture.degrees, edges[:-1] + mass / 2.0)
        values = mixture.centres.T[:, :, None] + standard * mixture.spreads.T[:, :, None]
        values[:, mixture.is_log] = _exponentiate(values[:, mixture.is_log], mixture.logs)
        values = values.reshape(len(values), -1)
        # Equal values of several distributions keep their order, whatever their rounding is.
        order = np.argsort(values.round(_TIE_DIGITS), axis=1, kind="stable")
        masses = (mixture.weights[:, None] * mass).ravel()[order]
        levels = np.cumsum(masses, axis=1) - masses / 2.0
        return cls(np.take_along_axis(values, order, axis=1), levels, mixture.unit)

    def at(self, levels: Sequence[float]) -> FloatArray:
        """Return the quantiles of each step at ``levels`` (l,), between 0 and 1: shape (l, h)."""
        quantiles = [
            np.interp(levels, mass, values)
            for mass, values in zip(self.levels, self.values, strict=True)
        ]
        return np.stack(quantiles, axis=1) * self.unit


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

    # Generalized least squares of the level (Rasmussen and Williams 2006, 2.7): the inverse of the
    # covariances' root makes the values of a structure, and what the level adds, independent.
    covariances = make_kernels(points, 1, period).covariances(structures, 0, points)
    root = np.asarray(np.linalg.cholesky(covariances), dtype=np.float64)
    whitened_ones, whitened_values = np.split(
        _solve_lower(root, _level_columns(forms)), [1], axis=2
    )
    level_precision = (whitened_ones**2).sum(axis=1)
    levels = (whitened_ones * whitened_values).sum(axis=1) / level_precision
    residual_squares = ((whitened_values - levels[:, None] * whitened_ones) ** 2).sum(axis=1)

    prior_degrees, prior_variance = _scale_prior(values, unit, prior)
    degrees = points - 1 + prior_degrees
    total_squares = np.array([form.values @ form.values for form in forms])
    posterior_squares = np.maximum(
        residual_squares + prior_degrees * prior_variance, _MIN_RESIDUAL * total_squares
    )

    # The likelihood without level and scale, which are integrated out, times the priors.
    half_log_determinant = np.log(np.diagonal(root, axis1=1, axis2=2)).sum(axis=1)
    log_scores = log_prior - half_log_determinant - 0.5 * np.log(level_precision[:, 0])
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
        levels=levels.T,
        posterior_squares=posterior_squares.T,
        degrees=degrees,
        log_likelihood=log_likelihood,
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


def _exponentiate(logs: FloatArray, seen: CentredValues) -> FloatArray:
    """Return the exponentials of ``logs``, of any shape; linear far beyond the logarithms ``seen``.

    Errors multiply within the range of a series. Beyond it they add as they do at its mean, so that
    little noise on a high level is forecast like the same noise on any level.
    """
    margin = _LOG_MARGIN * float(np.ptp(seen.values))
    lowest = seen.mean + float(seen.values.min()) - margin
    highest = min(_MAX_LOG, seen.mean + float(seen.values.max()) + margin)
    inside = np.clip(logs, lowest, highest)
    return np.asarray(np.exp(inside) + np.exp(seen.mean) * (logs - inside))
