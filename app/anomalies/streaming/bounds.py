"""The band of a value: what it can be, how far a rate can fall, and what jobs do.

Errors of a spiky series are large on both sides, because forecasts follow its spikes. It may still
be calm below its level, so the loss, the logarithm of the level over the value, has a separate
tail.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from app.anomalies.results import MIN_LEVEL_POINTS
from app.anomalies.streaming.fit import MAX_FLOAT, MIN_FLOAT, RecurringJob, StreamFit
from app.anomalies.streaming.forecaster import ForecastStep
from app.anomalies.tail import BandLimits, fit_tail
from app.anomalies.units import MIN_IDLE_FRACTION
from app.timeseries.bounds import find_upper_bound
from app.timeseries.types import FloatArray

_MAX_LOSS = math.log(1000.0)  # the clip of losses, which a value of 0 has
_MAX_LIMIT = math.log(300.0)  # where the band would reach it, no value is an outage
# An outage leaves at most this share of the last points' level: a rate that falls slowly has none.
_MAX_LEFT_FRACTION = 0.5
# The share of the false alarm rate that is for outages, in addition to the lower side of the band.
_RATE_FRACTION = 0.1
# Differences below this share of the range are ignored.
_MIN_GAP_FRACTION = 1e-6
_LEVEL_QUANTILE = 0.05  # of the values: a lower level is raised to it
_MIN_LEVEL_FRACTION = 0.5  # of that quantile: no loss is judged below, where history says nothing
_LOSS_EVIDENCE = 18.0  # of an outage that loses the whole usual minimum; it grows by the square
# -log10 of a loss's p-value: no evidence up to the first, full evidence from the second on.
_DOUBTFUL_IMPROBABILITY, _CERTAIN_IMPROBABILITY = 5.0, 7.0
_BLOCKS = 40  # parts of the history: the usual minimum is the lowest of their minima
_INCIDENT_BLOCKS = 2  # the lowest ones, which are left out: they may be of an incident
# The largest value is a bound if the frequencies of the few values below it promise this many
# larger ones.
_MIN_SQUARE_RATIO = 10.0
# Levels must differ by this factor to show how losses change with the level.
_MIN_LEVEL_RATIO = 1.3
_TINY = 1e-6
# How many steps back the middle of the last points is.
_RECENT_LAG = 3
# Share of a value that conversion between the series' unit and the fit's may lose.
_ROUNDING_FRACTION = 1e-14
_MAX_WIDTHS = 1e6  # the maximum distance, in half-widths


class ValueBand(NamedTuple):
    lower: float
    expected: float
    upper: float
    outage_limit: float  # a rate below this is an outage
    seasonal_level: float  # the slow level with the season

    def distance(self, value: float) -> float:
        """Return the signed distance of a value from the expectation, in half-widths."""
        edge = self.upper if value > self.expected else self.lower
        widths = (value - self.expected) / (abs(edge - self.expected) or 1.0)
        return max(-_MAX_WIDTHS, min(_MAX_WIDTHS, widths))


@dataclass
class JobRun:
    """The run in the current window of a job: its points so far, and their sum."""

    points: int = 0
    total: float = 0.0

    def add_point(self, position: int, excess: float) -> float | None:
        """Add a point; return the sum of the excesses before it, None if one is missing."""
        if position == 0:
            self.points, self.total = 0, 0.0
        total_before = self.total if self.points == position else None
        self.points += 1
        self.total += excess
        return total_before


class Loss(NamedTuple):
    """How far a rate has fallen."""

    log_p: float  # the logarithm of its p-value
    max_evidence: float  # the evidence of an outage, if it is certain

    def evidence(self, improbability: float) -> float:
        """Return the evidence, given -log10 of the p-value of the last losses together."""
        doubtful, certain = _DOUBTFUL_IMPROBABILITY, _CERTAIN_IMPROBABILITY
        certainty = (improbability - doubtful) / (certain - doubtful)
        return self.max_evidence * min(1.0, max(0.0, certainty))


NO_LOSS = Loss(0.0, 0.0)


def learn_bounds(fit: StreamFit, values: FloatArray) -> None:
    """Learn the bounds of the values from a history of shape (n,)."""
    distinct = np.unique(values)
    size = -(-len(values) // _BLOCKS)
    lows = np.sort(values[len(values) % size :].reshape(-1, size).min(axis=1))
    fit.usual_min = float(lows[min(_INCIDENT_BLOCKS, len(lows) - 1)])
    fit.lowest = 0.0 if distinct[0] >= 0 else -MAX_FLOAT
    highest = find_upper_bound(values, _MIN_SQUARE_RATIO)
    fit.highest = MAX_FLOAT if highest is None else highest
    gaps = np.diff(distinct)
    gaps = gaps[gaps > _MIN_GAP_FRACTION * float(np.ptp(distinct) / 2)]
    fit.quantum = float(gaps.min()) if len(gaps) else 0.0
    fit.min_level = max(float(np.quantile(values, _LEVEL_QUANTILE)), 0.0)


def learn_idle_count(fit: StreamFit, values: FloatArray) -> None:
    """Learn the smallest of counts (n,) if most, also of the last ones, are equal to it."""
    is_min = values == values.min()
    is_mostly_min = min(is_min.mean(), is_min[-MIN_LEVEL_POINTS:].mean()) > MIN_IDLE_FRACTION
    if is_mostly_min and not fit.periods and (values == np.floor(values)).all():
        fit.idle_count = float(values.min())


def learn_losses(
    fit: StreamFit, values: FloatArray, levels: FloatArray, contamination: float
) -> None:
    """Fit the tail of the losses of values (n,), a fraction ``contamination`` of them anomalies.

    ``levels``, shape (n,): the level and season before each of them, in the series' unit.
    """
    fit.has_loss = fit.lowest == 0 and fit.min_level > MIN_FLOAT
    if fit.has_loss:
        levels = np.maximum(levels, fit.min_level)
        losses = np.log((levels + fit.quantum) / np.maximum(values + fit.quantum, _TINY * levels))
        fit.loss_power = _loss_power(losses, levels)
        losses = np.minimum(losses, _MAX_LOSS) * (levels / fit.min_level) ** fit.loss_power
        fit.loss = fit_tail(losses, contamination).cautious()


def _loss_power(losses: FloatArray, levels: FloatArray) -> float:
    """Return the power of the level that losses shrink with: ½ for counts, 1 for steady noise."""
    low, high = np.quantile(levels, [0.25, 0.75])
    if high < _MIN_LEVEL_RATIO * low:
        return 0.0
    small, large = (np.abs(losses[part]).mean() for part in (levels <= low, levels >= high))
    ratio = np.log(max(small, _TINY) / max(large, _TINY))
    return float(np.clip(ratio / np.log(high / low), 0.0, 1.0))


def value_band(
    fit: StreamFit, step: ForecastStep, time: int, limits: BandLimits, rate: float
) -> ValueBand:
    """Return the band of a value; the limits are in usual errors."""
    season = fit.season_at(time)
    expected_units = step.expected + season
    expected = fit.to_values(expected_units)
    rounding = _ROUNDING_FRACTION * (abs(fit.centre) + abs(expected))
    expected = max(fit.lowest, min(expected, fit.highest))
    usual = fit.to_values(step.level + season)
    near = fit.to_values(step.recent + min(season, fit.season_at(time - _RECENT_LAG)))
    outage_limit = find_outage_limit(fit, near, usual, rate)
    lower = fit.to_values(expected_units - step.scale * limits.below)
    lower = max(outage_limit, min(lower, expected - rounding))
    upper = fit.to_values(expected_units + step.scale * limits.above)
    upper = min(fit.highest, max(upper, expected + rounding))
    lower = min(expected, lower, fit.idle_count)
    return ValueBand(lower, expected, max(expected, upper), outage_limit, usual)


def job_band(
    job: RecurringJob, position: int, total_before: float | None, base: ValueBand
) -> ValueBand:
    """Return the band at a step of a job's window.

    A run that has not come by the window's last step is expected there; one that was long or high
    enough must end. ``total_before`` is as returned by `JobRun.add_point`, ``base`` the band
    without the job.
    """
    expected = base.expected
    low = expected + job.low[position] if job.low[position] > 0 else base.lower
    high = max(base.upper, expected + job.high[position])
    if total_before is not None:
        high = max(base.upper, min(high, expected + job.max_total - total_before))
        if position == len(job.low) - 1 and job.min_total > total_before:
            low = max(low, min(high, expected + job.min_total - total_before))
    usual = max(low, min(expected + job.usual[position], high))
    return base._replace(lower=low, expected=usual, upper=high)


def find_outage_limit(fit: StreamFit, near: float, level: float, rate: float) -> float:
    """Return the value below which a rate is an outage.

    ``near`` is the level of the last points, ``level`` the slow one with the season.
    """
    if not fit.has_loss or level < _MIN_LEVEL_FRACTION * fit.min_level:
        return fit.lowest
    level = max(level, fit.min_level)
    limit = fit.loss.quantile(math.log(_RATE_FRACTION * rate))
    limit /= (level / fit.min_level) ** fit.loss_power
    if limit > _MAX_LIMIT:
        return fit.lowest
    lowest_left = (level + fit.quantum) * math.exp(-limit) - fit.quantum
    return max(fit.lowest, min(lowest_left, _MAX_LEFT_FRACTION * near))


def loss_of(fit: StreamFit, value: float, level: float) -> Loss:
    """Return how improbable the loss of a value is that is below ``find_outage_limit``."""
    if not fit.has_loss or value < 0:
        return NO_LOSS
    level = max(level, fit.min_level)
    ratio = (value + fit.quantum) / (level + fit.quantum)
    loss = -math.log(max(ratio, math.exp(-_MAX_LOSS)))
    log_p = fit.loss.log_p(loss * (level / fit.min_level) ** fit.loss_power)
    left = (value + fit.quantum) / (fit.usual_min + fit.quantum)
    return Loss(log_p, _LOSS_EVIDENCE * max(0.0, 1 - left) ** 2)
