"""Effects of holidays on a daily series, learned from past holidays.

An event differs from its weekday by three effects: a fraction of the difference to Sunday, an
effect of its kind and an effect of its name. All are normal around 0 in a Bayesian regression
(Lindley and Smith 1972), averaged over several scales, among them 0, by marginal likelihood.
Occurrences of one event vary as much as events do, so a single occurrence has half the weight.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from app.forecasting.calendar_effects.closed_days import find_closed_events
from app.forecasting.calendar_effects.effects import (
    HolidayEffects,
    baseline_values,
    interpolate_weeks,
)
from app.forecasting.calendar_effects.events import (
    SUNDAY,
    DayKind,
    EventDays,
    find_event_days,
    weekday_numbers,
)
from app.forecasting.calendar_effects.requirements import MIN_DAYS
from app.forecasting.effects import scale_values
from app.forecasting.regression import posterior_covariance
from app.timeseries.robust import mad_sigma
from app.timeseries.seconds import DAYS_PER_WEEK
from app.timeseries.types import BoolArray, FloatArray, IntArray

_MIN_SUNDAYS, _MIN_ORDINARY_DAYS, _MIN_EVENTS = 4, 21, 2
_RECENT_WEEKS = 6  # the last ordinary days of a weekday, whose median is its level ahead
# Events are only learned from if ordinary days of their weekday follow, one of them this recent.
_RECENT_DAYS = 28
_CLIP_SIGMAS = 4.0
_MIN_NOISE_RATIO = 1e-3  # the minimum noise, as a fraction of the standard deviation of the values
_SCALES = (0.5, 1.0, 2.0, 4.0, 8.0)  # of effects, in standard deviations of the noise
# The prior standard deviation of the fraction of the difference to Sunday; the other choice is 0.
_FRACTION_DEVIATION = 0.7
# Prior standard deviations by `DayKind`, in scales: of kinds, and of names and occurrences.
_KIND_SCALES = np.array([1.0, 0.5, 0.5, 0.7])
_NAME_SCALES = np.array([1.0, 0.5, 0.5, 0.5])
# The logarithm of the prior odds against each scale and fraction: e² to 1 against any effect.
_LOG_PRIOR_ODDS = 2.0 + np.log(2.0 * len(_SCALES))
# The minimum log evidence of effects without the clearest event. With less, series of steps and of
# heavy-tailed noise have effects; with more, fewer real effects are found.
_MIN_LOG_EVIDENCE = 15.0
# The variance of an event's residual grows by max(0, 1.25 v - 2 noise²), where v is the variance of
# the weeks around it. A step or a bend in these moves the residual by less.
_WEEKS_VARIANCE, _NOISE_VARIANCES = 1.25, 2.0


def estimate_day_effects(
    values: FloatArray, days: IntArray, names_by_day: dict[int, str]
) -> HolidayEffects | None:
    """Return the effects of holidays on a daily series, None if it does not show any.

    Args:
        values: The history, shape (n,), finite.
        days: Its days and those to come, since 1970-01-01, consecutive, shape (n + h,).
        names_by_day: The names of holidays.
    """
    points = len(values)
    if points < MIN_DAYS:
        return None
    scaled = scale_values(values)
    events = find_event_days(days, names_by_day)
    weekdays = weekday_numbers(days)
    baseline = _fit_baseline(scaled.values, weekdays, events)
    if baseline is None:
        return None
    is_closed = find_closed_events(values, weekdays, events)
    learned = _learn(baseline, scaled.values, events)
    if learned is None and not is_closed.any():
        return None
    effect, deviation = np.zeros((2, len(days)))
    if learned is not None:
        effect[events.index], deviation[events.index] = learned
    was_closed = is_closed & (events.index < points) & np.isfinite(baseline.residuals)
    effect[events.index[was_closed]] = baseline.residuals[was_closed]
    is_holiday = events.kind == DayKind.HOLIDAY
    return HolidayEffects(
        past=effect[:points] * scaled.unit,
        ahead=effect[points:] * scaled.unit,
        deviation=deviation[points:] * scaled.unit,
        is_logarithmic=scaled.is_logarithmic,
        learned_count=int((is_holiday & baseline.is_used).sum()),
        upcoming_count=int((is_holiday & (events.index >= points)).sum()),
        is_closed=np.isin(np.arange(points, len(days)), events.index[is_closed]),
    )


@dataclass(frozen=True)
class _Baseline:
    """The residuals of the e events, and the noise of ordinary days.

    Attributes:
        residuals: Each event less its weekday, shape (e,).
        is_used: Which events are learned from, shape (e,).
        sunday_gap: The Sundays around a holiday less its weekday, shape (e,); 0 for other events.
        noise: The standard deviation of ordinary days.
        variance: The variance of the residuals without an effect, shape (e,).
    """

    residuals: FloatArray
    is_used: BoolArray
    sunday_gap: FloatArray
    noise: float
    variance: FloatArray


def _fit_baseline(values: FloatArray, weekdays: IntArray, events: EventDays) -> _Baseline | None:
    """Return the baseline of ``values`` (n,) by ``weekdays`` (n + h,).

    None with too few Sundays or ordinary days, or without noise.
    """
    points = len(values)
    indices = events.index
    is_past = indices < points
    ordinary = events.ordinary_days(points)
    base = baseline_values(values, ordinary, DAYS_PER_WEEK)
    residuals = values - base
    seen = ordinary & np.isfinite(residuals)
    sundays = np.flatnonzero((weekdays[:points] == SUNDAY) & np.isfinite(base))
    if len(sundays) < _MIN_SUNDAYS or seen.sum() < _MIN_ORDINARY_DAYS:
        return None
    noise = _noise_of(residuals[seen], float(values.std()))
    if not noise > 0:
        return None
    recent, last = _end_by_weekday(values, weekdays[:points], ordinary)
    sunday = np.interp(np.arange(points), sundays, base[sundays])
    past = indices[is_past]
    sunday_gap = recent[SUNDAY] - recent[weekdays[indices]]
    sunday_gap[is_past] = sunday[past] - base[past]
    event_residuals = np.zeros(len(indices))
    event_residuals[is_past] = residuals[past]
    is_used = is_past & np.isfinite(event_residuals) & (indices < last[weekdays[indices]])
    sunday_gap[(events.kind != DayKind.HOLIDAY) | ~np.isfinite(sunday_gap)] = 0.0
    return _Baseline(
        residuals=event_residuals,
        is_used=is_used,
        sunday_gap=sunday_gap,
        noise=noise,
        variance=np.full(len(indices), noise**2),
    )


def _noise_of(residuals: FloatArray, spread: float) -> float:
    """Return the deviation of ordinary days: between a robust one and that of clipped residuals.

    If most residuals are 0, it is the magnitude of the largest one.
    """
    robust = mad_sigma(residuals)
    if robust <= _MIN_NOISE_RATIO**2 * spread:
        return max(float(np.abs(residuals).max()), _MIN_NOISE_RATIO * spread)
    clipped = np.clip(residuals, -_CLIP_SIGMAS * robust, _CLIP_SIGMAS * robust)
    return float(np.sqrt((robust**2 + np.var(clipped)) / 2))


def _end_by_weekday(
    values: FloatArray, weekdays: IntArray, ordinary: BoolArray
) -> tuple[FloatArray, IntArray]:
    """Return by weekday the level of the last ordinary days, and the index of the last one.

    Both have shape (7,). A level is NaN without such a day, an index -1 if it is not recent.
    """
    recent = np.full(DAYS_PER_WEEK, np.nan)
    last = np.full(DAYS_PER_WEEK, -1)
    for weekday in range(DAYS_PER_WEEK):
        same_weekday = np.flatnonzero(ordinary & (weekdays == weekday))
        if same_weekday.size:
            recent[weekday] = np.median(values[same_weekday[-_RECENT_WEEKS:]])
            if same_weekday[-1] >= len(values) - _RECENT_DAYS:
                last[weekday] = same_weekday[-1]
    return recent, last


class _Posterior(NamedTuple):
    """For one scale: the log evidence, and the means and variances of the effects, shape (e,)."""

    evidence: float
    effect: FloatArray
    variance: FloatArray


def _learn(
    baseline: _Baseline, values: FloatArray, events: EventDays
) -> tuple[FloatArray, FloatArray] | None:
    """Return the effects, averaged over their scales, and their standard deviations, (e,) each.

    None if they are not significant.
    """
    if not _is_significant(baseline, values, events):
        return None
    posteriors = _posteriors(baseline, events)
    evidence = np.array([posterior.evidence for posterior in posteriors])
    weights = np.exp(evidence - evidence.max())
    weights /= weights.sum()
    effect = weights @ np.array([posterior.effect for posterior in posteriors])
    variance = weights @ np.array([posterior.variance for posterior in posteriors])
    return effect, np.sqrt(np.maximum(variance, 0.0))


def _is_significant(baseline: _Baseline, values: FloatArray, events: EventDays) -> bool:
    """Return whether events differ from the days around them by more than a trend or a step does.

    Each event is compared with a line between the weeks before and after it, whose variance is
    added to that of the noise. The clearest event is left out: it may be an outlier.
    """
    is_past = events.index < len(values)
    indices = events.index[is_past]
    line, week_variance = interpolate_weeks(
        values, events.ordinary_days(len(values)), DAYS_PER_WEEK
    )
    residuals = np.full(len(is_past), np.nan)
    variance = baseline.variance.copy()
    residuals[is_past] = (values - line)[indices]
    added = _WEEKS_VARIANCE * week_variance[indices] - _NOISE_VARIANCES * baseline.noise**2
    variance[is_past] += np.maximum(added, 0.0)
    is_used = baseline.is_used & np.isfinite(residuals)
    if is_used.sum() <= _MIN_EVENTS:
        return False
    is_used[np.argmax(np.where(is_used, residuals**2 / variance, 0.0))] = False
    strict = replace(baseline, residuals=residuals, is_used=is_used, variance=variance)
    none, *others = (posterior.evidence for posterior in _posteriors(strict, events))
    return max(others) - none >= _MIN_LOG_EVIDENCE


def _posteriors(baseline: _Baseline, events: EventDays) -> list[_Posterior]:
    """Return the posterior without effects, then of each scale; the evidence includes its prior."""
    design = _design_matrix(baseline, events)
    posteriors = [_posterior(baseline, events, design, 0.0, 0.0)]
    for scale in _SCALES:
        for fraction in (0.0, _FRACTION_DEVIATION):
            posterior = _posterior(baseline, events, design, scale, fraction)
            posteriors.append(posterior._replace(evidence=posterior.evidence - _LOG_PRIOR_ODDS))
    return posteriors


def _design_matrix(baseline: _Baseline, events: EventDays) -> FloatArray:
    """Return the regressors, shape (e, 1 + kinds + names): the gap to Sunday, kinds, names."""
    rows = np.arange(len(events.index))
    kinds = len(DayKind)
    design = np.zeros((len(rows), 1 + kinds + events.name_count))
    design[:, 0] = baseline.sunday_gap
    design[rows, 1 + events.kind] = 1.0
    design[rows, 1 + kinds + events.name_number] = 1.0
    return design


def _posterior(
    baseline: _Baseline, events: EventDays, design: FloatArray, scale: float, fraction: float
) -> _Posterior:
    """Return the posterior for one scale of the effects and one prior deviation of the fraction."""
    unit = scale * baseline.noise
    by_name = np.zeros(events.name_count)
    by_name[events.name_number] = _NAME_SCALES[events.kind]
    prior = np.concatenate([[fraction**2], (_KIND_SCALES * unit) ** 2, (by_name * unit) ** 2])
    is_used = baseline.is_used
    known = design[is_used]
    residuals = baseline.residuals[is_used]
    weight = 1.0 / (baseline.variance[is_used] + (_NAME_SCALES[events.kind[is_used]] * unit) ** 2)
    gram, moment = known.T @ (weight[:, None] * known), known.T @ (weight * residuals)
    covariance, inner = posterior_covariance(gram, prior)
    mean = covariance @ moment
    evidence = (
        moment @ mean
        - np.linalg.slogdet(inner)[1]
        - weight @ residuals**2
        + np.log(weight).sum()
    ) / 2  # fmt: skip
    variance = ((design @ covariance) * design).sum(axis=1)
    return _Posterior(float(evidence), design @ mean, variance)
