"""The four models: which members, with which options, for short and for long series.

A new member is one line in the recipes that it takes part in.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from app.forecasting.calendar.frequency import Frequency
from app.forecasting.combination import middle, trimmed_mean
from app.forecasting.intervals.learned import LEARNED
from app.forecasting.members.adjusted_arima import ADJUSTED_ARIMA
from app.forecasting.members.arima import ARIMA, ARIMA_ON_LOGS
from app.forecasting.members.double_seasonal import DOUBLE_SEASONAL
from app.forecasting.members.exponential_smoothing import smoothing
from app.forecasting.members.harmonic_year import HARMONIC_YEAR
from app.forecasting.members.kinds import LongMember, ShortMember
from app.forecasting.members.logs import on_logs
from app.forecasting.members.on_calm import CALM_PROFILES, on_calm
from app.forecasting.members.profiles import LAST_YEAR, NAIVE, seasonal_profiles
from app.forecasting.members.ridge_designs import (
    dense_changes,
    dense_differences,
    few_changes,
    forgetting_changes,
    long_differences,
    plain_changes,
    plain_levels,
    quarter_changes,
    quarter_levels,
    ridge,
    seasonal_changes,
    seasonal_differences,
    seasonal_levels,
    seasonal_walk,
    sees_dense_lags,
    sees_long_differences,
    sees_year_of_weeks,
    without_calendar,
)
from app.forecasting.members.theta import THETA, THETA_ON_LOGS, THETA_WITHOUT_LOGS
from app.forecasting.models.long import LongRecipe, fit_long
from app.forecasting.models.robust import fit_robust
from app.forecasting.models.short import ShortRecipe, fit_short
from app.forecasting.types import Fit, History
from app.forecasting.young.blend import blend

# Short series: the recipes of model 2, which the other models vary.


def _members(smooth: ShortMember, theta: ShortMember = THETA) -> tuple[ShortMember, ...]:
    return (smooth, theta, THETA_ON_LOGS, on_logs(smooth))


YEARLY = ShortRecipe(
    members=_members(smoothing(loss_steps=1, averaged=8), THETA_WITHOUT_LOGS),
    combine=trimmed_mean,
    widths=LEARNED.without_arima[Frequency.YEARLY],
    own_widths=0.4,
    growth_rule=True,
)
QUARTERLY = ShortRecipe(
    members=_members(smoothing(loss_steps=1, averaged=8)),
    combine=trimmed_mean,
    widths=LEARNED.without_arima[Frequency.QUARTERLY],
    own_widths=0.4,
    ridge_share=0.3,
)
MONTHLY = ShortRecipe(
    members=_members(smoothing(loss_steps=6, averaged=25)),
    combine=middle,
    widths=LEARNED.without_arima[Frequency.MONTHLY],
    ridge_share=0.3,
    trend_kept=0.9,
)


def _short(
    yearly: ShortRecipe, quarterly: ShortRecipe, monthly: ShortRecipe
) -> dict[Frequency, ShortRecipe]:
    return {
        Frequency.YEARLY: yearly,
        Frequency.QUARTERLY: quarterly,
        Frequency.MONTHLY: monthly,
    }


def _with_arima(frequency: Frequency, recipe: ShortRecipe) -> ShortRecipe:
    return replace(
        recipe,
        members=(*recipe.members, ARIMA, ARIMA_ON_LOGS),
        widths=LEARNED.with_arima[frequency],
    )


# Long series: the recipes of model 2 (light) and model 3 (rich), each also for hours, which dense
# lags explain once six days have been seen, for days, where holidays are outliers and random walks
# have no season, and for weeks, whose changes the last quarter explains better than the year.

_LEVELLED, _NOT_LEVELLED = seasonal_profiles(levelled=True), seasonal_profiles(levelled=False)
_DIFFERENCES, _CHANGES = ridge(seasonal_differences, 0.3), ridge(seasonal_changes, 0.3)
_YEAR_OF_WEEKS = (ridge(forgetting_changes, 0.3, suits=sees_year_of_weeks), LAST_YEAR)
_WEEKS = (
    ridge(few_changes, 0.3),
    ridge(quarter_changes, 1.0),
    ridge(quarter_levels, 0.1, suits=sees_year_of_weeks),
    *_YEAR_OF_WEEKS,
)
_CALM = on_calm(ridge(seasonal_levels, 0.3), _DIFFERENCES, DOUBLE_SEASONAL)
_LIGHT = (
    NAIVE,
    DOUBLE_SEASONAL,
    ridge(seasonal_levels, 0.1),
    _DIFFERENCES,
    _CHANGES,
    HARMONIC_YEAR,
)
_RICH = (
    NAIVE,
    DOUBLE_SEASONAL,
    ridge(seasonal_levels, 0.03, 0.3),
    _DIFFERENCES,
    _CHANGES,
    ridge(seasonal_walk, 3.0),
    HARMONIC_YEAR,
)
_LONG_DIFFERENCES = ridge(long_differences, 1.0, suits=sees_long_differences)

LIGHT = LongRecipe(
    seasonal=(*_LIGHT, _LEVELLED),
    plain=(
        NAIVE,
        ridge(plain_levels, 0.3),
        ridge(plain_changes, 0.3),
        ridge(few_changes, 0.3),
        *_YEAR_OF_WEEKS,
    ),
)
RICH = LongRecipe(
    seasonal=(*_RICH, _LONG_DIFFERENCES, _LEVELLED),
    plain=(
        NAIVE,
        ridge(plain_levels, 0.1, 1.0),
        ridge(plain_changes, 0.1, 1.0),
        ridge(few_changes, 0.3),
    ),
)


def _by_lags(sparse: LongRecipe, *dense: LongMember) -> LongRecipe:
    """The sparse recipe, with the dense members instead of its own once they can be learned."""

    def few(member: LongMember) -> LongMember:
        return replace(member, suits=lambda task: member.suits(task) and not sees_dense_lags(task))

    many = (replace(member, suits=sees_dense_lags) for member in dense)
    return replace(sparse, seasonal=(*map(few, sparse.seasonal), *many))


_DENSE = (
    NAIVE,
    DOUBLE_SEASONAL,
    ridge(dense_differences, 0.03),
    ridge(dense_changes, 0.03),
    ridge(seasonal_changes, 0.03),
    _LEVELLED,
)
LIGHT_HOURS = _by_lags(LIGHT, *_DENSE)
RICH_HOURS = _by_lags(
    RICH,
    *_DENSE,
    ridge(without_calendar(dense_differences), 0.03),
    ridge(without_calendar(dense_changes), 0.03),
)
LIGHT_WEEKS = replace(
    LIGHT, plain=(NAIVE, ridge(plain_levels, 0.3), *_WEEKS), origins=12, step=4, usual_leads=13
)
RICH_WEEKS = replace(
    RICH, plain=(NAIVE, ridge(plain_levels, 0.1, 1.0), *_WEEKS), origins=12, step=4, usual_leads=13
)
LIGHT_DAYS = replace(
    LIGHT, seasonal=(*_LIGHT, _NOT_LEVELLED), spread_out=True, power=6.0, usual_leads=14
)
RICH_DAYS = replace(
    RICH,
    seasonal=(*_RICH, _CALM, _LONG_DIFFERENCES, _NOT_LEVELLED),
    spread_out=True,
    power=6.0,
)


def _with_calm(recipes: dict[Frequency, LongRecipe]) -> dict[Frequency, LongRecipe]:
    return {
        of: replace(recipe, seasonal=(*recipe.seasonal, CALM_PROFILES))
        for of, recipe in recipes.items()
    }


LIGHT_BY_FREQUENCY = _with_calm(
    {
        Frequency.SECONDS: LIGHT,
        Frequency.MINUTES: LIGHT,
        Frequency.HOURS: LIGHT_HOURS,
        Frequency.DAILY: LIGHT_DAYS,
        Frequency.WEEKLY: LIGHT_WEEKS,
    }
)
RICH_BY_FREQUENCY = _with_calm(
    {
        Frequency.SECONDS: RICH,
        Frequency.MINUTES: RICH,
        Frequency.HOURS: RICH_HOURS,
        Frequency.DAILY: RICH_DAYS,
        Frequency.WEEKLY: RICH_WEEKS,
    }
)

_ROBUST = replace(LIGHT, power=6.0)
ROBUST_BY_FREQUENCY = {
    Frequency.SECONDS: _ROBUST,
    Frequency.MINUTES: _ROBUST,
    Frequency.HOURS: _ROBUST,
    Frequency.DAILY: replace(_ROBUST, usual_leads=14, spread_out=True),
    Frequency.WEEKLY: replace(_ROBUST, origins=12, step=4, usual_leads=13),
}


def _and_arima(recipe: LongRecipe) -> LongRecipe:
    return replace(
        recipe,
        seasonal=(*recipe.seasonal, ADJUSTED_ARIMA),
        plain=(*recipe.plain, ADJUSTED_ARIMA),
    )


@dataclass(frozen=True)
class Model:
    """One model: a recipe for each frequency, and how the recipes of long series are followed."""

    short: Mapping[Frequency, ShortRecipe]
    long: Mapping[Frequency, LongRecipe]
    fit_long: Callable[[History, int, LongRecipe], Fit] = fit_long

    def fit(self, history: History, horizon: int) -> Fit:
        """Fit the members, of a young series with a share of the prior's.

        Raises ValueError if no member fits.
        """
        return blend(history, self.fit_members(history, horizon))

    def fit_members(self, history: History, horizon: int) -> Fit:
        """Follow the recipe of the history's frequency; raises ValueError if nothing fits."""
        recipe = self.short.get(history.frequency)
        if recipe is not None:
            return fit_short(history, horizon, recipe)
        return self.fit_long(history, horizon, self.long[history.frequency])


MODELS: dict[str, Model] = {
    # General purpose: with ARIMA (pmdarima).
    "forecast-model-1": Model(
        short=_short(
            _with_arima(Frequency.YEARLY, YEARLY),
            _with_arima(Frequency.QUARTERLY, QUARTERLY),
            _with_arima(Frequency.MONTHLY, MONTHLY),
        ),
        long={of: _and_arima(recipe) for of, recipe in RICH_BY_FREQUENCY.items()},
    ),
    # Light and trend-focused, in milliseconds.
    "forecast-model-2": Model(
        short=_short(YEARLY, QUARTERLY, MONTHLY),
        long=LIGHT_BY_FREQUENCY,
    ),
    # Several seasonalities and long horizons: ridge autoregression, which sees seasons best, has
    # half the weight; without a season, smoothing averages fewer parameter sets.
    "forecast-model-3": Model(
        short=_short(
            replace(
                YEARLY,
                members=_members(smoothing(loss_steps=1, averaged=4), THETA_WITHOUT_LOGS),
            ),
            replace(QUARTERLY, ridge_share=0.5),
            replace(MONTHLY, ridge_share=0.5),
        ),
        long=RICH_BY_FREQUENCY,
    ),
    # High variance: gross outliers are pulled in, members combined by their middle, smoothing by
    # more of its parameter sets, and ridge, which one wild cycle can distort, has less weight. On
    # disturbed long series a few members are far better than the rest.
    "forecast-model-4": Model(
        short=_short(
            replace(
                YEARLY,
                members=_members(smoothing(loss_steps=1, averaged=16), THETA_WITHOUT_LOGS),
                combine=middle,
                cleaned=True,
            ),
            replace(QUARTERLY, combine=middle, ridge_share=0.2, cleaned=True),
            replace(MONTHLY, ridge_share=0.2, cleaned=True),
        ),
        long=ROBUST_BY_FREQUENCY,
        fit_long=fit_robust,
    ),
}

# For any frequency whose own recipe failed; intervals of months, not widened after few points.
FALLBACK = replace(
    MONTHLY, widths=replace(MONTHLY.widths, exponents=np.zeros_like(MONTHLY.widths.exponents))
)


def fit_simply(history: History, horizon: int) -> Fit:
    """Exponential smoothing with theta, whatever the frequency; raises ValueError if none fits."""
    recipe = MODELS["forecast-model-2"].short.get(history.frequency, FALLBACK)
    return fit_short(history, horizon, recipe)
