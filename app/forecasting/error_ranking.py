"""Rank and weight parameter sets by their past errors, with the same result on every CPU."""

import numpy as np

from app.timeseries.types import FloatArray, IntArray

# A fraction of the median error: smaller differences depend on the order in which a CPU adds.
_EQUAL_ERRORS = 1e-9
# The weight of a parameter set is its loss, relative to the smallest loss, to the power of -20.
_LOSS_POWER = 20
_MIN_LOSS = 1e-9  # losses below this are rounding, which depends on the CPU


def rank_errors(errors: FloatArray) -> IntArray:
    """Return the indices that sort ``errors`` (n,), the same on every CPU.

    Equal errors keep their order, NaN comes last.
    """
    finite = errors[np.isfinite(errors)]
    typical = float(np.median(finite)) if finite.size else 0.0
    rounded = np.round(errors / (_EQUAL_ERRORS * typical)) if typical > 0 else errors
    return np.argsort(rounded, kind="stable")


def loss_weights(losses: FloatArray) -> FloatArray:
    """Return weights that sum to 1, from losses of standardized values in ascending order."""
    bounded = np.maximum(losses, _MIN_LOSS)
    weights = (bounded / bounded[0]) ** -_LOSS_POWER
    return np.asarray(weights / weights.sum())
