"""The band of a value, and a point compared with its band."""

import math
from typing import NamedTuple

from app.anomalies.streaming.bounds import Loss
from app.anomalies.streaming.fit import StreamFit
from app.anomalies.streaming.forecaster import ForecastStep
from app.anomalies.streaming.surges import SurgeStep
from app.anomalies.tail import MIN_P_VALUE, BandLimits

# The season of the last points is taken this many steps back, in the middle of them.
_RECENT_LAG = 3
# The fraction of a value that conversion between the series' unit and the fit's may lose.
_ROUNDING_FRACTION = 1e-14
_MAX_WIDTHS = 1e6  # the maximum distance, in half-widths


class ValueBand(NamedTuple):
    """The band of a value, in the units of the series, and what an outage is measured by."""

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

    def extended_to(self, value: float) -> "ValueBand":
        """Return the band that also contains a value, unless it is an outage."""
        lower = min(self.lower, max(value, self.outage_limit))
        return self._replace(lower=lower, upper=max(self.upper, value))


class JudgedPoint(NamedTuple):
    """A point and its band, in the fit's units and without its season."""

    step: ForecastStep
    band: ValueBand  # in the series' units
    limits: BandLimits  # of the error, in usual errors
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
    """Return the band of a value; the limits are in usual errors."""
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
    return ValueBand(lower, expected, max(expected, upper), outage_limit, seasonal_level)


def surge_band(surge: SurgeStep, total_before: float | None, base: ValueBand) -> ValueBand:
    """Return the band at a step of a recurring surge's window.

    A surge that has not come by the window's last step is expected there; one that was long or high
    enough must end. ``total_before`` is as returned by `CurrentSurge.add_point`, ``base`` the band
    without the surge.
    """
    expected = base.expected
    low = expected + surge.low if surge.low > 0 else base.lower
    high = max(base.upper, expected + surge.high)
    if total_before is not None:
        high = max(base.upper, min(high, expected + surge.max_total - total_before))
        if surge.position == surge.length - 1 and surge.min_total > total_before:
            low = max(low, min(high, expected + surge.min_total - total_before))
    usual = max(low, min(expected + surge.usual, high))
    return base._replace(lower=low, expected=usual, upper=high)
