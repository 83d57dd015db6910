"""The four models: which members forecast which frequency, and how they are combined.

There is one recipe for each model and frequency; ``make members`` writes their members into
``docs/developing/members.md``.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from app.forecasting.combination import member_median, trimmed_mean
from app.forecasting.intervals.learned import LEARNED
from app.forecasting.members.adjusted_arima import ADJUSTED_ARIMA
from app.forecasting.members.arima import ARIMA, ARIMA_ON_LOGS
from app.forecasting.members.theta import THETA, THETA_ON_LOGS, THETA_WITHOUT_LOGS
from app.forecasting.models import member_sets
from app.forecasting.models.high_frequency import HighFrequencyRecipe, fit_high_frequency
from app.forecasting.models.low_frequency import LowFrequencyRecipe, fit_low_frequency
from app.forecasting.models.member_sets import MemberSets
from app.forecasting.models.robust import fit_robust
from app.forecasting.short_history.blend import blend
from app.forecasting.short_history.first_days import is_in_second_day, shift_hours, steps_per_hour
from app.forecasting.short_history.first_years import is_in_second_year, shift_weeks
from app.forecasting.short_history.seasonal_means import whole_mean_steps
from app.forecasting.types import ForecastDistribution
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History
from app.timeseries.seconds import DAYS_PER_WEEK

# Yearly, quarterly and monthly series, as model 2 forecasts them.

_LOW_FREQUENCY: Mapping[Frequency, LowFrequencyRecipe] = {
    Frequency.YEARLY: LowFrequencyRecipe(
        (member_sets.SMOOTHING_BY_8, THETA_WITHOUT_LOGS, THETA_ON_LOGS, member_sets.LOGS_BY_8),
        combine=trimmed_mean,
        widths=LEARNED.without_arima[Frequency.YEARLY],
        max_member_width_weight=0.4,
        has_growth_limit=True,
    ),
    Frequency.QUARTERLY: LowFrequencyRecipe(
        (member_sets.SMOOTHING_BY_8, THETA, member_sets.LOGS_BY_8),
        combine=trimmed_mean,
        widths=LEARNED.without_arima[Frequency.QUARTERLY],
        max_member_width_weight=0.4,
        ridge_weight=0.3,
    ),
    Frequency.MONTHLY: LowFrequencyRecipe(
        (member_sets.SMOOTHING_OF_MONTHS, THETA, member_sets.LOGS_OF_MONTHS),
        combine=member_median,
        widths=LEARNED.without_arima[Frequency.MONTHLY],
        ridge_weight=0.3,
        trend_kept=0.9,
    ),
}


def _high_frequency_recipes(sets: MemberSets) -> dict[Frequency, HighFrequencyRecipe]:
    """Return the recipes of one model: members by frequency, and where these are measured."""
    return {
        Frequency.SECONDS: HighFrequencyRecipe(sets.minutes, sets.plain),
        Frequency.MINUTES: HighFrequencyRecipe(sets.minutes, sets.plain),
        Frequency.HOURS: HighFrequencyRecipe(sets.hours, sets.plain),
        # At origins all over the second half of the history.
        Frequency.DAILY: HighFrequencyRecipe(
            sets.days, sets.plain, has_spread_origins=True, power=6.0, pooled_leads=21
        ),
        # At origins a month apart.
        Frequency.WEEKLY: HighFrequencyRecipe(
            sets.weeks, sets.annual, origin_count=12, origin_distance=4, pooled_leads=13
        ),
    }


@dataclass(frozen=True)
class Model:
    """One model: a recipe for each frequency, and the function for high frequencies."""

    low_frequency: Mapping[Frequency, LowFrequencyRecipe]
    high_frequency: Mapping[Frequency, HighFrequencyRecipe]
    high_frequency_fitter: Callable[[History, int, HighFrequencyRecipe], ForecastDistribution] = (
        fit_high_frequency
    )

    def fit(self, history: History, horizon: int) -> ForecastDistribution:
        """Fit the members and, for a short history, the prior; raise NoMemberError if all fail."""
        if is_in_second_year(history):
            fitted = self.fit_members(history, whole_mean_steps(horizon, DAYS_PER_WEEK))
            return shift_weeks(history, fitted).first_steps(horizon)
        if is_in_second_day(history):
            steps = whole_mean_steps(horizon, steps_per_hour(history))
            fitted = blend(history, self.fit_members(history, steps))
            return shift_hours(history, fitted).first_steps(horizon)
        return blend(history, self.fit_members(history, horizon))

    def fit_members(self, history: History, horizon: int) -> ForecastDistribution:
        """Fit the recipe of the history's frequency; raise NoMemberError if no member fits."""
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
            for frequency, recipe in _high_frequency_recipes(member_sets.RICH).items()
        },
    ),
    # Light and trend-focused, in milliseconds.
    "forecast-model-2": Model(_LOW_FREQUENCY, _high_frequency_recipes(member_sets.LIGHT)),
    # Several seasonalities and long horizons: ridge autoregression, the best for seasons, has half
    # the weight. For years, smoothing averages fewer parameter sets.
    "forecast-model-3": Model(
        low_frequency={
            Frequency.YEARLY: replace(
                _LOW_FREQUENCY[Frequency.YEARLY],
                members=(
                    member_sets.SMOOTHING_BY_4,
                    THETA_WITHOUT_LOGS,
                    THETA_ON_LOGS,
                    member_sets.LOGS_BY_4,
                ),
            ),
            Frequency.QUARTERLY: replace(_LOW_FREQUENCY[Frequency.QUARTERLY], ridge_weight=0.5),
            Frequency.MONTHLY: replace(_LOW_FREQUENCY[Frequency.MONTHLY], ridge_weight=0.5),
        },
        high_frequency=_high_frequency_recipes(member_sets.RICH),
    ),
    # High variance: gross outliers are clipped, the median of the members is taken, smoothing
    # averages more parameter sets, and ridge, which one wild cycle can distort, has less weight. Of
    # high-frequency series, the higher power favours the few members that are not disturbed.
    "forecast-model-4": Model(
        low_frequency={
            Frequency.YEARLY: replace(
                _LOW_FREQUENCY[Frequency.YEARLY],
                members=(
                    member_sets.SMOOTHING_BY_16,
                    THETA_WITHOUT_LOGS,
                    THETA_ON_LOGS,
                    member_sets.LOGS_BY_16,
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
            frequency: replace(recipe, power=6.0)
            for frequency, recipe in _high_frequency_recipes(member_sets.ROBUST).items()
        },
        high_frequency_fitter=fit_robust,
    ),
}

# For other frequencies: the recipe of months, whose intervals are not widened for few points.
_MONTHLY = _LOW_FREQUENCY[Frequency.MONTHLY]
_FALLBACK = replace(
    _MONTHLY, widths=replace(_MONTHLY.widths, exponents=np.zeros_like(_MONTHLY.widths.exponents))
)


def fit_simple_model(history: History, horizon: int) -> ForecastDistribution:
    """Fit exponential smoothing and theta at any frequency; raise NoMemberError if none fits."""
    return fit_low_frequency(history, horizon, _LOW_FREQUENCY.get(history.frequency, _FALLBACK))
