"""The upper tail of one statistic, for one value at a time.

It does for numbers what `app.anomalies.tail.Tail` does for arrays: interpolation between knots and
a generalised Pareto distribution beyond the last one.
"""

import math
from bisect import bisect_right

from app.anomalies.tail import fit_tail
from app.timeseries.types import FloatArray

# Of a sample so few values may be anomalies: what is more frequent is normal for the series.
HIDDEN_SHARE = 0.0025


class StreamTail:
    """A fitted upper tail.

    Attributes:
        knots: Ascending values of the statistic.
        log_shares: Logarithms of the shares of values at least as large as the knots.
        scale: Scale of the Pareto distribution beyond the last knot, above 0.
        shape: Its shape, above 0.
        is_bare: Whether the sample ends where its tail would begin, as zeros below counts do.
    """

    def __init__(self) -> None:
        self.knots = [0.0]
        self.log_shares = [0.0]
        self.scale = self.shape = 1.0
        self.is_bare = False

    def log_p(self, value: float) -> float:
        """Return the logarithm of the probability of a value at least as large, at most 0."""
        knots, shares = self.knots, self.log_shares
        if value >= knots[-1]:
            excess = (value - knots[-1]) / self.scale
            return shares[-1] - math.log1p(self.shape * excess) / self.shape
        right = bisect_right(knots, value)
        if not right:
            return 0.0
        left = knots[right - 1]
        share = (value - left) / (knots[right] - left)
        return shares[right - 1] + share * (shares[right] - shares[right - 1])

    def quantile(self, log_p: float) -> float:
        """Return the value whose probability has this logarithm: ``log_p`` inverted."""
        knots, shares = self.knots, self.log_shares
        if log_p < shares[-1]:
            times = math.expm1(self.shape * (shares[-1] - log_p)) / self.shape
            return knots[-1] + self.scale * times
        right = next(i for i, share in enumerate(shares) if share <= log_p)
        if not right:
            return knots[0]
        share = (log_p - shares[right - 1]) / (shares[right] - shares[right - 1])
        return knots[right - 1] + share * (knots[right] - knots[right - 1])


def fit_stream_tail(sample: FloatArray, hidden_share: float = HIDDEN_SHARE) -> StreamTail:
    """Fit the upper tail of a sample of shape (n,), of which so large a share may be anomalies."""
    fitted, tail = fit_tail(sample, hidden_share), StreamTail()
    tail.knots, tail.log_shares = fitted.knots.tolist(), fitted.log_shares.tolist()
    tail.scale, tail.shape = fitted.cautious_parameters
    tail.is_bare = fitted.is_bare
    return tail
