"""The members of the models, with their options, and which models use them."""

from dataclasses import replace
from functools import partial
from typing import NamedTuple

from app.forecasting.members.double_seasonal import DOUBLE_SEASONAL
from app.forecasting.members.exponential_smoothing import smoothing
from app.forecasting.members.harmonic_year import HARMONIC_YEAR
from app.forecasting.members.log_transform import on_logs
from app.forecasting.members.on_clipped import CLIPPED_PROFILES, LEVELLED_PROFILES, on_clipped
from app.forecasting.members.profiles import LAST_YEAR_PROFILE, NAIVE, seasonal_profiles_member
from app.forecasting.members.ramps import RAMPS
from app.forecasting.members.ridge_designs import (
    dense_changes,
    dense_differences,
    few_changes,
    forgetting_changes,
    has_annual_season,
    has_dense_lags,
    plain_changes,
    plain_levels,
    quarter_changes,
    quarter_levels,
    ridge_member,
    seasonal_changes,
    seasonal_differences,
    seasonal_levels,
    seasonal_random_walk,
    without_calendar,
)
from app.forecasting.members.types import HighFrequencyMember

Members = tuple[HighFrequencyMember, ...]


def until_dense(member: HighFrequencyMember) -> HighFrequencyMember:
    """Return a member that is left out as soon as dense lags can be learned."""
    return replace(
        member, is_suitable=lambda task: member.is_suitable(task) and not has_dense_lags(task)
    )


# Yearly, quarterly and monthly series: smoothing, averaged over a few or many parameter sets.
SMOOTHING_BY_4 = smoothing(loss_steps=1, averaged=4)
SMOOTHING_BY_8 = smoothing(loss_steps=1, averaged=8)
SMOOTHING_BY_16 = smoothing(loss_steps=1, averaged=16)
SMOOTHING_OF_MONTHS = smoothing(loss_steps=6, averaged=25)
LOGS_BY_4, LOGS_BY_8, LOGS_BY_16, LOGS_OF_MONTHS = map(
    on_logs, (SMOOTHING_BY_4, SMOOTHING_BY_8, SMOOTHING_BY_16, SMOOTHING_OF_MONTHS)
)

# All other frequencies. Ridge regressions explain values (levels), changes from step to step
# (changes) or from season to season (differences). Their numbers are penalties.

# For a season that has recurred often. A random walk is changes explained by three lags.
_LEVELS = ridge_member("seasonal levels", seasonal_levels, 0.1)
_LEVELS_TWO_PENALTIES = ridge_member("seasonal levels", seasonal_levels, 0.03, 0.3)
_DIFFERENCES = ridge_member("seasonal differences", seasonal_differences, 0.3)
_CHANGES = ridge_member("seasonal changes", seasonal_changes, 0.3)
_RANDOM_WALK = ridge_member("seasonal walk", seasonal_random_walk, 3.0)
_LIGHT_RIDGE = (_LEVELS, _DIFFERENCES, _CHANGES)
_RICH_RIDGE = (_LEVELS_TWO_PENALTIES, _DIFFERENCES, _CHANGES, _RANDOM_WALK)
# For days, on which random walks have no season; and with clipped outliers, such as holidays.
_DAY_PROFILES = seasonal_profiles_member(is_levelled=False)
_ON_CLIPPED = on_clipped(
    ridge_member("seasonal levels", seasonal_levels, 0.3), _DIFFERENCES, DOUBLE_SEASONAL
)
# For hours, whose dense lags explain more than sparse ones as soon as they can be learned.
_dense = partial(ridge_member, is_suitable=has_dense_lags)
_DENSE = (
    _dense("dense differences", dense_differences, 0.03),
    _dense("dense changes", dense_changes, 0.03),
    _dense("seasonal changes", seasonal_changes, 0.03),
)
_DENSE_WITHOUT_CALENDAR = (
    _dense("dense differences without calendar", without_calendar(dense_differences), 0.03),
    _dense("dense changes without calendar", without_calendar(dense_changes), 0.03),
)

# Without a season, or for weeks with an annual season, which lags of a quarter explain better than
# lags of a year.
_PLAIN_LEVELS = ridge_member("plain levels", plain_levels, 0.3)
_PLAIN_LEVELS_TWO_PENALTIES = ridge_member("plain levels", plain_levels, 0.1, 1.0)
_PLAIN_CHANGES = ridge_member("plain changes", plain_changes, 0.3)
_PLAIN_CHANGES_TWO_PENALTIES = ridge_member("plain changes", plain_changes, 0.1, 1.0)
_FEW_CHANGES = ridge_member("few changes", few_changes, 0.3)
_QUARTER = (
    ridge_member("quarter changes", quarter_changes, 1.0),
    ridge_member("quarter levels", quarter_levels, 0.1, is_suitable=has_annual_season),
)
_YEARS = (
    ridge_member("forgetting changes", forgetting_changes, 0.3, is_suitable=has_annual_season),
    LAST_YEAR_PROFILE,
)


class MemberSets(NamedTuple):
    """The members of a model's high-frequency recipes, in the order in which they are averaged.

    Those of ``minutes`` to ``weeks`` need a season that has recurred often.
    """

    minutes: Members  # and seconds
    hours: Members
    days: Members
    weeks: Members
    plain: Members  # for series without such a season
    annual: Members  # for weeks without such a season, which may have an annual one


_IN_EVERY_SEASON = (NAIVE, RAMPS, DOUBLE_SEASONAL)
_BASIC_SEASON = (*_IN_EVERY_SEASON, *_LIGHT_RIDGE, HARMONIC_YEAR, LEVELLED_PROFILES)

# Models 1 and 3.
RICH = MemberSets(
    minutes=(*_IN_EVERY_SEASON, *_RICH_RIDGE, HARMONIC_YEAR, LEVELLED_PROFILES, CLIPPED_PROFILES),
    hours=(
        *_IN_EVERY_SEASON,
        *map(until_dense, _RICH_RIDGE),
        *_DENSE,
        LEVELLED_PROFILES,
        *_DENSE_WITHOUT_CALENDAR,
        CLIPPED_PROFILES,
    ),
    days=(
        *_IN_EVERY_SEASON,
        _LEVELS_TWO_PENALTIES,
        _DIFFERENCES,
        _RANDOM_WALK,
        HARMONIC_YEAR,
        _ON_CLIPPED,
        _DAY_PROFILES,
        CLIPPED_PROFILES,
    ),
    weeks=(*_IN_EVERY_SEASON, *_RICH_RIDGE, LEVELLED_PROFILES, CLIPPED_PROFILES),
    plain=(NAIVE, RAMPS, _PLAIN_LEVELS_TWO_PENALTIES, _PLAIN_CHANGES_TWO_PENALTIES, _FEW_CHANGES),
    annual=(NAIVE, _PLAIN_LEVELS_TWO_PENALTIES, _FEW_CHANGES, *_QUARTER, *_YEARS),
)
# Model 2.
LIGHT = MemberSets(
    minutes=(*_BASIC_SEASON, CLIPPED_PROFILES),
    hours=(
        *_IN_EVERY_SEASON,
        *map(until_dense, _LIGHT_RIDGE),
        *_DENSE,
        LEVELLED_PROFILES,
        CLIPPED_PROFILES,
    ),
    days=(*_IN_EVERY_SEASON, *_LIGHT_RIDGE, HARMONIC_YEAR, _DAY_PROFILES, CLIPPED_PROFILES),
    weeks=(*_IN_EVERY_SEASON, *_LIGHT_RIDGE, LEVELLED_PROFILES, CLIPPED_PROFILES),
    plain=(NAIVE, RAMPS, _PLAIN_LEVELS, _PLAIN_CHANGES, _FEW_CHANGES, *_YEARS),
    annual=(NAIVE, _PLAIN_LEVELS, _FEW_CHANGES, *_QUARTER, *_YEARS),
)
# Model 4; `models/robust.py` adds the robust levels.
ROBUST = MemberSets(
    minutes=_BASIC_SEASON,
    hours=_BASIC_SEASON,
    days=_BASIC_SEASON,
    weeks=_BASIC_SEASON,
    plain=LIGHT.plain,
    annual=LIGHT.plain,
)
