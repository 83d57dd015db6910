"""Effects of holidays on an hourly series: a holiday is between its weekday and a Sunday.

All holidays have one additive effect: a fraction of the difference to Sunday at the same time of
day. It is learned from past holidays, with a normal prior, in a regression with that difference.
"""

import numpy as np

from app.forecasting.calendar_effects.calendar_effects import CalendarEffects, baseline_values
from app.forecasting.calendar_effects.requirements import MIN_WEEKS
from app.timeseries.calendar.weekdays import SUNDAY, weekday_numbers
from app.timeseries.numbers import power_of_two_unit
from app.timeseries.phases import phase_means
from app.timeseries.seconds import DAY_SECONDS, DAYS_PER_WEEK
from app.timeseries.types import BoolArray, FloatArray, IntArray

# The mean and the standard deviation of the prior of the fraction.
_PRIOR_FRACTION = 0.5
_PRIOR_FRACTION_DEVIATION = 0.5
# Steps of one day are correlated: together they count as this many independent observations.
_OBSERVATIONS_PER_DAY = 2
_MAX_NOISE_DEVIATIONS = 4.0


def estimate_hour_effects(
    values: FloatArray, times: np.ndarray, steps_per_day: int, names_by_day: dict[int, str]
) -> CalendarEffects | None:
    """Return the effects of holidays on an hourly series.

    None without a holiday, or if the history is too short.

    Args:
        values: The history, shape (n,), finite.
        times: Its times and those to come, dtype ``datetime64[s]``, shape (n + h,).
        steps_per_day: The number of steps in a day.
        names_by_day: The names of holidays, by days since 1970-01-01.
    """
    points = len(values)
    week = DAYS_PER_WEEK * steps_per_day
    if points < MIN_WEEKS * week:
        return None
    days = times.astype("datetime64[D]").astype(np.int64)
    is_holiday = np.isin(days, list(names_by_day))
    if not is_holiday.any():
        return None
    # Step 0 of the week is the first one on or after Monday's midnight.
    since_midnight = (times - times.astype("datetime64[D]")).astype(np.int64)
    step_of_day = since_midnight * steps_per_day // DAY_SECONDS
    step_of_week = weekday_numbers(days) * steps_per_day + step_of_day
    unit = power_of_two_unit(values)
    was_holiday, is_holiday_ahead = np.split(is_holiday, [points])
    gap, residuals, noise = _past_gaps(values / unit, step_of_week[:points], was_holiday, week)
    is_known = was_holiday & np.isfinite(residuals) & np.isfinite(gap)
    fraction, deviation = _learn_fraction(gap[is_known], residuals[is_known], noise, steps_per_day)
    past = np.where(was_holiday & np.isfinite(gap), fraction * gap, 0.0)
    gap_ahead = _gap_ahead(values / unit, step_of_week, is_holiday, week)
    return CalendarEffects(
        past=past * unit,
        ahead=fraction * gap_ahead * unit,
        deviation=deviation * np.abs(gap_ahead) * unit,
        is_logarithmic=False,
        learned_count=len(np.unique(days[:points][is_known])),
        upcoming_count=len(np.unique(days[points:][is_holiday_ahead])),
        is_closed=np.zeros(len(gap_ahead), dtype=bool),
    )


def _past_gaps(
    values: FloatArray, step_of_week: IntArray, is_holiday: BoolArray, week: int
) -> tuple[FloatArray, FloatArray, float]:
    """Return the gaps to Sunday, the residuals, and the standard deviation of ordinary residuals.

    A gap is the Sundays around a step less the baseline at the step, a residual the step's value
    less its baseline. Both have shape (n,), NaN where unknown.
    """
    is_ordinary = ~is_holiday
    baseline = baseline_values(values, is_ordinary, week)
    steps_per_day = week // DAYS_PER_WEEK
    step = np.arange(len(values))
    weekday = step_of_week // steps_per_day
    before = step - (weekday - SUNDAY) % DAYS_PER_WEEK * steps_per_day
    after = step + (SUNDAY - weekday) * steps_per_day
    sundays = np.full((2, len(values)), np.nan)
    sundays[0, before >= 0] = baseline[before[before >= 0]]
    sundays[1, after < len(values)] = baseline[after[after < len(values)]]
    is_known = np.isfinite(sundays)
    with np.errstate(invalid="ignore"):
        sunday = np.where(is_known, sundays, 0.0).sum(axis=0) / is_known.sum(axis=0)
    residuals = values - baseline
    ordinary_residuals = residuals[is_ordinary & np.isfinite(residuals)]
    limit = _MAX_NOISE_DEVIATIONS * float(ordinary_residuals.std())
    return (
        sunday - baseline,
        residuals,
        float(np.sqrt(np.mean(np.clip(ordinary_residuals, -limit, limit) ** 2))),
    )


def _learn_fraction(
    gap: FloatArray, residuals: FloatArray, noise: float, steps_per_day: int
) -> tuple[float, float]:
    """Return the fraction of the difference to Sunday, and its standard deviation for one holiday.

    The deviation includes the uncertainty of the fraction and the differences between holidays.

    ``gap`` and ``residuals`` are those of past holidays, shape (k,); ``noise`` is the standard
    deviation of other residuals.
    """
    prior = _PRIOR_FRACTION_DEVIATION**-2
    power = float(gap @ gap)
    if power <= 0:
        return _PRIOR_FRACTION, _PRIOR_FRACTION_DEVIATION
    variance = max(noise**2, np.finfo(float).eps * power / len(gap))
    precision = power / (variance * steps_per_day / _OBSERVATIONS_PER_DAY)
    fraction = (prior * _PRIOR_FRACTION + precision * float(gap @ residuals) / power) / (
        prior + precision
    )
    remaining = residuals - fraction * gap
    scatter = max(float(remaining @ remaining) - variance * len(remaining), 0.0) / power
    return fraction, float(np.sqrt(1.0 / (prior + precision) + scatter))


def _gap_ahead(
    values: FloatArray, step_of_week: IntArray, is_holiday: BoolArray, week: int
) -> FloatArray:
    """Return the gaps to Sunday of the holidays to come, (h,); 0 where unknown, and on other days.

    They are those of the means of each step of the week over the last weeks, without holidays.
    """
    points = len(values)
    recent = slice(points - MIN_WEEKS * week, points)
    is_kept = ~is_holiday[recent]
    slots = step_of_week[recent][is_kept]
    profile = phase_means(values[recent][is_kept], slots, week, empty=np.nan)
    ahead = step_of_week[points:]
    steps_per_day = week // DAYS_PER_WEEK
    sunday = SUNDAY * steps_per_day + ahead % steps_per_day
    gap = np.where(is_holiday[points:], profile[sunday] - profile[ahead], 0.0)
    return np.asarray(np.nan_to_num(gap))
