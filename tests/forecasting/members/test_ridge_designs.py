"""The lags, differences and waves of each design of ridge regression."""

import numpy as np
import pytest

from app.forecasting.members import ridge_designs
from app.forecasting.preprocessing.seasonality import Seasonality
from tests.forecasting import tasks

SEASONAL = (
    ridge_designs.seasonal_levels,
    ridge_designs.seasonal_changes,
    ridge_designs.seasonal_differences,
    ridge_designs.seasonal_random_walk,
    ridge_designs.dense_changes,
    ridge_designs.dense_differences,
)


def task(points, origin, seasonality):
    return tasks.make_task(np.arange(float(points)), 2, (origin,), seasonality=seasonality)


HOURS = task(700, 400, Seasonality(24, 168))
WEEKS = task(300, 200, tasks.WEEKS)
PLAIN = task(60, 30, Seasonality(0, 0))


@pytest.mark.parametrize("design", SEASONAL)
def test_seasonal_lags_and_differences_lie_before_the_first_origin(design) -> None:
    columns = design(HOURS)
    assert max(columns.lags) + columns.difference < HOURS.origins[0]
    assert columns.dummy_period == 24


def test_dense_lags_are_learned_after_six_days_and_those_around_earlier_days_later() -> None:
    assert not ridge_designs.has_dense_lags(task(200, 143, HOURS.seasonality))
    early = task(300, 150, HOURS.seasonality)
    assert ridge_designs.has_dense_lags(early)
    assert ridge_designs.dense_changes(early).lags == (*range(1, 27), 48)
    assert {47, 50, 71, 74, 97} <= set(
        ridge_designs.dense_changes(task(900, 420, HOURS.seasonality)).lags
    )


def test_a_design_without_its_calendar_keeps_lags_and_difference() -> None:
    bare = ridge_designs.without_calendar(ridge_designs.dense_differences)(HOURS)
    assert (bare.dummy_period, bare.fourier, bare.difference) == (0, (), 24)
    assert bare.lags == ridge_designs.dense_differences(HOURS).lags


def test_weeks_have_a_year_of_fourier_terms_and_lags() -> None:
    design = ridge_designs.plain_levels(WEEKS)
    assert design.fourier == ((365.25 / 7, 4),)
    assert max(design.lags) > 8
    assert ridge_designs.plain_levels(task(120, 60, tasks.WEEKS)).fourier[0][1] == 2


def test_a_quarterly_design_of_weeks_has_thirteen_lags_and_no_yearly_terms() -> None:
    assert ridge_designs.has_annual_season(WEEKS)
    assert not ridge_designs.has_annual_season(PLAIN)
    design = ridge_designs.quarter_levels(WEEKS)
    assert (design.lags, design.fourier) == (tuple(range(1, 14)), ())
    assert ridge_designs.quarter_changes(WEEKS).difference == 1
    assert ridge_designs.quarter_levels(PLAIN).lags == tuple(range(1, 8))


def test_without_a_season_only_the_last_lags_are_used() -> None:
    assert ridge_designs.plain_levels(PLAIN).lags == (1, 2, 3, 4, 5)
    assert ridge_designs.plain_levels(task(10, 3, Seasonality(0, 0))).lags == (1,)
    assert ridge_designs.few_changes(WEEKS).lags == ridge_designs.plain_levels(WEEKS).lags[:5]


def test_each_penalty_and_transformation_gives_a_forecast() -> None:
    member = ridge_designs.ridge_member("plain changes", ridge_designs.plain_changes, 0.1, 1.0)
    assert len(member.forecast(PLAIN)) == 2 * len(PLAIN.transformed)
