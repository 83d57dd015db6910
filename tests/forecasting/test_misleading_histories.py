"""Histories that have misled forecasts, each with bounds that a person would call sane."""

import numpy as np
import pytest

from app.forecasting.forecast import predict
from app.forecasting.models.recipes import MODELS
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History

WEEK = np.array([0.0, 3.0, 5.0, 2.0, 0.0, -20.0, -25.0])
EVERY_MODEL = pytest.mark.parametrize("model_id", MODELS)


def rng(seed):
    return np.random.default_rng(seed)


def forecast_years(values, horizon, model_id):
    return predict(History(np.asarray(values), (), Frequency.YEARLY), horizon, 0.95, model_id)


def forecast_days(values, horizon, model_id):
    return predict(History(np.asarray(values), (7, 365), Frequency.DAILY), horizon, 0.95, model_id)


@EVERY_MODEL
@pytest.mark.parametrize("length", [25, 40, 60])
def test_a_yearly_random_walk_is_forecast_near_its_last_value(model_id, length) -> None:
    values = 500 + np.cumsum(rng(length).normal(size=length))
    result = forecast_years(values, 6, model_id)
    # Two standard deviations of what six steps of a walk do, and as much for what is not known.
    assert np.abs(result.median - values[-1]).max() < 5
    assert (result.upper - result.lower).max() < 30
    assert ((result.lower < values[-1]) & (values[-1] < result.upper)).all()


@EVERY_MODEL
@pytest.mark.parametrize("period", [5, 7, 9, 11])
def test_a_noisy_wave_of_years_stays_in_its_range(model_id, period) -> None:
    values = 1_000 + 100 * np.sin(2 * np.pi * np.arange(40) / period) + 10 * rng(1).normal(size=40)
    result = forecast_years(values, 6, model_id)
    assert 850 < result.median.min() <= result.median.max() < 1_150


@EVERY_MODEL
@pytest.mark.parametrize("length", [25, 60])
def test_a_yearly_step_is_a_new_level_and_no_growth(model_id, length) -> None:
    noise = rng(2).normal(size=length)
    values = np.where(np.arange(length) < length // 2, 100.0, 200.0) + noise
    result = forecast_years(values, 6, model_id)
    assert 180 < result.median.min() <= result.median.max() < 240


@EVERY_MODEL
def test_one_year_of_crisis_is_not_a_new_level(model_id) -> None:
    values = 1_000 + rng(3).normal(size=40)
    values[-4] = 700.0
    result = forecast_years(values, 6, model_id)
    assert 950 < result.median.min() <= result.median.max() < 1_050


@EVERY_MODEL
def test_a_month_that_was_missing_and_was_filled_hardly_moves_the_forecast(model_id) -> None:
    steps = np.arange(790)
    truth = 200 + WEEK[steps % 7] + 30 * np.sin(2 * np.pi * steps / 365.25)
    values = truth[:730] + 3 * rng(4).normal(size=730)
    values[400:430] = np.linspace(values[399], values[430], 32)[1:-1]
    result = forecast_days(values, 60, model_id)
    assert np.abs(result.median - truth[730:]).mean() < 3
    assert (result.upper - result.lower).mean() < 40


@EVERY_MODEL
def test_three_weeks_of_half_hours_continue(model_id) -> None:
    steps = np.arange(48 * 21 + 96)
    weekend = np.where(steps // 48 % 7 >= 5, -10.0, 0.0)
    truth = 100 + 20 * np.sin(2 * np.pi * steps / 48) + weekend
    values = truth[:-96] + rng(5).normal(size=len(steps) - 96)
    history = History(values, (48, 336), Frequency.MINUTES)
    result = predict(history, 96, 0.95, model_id)
    assert np.abs(result.median - truth[-96:]).mean() < 3
    assert (result.upper - result.lower).mean() < 20


@EVERY_MODEL
@pytest.mark.parametrize("alive", [40, 365])
def test_zeros_of_the_first_year_do_not_pull_a_forecast_down(model_id, alive) -> None:
    steps = np.arange(alive + 28)
    truth = 100 + WEEK[steps % 7]
    values = truth[:alive] + 3 * rng(6).normal(size=alive)
    result = forecast_days(np.append(np.zeros(365), values), 28, model_id)
    assert np.abs(result.median - truth[alive:]).mean() < 5
    assert (result.upper - result.lower).max() < 60
    assert result.provenance.notices == ("points before the first change were set aside: 365",)


@EVERY_MODEL
def test_months_of_zeros_at_the_start_do_not_pull_a_forecast_down(model_id) -> None:
    steps = np.arange(36)
    truth = 100 + 10 * np.sin(2 * np.pi * steps / 12)
    values = np.append(np.zeros(12), truth[:24] + rng(7).normal(size=24))
    history = History(values, (12,), Frequency.MONTHLY)
    result = predict(history, 12, 0.95, model_id)
    assert np.abs(result.median - truth[24:]).max() < 10
    assert (result.upper - result.lower).max() < 60


@EVERY_MODEL
def test_a_dip_six_weeks_back_does_not_echo(model_id) -> None:
    clipped = 200 + WEEK[np.arange(140) % 7] + 2 * rng(8).normal(size=140)
    dipped = clipped.copy()
    dipped[-42:-40] -= 150
    without, after = (forecast_days(values, 21, model_id) for values in (clipped, dipped))
    assert np.abs(after.median - without.median).max() < 4


@pytest.mark.parametrize("frequency", [Frequency.HOURS, Frequency.DAILY, Frequency.MONTHLY])
def test_a_short_parabola_has_no_kink(frequency) -> None:
    steps = np.arange(12.0)
    result = predict(History(steps**2, (), frequency), 12, 0.95, "forecast-model-1")
    slopes = np.diff(np.append(steps[-2:] ** 2, result.median))
    assert (slopes > 0).all()
    assert np.abs(np.diff(slopes)).max() < 6


@pytest.mark.parametrize(
    ("frequency", "periods"),
    [(Frequency.YEARLY, ()), (Frequency.MONTHLY, (12,)), (Frequency.DAILY, (7, 365))],
)
def test_an_alternating_series_continues_alternating(frequency, periods) -> None:
    values = np.where(np.arange(40) % 2, 10.0, 20.0) + 0.5 * rng(9).normal(size=40)
    result = predict(History(values, periods, frequency), 6, 0.95, "forecast-model-1")
    assert result.median[::2].min() > 15 > result.median[1::2].max()


@pytest.mark.parametrize("model_id", MODELS)
def test_a_price_that_has_moved_in_steps_may_move_again(model_id: str) -> None:
    for steps in ([100.0] * 20 + [105.0] * 20, [2.5] * 30 + [2.75] * 8 + [3.0] * 6):
        history = History(np.array(steps), (12,), Frequency.MONTHLY)
        prediction = predict(history, 4, 0.95, model_id)
        assert not prediction.provenance.is_fallback
        assert (prediction.upper > prediction.lower).all()
        assert np.abs(prediction.median - steps[-1]).max() <= np.ptp(steps)


@EVERY_MODEL
@pytest.mark.parametrize("length", [12, 16, 20])
def test_an_outlier_at_the_end_of_few_months_does_not_exclude_their_level(model_id, length) -> None:
    values = np.append(np.full(length - 1, 5.0), 500.0)
    result = predict(History(values, (12,), Frequency.MONTHLY), 4, 0.95, model_id)
    assert ((result.lower <= 5.0) & (result.upper >= 5.0)).all()
