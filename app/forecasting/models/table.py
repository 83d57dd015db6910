"""The four models: which members forecast which frequency, and how they are combined.

One row for each model and frequency; ``make members`` prints the members into
``docs/developing/engine.md``. A new member is one word in each row that it takes part in.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

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

# All others, with a season that has recurred often: light as models 2 and 4 forecast them, rich as
# 1 and 3.
LIGHT = m.Members(
    (
        NAIVE,
        DOUBLE_SEASONAL,
        m.LEVELS,
        m.DIFFERENCES,
        m.CHANGES,
        HARMONIC_YEAR,
        m.PROFILES,
        CLIPPED_PROFILES,
    )
)
ROBUST = LIGHT.without(CLIPPED_PROFILES)
RICH = (
    LIGHT.replace(m.LEVELS, m.LEVELS_TWICE)
    .replace(m.CHANGES, m.CHANGES, m.WALK)
    .replace(HARMONIC_YEAR, HARMONIC_YEAR, m.LONG_DIFFERENCES)
)
LIGHT_HOURS = LIGHT.replace(HARMONIC_YEAR, *m.DENSE).until_dense(m.LEVELS, m.DIFFERENCES, m.CHANGES)
RICH_HOURS = (
    RICH.without(HARMONIC_YEAR)
    .replace(m.LONG_DIFFERENCES, m.LONG_DIFFERENCES, *m.DENSE)
    .replace(m.PROFILES, m.PROFILES, m.LAGS_OF_DIFFERENCES, m.LAGS_OF_CHANGES)
    .until_dense(m.LEVELS_TWICE, m.DIFFERENCES, m.CHANGES, m.WALK, m.LONG_DIFFERENCES)
)
LIGHT_DAYS = LIGHT.replace(m.PROFILES, m.PROFILES_OF_DAYS)
RICH_DAYS = RICH.replace(HARMONIC_YEAR, HARMONIC_YEAR, m.ON_CLIPPED).replace(
    m.PROFILES, m.PROFILES_OF_DAYS
)
LIGHT_WEEKS = LIGHT.without(HARMONIC_YEAR)
RICH_WEEKS = RICH.without(HARMONIC_YEAR)

# Without a season, or with a year of weeks.
LIGHT_PLAIN = m.Members(
    (NAIVE, m.PLAIN_LEVELS, m.PLAIN_CHANGES, m.FEW_CHANGES, m.FORGETTING_CHANGES, LAST_YEAR)
)
RICH_PLAIN = (
    LIGHT_PLAIN.without(m.FORGETTING_CHANGES, LAST_YEAR)
    .replace(m.PLAIN_LEVELS, m.PLAIN_LEVELS_TWICE)
    .replace(m.PLAIN_CHANGES, m.PLAIN_CHANGES_TWICE)
)
LIGHT_YEAR = LIGHT_PLAIN.without(m.PLAIN_CHANGES).replace(
    m.FEW_CHANGES, m.FEW_CHANGES, m.QUARTER_CHANGES, m.QUARTER_LEVELS
)
RICH_YEAR = LIGHT_YEAR.replace(m.PLAIN_LEVELS, m.PLAIN_LEVELS_TWICE)


def _long_recipes(
    seasonal: m.Members,
    plain: m.Members,
    *,
    hours: m.Members,
    days: m.Members,
    weeks: m.Members,
    year: m.Members,
) -> dict[Frequency, LongRecipe]:
    """Return the recipes of one model: members by frequency, and where these are measured."""
    return {
        Frequency.SECONDS: LongRecipe(seasonal, plain),
        Frequency.MINUTES: LongRecipe(seasonal, plain),
        Frequency.HOURS: LongRecipe(hours, plain),
        # At origins all over the second half of the history.
        Frequency.DAILY: LongRecipe(days, plain, spread_out=True, power=6.0, pooled_leads=21),
        # At origins a month apart.
        Frequency.WEEKLY: LongRecipe(weeks, year, origins=12, step=4, pooled_leads=13),
    }


LIGHT_RECIPES = _long_recipes(
    LIGHT, LIGHT_PLAIN, hours=LIGHT_HOURS, days=LIGHT_DAYS, weeks=LIGHT_WEEKS, year=LIGHT_YEAR
)
RICH_RECIPES = _long_recipes(
    RICH, RICH_PLAIN, hours=RICH_HOURS, days=RICH_DAYS, weeks=RICH_WEEKS, year=RICH_YEAR
)
ROBUST_RECIPES = _long_recipes(
    ROBUST, LIGHT_PLAIN, hours=ROBUST, days=ROBUST, weeks=ROBUST, year=LIGHT_PLAIN
)


@dataclass(frozen=True)
class Model:
    """One model: a recipe for each frequency, and the function that fits the long ones."""

    short: Mapping[Frequency, ShortRecipe]
    long: Mapping[Frequency, LongRecipe]
    fit_long: Callable[[History, int, LongRecipe], Fit] = fit_long

    def fit(self, history: History, horizon: int) -> Fit:
        """Fit the members, and mix in the prior for a young series.

        Raises:
            ValueError: No member could be fitted.
        """
        if is_in_second_year(history):
            fitted = self.fit_members(history, whole_week_steps(horizon))
            return shift_weeks(history, fitted).first(horizon)
        return blend(history, self.fit_members(history, horizon))

    def fit_members(self, history: History, horizon: int) -> Fit:
        """Fit the recipe of the history's frequency; raises ValueError if no member fits."""
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
            frequency: replace(
                recipe,
                seasonal=(*recipe.seasonal, ADJUSTED_ARIMA),
                plain=(*recipe.plain, ADJUSTED_ARIMA),
            )
            for frequency, recipe in RICH_RECIPES.items()
        },
    ),
    # Light and trend-focused, in milliseconds.
    "forecast-model-2": Model(SHORT, LIGHT_RECIPES),
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
        long=RICH_RECIPES,
    ),
    # High variance: gross outliers are clipped, members combined by their median, smoothing by more
    # parameter sets, and ridge, which one wild cycle can distort, has less weight. On disturbed
    # long series a few members are far better than the rest.
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
            frequency: replace(recipe, power=6.0) for frequency, recipe in ROBUST_RECIPES.items()
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
    """Fit exponential smoothing and theta at any frequency; raises ValueError if none fits."""
    recipe = SHORT.get(history.frequency, FALLBACK)
    return fit_short(history, horizon, recipe)
