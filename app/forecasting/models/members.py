"""The members that take part in the models, with their options."""

from dataclasses import replace
from typing import Self

from app.forecasting.members.double_seasonal import DOUBLE_SEASONAL
from app.forecasting.members.exponential_smoothing import smoothing
from app.forecasting.members.log_transform import on_logs
from app.forecasting.members.on_clipped import on_clipped
from app.forecasting.members.profiles import seasonal_profiles_member
from app.forecasting.members.ridge_designs import (
    dense_changes,
    dense_differences,
    few_changes,
    forgetting_changes,
    has_dense_lags,
    has_year_of_weeks,
    plain_changes,
    plain_levels,
    quarter_changes,
    quarter_levels,
    ridge,
    seasonal_changes,
    seasonal_differences,
    seasonal_levels,
    seasonal_walk,
    without_calendar,
)
from app.forecasting.members.types import HighFrequencyMember

# Yearly, quarterly and monthly series: smoothing, averaged over a few or many parameter sets.
SMOOTHING_BY_4 = smoothing(loss_steps=1, averaged=4)
SMOOTHING_BY_8 = smoothing(loss_steps=1, averaged=8)
SMOOTHING_BY_16 = smoothing(loss_steps=1, averaged=16)
SMOOTHING_OF_MONTHS = smoothing(loss_steps=6, averaged=25)
LOGS_BY_4, LOGS_BY_8, LOGS_BY_16, LOGS_OF_MONTHS = map(
    on_logs, (SMOOTHING_BY_4, SMOOTHING_BY_8, SMOOTHING_BY_16, SMOOTHING_OF_MONTHS)
)

# All others, with a season that was often seen.
LEVELS = ridge("seasonal levels", seasonal_levels, 0.1)
LEVELS_TWICE = ridge("seasonal levels", seasonal_levels, 0.03, 0.3)
DIFFERENCES = ridge("seasonal differences", seasonal_differences, 0.3)
CHANGES = ridge("seasonal changes", seasonal_changes, 0.3)
WALK = ridge("seasonal walk", seasonal_walk, 3.0)
PROFILES = seasonal_profiles_member(is_levelled=True)
# For days, where random walks have no season; and without outliers, which holidays are.
PROFILES_OF_DAYS = seasonal_profiles_member(is_levelled=False)
ON_CLIPPED = on_clipped(
    ridge("seasonal levels", seasonal_levels, 0.3), DIFFERENCES, DOUBLE_SEASONAL
)
# For hours, whose dense lags explain more than sparse ones once they can be learned.
_DENSE_DIFFERENCES = ridge("dense differences", dense_differences, 0.03, is_suitable=has_dense_lags)
_DENSE_CHANGES = ridge("dense changes", dense_changes, 0.03, is_suitable=has_dense_lags)
_CHANGES_BESIDE_DENSE = ridge(
    "seasonal changes", seasonal_changes, 0.03, is_suitable=has_dense_lags
)
DENSE = (_DENSE_DIFFERENCES, _DENSE_CHANGES, _CHANGES_BESIDE_DENSE)
LAGS_OF_DIFFERENCES = ridge(
    "dense differences without calendar",
    without_calendar(dense_differences),
    0.03,
    is_suitable=has_dense_lags,
)
LAGS_OF_CHANGES = ridge(
    "dense changes without calendar",
    without_calendar(dense_changes),
    0.03,
    is_suitable=has_dense_lags,
)

# Without a season, or with a year of weeks, which the last quarter explains better than the year.
PLAIN_LEVELS = ridge("plain levels", plain_levels, 0.3)
PLAIN_LEVELS_TWICE = ridge("plain levels", plain_levels, 0.1, 1.0)
PLAIN_CHANGES = ridge("plain changes", plain_changes, 0.3)
PLAIN_CHANGES_TWICE = ridge("plain changes", plain_changes, 0.1, 1.0)
FEW_CHANGES = ridge("few changes", few_changes, 0.3)
QUARTER_CHANGES = ridge("quarter changes", quarter_changes, 1.0)
QUARTER_LEVELS = ridge("quarter levels", quarter_levels, 0.1, is_suitable=has_year_of_weeks)
FORGETTING_CHANGES = ridge(
    "forgetting changes", forgetting_changes, 0.3, is_suitable=has_year_of_weeks
)


class Members(tuple[HighFrequencyMember, ...]):
    """Members of a high-frequency recipe; others are derived from it::

        LIGHT.replace(LEVELS, LEVELS_TWICE).without(HARMONIC_YEAR)

    Each method raises ValueError for a member that is not among them.
    """

    __slots__ = ()

    def replace(self, member: HighFrequencyMember, *others: HighFrequencyMember) -> Self:
        index = self.index(member)
        return type(self)((*self[:index], *others, *self[index + 1 :]))

    def after(self, member: HighFrequencyMember, *others: HighFrequencyMember) -> Self:
        return self.replace(member, member, *others)

    def without(self, *members: HighFrequencyMember) -> Self:
        remaining = self
        for member in members:
            remaining = remaining.replace(member)
        return remaining

    def until_dense(self, *members: HighFrequencyMember) -> Self:
        """Return these, ``members`` among them only until dense lags can be learned."""
        members_until = self
        for member in members:
            members_until = members_until.replace(member, _until_dense(member))
        return members_until


def _until_dense(member: HighFrequencyMember) -> HighFrequencyMember:
    return replace(
        member, is_suitable=lambda task: member.is_suitable(task) and not has_dense_lags(task)
    )
