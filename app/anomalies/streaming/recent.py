"""The recent values of a statistic, and how improbable the next one is."""

import math
from bisect import bisect_right

import numpy as np

from app.anomalies.tail import LEAST_P, fit_tail
from app.forecasting.types import FloatArray

# How many values count: fifty beyond the farthest quantile that a tail is fitted to.
LENGTH = 4000
# A tail of fewer values is meaningless. It is fitted again after so many points, or sooner where
# they are this share of all values.
FEWEST, _REFIT, _REFIT_SHARE = 20, 1000, 5
# A tail has no more knots than this.
_KNOTS = 24
# Streams change: a value beyond all others never counts as impossible.
_LEAST_SHAPE = 0.15


class Ring:
    """The last ``length`` values that were added, as float32."""

    def __init__(self, length: int = LENGTH) -> None:
        self.values = np.zeros(length, dtype=np.float32)
        self.count = 0

    def add(self, value: float) -> None:
        self.values[self.count % len(self.values)] = value
        self.count += 1

    def back(self, steps: int) -> float:
        """Return the value added ``steps`` before the next one; 1 is the last."""
        return self.values.item((self.count - steps) % len(self.values))

    def kept(self) -> FloatArray:
        """Return the kept values, unordered, shape (min(count, length),)."""
        return self.values[: self.count].astype(np.float64)

    def latest(self, most: int) -> FloatArray:
        """Return the latest values, oldest first, at most ``most`` of them."""
        kept = len(self.values)
        length = min(most, self.count, kept)
        places = np.arange(self.count - length, self.count) % kept
        return self.values[places].astype(np.float64)


class RecentTail:
    """The upper tail of the values of a ring, fitted again every so many points.

    It does for one value what ``Tail`` does for arrays, from a fixed number of knots.
    """

    def __init__(self) -> None:
        self.fitted = 0
        self.knots = [0.0] * _KNOTS
        self.log_shares = [0.0] * _KNOTS
        self.scale = self.shape = 1.0

    def is_stale(self, count: int) -> bool:
        """Return whether it is time for another fit."""
        since = count - self.fitted
        return count >= FEWEST and since >= min(_REFIT, max(1, count // _REFIT_SHARE))

    def fit(self, ring: Ring, sign: float = 1.0) -> None:
        """Fit to the values of the ring, ``sign`` -1 for the lower tail."""
        tail = fit_tail(sign * ring.kept())
        self.fitted = ring.count
        # The last knot, repeated, fills the list: the tail begins there.
        fill = _KNOTS - len(tail.knots)
        self.knots = [*tail.knots.tolist(), *tail.knots[-1:].tolist() * fill]
        self.log_shares = [*tail.log_shares.tolist(), *tail.log_shares[-1:].tolist() * fill]
        self.scale, self.shape = tail.scale, max(tail.shape, _LEAST_SHAPE)

    def p_value(self, value: float) -> float:
        """Return the probability of a value as large, ``LEAST_P`` to 1; 1 before the first fit."""
        if not self.fitted:
            return 1.0
        knots, shares = self.knots, self.log_shares
        if value < knots[-1]:
            right = bisect_right(knots, value)
            if not right:
                return 1.0
            left = knots[right - 1]
            share = (value - left) / (knots[right] - left)
            return math.exp(shares[right - 1] + share * (shares[right] - shares[right - 1]))
        times = math.log1p(self.shape * ((value - knots[-1]) / self.scale)) / self.shape
        return max(math.exp(shares[-1] - times), LEAST_P)

    def limit(self, rate: float) -> float:
        """Return the value that a share of ``rate`` reaches."""
        knots, shares = self.knots, self.log_shares
        wanted = math.log(rate)
        if wanted < shares[-1]:
            times = math.expm1(self.shape * (shares[-1] - wanted)) / self.shape
            return knots[-1] + self.scale * times
        right = next(i for i, share in enumerate(shares) if share <= wanted)
        if not right:
            return knots[0]
        share = (wanted - shares[right - 1]) / (shares[right] - shares[right - 1])
        return knots[right - 1] + share * (knots[right] - knots[right - 1])
