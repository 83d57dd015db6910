import pytest

from app.forecasting.seasonality import Rhythm, seasonal_lags, usable_rhythm, yearly_lags


@pytest.mark.parametrize(
    ("length", "expected"),
    [(47, Rhythm(0, 0)), (48, Rhythm(24, 0)), (335, Rhythm(24, 0)), (336, Rhythm(24, 168))],
)
def test_a_season_counts_once_two_of_its_cycles_are_there(length, expected):
    assert usable_rhythm(length, (24, 168)) == expected


def test_the_long_season_stands_alone_where_the_short_one_is_missing():
    assert usable_rhythm(200, (52,)) == Rhythm(52, 0)


def test_a_year_of_days_is_rounded_to_whole_weeks_so_that_weekdays_agree():
    rhythm = Rhythm(7, 365)
    assert rhythm.whole_long == 364
    assert rhythm.second == 0
    assert rhythm.waves == ((365.25, 3),)


def test_a_week_of_hours_is_a_second_season_and_hours_have_indicators():
    rhythm = Rhythm(24, 168)
    assert (rhythm.second, rhythm.dummies, rhythm.waves) == (168, 24, ())


def test_a_day_of_five_minutes_is_described_by_waves():
    rhythm = Rhythm(288, 2016)
    assert (rhythm.second, rhythm.dummies) == (2016, 0)
    assert rhythm.waves == ((288.0, 10),)


def test_lags_fit_into_what_there_is_to_learn_from():
    assert seasonal_lags(Rhythm(24, 168), 48) == (1, 2, 3)
    assert max(seasonal_lags(Rhythm(24, 168), 1_000)) == 336
    assert 168 in seasonal_lags(Rhythm(24, 168), 500)
    assert max(yearly_lags(40)) < 0.3 * 40
    assert 52 in yearly_lags(200)
