"""Which periods count as seasons, and how they are described."""

import numpy as np
import pytest

from app.forecasting.forecast import predict
from app.forecasting.model_ids import LIGHT_MODEL
from app.forecasting.preprocessing.seasonality import (
    Seasonality,
    find_seasonality,
    seasonal_lags,
    yearly_lags,
)
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History
from tests.forecasting.tasks import DAYS


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
    assert DAYS.long_in_short_cycles == 364
    assert DAYS.state_period == 0
    assert DAYS.fourier_terms == ((365.25, 3),)


@pytest.mark.parametrize(
    ("frequency", "periods", "year"),
    [
        (Frequency.WEEKLY, (52,), 365.25 / 7),
        (Frequency.WEEKLY, (52, 104), 365.25 / 7),
        (Frequency.DAILY, (7, 365), 365.25),
        (Frequency.DAILY, (5, 260), 365.25 * 5 / 7),
        (Frequency.DAILY, (365,), 0.0),  # days without a week
        (Frequency.DAILY, (30, 365), 365.25),
        (Frequency.DAILY, (52,), 0.0),
        (Frequency.HOURS, (52,), 0.0),
        (Frequency.HOURS, (24, 168), 0.0),
        (None, (52,), 0.0),
    ],
)
def test_a_year_is_one_of_weeks_or_of_days_above_a_week(frequency, periods, year: float) -> None:
    assert find_seasonality(1_000, periods, frequency).year == pytest.approx(year)


@pytest.mark.parametrize(
    ("frequency", "period", "exact"),
    [
        (Frequency.DAILY, 365, 365.25),
        (Frequency.DAILY, 260, 365.25 * 5 / 7),
        (Frequency.WEEKLY, 52, 365.25 / 7),
        (Frequency.HOURS, 365, 365.0),
    ],
)
def test_waves_of_a_year_have_its_exact_length(frequency, period: int, exact: float) -> None:
    ((length, _),) = find_seasonality(1_000, (period,), frequency).fourier_terms
    assert length == pytest.approx(exact)


@pytest.mark.parametrize("period", [51, 52, 53])
def test_a_cycle_of_hours_is_no_year_of_weeks_by_its_number(period: int) -> None:
    noise = np.random.default_rng(9).normal(0, 0.3, 460)
    signal = 10 + 3 * np.sin(2 * np.pi * np.arange(460) / period)
    history = History((signal + noise)[:400], (period,), Frequency.HOURS)
    prediction = predict(history, 60, 0.95, LIGHT_MODEL)
    assert np.abs(prediction.median - signal[400:]).mean() < 0.13


def test_a_week_of_hours_is_a_second_season_and_hours_have_indicators() -> None:
    seasonality = Seasonality(24, 168)
    assert (seasonality.state_period, seasonality.dummy_period, seasonality.fourier_terms) == (
        168,
        24,
        (),
    )


def test_a_day_of_five_minutes_is_described_by_fourier_terms() -> None:
    seasonality = Seasonality(288, 2016)
    assert (seasonality.state_period, seasonality.dummy_period) == (2016, 0)
    assert seasonality.fourier_terms == ((288.0, 10),)


def test_lags_are_shorter_than_the_points_to_learn_from() -> None:
    assert seasonal_lags(Seasonality(24, 168), 48) == (1, 2, 3)
    assert max(seasonal_lags(Seasonality(24, 168), 1_000)) == 336
    assert 168 in seasonal_lags(Seasonality(24, 168), 500)
    assert max(yearly_lags(40)) < 0.3 * 40
    assert 52 in yearly_lags(200)
