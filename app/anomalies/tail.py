"""How improbable a statistic is: its rank among what was seen, and a Pareto tail beyond.

A generalised Pareto distribution describes how far values lie beyond a high threshold, whatever the
distribution they come from (Balkema and de Haan 1974, Pickands 1975). Here it takes over where the
sample has too few values for its own ranks to tell.
"""

from dataclasses import dataclass

import numpy as np

from app.forecasting.types import FloatArray

# The tail begins where a tenth of the sample lies above.
BEGIN = 0.1
# Ranks are believed down to so many values above; the Pareto tail continues from there.
_FEWEST_ABOVE = 10
# Shapes are drawn towards an exponential tail (0) as a normal prior would, its deviation smaller
# above: a tail believed too long hides anomalies, and one too short is corrected by the sample's
# greatest values. Normal noise has about -0.2, uniform noise -1, Student's t (3) 0.3.
_DEVIATION_BELOW, _DEVIATION_ABOVE = 0.3, 0.15
_LEAST_SHAPE, _GREATEST_SHAPE = -0.95, 0.6
# A gross outlier is one that a cautious tail expects in less than one sample of so many; at most
# this share of a sample is left out as such.
_SAMPLES_WITHOUT, _MOST_GROSS = 20.0, 0.05
# Quantiles from which the cautious tail is made, and its shape.
_MIDDLE, _FAR, _CAUTIOUS_SHAPE = 0.05, 0.0125, 0.2
# Of a sample that rests, so small a share (or one value) has no tail of its own.
_LONELY = 0.002
_BULK = np.arange(1.0, BEGIN, -0.1)
_KNOTS_A_HALVING = 2
# The shape is never 0, which would need formulas of its own.
_SMALL_SHAPE = 1e-6
# Ratios of shape to scale to choose from: as shares of the greatest excess, of the mean excess.
_SHORT_TAILS = np.concatenate([np.linspace(0.95, 0.1, 18), np.geomspace(0.08, 0.001, 8)])
_LONG_TAILS = np.geomspace(0.001, 10.0, 28)
LEAST_P = 1e-12
"""No p-value is smaller: beyond, a tail is a guess."""


@dataclass(frozen=True)
class Tail:
    """The upper tail of a statistic's distribution.

    Attributes:
        knots: Ascending values of the statistic, shape (k,).
        log_shares: Logarithms of the share of clean values at least as large, descending from 0,
            shape (k,); between the knots they are joined by lines.
        scale: Scale of the generalised Pareto tail beyond the last knot, above 0.
        shape: Its shape, the tail index, not 0.
    """

    knots: FloatArray
    log_shares: FloatArray
    scale: float
    shape: float

    def p_value(self, statistic: FloatArray) -> FloatArray:
        """Return the probability of values at least as large, shape of ``statistic``."""
        # Beyond the end of a short tail, or of one that has no width, nothing is expected.
        with np.errstate(divide="ignore", over="ignore"):
            excess = np.maximum(statistic - self.knots[-1], 0.0) / self.scale
            beyond = -np.log1p(np.maximum(self.shape * excess, -1.0)) / self.shape
        within = np.interp(statistic, self.knots, self.log_shares)
        return np.asarray(np.maximum(np.exp(within + beyond), LEAST_P))

    def quantile(self, rate: float) -> float:
        """Return the value that a share of ``rate`` of clean values reaches."""
        wanted = np.log(rate)
        if wanted >= self.log_shares[-1]:
            return float(np.interp(-wanted, -self.log_shares, self.knots))
        times = np.expm1(self.shape * (self.log_shares[-1] - wanted)) / self.shape
        return float(self.knots[-1] + self.scale * times)


def fit_tail(statistic: FloatArray) -> Tail:
    """Fit the tail of a sample, shape (n,), of which a few values may be anomalies."""
    sample = np.sort(statistic)
    sample = sample[: len(sample) - _count_gross(sample)]
    knots, shares = _knots(sample)
    begin = knots[np.searchsorted(-shares, -BEGIN, side="right") - 1]
    excess = sample[np.searchsorted(sample, begin, side="right") :] - begin
    if not len(excess):
        return Tail(knots, np.log(shares), float(np.finfo(float).tiny), _SMALL_SHAPE)
    scale, shape = fit_pareto(excess)
    # A Pareto tail above a higher threshold is one of the same shape.
    return Tail(knots, np.log(shares), scale + shape * float(knots[-1] - begin), shape)


def _knots(sample: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return some values of a sorted sample and the share of it that is at least as large."""
    n = len(sample)
    least = min(BEGIN, _FEWEST_ABOVE / n)
    halvings = int(np.log2(BEGIN / least) * _KNOTS_A_HALVING)
    wanted = np.concatenate([_BULK, BEGIN * 0.5 ** (np.arange(halvings + 1) / _KNOTS_A_HALVING)])
    knots = np.unique(sample[n - np.ceil(wanted * n).astype(int)])
    # Half a value less, so that as many lie above a quantile as its share says.
    shares = (n - np.searchsorted(sample, knots) - 0.5) / n
    shares[0] = 1.0
    return knots, shares


def _count_gross(sample: FloatArray) -> int:
    """Return how many of the last values of a sorted sample no cautious tail would expect."""
    n = len(sample)
    begin, middle, far = np.quantile(sample, [1 - BEGIN, 1 - _MIDDLE, 1 - _FAR])
    if far <= begin:
        lonely = int((sample > far).sum())
        return lonely if lonely <= max(1, _LONELY * n) else 0
    # Two estimates of the scale; a sample with ties may have but one.
    scale = max((middle - begin) / np.log(2), (far - begin) / np.log(BEGIN / _FAR))
    times = np.expm1(_CAUTIOUS_SHAPE * np.log(BEGIN * n * _SAMPLES_WITHOUT)) / _CAUTIOUS_SHAPE
    gross = int((sample > begin + scale * times).sum())
    return gross if gross <= _MOST_GROSS * n else 0


def fit_pareto(excess: FloatArray) -> tuple[float, float]:
    """Return scale and shape of the generalised Pareto distribution of excesses above 0.

    The most probable ones a posteriori: the likelihood, in which the shape follows from the ratio
    of shape to scale (Grimshaw 1993), with a normal prior of the shape.
    """
    mean, greatest = float(excess.mean()), float(excess.max())
    ratios = np.concatenate([-_SHORT_TAILS / greatest, _LONG_TAILS / mean])
    shapes = np.log1p(np.multiply.outer(ratios, excess)).mean(axis=1)
    shapes = np.where(np.abs(shapes) < _SMALL_SHAPE, np.copysign(_SMALL_SHAPE, ratios), shapes)
    scales = shapes / ratios
    likelihood = -len(excess) * (np.log(scales) + shapes + 1)
    deviation = np.where(shapes < 0, _DEVIATION_BELOW, _DEVIATION_ABOVE)
    prior = -0.5 * (shapes / deviation) ** 2
    allowed = (shapes >= _LEAST_SHAPE) & (shapes <= _GREATEST_SHAPE)
    best = int(np.argmax(np.where(allowed, likelihood + prior, -np.inf)))
    return float(scales[best]), float(shapes[best])
