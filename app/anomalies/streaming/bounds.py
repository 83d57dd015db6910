"""The bounds of the values of a series, and how far a rate can fall.

Errors of a spiky series are large on both sides, because forecasts follow its spikes. It may still
be calm below its level, so the loss, the logarithm of the level over the value, has a separate
tail.
"""

import math
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from app.anomalies.results import MIN_LEVEL_POINTS
from app.anomalies.tail import Tail, fit_tail
from app.anomalies.units import MIN_IDLE_FRACTION
from app.timeseries.bounds import find_upper_bound
from app.timeseries.types import FloatArray

MAX_FLOAT, MIN_FLOAT = 1.7e308, 2.3e-308

_MAX_LOSS = math.log(1000.0)  # losses are clipped here: that of 0 would be infinite
# A count is frequent if this many are as large, and this fraction of all.
_MIN_FREQUENT_COUNTS = 3
_FREQUENT_FRACTION = 0.002
# The largest loss that the outage limit may require. If only larger losses are improbable, no value
# is an outage.
_MAX_LIMIT_LOSS = math.log(300.0)
# An outage leaves at most this fraction of the last points' level, so that a slow fall is none.
_MAX_REMAINING_FRACTION = 0.5
# The fraction of the false alarm rate for outages, besides the lower side of the band.
_RATE_FRACTION = 0.1
_MIN_GAP_FRACTION = 1e-6  # of half the range: smaller differences are rounding errors
# A lower level is raised to this quantile of the values. Below this fraction of the quantile,
# history says nothing, and no loss is judged.
_LEVEL_QUANTILE = 0.05
_MIN_LEVEL_FRACTION = 0.5
# Losses are learned from the steps at or above that level, if these are at least this fraction.
_MIN_ACTIVE_FRACTION = 0.1
# The evidence of the loss of the whole normal minimum; it grows by the square of the part lost.
_LOSS_EVIDENCE = 18.0
# The -log10 of the joint p-value of losses at which their evidence begins to count, and at which it
# counts in full. A million points are 500 series of minutes in 33 hours.
_MIN_LOSSES_EVIDENCE, _FULL_LOSSES_EVIDENCE = 6.0, 7.0
# The history is cut into `_BLOCKS` parts. The normal minimum is the third lowest of their minima:
# the lowest `_INCIDENT_BLOCKS` may be incidents.
_BLOCKS, _INCIDENT_BLOCKS = 40, 2
# The largest value is a bound if its squared frequency is at least this many times the highest
# frequency of the few values below it (`find_upper_bound`).
_MIN_SQUARE_RATIO = 10.0
_MIN_LEVEL_RATIO = 1.3  # of levels that show how losses change with the level
# At lower levels no loss is judged: the ratio of the largest values to them would overflow.
_MIN_LOSS_LEVEL = 1e-200
_TINY = 1e-6


class Loss(NamedTuple):
    """How far a rate has fallen."""

    log_p: float  # the logarithm of its p-value
    max_evidence: float  # the evidence of an outage, if it is certain

    def evidence(self, joint_evidence: float) -> float:
        """Return the evidence, given -log10 of the p-value of the last losses together."""
        excess = joint_evidence - _MIN_LOSSES_EVIDENCE
        certainty = excess / (_FULL_LOSSES_EVIDENCE - _MIN_LOSSES_EVIDENCE)
        return self.max_evidence * min(1.0, max(0.0, certainty))


NO_LOSS = Loss(0.0, 0.0)


@dataclass
class ValueBounds:
    """What the values of a series can be, in its unit; learned from its history."""

    lowest: float = -MAX_FLOAT  # the lowest possible value
    highest: float = MAX_FLOAT  # the highest possible value
    normal_min: float = 0.0  # the minimum without incidents
    quantum: float = 0.0  # the smallest difference of two values
    min_level: float = 0.0  # the lowest level that losses of a rate are measured from
    # If most counts equal the smallest, counts from it up to this one are not flagged.
    idle_count: float = MAX_FLOAT
    frequent_count: float = -MAX_FLOAT
    has_loss: bool = False  # a rate: without negative values
    loss_power: float = 0.0  # losses shrink with this power of the level
    loss: Tail = field(default_factory=Tail)  # the distribution of losses

    @classmethod
    def of(cls, values: FloatArray, *, is_seasonal: bool = False) -> "ValueBounds":
        """Return the bounds of a history of shape (n,), still without its losses.

        Zeros of a seasonal rate may be those of its nights: they say nothing about its days.
        """
        distinct = np.unique(values)
        level_values = values[values > 0] if is_seasonal and distinct[-1] > 0 else values
        highest = find_upper_bound(values, _MIN_SQUARE_RATIO)
        gaps = np.diff(distinct)
        gaps = gaps[gaps > _MIN_GAP_FRACTION * float(np.ptp(distinct) / 2)]
        return cls(
            lowest=0.0 if distinct[0] >= 0 else -MAX_FLOAT,
            highest=MAX_FLOAT if highest is None else highest,
            normal_min=_normal_min(values),
            quantum=float(gaps.min()) if len(gaps) else 0.0,
            min_level=max(float(np.quantile(level_values, _LEVEL_QUANTILE)), 0.0),
        )

    @property
    def has_counts(self) -> bool:
        """Whether the values are whole numbers that come one by one."""
        return self.quantum == 1.0

    def learn_losses(
        self, values: FloatArray, levels: FloatArray, contamination: float, margin: float
    ) -> None:
        """Fit the tail of losses; a fraction ``contamination`` of the values, (n,), are anomalies.

        ``levels``, shape (n,): the level and season before each of them, in the series' unit.
        ``margin`` raises the tail's shape where noise has heavy tails.
        """
        is_active = levels >= _MIN_LEVEL_FRACTION * self.min_level
        can_lose = self.lowest == 0 and self.min_level > _MIN_LOSS_LEVEL
        self.has_loss = can_lose and float(is_active.mean()) > _MIN_ACTIVE_FRACTION
        if self.has_loss:
            if not is_active.all():
                values, levels = values[is_active], levels[is_active]
                self.normal_min = _normal_min(values)
            levels = np.maximum(levels, self.min_level)
            remaining = np.maximum(values + self.quantum, _TINY * levels)
            losses = np.log((levels + self.quantum) / remaining)
            self.loss_power = _loss_power(losses, levels)
            losses = np.minimum(losses, _MAX_LOSS) * (levels / self.min_level) ** self.loss_power
            self.loss = fit_tail(losses, contamination).with_caution(margin)

    def observe(self, value: float) -> None:
        """Forget a bound that a value is beyond."""
        if value < self.lowest:
            self.lowest, self.has_loss = -MAX_FLOAT, False
        elif value > self.highest:
            self.highest = MAX_FLOAT

    def outage_limit(self, recent: float, level: float, rate: float) -> float:
        """Return the value below which a rate is an outage.

        ``recent`` is the level of the last points, ``level`` the slow one with the season.
        """
        if not self.has_loss or level < _MIN_LEVEL_FRACTION * self.min_level:
            return self.lowest
        level = max(level, self.min_level)
        loss = self.loss.quantile(math.log(_RATE_FRACTION * rate))
        loss /= (level / self.min_level) ** self.loss_power
        if loss > _MAX_LIMIT_LOSS:
            return self.lowest
        outage_bound = (level + self.quantum) * math.exp(-loss) - self.quantum
        return max(self.lowest, min(outage_bound, _MAX_REMAINING_FRACTION * recent))

    def loss_of(self, value: float, level: float) -> Loss:
        """Return how improbable the loss of a value is that is below ``outage_limit``."""
        if not self.has_loss or value < 0:
            return NO_LOSS
        level = max(level, self.min_level)
        ratio = (value + self.quantum) / (level + self.quantum)
        loss = -math.log(max(ratio, math.exp(-_MAX_LOSS)))
        log_p = self.loss.log_p(loss * (level / self.min_level) ** self.loss_power)
        if self.has_counts:  # they vary at least as Poisson's do, by Chernoff's bound
            log_ratio = math.log(level / value) if value else 0.0
            log_p = max(log_p, min(0.0, value * (1 + log_ratio) - level))
        remaining_ratio = (value + self.quantum) / (self.normal_min + self.quantum)
        return Loss(log_p, _LOSS_EVIDENCE * max(0.0, 1 - remaining_ratio) ** 2)


def find_idle_counts(values: FloatArray) -> tuple[float, float]:
    """Return the idle and the frequent count of counts (n,) that are mostly idle, also at the end.

    A few rare counts in a short history are too few for a tail.
    """
    is_min = values == values.min()
    is_mostly_min = min(is_min.mean(), is_min[-MIN_LEVEL_POINTS:].mean()) > MIN_IDLE_FRACTION
    has_counts = bool((values == np.floor(values)).all())
    if not (is_mostly_min and has_counts):
        return MAX_FLOAT, -MAX_FLOAT
    rank = max(_MIN_FREQUENT_COUNTS, math.ceil(_FREQUENT_FRACTION * len(values)))
    return float(values.min()), float(np.sort(values)[-rank])


def _normal_min(values: FloatArray) -> float:
    size = -(-len(values) // _BLOCKS)
    lows = np.sort(values[len(values) % size :].reshape(-1, size).min(axis=1))
    return float(lows[min(_INCIDENT_BLOCKS, len(lows) - 1)])


def _loss_power(losses: FloatArray, levels: FloatArray) -> float:
    """Return the power of the level that losses shrink with: ½ for counts, 1 for steady noise."""
    low, high = np.quantile(levels, [0.25, 0.75])
    if high < _MIN_LEVEL_RATIO * low:
        return 0.0
    small, large = (np.abs(losses[part]).mean() for part in (levels <= low, levels >= high))
    ratio = np.log(max(small, _TINY) / max(large, _TINY))
    return float(np.clip(ratio / np.log(high / low), 0.0, 1.0))
