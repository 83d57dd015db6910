"""The recent values of a statistic, and how improbable the next one is."""

import math
from bisect import bisect_left
from functools import lru_cache

import numpy as np

from app.anomalies.tail import fit_tail
from app.forecasting.types import FloatArray, IntArray

# How many values count: fifty beyond the farthest quantile that a tail is fitted to.
LENGTH = 4000
# A tail of fewer values tells nothing. It is fitted again after so many points, or sooner while
# they are a larger share of the sample.
FEWEST, _REFIT, _REFIT_SHARE = 20, 50, 10
# Order statistics kept between two fits, evenly spaced in the logarithm of the rank.
_RUNGS = 48
# What so many of the sample reached recurs: it is no more improbable than their share.
_RECURS = 3
LEAST_P = 1e-12
# The probability at which the Pareto tail begins.
_BEGIN = 0.1


class Ring:
    """The last ``LENGTH`` values that were added, as float32."""

    def __init__(self) -> None:
        self.values = np.zeros(LENGTH, dtype=np.float32)
        self.count = 0

    def add(self, value: float) -> None:
        self.values[self.count % LENGTH] = value
        self.count += 1

    def back(self, steps: int) -> float:
        """Return the value added ``steps`` before the next one; 1 is the last."""
        return self.values.item((self.count - steps) % LENGTH)

    def kept(self) -> FloatArray:
        """Return what is kept, in no order, shape (min(count, LENGTH),)."""
        return self.values[: self.count].astype(np.float64)

    def latest(self, most: int) -> FloatArray:
        """Return the latest values, oldest first, at most ``most`` of them."""
        length = min(most, self.count, LENGTH)
        return self.values[np.arange(self.count - length, self.count) % LENGTH].astype(np.float64)


class RecentTail:
    """The upper tail of what a ring keeps, fitted again every so many points.

    A value's probability is that of ``fit_tail``'s Pareto tail, and never less than the share of
    the ring that reached it: what recurs is not improbable, however far out it lies.
    """

    def __init__(self) -> None:
        self.fitted = 0
        self.threshold = 0.0
        self.scale = 1.0
        self.shape = 1.0
        self.levels = [0.0] * _RUNGS
        self.shares = [1.0] * _RUNGS

    def is_stale(self, count: int, turn: int) -> bool:
        """Return whether it is time for another fit; tails of other ``turn`` take other times."""
        if count < 2 * _REFIT_SHARE * _REFIT:
            return count >= FEWEST and count - self.fitted >= max(1, count // (2 * _REFIT_SHARE))
        return count % _REFIT == turn

    def fit(self, ring: Ring, sign: float = 1.0) -> None:
        """Fit to what the ring keeps, ``sign`` -1 for the lower tail."""
        tail = fit_tail(sign * ring.kept())
        n = len(tail.sample)
        ranks = _ranks(n)
        self.fitted = ring.count
        self.threshold, self.scale, self.shape = tail.threshold, tail.scale, tail.shape
        self.levels = tail.sample[n - ranks].tolist()
        self.shares = ((ranks + 1) / (n + 1)).tolist()

    def p_value(self, value: float) -> float:
        """Return the probability of a value as large, ``LEAST_P`` to 1; 1 before the first fit."""
        if not self.fitted:
            return 1.0
        rung = bisect_left(self.levels, value)
        share = self.shares[rung] if rung < _RUNGS else 0.0
        if value <= self.threshold:
            return max(share, _BEGIN)
        excess = (value - self.threshold) / self.scale
        beyond = _BEGIN * math.exp(-math.log1p(self.shape * excess) / self.shape)
        recurs = share if rung <= self._last_recurring() else 0.0
        return max(beyond, recurs, LEAST_P)

    def limit(self, rate: float) -> float:
        """Return the value beyond which the probability is below ``rate``, at most 0.1."""
        beyond = (
            self.threshold
            + self.scale * math.expm1(math.log(_BEGIN / rate) * self.shape) / self.shape
        )
        for rung in range(self._last_recurring(), -1, -1):
            if self.shares[rung] >= rate:
                return max(beyond, self.levels[rung])
        return beyond

    def _last_recurring(self) -> int:
        return _RUNGS - _RECURS


@lru_cache(maxsize=64)
def _ranks(n: int) -> IntArray:
    """Ranks from the top, n down to 1: the smallest few all, the others evenly by logarithm."""
    ranks = np.maximum(np.geomspace(n, 1, _RUNGS), np.arange(_RUNGS, 0, -1))
    return np.minimum(np.round(ranks), n).astype(np.int64)
