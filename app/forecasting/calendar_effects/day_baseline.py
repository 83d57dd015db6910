"""What days would be without holidays: the residuals of events, and the noise of other days."""

from dataclasses import dataclass, replace

import numpy as np

from app.forecasting.calendar_effects.calendar_effects import baseline_values, interpolate_weeks
from app.forecasting.calendar_effects.events import DayKind, EventDays
from app.timeseries.calendar.weekdays import SUNDAY
from app.timeseries.numbers import is_mostly_zero
from app.timeseries.robust import mad_sigma
from app.timeseries.seconds import DAYS_PER_WEEK
from app.timeseries.types import BoolArray, FloatArray, IntArray

_MIN_SUNDAYS = 4
_MIN_ORDINARY_DAYS = 21
_RECENT_WEEKS = 6  # the last ordinary days of a weekday, whose median is its level ahead
# Events are only learned from if ordinary days of their weekday follow, one of them this recent.
_RECENT_DAYS = 28
_MAX_NOISE_SIGMAS = 4.0
_MIN_OUTLIER_SIGMAS = 5.0
_MIN_NOISE_RATIO = 1e-3  # the minimum noise, as a fraction of the standard deviation of the values
# The variance of an event's residual grows by max(0, 1.25 v - 2 noise²), where v is the variance of
# the weeks around it. A step or a bend in these moves the residual by less.
_WEEKS_VARIANCE = 1.25
_NOISE_VARIANCES = 2.0


@dataclass(frozen=True)
class DayBaseline:
    """The residuals of the e events, and the noise of ordinary days.

    Attributes:
        residuals: Each event less its weekday, shape (e,).
        is_used: Which events are learned from, shape (e,).
        sunday_gap: The Sundays around a holiday less its weekday, shape (e,); 0 for other events.
        noise: The standard deviation of ordinary days.
        outlier_share: The share of these days that are outliers.
        variance: The variance of the residuals without an effect, shape (e,).
    """

    residuals: FloatArray
    is_used: BoolArray
    sunday_gap: FloatArray
    noise: float
    outlier_share: float
    variance: FloatArray


def fit_day_baseline(
    values: FloatArray, weekdays: IntArray, events: EventDays
) -> DayBaseline | None:
    """Return the baseline of ``values`` (n,) by ``weekdays`` (n + h,).

    None with too few Sundays or ordinary days, or without noise.
    """
    points = len(values)
    indices = events.index
    is_past = indices < points
    is_ordinary = events.ordinary_days(points)
    base = baseline_values(values, is_ordinary, DAYS_PER_WEEK)
    residuals = values - base
    is_seen = is_ordinary & np.isfinite(residuals)
    sundays = np.flatnonzero((weekdays[:points] == SUNDAY) & np.isfinite(base))
    if len(sundays) < _MIN_SUNDAYS or is_seen.sum() < _MIN_ORDINARY_DAYS:
        return None
    seen = residuals[is_seen]
    # Of mostly zeros, robust noise is that of the zeros: each sale would be an outlier.
    noise = float(seen.std()) if is_mostly_zero(values) else _noise_of(seen, float(values.std()))
    if not noise > 0:
        return None
    recent, last = _end_by_weekday(values, weekdays[:points], is_ordinary)
    sunday = np.interp(np.arange(points), sundays, base[sundays])
    past = indices[is_past]
    sunday_gap = recent[SUNDAY] - recent[weekdays[indices]]
    sunday_gap[is_past] = sunday[past] - base[past]
    event_residuals = np.zeros(len(indices))
    event_residuals[is_past] = residuals[past]
    is_used = is_past & np.isfinite(event_residuals) & (indices < last[weekdays[indices]])
    sunday_gap[(events.kind != DayKind.HOLIDAY) | ~np.isfinite(sunday_gap)] = 0.0
    return DayBaseline(
        residuals=event_residuals,
        is_used=is_used,
        sunday_gap=sunday_gap,
        noise=noise,
        outlier_share=float((np.abs(seen) > _MIN_OUTLIER_SIGMAS * noise).mean()),
        variance=np.full(len(indices), noise**2),
    )


def compare_with_line(baseline: DayBaseline, values: FloatArray, events: EventDays) -> DayBaseline:
    """Return the baseline with residuals from a line between the weeks before and after an event.

    The variance of these weeks is added to that of the noise, so that no trend or step counts as
    an effect. An event without both is not used.
    """
    is_past = events.index < len(values)
    indices = events.index[is_past]
    line, week_variance = interpolate_weeks(values, events.ordinary_days(len(values)))
    residuals = np.full(len(is_past), np.nan)
    variance = baseline.variance.copy()
    residuals[is_past] = (values - line)[indices]
    added = _WEEKS_VARIANCE * week_variance[indices] - _NOISE_VARIANCES * baseline.noise**2
    variance[is_past] += np.maximum(added, 0.0)
    return replace(
        baseline,
        residuals=residuals,
        is_used=baseline.is_used & np.isfinite(residuals),
        variance=variance,
    )


def _noise_of(residuals: FloatArray, spread: float) -> float:
    """Return the deviation of ordinary days: between a robust one and that of clipped residuals.

    If most residuals are 0, it is the magnitude of the largest one.
    """
    robust = mad_sigma(residuals)
    if robust <= _MIN_NOISE_RATIO**2 * spread:
        return max(float(np.abs(residuals).max()), _MIN_NOISE_RATIO * spread)
    clipped = np.clip(residuals, -_MAX_NOISE_SIGMAS * robust, _MAX_NOISE_SIGMAS * robust)
    return float(np.sqrt((robust**2 + np.var(clipped)) / 2))


def _end_by_weekday(
    values: FloatArray, weekdays: IntArray, is_ordinary: BoolArray
) -> tuple[FloatArray, IntArray]:
    """Return by weekday the level of the last ordinary days, and the index of the last one.

    Both have shape (7,). A level is NaN without such a day, an index -1 if it is not recent.
    """
    recent = np.full(DAYS_PER_WEEK, np.nan)
    last = np.full(DAYS_PER_WEEK, -1)
    for weekday in range(DAYS_PER_WEEK):
        same_weekday = np.flatnonzero(is_ordinary & (weekdays == weekday))
        if same_weekday.size:
            recent[weekday] = np.median(values[same_weekday[-_RECENT_WEEKS:]])
            if same_weekday[-1] >= len(values) - _RECENT_DAYS:
                last[weekday] = same_weekday[-1]
    return recent, last
