"""How improbable a statistic is: its rank among what was seen, and a Pareto tail beyond."""

from dataclasses import dataclass

import numpy as np

from app.forecasting.types import FloatArray

# Where the tail begins, and the quantiles that give its shape: shares of the sample above them.
_BEGIN, _MIDDLE, _FAR = 0.1, 0.05, 0.0125
# The shape is drawn towards a mild heavy tail, as if so many points had shown it, and bounded.
_USUAL_SHAPE, _WEIGHT = 0.15, 20.0
_LEAST_SHAPE, _GREATEST_SHAPE = 0.02, 0.6


@dataclass(frozen=True)
class Tail:
    """The upper tail of a statistic's distribution.

    Attributes:
        sample: Sorted past values of the statistic, shape (n,).
        threshold: The value that a tenth of them exceeds; the Pareto tail begins here.
        scale: Scale of the generalised Pareto distribution, above 0.
        shape: Its shape, the tail index.
    """

    sample: FloatArray
    threshold: float
    scale: float
    shape: float

    def p_value(self, statistic: FloatArray) -> FloatArray:
        """Return the probability of values at least as large, shape of ``statistic``."""
        n = len(self.sample)
        rank = (n - np.searchsorted(self.sample, statistic, side="left") + 1) / (n + 1)
        excess = np.maximum(statistic - self.threshold, 0.0)
        beyond = _BEGIN * (1 + self.shape * excess / self.scale) ** (-1 / self.shape)
        return np.where(statistic <= self.threshold, np.maximum(rank, _BEGIN), beyond)

    def quantile(self, rate: float) -> float:
        """Return the value that a share of ``rate``, at most a tenth, exceeds."""
        return float(self.threshold + self.scale * ((_BEGIN / rate) ** self.shape - 1) / self.shape)


def fit_tail(statistic: FloatArray) -> Tail:
    """Fit the tail of a sample, shape (n,), of which a few values may be anomalies.

    A generalised Pareto distribution from three quantiles (Pickands 1975), its shape shrunk
    towards a usual one because the sample of exceedances is small.
    """
    sample = np.sort(statistic)
    begin, middle, far = np.quantile(sample, [1 - _BEGIN, 1 - _MIDDLE, 1 - _FAR])
    step = middle - begin
    if step > 0:
        ratio = max(1.5, (far - begin) / step)
        found = np.log2((np.sqrt(4 * ratio - 3) - 1) / 2)
        seen = _BEGIN * len(sample)
        shape = (seen * found + _WEIGHT * _USUAL_SHAPE) / (seen + _WEIGHT)
    else:  # ties: counts, or a series that mostly rests
        step = max((far - begin) / 3, (sample[-1] - begin) / 8, np.finfo(float).tiny)
        shape = _USUAL_SHAPE
    shape = float(np.clip(shape, _LEAST_SHAPE, _GREATEST_SHAPE))
    return Tail(sample, float(begin), float(shape * step / (2**shape - 1)), shape)
