"""How improbable a statistic is, by its rank in a sample and a Pareto tail beyond, and the band.

A generalized Pareto distribution describes how far values of any distribution are beyond a
high threshold (Balkema and de Haan 1974, Pickands 1975). Here it takes over where the sample
has too few values for ranks.
"""

import math
from bisect import bisect_right
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from app.anomalies.results import Direction
from app.timeseries.numbers import TINY
from app.timeseries.types import BoolArray, FloatArray

_TAIL_FRACTION = 0.1  # of the sample, which is above the beginning of the tail
# Ranks give the survival function while this many values are above; beyond, the Pareto tail does.
_MIN_VALUES_ABOVE = 5
# Shapes are drawn towards a tail a little longer than an exponential one (0) as a normal prior
# would, its deviation wider above: too short a tail gives false alarms at every small rate. Normal
# noise has about -0.2, uniform noise -1, Student's t with three degrees of freedom 0.3.
_PRIOR_SHAPE, _PRIOR_DEVIATION_BELOW, _PRIOR_DEVIATION_ABOVE = 0.05, 0.3, 0.4
_MIN_SHAPE, _MAX_SHAPE = -0.95, 0.6
# The tail expects a gross outlier in less than one of ``_GROSS_SAMPLES`` samples and one of
# ``_GROSS_POINTS`` points: 20 points need better evidence than 1,000.
_GROSS_SAMPLES = 1000.0
_GROSS_POINTS = 50_000
_MIN_GROSS_TAIL_SHAPE = 1e-6
# A value at most this many times as far out as the farthest of the others is never gross, which
# saves the fit: exponential tails have their limit four times as far out, longer tails farther.
_MIN_GROSS_RATIO = 3.0
# The fractions of the residuals of a whole series, and of the errors of a stream, that may be
# anomalies: what is more frequent is normal. The tail above is fitted without as many of the
# largest values, and without ``_MIN_HIDDEN_VALUES`` at least; for each hidden value it has this
# many above the threshold.
_CONTAMINATION, STREAM_CONTAMINATION = 0.0125, 0.0025
_MIN_HIDDEN_VALUES, _MIN_SHOWN_PER_HIDDEN = 2, 4
# In an idle sample at most this fraction, or one value, is isolated: too few for a tail. Where more
# values are, all but the largest fifth show its tail.
_MAX_ISOLATED_FRACTION = 0.002
# Fractions above the knots: tenths of the bulk, and ``_KNOTS_PER_HALVING`` per halving of the tail.
_BULK_FRACTIONS = np.arange(1.0, _TAIL_FRACTION, -0.1)
_KNOTS_PER_HALVING = 2
_KNOT_FRACTIONS = np.concatenate(
    [_BULK_FRACTIONS, _TAIL_FRACTION * 0.5 ** (np.arange(65) / _KNOTS_PER_HALVING)]
)
# The scale of the tail of a sample without one; any value above 0 will do.
_BARE_SCALE = TINY
_MIN_ABSOLUTE_SHAPE = 1e-6  # the shape is never 0, which would need separate formulas
# Ratios of shape to scale to choose from: as fractions of the largest excess, of the mean excess.
_SHORT_TAILS = np.concatenate(
    [[0.99, 0.98], np.linspace(0.96, 0.1, 18), np.geomspace(0.08, 0.001, 8)]
)
_LONG_TAILS = np.geomspace(0.001, 10.0, 28)
# The likelihood counts this many of the largest excesses, and this many that represent the others:
# as accurate as all of them, at a small part of the cost.
_EXACT_EXCESSES, _REPRESENTATIVE_EXCESSES = 20, 80
_LOG_HALF = float(np.log(0.5))
_MIN_CAUTIOUS_SHAPE = 0.02
MIN_P_VALUE = 1e-12  # smaller p-values are extrapolated too far to mean anything


class BandLimits(NamedTuple):
    """How far below and above its expectation a value may be, each at least 0."""

    below: float
    above: float

    def scale(self, factor: float) -> "BandLimits":
        return BandLimits(self.below * factor, self.above * factor)

    def on_side(self, is_up: bool) -> float:
        return self.above if is_up else self.below


@dataclass
class Tail:
    """The upper tail of a statistic's distribution."""

    knots: list[float] = field(default_factory=lambda: [0.0])  # ascending values of the statistic
    # The logarithm of the survival function at each knot, descending from 0; linear in between.
    log_survival: list[float] = field(default_factory=lambda: [0.0])
    scale: float = 1.0  # of the generalized Pareto tail beyond the last knot, above 0
    shape: float = 1.0  # its tail index, not 0
    is_bare: bool = False  # the sample ends where its tail would begin, as zeros below counts do

    def with_caution(self, margin: float = 0.0, min_scale: float = 0.0) -> "Tail":
        """Return the tail with a scale and a shape above 0, for values beyond all that were seen.

        Series change and nothing is impossible, so the shape, raised by ``margin``, is positive:
        130 sigma is less probable than 13. The scale is at least as large as for the exponential
        distribution through the median and the last knot, because a scale from only the few largest
        values is uncertain.
        """
        median = float(np.interp(-_LOG_HALF, np.negative(self.log_survival), self.knots))
        exponential = (self.knots[-1] - median) / max(1.0, _LOG_HALF - self.log_survival[-1])
        scale = max(self.scale, exponential) if exponential > 0 else 1.0
        shape = max(self.shape + margin, _MIN_CAUTIOUS_SHAPE)
        return replace(self, scale=max(scale, min_scale), shape=shape)

    def log_p(self, value: float) -> float:
        """Return the logarithm of the probability of a value at least as large, at most 0.

        The shape is above 0: see ``with_caution``. For one value numpy takes ten times as long.
        """
        knots, survival = self.knots, self.log_survival
        if value >= knots[-1]:
            excess = (value - knots[-1]) / self.scale
            return survival[-1] - math.log1p(self.shape * excess) / self.shape
        right = bisect_right(knots, value)
        if not right:
            return 0.0
        left = knots[right - 1]
        weight = (value - left) / (knots[right] - left)
        return survival[right - 1] + weight * (survival[right] - survival[right - 1])

    def log_p_values(self, values: FloatArray) -> FloatArray:
        """Return ``log_p`` of many values; -inf beyond the end of a short tail."""
        with np.errstate(divide="ignore", over="ignore"):
            excess = np.maximum(values - self.knots[-1], 0.0) / self.scale
            beyond = np.log1p(np.maximum(self.shape * excess, -1.0)) / self.shape
        return np.asarray(np.interp(values, self.knots, self.log_survival) - beyond)

    def quantile(self, log_p: float) -> float:
        """Return the value whose probability has this logarithm: ``log_p`` inverted."""
        knots, survival = self.knots, self.log_survival
        if log_p < survival[-1]:
            ratio = math.expm1(self.shape * (survival[-1] - log_p)) / self.shape
            return knots[-1] + self.scale * ratio
        right = next(i for i, log_s in enumerate(survival) if log_s <= log_p)
        weight = (log_p - survival[right - 1]) / (survival[right] - survival[right - 1])
        return knots[right - 1] + weight * (knots[right] - knots[right - 1])


@dataclass
class Tails:
    """The upper tails of scaled residuals and of their negatives."""

    up: Tail = field(default_factory=Tail)
    down: Tail = field(default_factory=Tail)

    def log_p(self, scaled: float, direction: Direction) -> float:
        """Return the logarithm of the probability of a residual this far out, on its sides."""
        if direction is Direction.UP:
            return self.up.log_p(scaled)
        if direction is Direction.DOWN:
            return self.down.log_p(-scaled)
        beyond = self.up.log_p(scaled) if scaled > 0 else self.down.log_p(-scaled)
        return min(0.0, beyond + self._log_side_count)

    def p_value(self, scaled: FloatArray, direction: Direction) -> FloatArray:
        """Return the probability of residuals this far out on the sides of ``direction``."""
        above, below = (
            np.maximum(np.exp(tail.log_p_values(sign * scaled)), MIN_P_VALUE)
            for tail, sign in ((self.up, 1), (self.down, -1))
        )
        if direction is not Direction.BOTH:
            return above if direction is Direction.UP else below
        sides = math.exp(self._log_side_count)
        return np.asarray(np.minimum(sides * np.minimum(above, below), 1.0))

    def evidence(self, scaled: FloatArray) -> FloatArray:
        """Return -log10 of the probability of residuals this far out on their own side."""
        above = self.up.with_caution().log_p_values(scaled)
        below = self.down.with_caution().log_p_values(-scaled)
        return -np.where(scaled > 0, above, below) / math.log(10.0)

    def limits(self, rate: float, direction: Direction) -> BandLimits:
        """Return how far from 0 a residual may be.

        With one direction the rate applies to its side; the other limit is as if the direction
        were the other one.
        """
        log_p = math.log(rate) - (self._log_side_count if direction is Direction.BOTH else 0.0)
        below, above = self.down.quantile(log_p), self.up.quantile(log_p)
        return BandLimits(max(0.0, below), max(0.0, above))

    @property
    def _log_side_count(self) -> float:
        """The logarithm of the number of sides with a band: one if values have a bound."""
        return 0.0 if self.up.is_bare or self.down.is_bare else math.log(2.0)


def fit_tail(statistic: FloatArray, contamination: float = _CONTAMINATION) -> Tail:
    """Fit the tail of a sample, shape (n,); a fraction ``contamination`` may be anomalies."""
    sample = np.sort(statistic)
    if contamination:
        sample = sample[: len(sample) - count_gross_outliers(sample, contamination)]
    knots, survival = _tail_knots(sample)
    begin = float(knots[np.searchsorted(-survival, -_TAIL_FRACTION, side="right") - 1])
    excess = sample[np.searchsorted(sample, begin, side="right") :] - begin
    tail = Tail(
        knots=knots.tolist(),
        log_survival=np.log(survival).tolist(),
        scale=_BARE_SCALE,
        shape=_MIN_ABSOLUTE_SHAPE,
        is_bare=True,
    )
    if not len(excess):
        return tail
    scale, shape = fit_pareto(excess)
    # A Pareto tail above a higher threshold is one of the same shape.
    return replace(tail, scale=scale + shape * (tail.knots[-1] - begin), shape=shape, is_bare=False)


def _tail_knots(sample: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return some values of a sorted sample, and the survival function at each."""
    n = len(sample)
    min_fraction = min(_TAIL_FRACTION, _MIN_VALUES_ABOVE / n)
    halvings = int(math.log2(_TAIL_FRACTION / min_fraction) * _KNOTS_PER_HALVING)
    wanted = _KNOT_FRACTIONS[: len(_BULK_FRACTIONS) + halvings + 1]
    knots = np.unique(sample[n - np.ceil(wanted * n).astype(int)])
    # Half a value less, so that as many lie above a quantile as its probability says.
    survival = (n - np.searchsorted(sample, knots) - 0.5) / n
    survival[0] = 1.0
    return knots, survival


def count_gross_outliers(sample: FloatArray, contamination: float = _CONTAMINATION) -> int:
    """Return how many of the last values of a sorted sample its own tail does not expect.

    That tail is fitted knowing only that the last ones are in it, not how far out.
    """
    n = len(sample)
    hidden = max(_MIN_HIDDEN_VALUES, math.ceil(contamination * n))
    above = max(math.ceil(_TAIL_FRACTION * n), _MIN_SHOWN_PER_HIDDEN * hidden)
    begin, far = sample[max(n - above - 1, n // 2)], sample[-hidden - 1]
    if far <= begin:
        isolated = int((sample > far).sum())
        if isolated <= max(1, _MAX_ISOLATED_FRACTION * n):
            return isolated
        hidden = max(1, isolated // (_MIN_SHOWN_PER_HIDDEN + 1))
        far = sample[-hidden - 1]
    if sample[-1] - begin <= _MIN_GROSS_RATIO * (far - begin):
        return 0
    excess = sample[np.searchsorted(sample, begin, side="right") :] - begin
    scale, shape = fit_pareto(np.minimum(excess, far - begin), hidden)
    shape = max(shape, _MIN_GROSS_TAIL_SHAPE)
    log_rarity = math.log(len(excess) / n * max(_GROSS_SAMPLES * n, _GROSS_POINTS))
    limit = begin + scale * math.expm1(shape * log_rarity) / shape
    return int((sample[-hidden:] > limit).sum())


def fit_pareto(excess: FloatArray, hidden: int = 0) -> tuple[float, float]:
    """Return scale and shape of the generalized Pareto distribution of excesses above 0.

    The most probable ones a posteriori: the likelihood, in which the shape follows from the ratio
    of shape to scale (Grimshaw 1993), with a normal prior of the shape. ``excess``, shape (k,), is
    ascending; its last ``hidden`` values are equal, and known only to be at least as large.
    """
    seen = max(1, len(excess) - hidden)
    ratios = np.concatenate([-_SHORT_TAILS / excess[-1], _LONG_TAILS / excess.mean()])
    some, times = _thin_excesses(excess)
    logs = np.log1p(np.multiply.outer(ratios, some))
    total = logs @ times
    shapes = np.copysign(np.maximum(np.abs(total / seen), _MIN_ABSOLUTE_SHAPE), ratios)
    scales = shapes / ratios
    likelihood = -seen * (np.log(scales) + 1) - (total - (len(excess) - seen) * logs[:, -1])
    deviation = np.where(shapes < _PRIOR_SHAPE, _PRIOR_DEVIATION_BELOW, _PRIOR_DEVIATION_ABOVE)
    prior = -0.5 * ((shapes - _PRIOR_SHAPE) / deviation) ** 2
    allowed = (shapes >= _MIN_SHAPE) & (shapes <= _MAX_SHAPE)
    best = int(np.argmax(np.where(allowed, likelihood + prior, -np.inf)))
    return float(scales[best]), float(shapes[best])


def _thin_excesses(excess: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return some of ascending excesses, ascending, and how many each represents."""
    below = len(excess) - _EXACT_EXCESSES
    if below <= _REPRESENTATIVE_EXCESSES:
        return excess, np.ones(len(excess))
    count = _REPRESENTATIVE_EXCESSES
    middles = ((np.arange(count) + 0.5) * below / count).astype(int)
    times = np.repeat([below / count, 1.0], [count, _EXACT_EXCESSES])
    return np.concatenate([excess[middles], excess[below:]]), times


def is_outside_band(
    values: FloatArray, lower: FloatArray, upper: FloatArray, direction: Direction
) -> BoolArray:
    """Return whether each value lies outside its band on a side of ``direction``."""
    is_above = (values > upper) & direction.has_side(is_up=True)
    return np.asarray(is_above | (values < lower) & direction.has_side(is_up=False))


def reconcile_p_values(p_value: FloatArray, is_anomaly: BoolArray, rate: float) -> FloatArray:
    """Return p-values that are below the rate exactly where flagged, despite rounding."""
    below = np.nextafter(rate, 0.0)
    return np.where(is_anomaly, np.minimum(p_value, below), np.maximum(p_value, rate))
