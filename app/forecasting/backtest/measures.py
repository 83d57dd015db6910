"""The measures of a backtest: the errors of the medians, and the coverage of the intervals.

MAE, RMSE, sMAPE, coverage and mean width are taken over all points of all windows. MASE and MSIS
scale each window by its own history; they are the mean over the windows.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.forecasting.backtest.results import Scores
from app.forecasting.types import Prediction
from app.timeseries.types import FloatArray


@dataclass(frozen=True)
class WindowOutcome:
    """One forecast and the values, ``actual`` of shape (h,); ``scale`` is from `naive_scale`."""

    prediction: Prediction
    actual: FloatArray
    scale: float


def score(outcomes: Sequence[WindowOutcome], confidence: float) -> Scores:
    """Return the scores of one model over windows of equal length, one outcome each.

    Sources: sMAPE, MSIS, Makridakis, Spiliotis and Assimakopoulos (2020), the M4 competition; MASE,
    Hyndman and Koehler (2006); the interval score in MSIS, Gneiting and Raftery (2007).
    """
    actual = np.array([outcome.actual for outcome in outcomes])
    median = np.array([outcome.prediction.median for outcome in outcomes])
    lower = np.array([outcome.prediction.lower for outcome in outcomes])
    upper = np.array([outcome.prediction.upper for outcome in outcomes])
    scales = np.array([outcome.scale for outcome in outcomes])
    errors = np.abs(actual - median)
    width = upper - lower
    below, above = np.maximum(lower - actual, 0), np.maximum(actual - upper, 0)
    interval_scores = width + 2 / (1 - confidence) * (below + above)
    return Scores(
        mae=float(errors.mean()),
        # Unlike a mean of squares, it does not lose the squares of tiny errors.
        rmse=math.hypot(*errors.flat) / math.sqrt(errors.size),
        smape=_symmetric_percentage(errors, np.abs(actual) + np.abs(median)),
        mase=_mean_scaled(errors, scales),
        coverage=float(((lower <= actual) & (actual <= upper)).mean()),
        mean_width=float(width.mean()),
        msis=_mean_scaled(interval_scores, scales),
    )


def naive_scale(values: FloatArray, period: int) -> float:
    """Return the mean absolute change of ``values`` over ``period`` steps.

    It is the in-sample error of the seasonal naive forecast, and the unit of MASE and MSIS.
    ``values`` has more than ``period`` points.
    """
    return float(np.abs(values[period:] - values[:-period]).mean())


def _symmetric_percentage(errors: FloatArray, sizes: FloatArray) -> float:
    """Return sMAPE, 0 to 200; a 0 forecast as 0 has no error."""
    fractions = np.divide(errors, sizes, out=np.zeros_like(errors), where=sizes > 0)
    return float(200 * fractions.mean())


def _mean_scaled(scores: FloatArray, scales: FloatArray) -> float | None:
    """Return the mean over windows of their mean score in units of their scale.

    None where a scale is 0, or so small that the mean is not finite.
    """
    if not scales.all():
        return None
    with np.errstate(over="ignore"):
        mean = float((scores.mean(axis=1) / scales).mean())
    return mean if math.isfinite(mean) else None
