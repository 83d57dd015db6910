"""The recipes for yearly, quarterly and monthly series, which models 1 and 2 share.

Theta, exponential smoothing and (model 1) ARIMA, on raw values and on logarithms; their middle at
each step, mixed with ridge autoregression where there is a season; a trend that is not believed in
full. What was tried, and what it scored, stands in ``docs/engine.md``.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.special import ndtri

from app.forecasting.calendar.frequency import Frequency
from app.forecasting.combination import middle, on_logs, run_members, spread, trimmed_mean
from app.forecasting.growth import damp_trend, limit_growth
from app.forecasting.intervals.factor_table import FACTORS_LIGHT, FACTORS_WITH_ARIMA
from app.forecasting.intervals.quantile_factors import WidthFeatures, half_widths
from app.forecasting.intervals.short_history import widening
from app.forecasting.members.arima import arima, arima_by_least_squares
from app.forecasting.members.exponential_smoothing import grid_smoothing
from app.forecasting.members.ridge import ridge_autoregression
from app.forecasting.members.theta import dynamic_theta
from app.forecasting.types import FloatArray, History, Member, MemberForecast, Prediction

# Logarithms of a series that spans more than this ratio follow its smallest values, not it.
_LARGEST_LOG_RATIO = 1e4
# A member counts while its error is at most so many times the best member's.
_FAR_WORSE = 4.0
# Ridge loses weight where its error is more than so many times the other members'.
_WORSE_RIDGE = 1.5
# Damping moves the median by at most this share of the members' standard error.
_MOST_DAMPING = 0.3


@dataclass(frozen=True)
class Recipe:
    """What one frequency needs.

    ``loss_steps`` and ``averaged`` are exponential smoothing's; ``combine`` makes one forecast of
    the members'; ``raw_theta`` keeps theta on raw values beside theta on logarithms; ``trend_kept``
    is the share of a trend that is believed, ``growth_rule`` whether it is limited to the past's.
    """

    loss_steps: int
    averaged: int
    combine: Callable[[Sequence[FloatArray]], FloatArray]
    raw_theta: bool
    ridge_share: float
    trend_kept: float
    growth_rule: bool


Recipes = Mapping[Frequency, Recipe]

RECIPES: Recipes = {
    Frequency.YEARLY: Recipe(
        loss_steps=1,
        averaged=8,
        combine=trimmed_mean,
        raw_theta=False,
        ridge_share=0.0,
        trend_kept=1.0,
        growth_rule=True,
    ),
    Frequency.QUARTERLY: Recipe(
        loss_steps=1,
        averaged=8,
        combine=trimmed_mean,
        raw_theta=True,
        ridge_share=0.3,
        trend_kept=1.0,
        growth_rule=False,
    ),
    Frequency.MONTHLY: Recipe(
        loss_steps=6,
        averaged=25,
        combine=middle,
        raw_theta=True,
        ridge_share=0.3,
        trend_kept=0.9,
        growth_rule=False,
    ),
}


@dataclass(frozen=True)
class ShortForecast:
    """The median of shape (h,), what the interval depends on, and the members that failed.

    ``doubted`` of shape (h,) is how far the growth rule moved the median.
    """

    median: FloatArray
    features: WidthFeatures
    failed: tuple[str, ...]
    doubted: FloatArray


def _members(history: History, recipe: Recipe, *, with_arima: bool) -> dict[str, Member]:
    smoothing = partial(grid_smoothing, loss_steps=recipe.loss_steps, averaged=recipe.averaged)
    values = history.values
    with_logs = values.min() > 0 and values.max() / values.min() < _LARGEST_LOG_RATIO
    members: dict[str, Member] = {"exponential smoothing": smoothing}
    if recipe.raw_theta or not with_logs:
        members["theta"] = dynamic_theta
    if with_arima:
        members["ARIMA"] = arima
    if with_logs:
        members["theta on logs"] = on_logs(partial(dynamic_theta, multiplicative=False))
        members["exponential smoothing on logs"] = on_logs(smoothing)
        if with_arima:
            members["ARIMA on logs"] = on_logs(arima_by_least_squares)
    return members


def _mean_width(forecasts: dict[str, MemberForecast], names: tuple[str, ...]) -> FloatArray | None:
    widths = [
        forecast.width
        for name in names
        if (forecast := forecasts.get(name)) is not None and forecast.width is not None
    ]
    return np.asarray(np.mean(widths, axis=0)) if widths else None


def _pooled_width(forecasts: dict[str, MemberForecast], between: FloatArray) -> FloatArray:
    """Members' standard errors and their spread as independent parts of one variance.

    The standard error is half exponential smoothing's, half the mean of theta's and ARIMA's.
    """
    theta = "theta" if "theta" in forecasts else "theta on logs"
    smoothing = "exponential smoothing"
    if smoothing not in forecasts:
        smoothing += " on logs"
    parts = [_mean_width(forecasts, (theta, "ARIMA")), _mean_width(forecasts, (smoothing,))]
    known = [part for part in parts if part is not None]
    pooled = np.mean(known, axis=0) if known else np.zeros(len(between))
    return np.asarray(np.sqrt(pooled**2 + between**2))


def _credible(forecasts: dict[str, MemberForecast], span: float) -> dict[str, MemberForecast]:
    """Leave out members that fit the history far worse than the best, as on data without noise.

    ``span`` is the history's range: errors below a millionth of it are all alike.
    """
    errors = {
        name: float(forecast.width[0])
        for name, forecast in forecasts.items()
        if forecast.width is not None
    }
    limit = _FAR_WORSE * max(min(errors.values(), default=np.inf), 1e-6 * span)
    return {name: each for name, each in forecasts.items() if errors.get(name, 0.0) <= limit}


def _mix_ridge(
    median: FloatArray, width: FloatArray, ridge: MemberForecast, share: float
) -> FloatArray:
    """The median with a share of ridge, less where ridge fits the history far worse."""
    error = float(ridge.width[0]) if ridge.width is not None else 0.0
    if error > 0:
        share *= min(1.0, _WORSE_RIDGE * float(width[0]) / error) ** 2
    return (1.0 - share) * median + share * ridge.median


def combine_short(
    history: History, horizon: int, *, with_arima: bool, recipes: Recipes = RECIPES
) -> ShortForecast:
    """Run the recipe; raises ValueError when no member is sound."""
    recipe = recipes.get(history.frequency, recipes[Frequency.MONTHLY])
    members = _members(history, recipe, with_arima=with_arima)
    forecasts, failed = run_members(members, history, horizon)
    if not forecasts:
        raise ValueError("no member could be fitted")
    forecasts = _credible(forecasts, float(np.ptp(history.values)))
    medians = [forecast.median for forecast in forecasts.values()]
    median, between = recipe.combine(medians), spread(medians)
    width = _pooled_width(forecasts, between)
    if recipe.ridge_share:
        ridge, ridge_failed = run_members({"ridge": ridge_autoregression}, history, horizon)
        failed += ridge_failed
        for forecast in ridge.values():
            median = _mix_ridge(median, width, forecast, recipe.ridge_share)
    period = history.periods[0] if history.periods else 1
    if recipe.trend_kept < 1.0 and 1 < period <= len(history.values) // 2:
        damped = damp_trend(median, history.values, period, recipe.trend_kept)
        # A trend without any noise around it is not doubted.
        median = np.clip(damped, median - _MOST_DAMPING * width, median + _MOST_DAMPING * width)
    believed = limit_growth(median, history.values) if recipe.growth_rule else median
    features = WidthFeatures.of(history, width, between)
    return ShortForecast(believed, features, failed, np.abs(median - believed))


def forecast_short(
    history: History,
    horizon: int,
    confidence: float,
    *,
    with_arima: bool,
    recipes: Recipes = RECIPES,
) -> Prediction:
    """Forecast a yearly, quarterly or monthly series (another is treated as monthly).

    Raises ValueError when no member is sound.
    """
    combined = combine_short(history, horizon, with_arima=with_arima, recipes=recipes)
    table = FACTORS_WITH_ARIMA if with_arima else FACTORS_LIGHT
    factors = table.get(history.frequency, table[Frequency.MONTHLY])
    wider = widening(len(history.values), history.frequency, with_arima=with_arima)
    half = half_widths(combined.features, factors, confidence, wider)
    # What the members say stays inside the 95 % interval, even on growth without any noise.
    half = np.maximum(half, combined.doubted * min(1.0, ndtri((1 + confidence) / 2) / ndtri(0.975)))
    half = np.maximum.accumulate(half)
    notices = tuple(
        f"{name} could not be fitted; the other members answered" for name in combined.failed
    )
    median = combined.median
    return Prediction(median - half, median, median + half, notices)
