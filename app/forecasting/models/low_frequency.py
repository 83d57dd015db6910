"""Forecasts by a recipe for yearly, quarterly or monthly series.

The median is the middle of the members at each step, mixed with ridge autoregression, its trend
damped or its growth limited. The interval is learned factors times the members' standard errors.
``docs/developing/members.md`` has the experiments and their scores.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from app.forecasting.combination import (
    NoMemberError,
    failure_notices,
    member_spread,
    pool_standard_errors,
    run_low_frequency,
)
from app.forecasting.growth import damp_trend, find_steady_growth, limit_growth, trend_discount
from app.forecasting.intervals.learned import LowFrequencyWidths, interpolate_levels
from app.forecasting.intervals.normal import fraction_of_95
from app.forecasting.intervals.quantile_factors import (
    WidthFeatures,
    half_widths,
    member_width_weight,
)
from app.forecasting.intervals.short_history import log_shortfall, widening_factors
from app.forecasting.intervals.width_cap import cap_width, widest_bounds
from app.forecasting.members.ridge import RIDGE
from app.forecasting.members.types import ErrorPart, LowFrequencyMember, MemberForecast
from app.forecasting.preprocessing.cleaning import clip_gross_outliers
from app.forecasting.types import (
    MIN_MEMBER_STEPS,
    Bounds,
    ForecastDistribution,
    IntervalFunction,
    Provenance,
)
from app.timeseries.history import History
from app.timeseries.types import FloatArray

# A member is dropped if its error is more than this many times the best member's.
_MAX_ERROR_RATIO = 4.0
# Ridge loses weight where its error is more than this many times the other members'.
_MAX_RIDGE_ERROR_RATIO = 1.5
# Damping moves the median by at most this fraction of the members' standard error.
_MAX_DAMPING = 0.3


@dataclass(frozen=True)
class LowFrequencyRecipe:
    """What one model needs for one frequency.

    Attributes:
        members: Run on each history, except for ridge autoregression.
        combine: Returns one median (h,) from those of the members, (members, h).
        widths: The learned numbers of the interval.
        max_member_width_weight: The weight of the members' own widths for long histories, 0 to 1.
        ridge_weight: The weight of ridge autoregression, 0 to 1.
        trend_kept: The fraction of a trend that remains after damping, unless growth is steady.
        has_growth_limit: Whether growth is limited to that of the history.
        has_clipping: Whether gross outliers are clipped first.
    """

    members: tuple[LowFrequencyMember, ...]
    combine: Callable[[Sequence[FloatArray]], FloatArray]
    widths: LowFrequencyWidths
    max_member_width_weight: float = 0.0
    ridge_weight: float = 0.0
    trend_kept: float = 1.0
    has_growth_limit: bool = False
    has_clipping: bool = False


@dataclass(frozen=True)
class LowFrequencyForecast:
    """A combined forecast.

    Attributes:
        median: Shape (h,).
        features: What the interval depends on.
        failed: The names of members that failed.
        growth_cut: The distance by which the limit of growth moved the median, shape (h,).
        step_error: The members' standard error of one step.
    """

    median: FloatArray
    features: WidthFeatures
    failed: tuple[str, ...]
    growth_cut: FloatArray
    step_error: float


def fit_low_frequency(
    history: History, horizon: int, recipe: LowFrequencyRecipe
) -> ForecastDistribution:
    """Forecast by a recipe; raise NoMemberError if no member could be fitted."""
    if recipe.has_clipping:
        history = replace(history, values=clip_gross_outliers(history.values, history.period))
    combined = combine_low_frequency(history, horizon, recipe)
    return ForecastDistribution(
        combined.median,
        interval_of(combined, history, recipe),
        combined.step_error,
        provenance=Provenance(notices=failure_notices(combined.failed)),
    ).first_steps(horizon)


def combine_low_frequency(
    history: History, horizon: int, recipe: LowFrequencyRecipe
) -> LowFrequencyForecast:
    """Run the members for ``MIN_MEMBER_STEPS`` or more; raise NoMemberError if all fail."""
    steps = max(horizon, MIN_MEMBER_STEPS)
    forecasts, failed = run_low_frequency(recipe.members, history, steps)
    if not forecasts:
        raise NoMemberError("no member could be fitted")
    forecasts = _drop_poor_fits(forecasts, float(np.ptp(history.values)))
    medians = [forecast.median for forecast in forecasts.values()]
    median = recipe.combine(medians)
    between = member_spread(medians)
    error = pool_standard_errors(recipe.members, forecasts, between)
    steadiness = 0.0
    if recipe.trend_kept < 1.0:
        steadiness, log_weight = find_steady_growth(history.values, history.period)
        median = _mix_log_members(median, recipe.members, forecasts, log_weight)
    if recipe.ridge_weight:
        ridge_weight = recipe.ridge_weight * (1.0 - steadiness)
        median, ridge_failed = _mix_ridge(median, error, history, ridge_weight)
        failed += ridge_failed
    if recipe.trend_kept < 1.0:
        trend_kept = recipe.trend_kept + (1.0 - recipe.trend_kept) * steadiness
        median = _damp_within_error(median, history, error, trend_kept)
    limited = median
    if recipe.has_growth_limit:
        discount = trend_discount(history.values, _smoothing_error(recipe.members, forecasts))
        limited = limit_growth(median, history.values, discount)
    return LowFrequencyForecast(
        median=limited,
        features=WidthFeatures.of(history, error, between),
        failed=failed,
        growth_cut=np.abs(median - limited),
        step_error=float(error[0]),
    )


def _drop_poor_fits(forecasts: dict[str, MemberForecast], span: float) -> dict[str, MemberForecast]:
    """Leave out members that fit the history far worse than the best, as on data without noise.

    ``span`` is the history's range: errors below a millionth of it count as equal.
    """
    errors = {
        name: float(forecast.standard_error[0])
        for name, forecast in forecasts.items()
        if forecast.standard_error is not None
    }
    limit = _MAX_ERROR_RATIO * max(min(errors.values(), default=np.inf), 1e-6 * span)
    return {name: forecasts[name] for name in forecasts if errors.get(name, 0.0) <= limit}


def _mix_log_members(
    median: FloatArray,
    members: Iterable[LowFrequencyMember],
    forecasts: dict[str, MemberForecast],
    weight: float,
) -> FloatArray:
    """Move the median towards the mean of the members on logarithms, whose growth is a rate."""
    on_logs = [
        forecasts[member.name].median
        for member in members
        if member.is_on_logs and member.name in forecasts
    ]
    return median + weight * (np.mean(on_logs, axis=0) - median) if on_logs else median


def _mix_ridge(
    median: FloatArray, error: FloatArray, history: History, weight: float
) -> tuple[FloatArray, tuple[str, ...]]:
    """Mix ridge into the median, with less weight if it fits the history far worse.

    The second result is its name if it failed.
    """
    forecasts, failed = run_low_frequency([RIDGE], history, len(median))
    if failed:
        return median, failed
    ridge = forecasts[RIDGE.name]
    ridge_error = 0.0 if ridge.standard_error is None else float(ridge.standard_error[0])
    if ridge_error > 0:
        weight *= min(1.0, _MAX_RIDGE_ERROR_RATIO * float(error[0]) / ridge_error) ** 2
    return (1.0 - weight) * median + weight * ridge.median, failed


def _damp_within_error(
    median: FloatArray, history: History, error: FloatArray, trend_kept: float
) -> FloatArray:
    """Damp the trend of a seasonal series by a fraction of the error: 0 on data without noise."""
    if not 1 < history.period <= len(history.values) // 2:
        return median
    damped = damp_trend(median, history.values, history.period, trend_kept)
    return np.clip(damped, median - _MAX_DAMPING * error, median + _MAX_DAMPING * error)


def _smoothing_error(
    members: Iterable[LowFrequencyMember], forecasts: dict[str, MemberForecast]
) -> float:
    """Return the one-step error of exponential smoothing in the history, 0 if it is missing."""
    errors = (
        forecasts[member.name].standard_error
        for member in members
        if member.error_part is ErrorPart.SMOOTHING and member.name in forecasts
    )
    return next((float(error[0]) for error in errors if error is not None), 0.0)


def interval_of(
    combined: LowFrequencyForecast, history: History, recipe: LowFrequencyRecipe
) -> IntervalFunction:
    wider = widening_factors(log_shortfall(len(history.values)), recipe.widths.exponents)
    member_weight = member_width_weight(len(history.values), recipe.max_member_width_weight)
    at_levels = half_widths(combined.features, recipe.widths.factors, wider, member_weight)
    median = combined.median
    growth_cut = np.maximum.accumulate(combined.growth_cut)
    widest = widest_bounds(median, history.values)

    def interval(confidence: float) -> Bounds:
        half = np.maximum.accumulate(interpolate_levels(at_levels, confidence))
        lower, upper = cap_width((median - half, median + half), widest)
        # The median before the limit of growth stays inside the 95 % interval.
        cut = growth_cut * fraction_of_95(confidence)
        return np.minimum(lower, median - cut), np.maximum(upper, median + cut)

    return interval
