"""Which periods count as seasons, and how they are described."""

import pytest

from app.forecasting.seasonality import Seasonality, find_seasonality, seasonal_lags, yearly_lags


@pytest.mark.parametrize(
    ("length", "expected"),
    [
        (47, Seasonality(0, 0)),
        (48, Seasonality(24, 0)),
        (335, Seasonality(24, 0)),
        (336, Seasonality(24, 168)),
    ],
)
def test_a_season_counts_once_two_of_its_cycles_are_there(length, expected) -> None:
    assert find_seasonality(length, (24, 168)) == expected


def test_a_long_period_without_a_short_one_becomes_the_short_one() -> None:
    assert find_seasonality(200, (52,)) == Seasonality(52, 0)


def test_a_year_of_days_is_rounded_to_whole_weeks_so_that_weekdays_agree() -> None:
    seasonality = Seasonality(7, 365)
    assert seasonality.whole_long == 364
    assert seasonality.second == 0
    assert seasonality.fourier == ((365.25, 3),)


@pytest.mark.parametrize(
    ("seasonality", "year"),
    [
        (Seasonality(52, 0), 365.25 / 7),
        (Seasonality(7, 365), 365.25),
        (Seasonality(5, 260), 365.25 * 5 / 7),
        (Seasonality(365, 0), 0.0),  # days without a week
        (Seasonality(24, 168), 0.0),
    ],
)
def test_a_year_is_one_of_weeks_or_of_days_above_a_week(seasonality, year: float) -> None:
    assert seasonality.year == pytest.approx(year)


def test_a_week_of_hours_is_a_second_season_and_hours_have_indicators() -> None:
    seasonality = Seasonality(24, 168)
    assert (seasonality.second, seasonality.dummy_period, seasonality.fourier) == (168, 24, ())


def test_a_day_of_five_minutes_is_described_by_fourier_terms() -> None:
    seasonality = Seasonality(288, 2016)
    assert (seasonality.second, seasonality.dummy_period) == (2016, 0)
    assert seasonality.fourier == ((288.0, 10),)


def test_lags_are_shorter_than_the_points_to_learn_from() -> None:
    assert seasonal_lags(Seasonality(24, 168), 48) == (1, 2, 3)
    assert max(seasonal_lags(Seasonality(24, 168), 1_000)) == 336
    assert 168 in seasonal_lags(Seasonality(24, 168), 500)
    assert max(yearly_lags(40)) < 0.3 * 40
    assert 52 in yearly_lags(200)
