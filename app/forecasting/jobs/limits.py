"""The probability, at each step of a forecast, that the series is beyond a limit.

The probabilities come from the forecast's own prediction intervals: the bounds at several
confidence levels are quantiles of the value at a step.
"""

from dataclasses import dataclass

import numpy as np

from app.forecasting.types import Forecast
from app.timeseries.types import FloatArray


@dataclass(frozen=True)
class LimitForecast:
    """A forecast of h steps, and for each step the probability of a value beyond a limit.

    ``above`` and ``below`` have shape (h,); None without that limit.
    """

    forecast: Forecast
    above: FloatArray | None
    below: FloatArray | None


def probability_above(levels: FloatArray, quantiles: FloatArray, limit: float) -> FloatArray:
    """Return for each step the probability of a value above ``limit``, shape (h,).

    It falls as the limit rises. Beyond the outermost quantile the tail is exponential, with the
    decay between the two outermost quantiles.

    Args:
        levels: Shape (q,), rising, symmetric about 0.5.
        quantiles: Shape (q, h), rising along the first axis.
        limit: In the unit of the series.
    """
    steps = np.arange(quantiles.shape[1])
    after = np.sum(quantiles <= limit, axis=0)  # the index of the first quantile above the limit
    inner = np.clip(after, 1, len(levels) - 1)
    lower = quantiles[inner - 1, steps]
    upper = quantiles[inner, steps]
    width = np.where(upper > lower, upper - lower, 1.0)
    fraction = np.clip((limit - lower) / width, 0.0, 1.0)
    at_most = levels[inner - 1] + (levels[inner] - levels[inner - 1]) * fraction
    highest = _tail_probability(limit - quantiles[-1], quantiles[-1] - quantiles[-2], levels)
    lowest = _tail_probability(quantiles[0] - limit, quantiles[1] - quantiles[0], levels)
    probability = np.where(after == len(levels), highest, 1 - at_most)
    return np.where(after == 0, 1 - lowest, probability)


def _tail_probability(distance: FloatArray, width: FloatArray, levels: FloatArray) -> FloatArray:
    """Return the probability of a value further out than ``distance`` from the outermost quantile.

    ``width`` is the distance between the two outermost quantiles; if it is 0 there is no tail.
    """
    outermost, next_one = levels[0], levels[1]
    decay = np.log(next_one / outermost) / np.where(width > 0, width, 1.0)
    return np.where(width > 0, outermost * np.exp(-decay * np.maximum(distance, 0.0)), 0.0)


def first_step(probabilities: FloatArray, probability: float) -> int | None:
    """Return the index of the first step with at least this probability; None if there is none."""
    steps = np.flatnonzero(probabilities >= probability)
    return int(steps[0]) if steps.size else None
