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
from app.forecasting.models import members
from app.forecasting.models.high_frequency import HighFrequencyRecipe, fit_high_frequency
from app.forecasting.models.low_frequency import LowFrequencyRecipe, fit_low_frequency
from app.forecasting.models.robust import fit_robust
from app.forecasting.types import ForecastDistribution
from app.forecasting.young.blend import blend
from app.forecasting.young.first_years import is_in_second_year, shift_weeks, whole_week_steps
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History

# Yearly, quarterly and monthly series, as model 2 forecasts them.

_LOW_FREQUENCY: Mapping[Frequency, LowFrequencyRecipe] = {
    Frequency.YEARLY: LowFrequencyRecipe(
        (members.SMOOTHING_BY_8, THETA_WITHOUT_LOGS, THETA_ON_LOGS, members.LOGS_BY_8),
        combine=trimmed_mean,
        widths=LEARNED.without_arima[Frequency.YEARLY],
        max_member_width_weight=0.4,
        has_growth_limit=True,
    ),
    Frequency.QUARTERLY: LowFrequencyRecipe(
        (members.SMOOTHING_BY_8, THETA, members.LOGS_BY_8),
        combine=trimmed_mean,
        widths=LEARNED.without_arima[Frequency.QUARTERLY],
        max_member_width_weight=0.4,
        ridge_weight=0.3,
    ),
    Frequency.MONTHLY: LowFrequencyRecipe(
        (members.SMOOTHING_OF_MONTHS, THETA, members.LOGS_OF_MONTHS),
        combine=member_median,
        widths=LEARNED.without_arima[Frequency.MONTHLY],
        ridge_weight=0.3,
        trend_kept=0.9,
    ),
}

# All others, with a season that has recurred often: light for models 2 and 4, rich for 1 and 3.
_LIGHT = members.Members(
    (
        NAIVE,
        DOUBLE_SEASONAL,
        members.LEVELS,
        members.DIFFERENCES,
        members.CHANGES,
        HARMONIC_YEAR,
        members.PROFILES,
        CLIPPED_PROFILES,
    )
)
_ROBUST = _LIGHT.without(CLIPPED_PROFILES)
_RICH = _LIGHT.replace(members.LEVELS, members.LEVELS_TWICE).after(members.CHANGES, members.WALK)
_LIGHT_HOURS = _LIGHT.replace(HARMONIC_YEAR, *members.DENSE).until_dense(
    members.LEVELS, members.DIFFERENCES, members.CHANGES
)
_RICH_HOURS = (
    _RICH.replace(HARMONIC_YEAR, *members.DENSE)
    .after(members.PROFILES, members.LAGS_OF_DIFFERENCES, members.LAGS_OF_CHANGES)
    .until_dense(members.LEVELS_TWICE, members.DIFFERENCES, members.CHANGES, members.WALK)
)
_LIGHT_DAYS = _LIGHT.replace(members.PROFILES, members.PROFILES_OF_DAYS)
_RICH_DAYS = (
    _RICH.without(members.CHANGES)
    .after(HARMONIC_YEAR, members.ON_CLIPPED)
    .replace(members.PROFILES, members.PROFILES_OF_DAYS)
)
_LIGHT_WEEKS = _LIGHT.without(HARMONIC_YEAR)
_RICH_WEEKS = _RICH.without(HARMONIC_YEAR)

# Without a season, or with a year of weeks.
_LIGHT_PLAIN = members.Members(
    (
        NAIVE,
        members.PLAIN_LEVELS,
        members.PLAIN_CHANGES,
        members.FEW_CHANGES,
        members.FORGETTING_CHANGES,
        LAST_YEAR,
    )
)
_RICH_PLAIN = (
    _LIGHT_PLAIN.without(members.FORGETTING_CHANGES, LAST_YEAR)
    .replace(members.PLAIN_LEVELS, members.PLAIN_LEVELS_TWICE)
    .replace(members.PLAIN_CHANGES, members.PLAIN_CHANGES_TWICE)
)
_LIGHT_YEAR = _LIGHT_PLAIN.without(members.PLAIN_CHANGES).after(
    members.FEW_CHANGES, members.QUARTER_CHANGES, members.QUARTER_LEVELS
)
_RICH_YEAR = _LIGHT_YEAR.replace(members.PLAIN_LEVELS, members.PLAIN_LEVELS_TWICE)


def _long_recipes(
    seasonal: members.Members,
    plain: members.Members,
    *,
    hours: members.Members,
    days: members.Members,
    weeks: members.Members,
    year: members.Members,
) -> dict[Frequency, HighFrequencyRecipe]:
    """Return the recipes of one model: members by frequency, and where these are measured."""
    return {
        Frequency.SECONDS: HighFrequencyRecipe(seasonal, plain),
        Frequency.MINUTES: HighFrequencyRecipe(seasonal, plain),
        Frequency.HOURS: HighFrequencyRecipe(hours, plain),
        # At origins all over the second half of the history.
        Frequency.DAILY: HighFrequencyRecipe(
            days, plain, has_spread_origins=True, power=6.0, pooled_leads=21
        ),
        # At origins a month apart.
        Frequency.WEEKLY: HighFrequencyRecipe(weeks, year, origins=12, step=4, pooled_leads=13),
    }


_LIGHT_RECIPES = _long_recipes(
    _LIGHT, _LIGHT_PLAIN, hours=_LIGHT_HOURS, days=_LIGHT_DAYS, weeks=_LIGHT_WEEKS, year=_LIGHT_YEAR
)
_RICH_RECIPES = _long_recipes(
    _RICH, _RICH_PLAIN, hours=_RICH_HOURS, days=_RICH_DAYS, weeks=_RICH_WEEKS, year=_RICH_YEAR
)
_ROBUST_RECIPES = _long_recipes(
    _ROBUST, _LIGHT_PLAIN, hours=_ROBUST, days=_ROBUST, weeks=_ROBUST, year=_LIGHT_PLAIN
)


@dataclass(frozen=True)
class Model:
    """One model: a recipe for each frequency, and the function for high frequencies."""

    low_frequency: Mapping[Frequency, LowFrequencyRecipe]
    high_frequency: Mapping[Frequency, HighFrequencyRecipe]
    high_frequency_fitter: Callable[[History, int, HighFrequencyRecipe], ForecastDistribution] = (
        fit_high_frequency
    )

    def fit(self, history: History, horizon: int) -> ForecastDistribution:
        """Fit the members, and mix in the prior for a young series.

        Raises:
            ValueError: No member could be fitted.
        """
        if is_in_second_year(history):
            fitted = self.fit_members(history, whole_week_steps(horizon))
            return shift_weeks(history, fitted).first_steps(horizon)
        return blend(history, self.fit_members(history, horizon))

    def fit_members(self, history: History, horizon: int) -> ForecastDistribution:
        """Fit the recipe of the history's frequency; raises ValueError if no member fits."""
        recipe = self.low_frequency.get(history.frequency)
        if recipe is not None:
            return fit_low_frequency(history, horizon, recipe)
        return self.high_frequency_fitter(history, horizon, self.high_frequency[history.frequency])


MODELS: dict[str, Model] = {
    # General purpose: with ARIMA (pmdarima).
    "forecast-model-1": Model(
        low_frequency={
            frequency: replace(
                recipe,
                members=(*recipe.members, ARIMA, ARIMA_ON_LOGS),
                widths=LEARNED.with_arima[frequency],
            )
            for frequency, recipe in _LOW_FREQUENCY.items()
        },
        high_frequency={
            frequency: replace(
                recipe,
                seasonal=(*recipe.seasonal, ADJUSTED_ARIMA),
                plain=(*recipe.plain, ADJUSTED_ARIMA),
            )
            for frequency, recipe in _RICH_RECIPES.items()
        },
    ),
    # Light and trend-focused, in milliseconds.
    "forecast-model-2": Model(_LOW_FREQUENCY, _LIGHT_RECIPES),
    # Several seasonalities and long horizons: ridge autoregression, which sees seasons best, has
    # half the weight; without a season, smoothing averages fewer parameter sets.
    "forecast-model-3": Model(
        low_frequency={
            Frequency.YEARLY: replace(
                _LOW_FREQUENCY[Frequency.YEARLY],
                members=(
                    members.SMOOTHING_BY_4,
                    THETA_WITHOUT_LOGS,
                    THETA_ON_LOGS,
                    members.LOGS_BY_4,
                ),
            ),
            Frequency.QUARTERLY: replace(_LOW_FREQUENCY[Frequency.QUARTERLY], ridge_weight=0.5),
            Frequency.MONTHLY: replace(_LOW_FREQUENCY[Frequency.MONTHLY], ridge_weight=0.5),
        },
        high_frequency=_RICH_RECIPES,
    ),
    # High variance: gross outliers are clipped, members combined by their median, smoothing by more
    # parameter sets, and ridge, which one wild cycle can distort, has less weight. On disturbed
    # high-frequency series a few members are far better than the rest.
    "forecast-model-4": Model(
        low_frequency={
            Frequency.YEARLY: replace(
                _LOW_FREQUENCY[Frequency.YEARLY],
                members=(
                    members.SMOOTHING_BY_16,
                    THETA_WITHOUT_LOGS,
                    THETA_ON_LOGS,
                    members.LOGS_BY_16,
                ),
                combine=member_median,
                has_clipping=True,
            ),
            Frequency.QUARTERLY: replace(
                _LOW_FREQUENCY[Frequency.QUARTERLY],
                combine=member_median,
                ridge_weight=0.2,
                has_clipping=True,
            ),
            Frequency.MONTHLY: replace(
                _LOW_FREQUENCY[Frequency.MONTHLY], ridge_weight=0.2, has_clipping=True
            ),
        },
        high_frequency={
            frequency: replace(recipe, power=6.0) for frequency, recipe in _ROBUST_RECIPES.items()
        },
        high_frequency_fitter=fit_robust,
    ),
}

# For frequencies without a recipe for few points; intervals of months, not widened.
_MONTHLY = _LOW_FREQUENCY[Frequency.MONTHLY]
_FALLBACK = replace(
    _MONTHLY, widths=replace(_MONTHLY.widths, exponents=np.zeros_like(_MONTHLY.widths.exponents))
)


def fit_simple_model(history: History, horizon: int) -> ForecastDistribution:
    """Fit exponential smoothing and theta at any frequency; raises ValueError if none fits."""
    return fit_low_frequency(history, horizon, _LOW_FREQUENCY.get(history.frequency, _FALLBACK))
