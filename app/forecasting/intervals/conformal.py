"""Prediction intervals from the errors at past origins.

The errors of the combined forecast at earlier moments of the same series, divided by how large
errors are at each step and each phase of the season, are pooled; their quantiles, widened for the
small number of independent origins, are laid around the forecast (split conformal prediction for
rolling origins, Stankeviciute et al. 2021; normalised scores, Papadopoulos et al. 2008).
"""

from dataclasses import dataclass

import numpy as np

from app.forecasting.types import FloatArray, IntArray

# Weight of the prior "every phase has the same error", in observations.
PHASE_PRIOR = 10.0
FEWEST_ORIGINS_FOR_PHASES = 7


@dataclass(frozen=True)
class ErrorScale:
    """How large errors are, and the errors in units of it.

    ``ahead`` has shape (h,): the expected absolute error at each step of the forecast.
    ``scores`` holds the past errors divided by the scale that would have stood at their step.
    ``independent`` is about how many of the scores are independent of each other.
    """

    ahead: FloatArray
    scores: FloatArray
    independent: float


def step_scale(errors: FloatArray, season: int) -> FloatArray:
    """Return the mean absolute error at each step, smoothed over a season, never falling.

    Args:
        errors: shape (origins, h), NaN where nothing was seen.
        season: shortest seasonal period in steps, or 1.
    """
    horizon = errors.shape[1]
    seen = np.isfinite(errors)
    counts = seen.sum(axis=0)
    sums = np.where(seen, np.abs(errors), 0.0).sum(axis=0)
    observed = int((counts > 0).sum())
    window = min(season, observed) | 1
    kernel = np.ones(window)
    half = window // 2
    padded_sums = np.convolve(np.pad(sums[:observed], half, mode="edge"), kernel, "valid")
    padded_counts = np.convolve(np.pad(counts[:observed], half, mode="edge"), kernel, "valid")
    smooth = np.maximum.accumulate(padded_sums / padded_counts)
    beyond = np.arange(observed, horizon) + 1.0
    return np.concatenate([smooth, smooth[-1] * np.sqrt(beyond / observed)])


def phase_factors(relative: FloatArray, phases: IntArray, season: int) -> FloatArray:
    """Return the ratio of each phase's error to the mean, shrunk towards 1, shape (season,)."""
    seen = np.isfinite(relative)
    sums = np.bincount(phases[seen], weights=relative[seen], minlength=season)
    counts = np.bincount(phases[seen], minlength=season)
    return np.asarray((sums + PHASE_PRIOR) / (counts + PHASE_PRIOR))


def measure_errors(
    errors: FloatArray, origins: tuple[int, ...], length: int, season: int
) -> ErrorScale:
    """Learn the size of errors by step and phase.

    Args:
        errors: what came minus what was forecast, shape (origins, h), NaN where nothing was seen.
        origins: index of the first step of each row.
        length: index of the first step of the answer.
        season: shortest seasonal period in steps, or 1.
    """
    horizon = errors.shape[1]
    steps = np.arange(horizon)
    by_step = step_scale(errors, season)
    tiny = float(np.finfo(float).tiny)
    scores = errors / np.maximum(by_step, tiny)
    ahead = by_step
    if season > 1 and len(origins) >= FEWEST_ORIGINS_FOR_PHASES:
        phases = (np.asarray(origins)[:, None] + steps) % season
        factors = phase_factors(np.abs(scores), phases, season)
        scores = scores / factors[phases]
        ahead = by_step * factors[(length + steps) % season]
    span = origins[-1] - origins[0] + horizon
    independent = max(1.0, min(len(origins), 4.0 * span / horizon))
    return ErrorScale(ahead, scores[np.isfinite(scores)], independent)


def widening(confidence: float, independent: float) -> float:
    """Return the factor that makes up for few origins; grows with the confidence."""
    return 1.0 + (0.25 * confidence**2 if independent else 0.0) * (1 + 6 / independent) / 1.5


def conformal_interval(
    median: FloatArray, scale: ErrorScale, confidence: float
) -> tuple[FloatArray, FloatArray]:
    """Return lower and upper bounds around ``median`` (h,), monotone in ``confidence``."""
    tail = (1 - confidence) / 2
    lower, upper = np.quantile(scale.scores, [tail, 1 - tail])
    factor = widening(confidence, scale.independent)
    return (
        median + min(float(lower), 0.0) * factor * scale.ahead,
        median + max(float(upper), 0.0) * factor * scale.ahead,
    )
