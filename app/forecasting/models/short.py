"""The recipes for yearly, quarterly and monthly series, which models 1 and 2 share.

Theta, exponential smoothing and (model 1) ARIMA on raw values and on logarithms; the mean without
the lowest and the highest at each step, mixed with ridge autoregression where there is a season.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np

from app.forecasting.combination import on_logs, run_members, spread, trimmed_mean
from app.forecasting.frequency import Frequency
from app.forecasting.growth import limit_growth
from app.forecasting.intervals.quantile_factors import (
    WidthFeatures,
    half_widths,
    seasonal_change,
)
from app.forecasting.members.arima import arima, arima_by_least_squares
from app.forecasting.members.exponential_smoothing import grid_smoothing
from app.forecasting.members.ridge import ridge_autoregression
from app.forecasting.members.theta import dynamic_theta
from app.forecasting.types import FloatArray, History, Member, MemberForecast, Prediction

# Logarithms of a series that spans more than this ratio follow its smallest values, not it.
_LARGEST_LOG_RATIO = 1e4


@dataclass(frozen=True)
class Recipe:
    """What one frequency needs: how smoothing is judged and averaged, and the share of ridge."""

    loss_steps: int
    averaged: int
    ridge_share: float
    growth_rule: bool


RECIPES: dict[Frequency, Recipe] = {
    Frequency.YEARLY: Recipe(loss_steps=1, averaged=8, ridge_share=0.0, growth_rule=True),
    Frequency.QUARTERLY: Recipe(loss_steps=1, averaged=8, ridge_share=0.3, growth_rule=False),
    Frequency.MONTHLY: Recipe(loss_steps=6, averaged=25, ridge_share=0.3, growth_rule=False),
}
_WIDTH_MEMBERS = ("theta", "ARIMA")


def _members(history: History, recipe: Recipe, *, with_arima: bool) -> dict[str, Member]:
    smoothing = partial(grid_smoothing, loss_steps=recipe.loss_steps, averaged=recipe.averaged)
    members: dict[str, Member] = {"theta": dynamic_theta, "exponential smoothing": smoothing}
    if with_arima:
        members["ARIMA"] = arima
    values = history.values
    if values.min() > 0 and values.max() / values.min() < _LARGEST_LOG_RATIO:
        members["theta on logs"] = on_logs(partial(dynamic_theta, multiplicative=False))
        members["exponential smoothing on logs"] = on_logs(smoothing)
        if with_arima:
            members["ARIMA on logs"] = on_logs(arima_by_least_squares)
    return members


def _pooled_width(forecasts: dict[str, MemberForecast], between: FloatArray) -> FloatArray:
    """Members' standard errors and their spread as independent parts of one variance."""
    own = [
        forecast.width
        for name in _WIDTH_MEMBERS
        if (forecast := forecasts.get(name)) is not None and forecast.width is not None
    ]
    smoothing = forecasts.get("exponential smoothing")
    parts = [np.mean(own, axis=0)] if own else []
    if smoothing is not None and smoothing.width is not None:
        parts.append(smoothing.width)
    pooled = np.mean(parts, axis=0) if parts else np.zeros(len(between))
    return np.asarray(np.sqrt(pooled**2 + between**2))


def forecast_short(
    history: History, horizon: int, confidence: float, *, with_arima: bool
) -> Prediction:
    """Forecast a yearly, quarterly or monthly series (another is treated as monthly).

    Raises ValueError when no member is sound.
    """
    recipe = RECIPES.get(history.frequency, RECIPES[Frequency.MONTHLY])
    period = history.periods[0] if history.periods else 1
    forecasts, failed = run_members(
        _members(history, recipe, with_arima=with_arima), history, horizon
    )
    if not forecasts:
        raise ValueError("no member could be fitted")
    medians = [forecast.median for forecast in forecasts.values()]
    median, between = trimmed_mean(medians), spread(medians)
    if recipe.ridge_share:
        ridge, ridge_failed = run_members({"ridge": ridge_autoregression}, history, horizon)
        failed += ridge_failed
        for forecast in ridge.values():
            median = (1 - recipe.ridge_share) * median + recipe.ridge_share * forecast.median
    if recipe.growth_rule:
        median = limit_growth(median, history.values)
    features = WidthFeatures(
        _pooled_width(forecasts, between), between, seasonal_change(history.values, period)
    )
    half = half_widths(features, history.frequency, confidence)
    notices = tuple(f"{name} could not be fitted; the other members answered" for name in failed)
    return Prediction(median - half, median, median + half, notices)
