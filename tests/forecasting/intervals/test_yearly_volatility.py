"""Errors that differ between parts of the year: they must be clear, and of each year."""

import numpy as np
import pytest

from app.forecasting.forecast import fit
from app.forecasting.intervals.yearly_volatility import yearly_volatility
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History
from app.timeseries.types import FloatArray
from tests.forecasting.tasks import BUSINESS_DAYS, DAYS, WEEKS

HORIZON = 13
YEAR = 365.25 / 7


def winter(points: int) -> FloatArray:
    """Return 1 in the middle of each winter and 0 in summer, shape (points,)."""
    return np.asarray(np.exp(-((((np.arange(points) + 26) % YEAR - 26) / 6.0) ** 2)))


def restless_in_winter(points: int, rng: np.random.Generator) -> FloatArray:
    return np.asarray(100.0 + (1.0 + 19.0 * winter(points)) * rng.standard_normal(points))


@pytest.fixture
def rng():
    return np.random.default_rng(40)


def test_weeks_that_change_more_in_winter_are_expected_to_again(rng) -> None:
    points = 156
    volatility = yearly_volatility(restless_in_winter(points, rng), WEEKS, 52)
    assert len(volatility) == points + 52
    cold = winter(points + 52) > 0.5
    assert volatility[points:][cold[points:]].min() > 1.5
    assert volatility[points:][26 - 9 : 26 + 9].max() < 0.6
    assert volatility.mean() == pytest.approx(1.0, abs=0.15)


def test_even_noise_shows_no_part_of_the_year() -> None:
    noises = (np.random.default_rng(seed).standard_normal(200) for seed in range(60))
    spreads = np.array([np.ptp(yearly_volatility(noise, WEEKS, HORIZON)) for noise in noises])
    assert (spreads == 0).mean() > 0.8
    assert spreads.max() < 0.6


@pytest.mark.parametrize("seasonality", [WEEKS, DAYS, BUSINESS_DAYS])
@pytest.mark.parametrize("values", [np.full(730, 7.1), 1e7 * np.arange(730) + 0.3, np.zeros(730)])
def test_a_series_that_does_not_vary_has_the_same_volatility_all_year(values, seasonality) -> None:
    np.testing.assert_array_equal(yearly_volatility(values, seasonality, HORIZON), 1.0)


@pytest.mark.parametrize("seasonality", [DAYS, BUSINESS_DAYS])
def test_a_week_that_is_always_the_same_has_the_same_volatility_all_year(seasonality) -> None:
    values = 100.0 + np.sin(2 * np.pi * np.arange(900) / seasonality.short)
    np.testing.assert_array_equal(yearly_volatility(values, seasonality, HORIZON), 1.0)


@pytest.mark.parametrize("seasonality", [DAYS, BUSINESS_DAYS])
def test_days_that_change_more_in_winter_are_expected_to_again_whatever_their_week(
    seasonality, rng
) -> None:
    year = round(seasonality.year)
    points = 3 * year
    coldness = np.cos(2 * np.pi * np.arange(points + year) / seasonality.year)
    values = 500.0 + np.where(coldness[:points] > 0, 20.0, 5.0) * rng.standard_normal(points)
    values += 200.0 * (np.arange(points) % seasonality.short == 0)
    after, coldness = yearly_volatility(values, seasonality, year)[points:], coldness[points:]
    ratio = after[coldness > 0.8].mean() / after[coldness < -0.8].mean()
    assert ratio == pytest.approx(4.0, rel=0.25)


def test_changes_of_days_that_their_level_explains_are_no_property_of_the_season(rng) -> None:
    points = 4 * 365
    levels = 500.0 * (1.0 + 0.5 * np.cos(2 * np.pi * np.arange(points) / DAYS.year))
    values = levels + np.sqrt(levels) * rng.standard_normal(points)
    assert np.ptp(yearly_volatility(values, DAYS, HORIZON)) < 0.25
    assert np.ptp(yearly_volatility(values - 1_000.0, DAYS, HORIZON)) > 0.4


def test_a_steep_trend_does_not_change_the_days_at_its_ends(rng) -> None:
    values = 50.0 * np.arange(800.0) - 1_000.0 + rng.standard_normal(800)
    assert np.ptp(yearly_volatility(values, DAYS, HORIZON)) < 0.3


def test_changes_that_cluster_in_other_parts_of_each_year_are_no_property_of_one(rng) -> None:
    def spread(stormy_days: list[int]) -> float:
        sizes = np.ones(4 * 365)
        for day in stormy_days:
            sizes[day : day + 60] = 6.0
        values = -100.0 + sizes * rng.standard_normal(len(sizes))
        return float(np.ptp(yearly_volatility(values, DAYS, HORIZON)))

    assert spread([50, 365 + 150, 730 + 250, 1095 + 300]) == 0.0
    assert spread([50, 365 + 50, 730 + 50, 1095 + 50]) > 1.5


def test_one_outbreak_is_no_property_of_its_season(rng) -> None:
    values = 100.0 + rng.standard_normal(260)
    values[60:63] += 500.0
    assert np.ptp(yearly_volatility(values, WEEKS, HORIZON)) < 0.6


def test_a_year_of_other_changes_counts_as_much_as_any_other(rng) -> None:
    values = restless_in_winter(208, rng)
    values[156:] = 100.0 + 1000.0 * rng.standard_normal(52)
    after = yearly_volatility(values, WEEKS, 52)[208:]
    assert after[:5].mean() > 2.5 * after[20:32].mean()


def test_no_part_of_the_year_is_expected_to_stand_still(rng) -> None:
    points = 1_040
    volatility = yearly_volatility(winter(points) * rng.standard_normal(points), WEEKS, HORIZON)
    assert volatility.min() == 0.1


def test_the_last_weeks_of_a_year_are_neighbours_of_its_first(rng) -> None:
    new_year = np.arange(260) % YEAR < 4
    values = 100.0 + np.where(new_year, 30.0, 1.0) * rng.standard_normal(260)
    assert yearly_volatility(values, WEEKS, 52)[260:][51] > 1.5


@pytest.mark.parametrize("model_id", ["forecast-model-1", "forecast-model-4"])
def test_intervals_of_an_epidemic_are_wide_in_winter_and_narrow_in_summer(model_id, rng) -> None:
    points = 240
    waves = 5.0 + 200.0 * winter(points) * np.exp(0.5 * rng.standard_normal(points))
    before_winter, before_summer = (
        fit(History(waves[:end], (52,), Frequency.WEEKLY), HORIZON, model_id).interval(0.95)
        for end in (204, 228)
    )
    widths = [float((upper - lower).mean()) for lower, upper in (before_winter, before_summer)]
    assert widths[0] > 15.0 * widths[1]
