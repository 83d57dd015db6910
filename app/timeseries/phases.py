"""Means and medians of the phases of a season, and parts of a season that share a scale."""

import numpy as np

from app.timeseries.types import FloatArray, IntArray

_MAX_PARTS = 48  # the maximum number of parts of a season with separate scales


def season_parts(time: IntArray, period: float) -> IntArray:
    """Return in which part of a season each step of ``time`` is, from 0.

    A part is one phase, or several neighbouring ones of a long season.
    """
    parts = min(round(period), _MAX_PARTS)
    return (time % period * parts // period).astype(int) % parts


def phase_means(
    values: FloatArray,
    phases: IntArray,
    period: int,
    *,
    weights: FloatArray | None = None,
    empty: float = 0.0,
) -> FloatArray:
    """Return the mean of the values of each phase, shape (period,).

    Args:
        values: Shape (n,).
        phases: The phase of each value, 0 to ``period`` - 1, shape (n,).
        period: Number of phases.
        weights: The weights of the values, shape (n,); None for equal weights.
        empty: The mean of a phase without a value.
    """
    weighted = values if weights is None else weights * values
    counts = np.bincount(phases, weights=weights, minlength=period)
    sums = np.bincount(phases, weights=weighted, minlength=period)
    means = np.full(period, empty)
    np.divide(sums, counts, out=means, where=counts > 0)
    return means


def shrunk_phase_means(
    values: FloatArray, phases: IntArray, period: int, prior_mean: float, prior_weight: float
) -> FloatArray:
    """Return the means of phases, shape (period,), shrunk towards ``prior_mean``.

    ``prior_weight`` is how many values the prior counts for; the other arguments are as in
    ``phase_means``.
    """
    counts = np.bincount(phases, minlength=period)
    sums = np.bincount(phases, weights=values, minlength=period)
    return np.asarray((sums + prior_weight * prior_mean) / (counts + prior_weight))


def phase_medians(values: FloatArray, period: int) -> FloatArray:
    """Return the median of each phase, shape (period,); ``values[0]`` has phase 0.

    ``values`` has ``period`` points or more.
    """
    cycles, extra = divmod(len(values), period)
    whole_cycles = values[: cycles * period].reshape(cycles, period)
    # The first phases also occur in the last, incomplete cycle.
    repetitions = np.vstack([whole_cycles[:, :extra], values[cycles * period :]])
    return np.concatenate(
        [np.median(repetitions, axis=0), np.median(whole_cycles[:, extra:], axis=0)]
    )
