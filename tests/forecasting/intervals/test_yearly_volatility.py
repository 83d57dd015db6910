"""Errors that differ between parts of the year: they must be clear, and of each year."""

import numpy as np
import pytest

from app.forecasting.forecast import fit
from app.forecasting.intervals.yearly_volatility import yearly_volatility
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History
from app.timeseries.types import FloatArray

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
    volatility = yearly_volatility(restless_in_winter(points, rng), 52)
    assert len(volatility) == points + 52
    cold = winter(points + 52) > 0.5
    assert volatility[points:][cold[points:]].min() > 1.5
    assert volatility[points:][26 - 9 : 26 + 9].max() < 0.6
    assert volatility.mean() == pytest.approx(1.0, abs=0.15)


def test_even_noise_shows_no_part_of_the_year() -> None:
    noises = (np.random.default_rng(seed).standard_normal(200) for seed in range(60))
    spreads = np.array([np.ptp(yearly_volatility(noise, HORIZON)) for noise in noises])
    assert (spreads == 0).mean() > 0.8
    assert spreads.max() < 0.6


@pytest.mark.parametrize("values", [np.full(120, 7.0), np.arange(120.0)])
def test_a_series_that_does_not_vary_has_the_same_volatility_all_year(values) -> None:
    np.testing.assert_array_equal(yearly_volatility(values, HORIZON), 1.0)


def test_one_outbreak_is_no_property_of_its_season(rng) -> None:
    values = 100.0 + rng.standard_normal(260)
    values[60:63] += 500.0
    assert np.ptp(yearly_volatility(values, HORIZON)) < 0.6


def test_a_year_of_other_changes_counts_as_much_as_any_other(rng) -> None:
    values = restless_in_winter(208, rng)
    values[156:] = 100.0 + 1000.0 * rng.standard_normal(52)
    after = yearly_volatility(values, 52)[208:]
    assert after[:5].mean() > 2.5 * after[20:32].mean()


def test_no_part_of_the_year_is_expected_to_stand_still(rng) -> None:
    points = 1_040
    volatility = yearly_volatility(winter(points) * rng.standard_normal(points), HORIZON)
    assert volatility.min() == 0.1


def test_the_last_weeks_of_a_year_are_neighbours_of_its_first(rng) -> None:
    new_year = np.arange(260) % YEAR < 4
    values = 100.0 + np.where(new_year, 30.0, 1.0) * rng.standard_normal(260)
    assert yearly_volatility(values, 52)[260:][51] > 1.5


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
