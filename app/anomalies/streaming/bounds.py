"""What the values of a series can be, and how far below its level a rate can fall.

Errors of a spiky series are large on both sides, because forecasts follow its spikes. Below its
level it may be calm all the same: the loss, the logarithm of the level over the value, has a tail
of its own.
"""

import math
from typing import NamedTuple

import numpy as np

from app.anomalies.streaming.fit import (
    HIDDEN_SHARE,
    MAX_FLOAT,
    MIN_FLOAT,
    StreamFit,
    fit_stream_tail,
)
from app.timeseries.types import FloatArray

# Losses are clipped at the first, which a value of 0 has; where the band would reach the second, no
# loss is far.
_MAX_LOSS, _MAX_LIMIT = math.log(1000.0), math.log(300.0)
# An outage leaves at most this share of the last points' level: a rate that falls slowly has none.
_MAX_LEFT_SHARE = 0.5
# The share of the false alarm rate that is for outages, beside that of the band's lower side.
_RATE_SHARE = 0.1
# Differences below this share of the range are rounding.
_ROUNDING_SHARE = 1e-6
# The level counts as at least this quantile of the values; below this share of it the series has
# left its history, and no loss is judged.
_LEVEL_QUANTILE, _MIN_LEVEL_SHARE = 0.05, 0.5
# The evidence of an outage is the first number times the square of the lost share of the least
# usual value: in full from this -log10 of its p-value on.
_LOSS_EVIDENCE, _CERTAIN_IMPROBABILITY = 18.0, 5.5
# The largest value is a bound if it was reached in this many runs, and if the frequencies of the
# few values below it promise this many larger ones.
_MIN_BOUND_RUNS, _MIN_PROMISED, _NEIGHBOURS = 3, 10.0, 3
# Levels that differ by less say nothing about how losses change with the level.
_MIN_LEVEL_RATIO = 1.3
_TINY = 1e-6
_LOG_10 = math.log(10.0)


class Loss(NamedTuple):
    """How far a rate has fallen: the logarithm of its p-value, and the evidence of an outage."""

    log_p: float
    evidence: float


NO_LOSS = Loss(0.0, 0.0)


def learn_bounds(fit: StreamFit, values: FloatArray) -> None:
    """Learn the bounds of the values from a history of shape (n,)."""
    distinct, counts = np.unique(values, return_counts=True)
    fit.least = float(np.quantile(values, HIDDEN_SHARE))
    fit.lowest = 0.0 if distinct[0] >= 0 else -MAX_FLOAT
    highest = float(distinct[-1])
    at_bound = values == highest
    runs = int((at_bound[1:] > at_bound[:-1]).sum() + at_bound[0])
    beside = counts[-1 - _NEIGHBOURS : -1].max(initial=1)
    is_bound = runs >= _MIN_BOUND_RUNS and counts[-1] ** 2 >= _MIN_PROMISED * beside
    fit.highest = highest if is_bound and len(distinct) > 1 else MAX_FLOAT
    gaps = np.diff(distinct)
    gaps = gaps[gaps > _ROUNDING_SHARE * float(np.ptp(distinct) / 2)]
    fit.quantum = float(gaps.min()) if len(gaps) else 0.0
    fit.min_level = max(float(np.quantile(values, _LEVEL_QUANTILE)), 0.0)


def learn_losses(fit: StreamFit, values: FloatArray, levels: FloatArray, hidden: float) -> None:
    """Fit the tail of the losses.

    Args:
        values: Values judged, shape (n,).
        levels: The level and season before each of them, in the series' unit, shape (n,).
        hidden: The share that may be anomalies.
    """
    fit.has_loss = fit.lowest == 0 and fit.min_level > MIN_FLOAT
    if fit.has_loss:
        levels = np.maximum(levels, fit.min_level)
        losses = np.log((levels + fit.quantum) / np.maximum(values + fit.quantum, _TINY * levels))
        fit.loss_power = _loss_power(losses, levels)
        losses = np.minimum(losses, _MAX_LOSS) * (levels / fit.min_level) ** fit.loss_power
        fit.loss = fit_stream_tail(losses, hidden)


def _loss_power(losses: FloatArray, levels: FloatArray) -> float:
    """Return the power of the level that losses shrink with: ½ for counts, 1 for steady noise."""
    low, high = np.quantile(levels, [0.25, 0.75])
    if high < _MIN_LEVEL_RATIO * low:
        return 0.0
    small, large = (np.abs(losses[part]).mean() for part in (levels <= low, levels >= high))
    ratio = np.log(max(small, _TINY) / max(large, _TINY))
    return float(np.clip(ratio / np.log(high / low), 0.0, 1.0))


def min_value(fit: StreamFit, near: float, level: float, rate: float) -> float:
    """Return the value below which a rate is an outage.

    Args:
        near: What the last points make expect.
        level: The slow level, with the season.
    """
    if not fit.has_loss or level < _MIN_LEVEL_SHARE * fit.min_level:
        return fit.lowest
    level = max(level, fit.min_level)
    limit = fit.loss.quantile(math.log(_RATE_SHARE * rate))
    limit /= (level / fit.min_level) ** fit.loss_power
    if limit > _MAX_LIMIT:
        return fit.lowest
    least = (level + fit.quantum) * math.exp(-limit) - fit.quantum
    return max(fit.lowest, min(least, _MAX_LEFT_SHARE * near))


def loss_of(fit: StreamFit, value: float, level: float) -> Loss:
    """Return how improbable the loss of a value is that is below ``min_value``."""
    if not fit.has_loss or value < 0:
        return NO_LOSS
    level = max(level, fit.min_level)
    ratio = (value + fit.quantum) / (level + fit.quantum)
    loss = -math.log(max(ratio, math.exp(-_MAX_LOSS)))
    log_p = fit.loss.log_p(loss * (level / fit.min_level) ** fit.loss_power)
    certainty = min(1.0, -log_p / _LOG_10 / _CERTAIN_IMPROBABILITY)
    left = (value + fit.quantum) / (fit.least + fit.quantum)
    return Loss(log_p, _LOSS_EVIDENCE * max(0.0, 1 - left) ** 2 * certainty)
