"""Effects of holidays on a daily series, learned from past holidays.

An event differs from its weekday by three effects: a fraction of the difference to Sunday, an
effect of its kind and an effect of its name. All are normal around 0 in a Bayesian regression
(Lindley and Smith 1972), averaged over several scales, among them 0, by marginal likelihood.
Occurrences of one event vary as much as events do, so a single occurrence has half the weight.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from app.forecasting.calendar_effects.calendar_effects import CalendarEffects
from app.forecasting.calendar_effects.day_baseline import (
    DayBaseline,
    compare_with_line,
    fit_day_baseline,
)
from app.forecasting.calendar_effects.events import DayKind, EventDays
from app.forecasting.calendar_effects.requirements import MIN_DAYS
from app.forecasting.effects import scale_values
from app.forecasting.regression import posterior_covariance
from app.timeseries.calendar.weekdays import weekday_numbers
from app.timeseries.seconds import DAYS_PER_WEEK
from app.timeseries.types import BoolArray, FloatArray, IntArray

_MIN_EVENTS = 3
_MIN_OCCASIONS = 2
_SCALES = (0.5, 1.0, 2.0, 4.0, 8.0)  # of effects, in standard deviations of the noise
# The prior standard deviation of the fraction of the difference to Sunday; the other choice is 0.
_FRACTION_DEVIATION = 0.7
# Prior standard deviations by `DayKind`, in scales: of kinds, and of names and occurrences.
_KIND_SCALES = np.array([1.0, 0.5, 0.5, 0.7])
_NAME_SCALES = np.array([1.0, 0.5, 0.5, 0.5])
# The logarithm of the prior odds against each scale and fraction: e² to 1 against any effect.
_LOG_PRIOR_ODDS = 2.0 + np.log(2.0 * len(_SCALES))
# The minimum log evidence of effects without the clearest events. With less, series of steps and of
# heavy-tailed noise have effects; with more, fewer real effects are found.
_MIN_LOG_EVIDENCE = 15.0
# The clearest occasions may be this many times as many outliers as among ordinary days.
_OUTLIER_MARGIN = 2.0
# The maximum probability that all occurrences of an event are 0 by chance: two suffice if no other
# day is 0.
_MAX_CHANCE = 2e-4


def estimate_day_effects(
    values: FloatArray, days: IntArray, events: EventDays
) -> CalendarEffects | None:
    """Return the effects of events on a daily series, None if it does not show any.

    Args:
        values: The history, shape (n,), finite.
        days: Its days and those to come, since 1970-01-01, consecutive, shape (n + h,).
        events: The events among these days.
    """
    points = len(values)
    if points < MIN_DAYS:
        return None
    scaled = scale_values(values)
    weekdays = weekday_numbers(days)
    baseline = fit_day_baseline(scaled.values, weekdays, events)
    if baseline is None:
        return None
    is_closed = _find_closed_events(values, weekdays, events)
    learned = _learn_effects(baseline, scaled.values, events)
    if learned is None and not is_closed.any():
        return None
    effect, deviation = np.zeros((2, len(days)))
    if learned is not None:
        effect[events.index], deviation[events.index] = learned
    was_closed = is_closed & (events.index < points) & np.isfinite(baseline.residuals)
    effect[events.index[was_closed]] = baseline.residuals[was_closed]
    is_holiday = events.kind == DayKind.HOLIDAY
    return CalendarEffects(
        past=effect[:points] * scaled.unit,
        ahead=effect[points:] * scaled.unit,
        deviation=deviation[points:] * scaled.unit,
        is_logarithmic=scaled.is_logarithmic,
        learned_count=int((is_holiday & baseline.is_used).sum()),
        upcoming_count=int((is_holiday & (events.index >= points)).sum()),
        is_closed=np.isin(np.arange(points, len(days)), events.index[is_closed]),
    )


def _find_closed_events(values: FloatArray, weekdays: IntArray, events: EventDays) -> BoolArray:
    """Return which events, past and to come, were 0 on every past occurrence, shape (e,).

    Such a day is 0 at any level of its weekday, which no sum of effects can express.

    Args:
        values: The history, shape (n,).
        weekdays: The weekdays of its days and those to come, 0 to 6, shape (n + h,).
        events: The events among these days.
    """
    is_past = events.index < len(values)
    past = events.index[is_past]
    names = events.name_number
    is_ordinary = events.ordinary_days(len(values))
    days, zeros = (
        np.bincount(weekdays[: len(values)][chosen], minlength=DAYS_PER_WEEK)
        for chosen in (is_ordinary, is_ordinary & (values == 0))
    )
    chance_of_zero = (zeros + 1) / (days + 2)
    log_chance = np.log(chance_of_zero)[weekdays[events.index]]
    count = events.name_count
    total = np.bincount(names[is_past], log_chance[is_past], minlength=count)
    open_days = np.bincount(names[is_past], values[past] != 0, minlength=count)
    return ((total <= np.log(_MAX_CHANCE)) & (open_days == 0))[names]


def significant_groups(
    values: FloatArray, days: IntArray, events: EventDays, groups: IntArray
) -> Iterator[int]:
    """Yield the groups of events of which each has an effect by itself.

    Args:
        values: As in ``estimate_day_effects``.
        days: The same.
        events: The events among these days.
        groups: The number of the group of each event, shape (e,).
    """
    scaled = scale_values(values).values
    baseline = fit_day_baseline(scaled, weekday_numbers(days), events)
    if baseline is None:
        return
    strict = compare_with_line(baseline, scaled, events)
    for group in np.unique(groups):
        if _is_significant(replace(strict, is_used=strict.is_used & (groups == group)), events):
            yield int(group)


class _Posterior(NamedTuple):
    """For one scale: the log evidence, and the means and variances of the effects, shape (e,)."""

    evidence: float
    effect: FloatArray
    variance: FloatArray


def _learn_effects(
    baseline: DayBaseline, values: FloatArray, events: EventDays
) -> tuple[FloatArray, FloatArray] | None:
    """Return the effects, averaged over their scales, and their standard deviations, (e,) each.

    None if they are not significant.
    """
    if not _is_significant(compare_with_line(baseline, values, events), events):
        return None
    posteriors = _event_posteriors(baseline, events)
    evidence = np.array([posterior.evidence for posterior in posteriors])
    weights = np.exp(evidence - evidence.max())
    weights /= weights.sum()
    effect = weights @ np.array([posterior.effect for posterior in posteriors])
    variance = weights @ np.array([posterior.variance for posterior in posteriors])
    return effect, np.sqrt(np.maximum(variance, 0.0))


def _is_significant(strict: DayBaseline, events: EventDays) -> bool:
    """Return whether events differ from the days around them by more than a trend or a step does.

    The clearest occasion is left out: it may be an outlier. More are left out the more outliers
    there are among ordinary days.

    Args:
        strict: From ``compare_with_line``.
        events: Its events.
    """
    is_used = strict.is_used
    squares = np.where(is_used, strict.residuals**2 / strict.variance, 0.0)
    clarity = np.bincount(events.occasion, squares)
    occasions = len(np.unique(events.occasion[is_used]))
    if is_used.sum() < _MIN_EVENTS or occasions < _MIN_OCCASIONS:
        return False
    outliers = 1 + int(_OUTLIER_MARGIN * strict.outlier_share * is_used.sum())
    clearest = np.argsort(-clarity, kind="stable")[:outliers]
    clarity[clearest] = 0.0
    if clarity.sum() < 2 * _MIN_LOG_EVIDENCE:  # the most that effects can explain
        return False
    others_used = is_used & ~np.isin(events.occasion, clearest)
    none, *others = _event_posteriors(replace(strict, is_used=others_used), events)
    return max(other.evidence for other in others) - none.evidence >= _MIN_LOG_EVIDENCE


def _event_posteriors(baseline: DayBaseline, events: EventDays) -> list[_Posterior]:
    """Return the posterior without effects, then of each scale; the evidence includes its prior."""
    design = _design_matrix(baseline, events)
    posteriors = [_event_posterior(baseline, events, design, 0.0, 0.0)]
    for scale in _SCALES:
        for fraction in (0.0, _FRACTION_DEVIATION):
            posterior = _event_posterior(baseline, events, design, scale, fraction)
            posteriors.append(posterior._replace(evidence=posterior.evidence - _LOG_PRIOR_ODDS))
    return posteriors


def _design_matrix(baseline: DayBaseline, events: EventDays) -> FloatArray:
    """Return the regressors, shape (e, 1 + kinds + names): the gap to Sunday, kinds, names."""
    rows = np.arange(len(events.index))
    kinds = len(DayKind)
    design = np.zeros((len(rows), 1 + kinds + events.name_count))
    design[:, 0] = baseline.sunday_gap
    design[rows, 1 + events.kind] = 1.0
    design[rows, 1 + kinds + events.name_number] = 1.0
    return design


def _event_posterior(
    baseline: DayBaseline, events: EventDays, design: FloatArray, scale: float, fraction: float
) -> _Posterior:
    """Return the posterior for one scale of the effects and one prior deviation of the fraction."""
    unit = scale * baseline.noise
    by_name = np.zeros(events.name_count)
    by_name[events.name_number] = _NAME_SCALES[events.kind]
    prior = np.concatenate([[fraction**2], (_KIND_SCALES * unit) ** 2, (by_name * unit) ** 2])
    is_used = baseline.is_used
    rows = design[is_used]
    residuals = baseline.residuals[is_used]
    weight = 1.0 / (baseline.variance[is_used] + (_NAME_SCALES[events.kind[is_used]] * unit) ** 2)
    gram, moment = rows.T @ (weight[:, None] * rows), rows.T @ (weight * residuals)
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
