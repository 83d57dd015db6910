"""Compare a point with its band, and weigh how improbable it and the last points are."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from app.anomalies.results import Direction, EventKind
from app.anomalies.streaming.bounds import Loss
from app.anomalies.streaming.fit import StreamFit
from app.anomalies.streaming.forecaster import ForecastStep
from app.anomalies.tail import MIN_P_VALUE, BandLimits

# The season of the last points is taken this many steps back, in the middle of them.
_RECENT_LAG = 3
# The fraction of a value that conversion between the series' unit and the fit's may lose.
_ROUNDING_FRACTION = 1e-14

# Without a flagged point, the last points are an event if one of their joint statistics is this
# improbable by itself, in -log10 of its p-value: the evidence, a sum over the last points, counts
# a statistic that is a sum of them too more than once. With less, autocorrelated noise has alerts.
_MIN_JOINT_EVIDENCE = 4.5
_LOG_10 = math.log(10.0)

# The band is widened or narrowed until these fractions of the points are outside: the gain is how
# far one point moves the logarithm of the width, within the bounds.
_WIDTH_RATE, _WIDTH_GAIN = 0.05, 0.02
_MIN_LOG_FACTOR, _MAX_LOG_FACTOR = -0.4, 0.7
_TAIL_RATE, _TAIL_GAIN = 0.01, 0.03
_MIN_LOG_TAIL_FACTOR, _MAX_LOG_TAIL_FACTOR = -0.1, 0.5
_LOG_WIDTH_RATE, _LOG_TAIL_RATE = math.log(_WIDTH_RATE), math.log(_TAIL_RATE)
_ITERATIONS = 2  # fixed-point: a p-value depends on a width that depends on the p-value

# The fractions that remain from point to point: of the evidence, and of that for a loss.
_DECAY, _LOSS_DECAY = 0.4, 0.7
# A sum above `_MIN_PEAK` is a peak; a smaller one is multiplied by `_BELOW_PEAK_FRACTION`.
_MIN_PEAK, _BELOW_PEAK_FRACTION = 4.2, 0.4
# Points after a peak in which a sum is new only if it is higher than the peak by the ratio.
_COOLDOWN_POINTS = 100
_NEW_PEAK_RATIO = 1.7
_COOLDOWN_FRACTION = 0.1  # with which any other sum counts then
# Once the event of a peak has ended, a sum is new above `_MIN_NEXT_PEAK` and above
# `_NEXT_PEAK_RATIO` times the peak: so a second outage is reported. With a lower minimum, noise and
# aftershocks in the series of NAB would be reported too.
_MIN_NEXT_PEAK, _NEXT_PEAK_RATIO = 8.0, 0.3
# Each peak lowers the evidence after it by this fraction: some series often have surprises.
_HABITUATION = 0.05
_PEAK_MEMORY_POINTS = 4000  # after about which a peak is forgotten


class ValueBand(NamedTuple):
    """The band of a value, in the units of the series, and what an outage is measured by."""

    lower: float
    expected: float
    upper: float
    outage_limit: float  # a rate below this is an outage
    seasonal_level: float  # the slow level with the season

    def extended_to(self, value: float) -> "ValueBand":
        """Return the band that also contains a value, unless it is an outage."""
        lower = min(self.lower, max(value, self.outage_limit))
        return self._replace(lower=lower, upper=max(self.upper, value))


class JudgedPoint(NamedTuple):
    """A point and its band, in the fit's units and without its season."""

    step: ForecastStep
    band: ValueBand  # in the series' units
    limits: BandLimits  # of the error, in units of the scale
    log_p: float  # the logarithm of the p-value of the error
    loss: Loss  # of an outage
    surge_evidence: float  # that a surge is unlike those before it
    is_outside: bool  # the band, on any side
    is_anomaly: bool  # outside the band on a side of the detector's direction

    def p_value(self, rate: float) -> float:
        """Return the p-value: below the rate exactly if the point is flagged, despite rounding."""
        p_value = math.exp(min(self.log_p, self.loss.log_p))
        if self.is_anomaly:
            return max(MIN_P_VALUE, min(p_value, math.nextafter(rate, 0.0)))
        return max(rate, min(p_value, 1.0))


def value_band(
    fit: StreamFit, step: ForecastStep, time: int, limits: BandLimits, rate: float
) -> ValueBand:
    """Return the band of a value; the limits are in units of the scale."""
    bounds, season = fit.bounds, fit.season_at(time)
    expected_units = step.expected + season
    expected = fit.to_values(expected_units)
    rounding = _ROUNDING_FRACTION * (abs(fit.centre) + abs(expected))
    expected = max(bounds.lowest, min(expected, bounds.highest))
    seasonal_level = fit.to_values(step.level + season)
    recent = fit.to_values(step.recent + min(season, fit.season_at(time - _RECENT_LAG)))
    outage_limit = bounds.outage_limit(recent, seasonal_level, rate)
    lower = fit.to_values(expected_units - step.scale * limits.below)
    lower = max(outage_limit, min(lower, expected - rounding))
    upper = fit.to_values(expected_units + step.scale * limits.above)
    upper = min(bounds.highest, max(upper, expected + rounding))
    lower = min(expected, lower, bounds.idle_count)
    upper = max(expected, upper, bounds.frequent_count)
    return ValueBand(lower, expected, upper, outage_limit, seasonal_level)


@dataclass
class Widening:
    """The logarithm of the factor of the band's width, and that of the further one of its tail.

    Ranks give the requested rate if errors are exchangeable. If they drift, the width follows the
    observed rate (adaptive conformal inference, Gibbs and Candès 2021).
    """

    log_factor: float = 0.0
    log_tail_factor: float = 0.0

    def log_factor_at(self, log_p: float) -> float:
        """Return the logarithm of the factor at a p-value, given by its logarithm."""
        fraction = (_LOG_WIDTH_RATE - log_p) / (_LOG_WIDTH_RATE - _LOG_TAIL_RATE)
        return self.log_factor + min(1.0, max(0.0, fraction)) * self.log_tail_factor

    def log_p(self, scaled_error: float, log_p_of: Callable[[float], float]) -> float:
        """Return the logarithm of the p-value of an error in units of the scale.

        ``log_p_of`` is the same function for a band that is not widened.
        """
        log_p = self._log_p_without_tail(scaled_error, log_p_of)
        for _ in range(_ITERATIONS):
            log_p = log_p_of(scaled_error / math.exp(self.log_factor_at(log_p)))
        return log_p

    def adapt(self, scaled_error: float, log_p: float, log_p_of: Callable[[float], float]) -> None:
        """Learn the width from the next error, given its ``log_p`` and that of a plain band."""
        plain_log_p = self._log_p_without_tail(scaled_error, log_p_of)
        moved = self.log_factor + _WIDTH_GAIN * ((plain_log_p < _LOG_WIDTH_RATE) - _WIDTH_RATE)
        self.log_factor = max(_MIN_LOG_FACTOR, min(_MAX_LOG_FACTOR, moved))
        moved = self.log_tail_factor + _TAIL_GAIN * ((log_p < _LOG_TAIL_RATE) - _TAIL_RATE)
        self.log_tail_factor = max(_MIN_LOG_TAIL_FACTOR, min(_MAX_LOG_TAIL_FACTOR, moved))

    def _log_p_without_tail(self, scaled_error: float, log_p_of: Callable[[float], float]) -> float:
        return log_p_of(scaled_error * math.exp(-self.log_factor))


class Signal(NamedTuple):
    """One statistic: -log10 of its p-value, and the kind of event that it shows."""

    evidence: float
    kind: EventKind
    is_lasting: bool = False  # whether it shows a deviation that stays


def band_limits(
    fit: StreamFit, widening: Widening, rate: float, direction: Direction
) -> BandLimits:
    """Return how far from its forecast a point may be, in units of the scale."""
    factor = math.exp(widening.log_factor_at(math.log(rate)))
    return fit.tails.errors.limits(rate, direction).scale(factor)


def point_signals(
    fit: StreamFit, step: ForecastStep, time: int, log_p: float, direction: Direction
) -> list[Signal]:
    """Return the statistics of a point on the sides of the direction.

    ``log_p`` is the logarithm of the p-value of its error.
    """
    tails, is_up = fit.tails, step.error > 0
    # From the fit's level, relative to the phase.
    distance = (step.value - fit.base) / fit.phase_at(time)
    persistence = tails.persistence.log_p(abs(step.persistence))
    statistics = (
        (is_up, log_p, EventKind.SPIKE if is_up else EventKind.DIP, False),
        (is_up, tails.burst.log_p(step.burst), EventKind.BURST, False),
        (step.drift > 0, tails.drift.log_p(abs(step.drift)), EventKind.LEVEL_SHIFT, False),
        (True, tails.high.log_p(distance), EventKind.SPIKE, False),
        (False, tails.low.log_p(-distance), EventKind.DIP, False),
        (step.persistence > 0, persistence, EventKind.LEVEL_SHIFT, True),
    )
    return [
        Signal(-statistic_log_p / _LOG_10, kind, is_lasting)
        for is_above, statistic_log_p, kind, is_lasting in statistics
        if direction.has_side(is_above)
    ]


def joint_event_kind(signals: list[Signal], direction: Direction) -> EventKind | None:
    """Return the kind of event of the last points together, if they are improbable."""
    kinds = [EventKind.LEVEL_SHIFT]
    if direction is Direction.BOTH:  # a burst has both sides
        kinds.append(EventKind.BURST)
    joint = [signal for signal in signals if signal.kind in kinds]
    best = max(joint, key=lambda signal: signal.evidence, default=None)
    return best.kind if best and best.evidence >= _MIN_JOINT_EVIDENCE else None


@dataclass
class Evidence:
    """The evidence that something new begins: that of the last points, summed.

    With the two most improbable statistics of point t, p1 and p2, and ``recent_peaks`` r::

        total(t) = 0.4 total(t - 1) - (log10 p1 + log10 p2) / 2
        evidence(t) = f total(t) / (1 + 0.05 r)

    The factor f is 0.1 within 100 points of a peak, unless the total is well above it; otherwise
    0.4 for a total too small for a peak, and 1 for a new one. The constants were chosen on the
    series of NAB: `docs/developing/anomaly-figures.md` has its score with constants chosen without
    each category of them.
    """

    total: float = 0.0
    peak: float = 0.0  # the total at the last peak
    recent_peaks: float = 0.0  # the number of peaks, older ones counting less
    lost: float = 0.0  # the same sum of the losses of a rate
    since_peak: int = _COOLDOWN_POINTS  # points since the last peak
    is_peak_over: bool = False  # the event that had the peak has ended

    @property
    def current(self) -> float:
        """The evidence of the last points, new or not."""
        return self.total / (1 + _HABITUATION * self.recent_peaks)

    def add_loss(self, loss: Loss) -> float:
        """Add a point's loss; return -log10 of the p-value of the last ones together.

        One near 0 may be chance where noise has heavy tails; the next one says that it lasts.
        """
        self.lost = _LOSS_DECAY * self.lost - loss.log_p / _LOG_10
        return self.lost

    def add_point(self, evidences: Iterable[float], min_total: float = 0.0) -> float:
        """Add a point, -log10 of its p-values; return the evidence for something new.

        The mean of the two most improbable counts, so that one odd statistic is not enough; the sum
        is at least ``min_total``.
        """
        first, second = sorted((0.0, 0.0, *evidences), reverse=True)[:2]
        self.total = max(_DECAY * self.total + (first + second) / 2, min_total)
        self.since_peak += 1
        self.recent_peaks *= 1 - 1 / _PEAK_MEMORY_POINTS
        evidence = self.current
        max_known = _NEW_PEAK_RATIO * self.peak  # the largest sum that is not new soon after a peak
        if self.is_peak_over:
            max_known = min(max_known, max(_MIN_NEXT_PEAK, _NEXT_PEAK_RATIO * self.peak))
        if self.since_peak <= _COOLDOWN_POINTS and self.total <= max_known:
            return _COOLDOWN_FRACTION * evidence
        if self.total <= _MIN_PEAK:
            return _BELOW_PEAK_FRACTION * evidence
        self.recent_peaks += self.since_peak > _COOLDOWN_POINTS
        self.peak, self.since_peak, self.is_peak_over = self.total, 0, False
        return evidence

    def end_event(self, steps: int) -> None:
        """Forget the evidence of an event that began some steps ago and has ended."""
        self.total = 0.0
        self.is_peak_over |= self.since_peak <= steps
