"""The exponents by which the intervals of short histories widen: their fit and their coverage."""

from collections.abc import Iterable, Sequence

import numpy as np
from statsmodels.regression.quantile_regression import QuantReg

from app.forecasting.intervals.learned import CONFIDENCE_LEVELS
from app.timeseries.types import FloatArray


def fit_exponents(
    log_shortfalls: FloatArray, log_errors: FloatArray, max_iterations: int = 1_000
) -> list[float]:
    """Return the exponent of each confidence level, at least 0, by quantile regression.

    Args:
        log_shortfalls: How much too short each history is, shape (n,).
        log_errors: The errors in half-widths of each level, shape (levels, n).
        max_iterations: Iterations of each regression.
    """
    fits = [
        QuantReg(row, log_shortfalls[:, None]).fit(q=level, max_iter=max_iterations)
        for row, level in zip(log_errors, CONFIDENCE_LEVELS, strict=True)
    ]
    return [max(0.0, float(fit.params[0])) for fit in fits]


def coverage_text(
    cases: Iterable[tuple[float, FloatArray]], exponents: Sequence[float], shown: Sequence[float]
) -> str:
    """Return the coverage in percent at the ``shown`` levels.

    ``cases`` are the shortfall of each history and its errors in half-widths, shape (levels, h).
    """
    inside = [
        (relative <= np.exp(log_shortfall * np.array(exponents))[:, None]).mean(axis=1)
        for log_shortfall, relative in cases
    ]
    mean = 100 * np.mean(inside, axis=0)
    return " / ".join(f"{mean[CONFIDENCE_LEVELS.index(level)]:.1f}" for level in shown)
