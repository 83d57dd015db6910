"""The four models: which members forecast which frequency, and how they are combined.

One row for each model and frequency; ``make members`` prints the members into
``docs/developing/engine.md``. A new member is one word in each row that it takes part in.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from app.forecasting.combination import member_median, trimmed_mean
from app.forecasting.intervals.learned import LEARNED
from app.forecasting.members.adjusted_arima import ADJUSTED_ARIMA
from app.forecasting.members.arima import ARIMA, ARIMA_ON_LOGS
from app.forecasting.members.double_seasonal import DOUBLE_SEASONAL
from app.forecasting.members.harmonic_year import HARMONIC_YEAR
from app.forecasting.members.on_clipped import CLIPPED_PROFILES
from app.forecasting.members.profiles import LAST_YEAR, NAIVE
from app.forecasting.members.theta import THETA, THETA_ON_LOGS, THETA_WITHOUT_LOGS
from app.forecasting.models import members as m
from app.forecasting.models.long import LongRecipe, fit_long
from app.forecasting.models.robust import fit_robust
from app.forecasting.models.short import ShortRecipe, fit_short
from app.forecasting.types import Fit
from app.forecasting.young.blend import blend
from app.forecasting.young.first_years import is_in_second_year, shift_weeks, whole_week_steps
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.types import History

# Yearly, quarterly and monthly series, as model 2 forecasts them.

SHORT: Mapping[Frequency, ShortRecipe] = {
    Frequency.YEARLY: ShortRecipe(
        (m.SMOOTHING_BY_8, THETA_WITHOUT_LOGS, THETA_ON_LOGS, m.LOGS_BY_8),
        combine=trimmed_mean,
        widths=LEARNED.without_arima[Frequency.YEARLY],
        own_widths=0.4,
        growth_rule=True,
    ),
    Frequency.QUARTERLY: ShortRecipe(
        (m.SMOOTHING_BY_8, THETA, THETA_ON_LOGS, m.LOGS_BY_8),
        combine=trimmed_mean,
        widths=LEARNED.without_arima[Frequency.QUARTERLY],
        own_widths=0.4,
        ridge_weight=0.3,
    ),
    Frequency.MONTHLY: ShortRecipe(
        (m.SMOOTHING_OF_MONTHS, THETA, THETA_ON_LOGS, m.LOGS_OF_MONTHS),
        combine=member_median,
        widths=LEARNED.without_arima[Frequency.MONTHLY],
        ridge_weight=0.3,
        trend_kept=0.9,
    ),
}

# All others, with a season that was often seen: light as models 2 and 4 forecast them, rich as 1
# and 3.
LIGHT = (
    NAIVE,
    DOUBLE_SEASONAL,
    m.LEVELS,
    m.DIFFERENCES,
    m.CHANGES,
    HARMONIC_YEAR,
    m.PROFILES,
    CLIPPED_PROFILES,
)
LIGHT_HOURS = (
    NAIVE,
    DOUBLE_SEASONAL,
    *m.until_dense(m.LEVELS, m.DIFFERENCES, m.CHANGES),
    m.DENSE_DIFFERENCES,
    m.DENSE_CHANGES,
    m.CHANGES_BESIDE_DENSE,
    m.PROFILES,
    CLIPPED_PROFILES,
)
LIGHT_DAYS = (
    NAIVE,
    DOUBLE_SEASONAL,
    m.LEVELS,
    m.DIFFERENCES,
    m.CHANGES,
    HARMONIC_YEAR,
    m.PROFILES_OF_DAYS,
    CLIPPED_PROFILES,
)
LIGHT_WEEKS = (
    NAIVE,
    DOUBLE_SEASONAL,
    m.LEVELS,
    m.DIFFERENCES,
    m.CHANGES,
    m.PROFILES,
    CLIPPED_PROFILES,
)
ROBUST = (
    NAIVE,
    DOUBLE_SEASONAL,
    m.LEVELS,
    m.DIFFERENCES,
    m.CHANGES,
    HARMONIC_YEAR,
    m.PROFILES,
)
RICH = (
    NAIVE,
    DOUBLE_SEASONAL,
    m.LEVELS_TWICE,
    m.DIFFERENCES,
    m.CHANGES,
    m.WALK,
    HARMONIC_YEAR,
    m.LONG_DIFFERENCES,
    m.PROFILES,
    CLIPPED_PROFILES,
)
RICH_HOURS = (
    NAIVE,
    DOUBLE_SEASONAL,
    *m.until_dense(m.LEVELS_TWICE, m.DIFFERENCES, m.CHANGES, m.WALK, m.LONG_DIFFERENCES),
    m.DENSE_DIFFERENCES,
    m.DENSE_CHANGES,
    m.CHANGES_BESIDE_DENSE,
    m.PROFILES,
    m.LAGS_OF_DIFFERENCES,
    m.LAGS_OF_CHANGES,
    CLIPPED_PROFILES,
)
RICH_DAYS = (
    NAIVE,
    DOUBLE_SEASONAL,
    m.LEVELS_TWICE,
    m.DIFFERENCES,
    m.CHANGES,
    m.WALK,
    HARMONIC_YEAR,
    m.ON_CLIPPED,
    m.LONG_DIFFERENCES,
    m.PROFILES_OF_DAYS,
    CLIPPED_PROFILES,
)
RICH_WEEKS = (
    NAIVE,
    DOUBLE_SEASONAL,
    m.LEVELS_TWICE,
    m.DIFFERENCES,
    m.CHANGES,
    m.WALK,
    m.LONG_DIFFERENCES,
    m.PROFILES,
    CLIPPED_PROFILES,
)

# Without a season, or with a year of weeks.
LIGHT_PLAIN = (
    NAIVE,
    m.PLAIN_LEVELS,
    m.PLAIN_CHANGES,
    m.FEW_CHANGES,
    m.FORGETTING_CHANGES,
    LAST_YEAR,
)
RICH_PLAIN = (
    NAIVE,
    m.PLAIN_LEVELS_TWICE,
    m.PLAIN_CHANGES_TWICE,
    m.FEW_CHANGES,
)
LIGHT_YEAR = (
    NAIVE,
    m.PLAIN_LEVELS,
    m.FEW_CHANGES,
    m.QUARTER_CHANGES,
    m.QUARTER_LEVELS,
    m.FORGETTING_CHANGES,
    LAST_YEAR,
)
RICH_YEAR = (
    NAIVE,
    m.PLAIN_LEVELS_TWICE,
    m.FEW_CHANGES,
    m.QUARTER_CHANGES,
    m.QUARTER_LEVELS,
    m.FORGETTING_CHANGES,
    LAST_YEAR,
)

# The windows that members are measured in: of days all over the second half of the history, of
# weeks a month apart.
DAILY_RECIPE = partial(LongRecipe, spread_out=True, power=6.0, pooled_leads=21)
WEEKLY_RECIPE = partial(LongRecipe, origins=12, step=4, pooled_leads=13)


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
        if is_in_second_year(history):
            found = self.fit_members(history, whole_week_steps(horizon))
            return shift_weeks(history, found).first(horizon)
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
        short={
            frequency: replace(
                recipe,
                members=(*recipe.members, ARIMA, ARIMA_ON_LOGS),
                widths=LEARNED.with_arima[frequency],
            )
            for frequency, recipe in SHORT.items()
        },
        long={
            Frequency.SECONDS: LongRecipe((*RICH, ADJUSTED_ARIMA), (*RICH_PLAIN, ADJUSTED_ARIMA)),
            Frequency.MINUTES: LongRecipe((*RICH, ADJUSTED_ARIMA), (*RICH_PLAIN, ADJUSTED_ARIMA)),
            Frequency.HOURS: LongRecipe(
                (*RICH_HOURS, ADJUSTED_ARIMA), (*RICH_PLAIN, ADJUSTED_ARIMA)
            ),
            Frequency.DAILY: DAILY_RECIPE(
                (*RICH_DAYS, ADJUSTED_ARIMA), (*RICH_PLAIN, ADJUSTED_ARIMA)
            ),
            Frequency.WEEKLY: WEEKLY_RECIPE(
                (*RICH_WEEKS, ADJUSTED_ARIMA), (*RICH_YEAR, ADJUSTED_ARIMA)
            ),
        },
    ),
    # Light and trend-focused, in milliseconds.
    "forecast-model-2": Model(
        short=SHORT,
        long={
            Frequency.SECONDS: LongRecipe(LIGHT, LIGHT_PLAIN),
            Frequency.MINUTES: LongRecipe(LIGHT, LIGHT_PLAIN),
            Frequency.HOURS: LongRecipe(LIGHT_HOURS, LIGHT_PLAIN),
            Frequency.DAILY: DAILY_RECIPE(LIGHT_DAYS, LIGHT_PLAIN),
            Frequency.WEEKLY: WEEKLY_RECIPE(LIGHT_WEEKS, LIGHT_YEAR),
        },
    ),
    # Several seasonalities and long horizons: ridge autoregression, which sees seasons best, has
    # half the weight; without a season, smoothing averages fewer parameter sets.
    "forecast-model-3": Model(
        short={
            Frequency.YEARLY: replace(
                SHORT[Frequency.YEARLY],
                members=(m.SMOOTHING_BY_4, THETA_WITHOUT_LOGS, THETA_ON_LOGS, m.LOGS_BY_4),
            ),
            Frequency.QUARTERLY: replace(SHORT[Frequency.QUARTERLY], ridge_weight=0.5),
            Frequency.MONTHLY: replace(SHORT[Frequency.MONTHLY], ridge_weight=0.5),
        },
        long={
            Frequency.SECONDS: LongRecipe(RICH, RICH_PLAIN),
            Frequency.MINUTES: LongRecipe(RICH, RICH_PLAIN),
            Frequency.HOURS: LongRecipe(RICH_HOURS, RICH_PLAIN),
            Frequency.DAILY: DAILY_RECIPE(RICH_DAYS, RICH_PLAIN),
            Frequency.WEEKLY: WEEKLY_RECIPE(RICH_WEEKS, RICH_YEAR),
        },
    ),
    # High variance: gross outliers are pulled in, members combined by their middle, smoothing by
    # more of its parameter sets, and ridge, which one wild cycle can distort, has less weight. On
    # disturbed long series a few members are far better than the rest.
    "forecast-model-4": Model(
        short={
            Frequency.YEARLY: replace(
                SHORT[Frequency.YEARLY],
                members=(m.SMOOTHING_BY_16, THETA_WITHOUT_LOGS, THETA_ON_LOGS, m.LOGS_BY_16),
                combine=member_median,
                cleaned=True,
            ),
            Frequency.QUARTERLY: replace(
                SHORT[Frequency.QUARTERLY], combine=member_median, ridge_weight=0.2, cleaned=True
            ),
            Frequency.MONTHLY: replace(SHORT[Frequency.MONTHLY], ridge_weight=0.2, cleaned=True),
        },
        long={
            Frequency.SECONDS: LongRecipe(ROBUST, LIGHT_PLAIN, power=6.0),
            Frequency.MINUTES: LongRecipe(ROBUST, LIGHT_PLAIN, power=6.0),
            Frequency.HOURS: LongRecipe(ROBUST, LIGHT_PLAIN, power=6.0),
            Frequency.DAILY: DAILY_RECIPE(ROBUST, LIGHT_PLAIN),
            Frequency.WEEKLY: WEEKLY_RECIPE(ROBUST, LIGHT_PLAIN, power=6.0),
        },
        fit_long=fit_robust,
    ),
}

# For any frequency whose own recipe failed; intervals of months, not widened after few points.
_MONTHLY = SHORT[Frequency.MONTHLY]
FALLBACK = replace(
    _MONTHLY, widths=replace(_MONTHLY.widths, exponents=np.zeros_like(_MONTHLY.widths.exponents))
)


def fit_simple_model(history: History, horizon: int) -> Fit:
    """Exponential smoothing with theta, whatever the frequency; raises ValueError if none fits."""
    recipe = SHORT.get(history.frequency, FALLBACK)
    return fit_short(history, horizon, recipe)
