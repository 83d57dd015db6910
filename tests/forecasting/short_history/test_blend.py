"""What a short history's forecast must show, by every model."""

from itertools import pairwise

import numpy as np
import pytest

from app.forecasting.fallback import fit_constant
from app.forecasting.forecast import predict
from app.forecasting.intervals.learned import PRIOR_FREQUENCIES
from app.forecasting.models.recipes import MODELS
from app.forecasting.short_history.blend import FADE_END_POINTS, blend, forecast_prior, needs_prior
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History
from tests.forecasting.periods import PERIODS

EVERY_PRIOR = pytest.mark.parametrize("frequency", PRIOR_FREQUENCIES)
EVERY_MODEL = pytest.mark.parametrize("model_id", MODELS)
ROUNDING = {"rtol": 1e-9, "atol": 1e-9}


def rng(seed=0):
    return np.random.default_rng(seed)


def history_of(values, frequency):
    return History(np.asarray(values, dtype=np.float64), PERIODS[frequency], frequency)


def forecast(values, frequency, horizon=12, confidence=0.95, model_id="forecast-model-2"):
    return predict(history_of(values, frequency), horizon, confidence, model_id)


def forecast_by_members(values, frequency, model_id="forecast-model-2", horizon=12):
    """Return the forecast without the prior, of values of magnitude 1."""
    return MODELS[model_id].fit_members(history_of(values, frequency), horizon)


@EVERY_MODEL
def test_thirty_hours_continue_the_day_that_they_show(model_id) -> None:
    steps = np.arange(54)
    day = 100 + 30 * np.sin(2 * np.pi * steps / 24)
    values = day + rng(1).normal(size=54)
    prediction = forecast(values[:30], Frequency.HOURS, 24, model_id=model_id)
    assert np.abs(prediction.median - day[30:]).mean() < 0.3 * 30


@EVERY_MODEL
def test_ten_days_continue_the_week_that_they_show(model_id) -> None:
    week = np.array([100, 105, 110, 105, 100, 60, 50.0])
    values = np.tile(week, 4) + rng(2).normal(0, 2, 28)
    prediction = forecast(values[:10], Frequency.DAILY, 14, model_id=model_id)
    assert np.corrcoef(prediction.median, np.tile(week, 4)[10:24])[0, 1] > 0.7


@EVERY_MODEL
def test_eighteen_months_continue_the_year_that_they_show(model_id) -> None:
    steps = np.arange(30)
    year = 100 + 30 * np.sin(2 * np.pi * steps / 12)
    values = year + rng(3).normal(0, 2, 30)
    prediction = forecast(values[:18], Frequency.MONTHLY, 12, model_id=model_id)
    assert np.abs(prediction.median - year[18:]).mean() < 0.4 * 30


@EVERY_MODEL
def test_ten_days_of_level_noise_get_no_interval_of_many_deviations(model_id) -> None:
    widths = []
    for seed in range(11):
        prediction = forecast(
            100 + rng(seed).normal(0, 20, 10), Frequency.DAILY, 14, model_id=model_id
        )
        widths.append(np.median(prediction.upper - prediction.lower))
    assert np.median(widths) < 7 * 20


@EVERY_MODEL
@EVERY_PRIOR
@pytest.mark.parametrize("points", [10, 20, 45])
@pytest.mark.parametrize("shape", ["line", "growth", "fall"])
def test_data_without_noise_are_continued_by_the_members_only(model_id, frequency, points, shape):
    steps = np.arange(points)
    values = {"line": 1 + steps / 7, "growth": 1.07**steps, "fall": 50 - steps / 3}[shape]
    values = values / values.max()
    members = forecast_by_members(values, frequency, model_id)
    prediction = blend(history_of(values, frequency), members).at(0.95)
    expected = members.at(0.95)
    is_exact = members.step_error <= 1e-6 * np.ptp(values)
    # One model is cautious with ten points of a line: there the prior has a share, but a small one.
    assert is_exact or (model_id, points, shape) == ("forecast-model-4", 10, "line")
    tolerance = ROUNDING if is_exact else {"rtol": 0.05}
    for name in ("lower", "median", "upper"):
        np.testing.assert_allclose(getattr(prediction, name), getattr(expected, name), **tolerance)


@EVERY_PRIOR
def test_a_constant_stays_itself(frequency) -> None:
    prediction = forecast(np.full(12, 7.0), frequency)
    for bound in (prediction.lower, prediction.median, prediction.upper):
        np.testing.assert_array_equal(bound, 7.0)


@pytest.mark.parametrize("points", [25, 40])
def test_whole_weeks_without_noise_are_repeated_exactly(points) -> None:
    week = np.tile([5.0, 6, 7, 6, 5, 2, 1], 9)
    prediction = forecast(week[:points], Frequency.DAILY, 14)
    np.testing.assert_allclose(prediction.median, week[points : points + 14], atol=1e-6)


@EVERY_PRIOR
def test_a_power_of_two_scales_the_forecast_exactly(frequency) -> None:
    values = 50 + np.cumsum(rng(4).normal(size=23))
    prediction, scaled = forecast(values, frequency), forecast(values * 2.0**9, frequency)
    for name in ("lower", "median", "upper"):
        np.testing.assert_array_equal(getattr(prediction, name) * 2.0**9, getattr(scaled, name))


def test_signed_days_move_with_a_shift() -> None:
    values = rng(5).normal(0, 5, 20)
    prediction, moved = forecast(values, Frequency.DAILY), forecast(values - 3.0, Frequency.DAILY)
    np.testing.assert_allclose(moved.median, prediction.median - 3.0, atol=0.5)


@EVERY_PRIOR
@pytest.mark.parametrize("points", [10, 30, 90])
def test_bounds_are_nested_in_confidence_and_the_median_does_not_depend_on_it(frequency, points):
    values = 30 + np.cumsum(rng(6).normal(size=points))
    levels = (0.1, 0.5, 0.8, 0.9, 0.95, 0.99)
    responses = [forecast(values, frequency, confidence=level) for level in levels]
    for narrow, wide in pairwise(responses):
        np.testing.assert_array_equal(narrow.median, wide.median)
        assert (wide.lower <= narrow.lower).all()
        assert (wide.upper >= narrow.upper).all()


@EVERY_PRIOR
def test_counts_stay_at_or_above_zero_and_a_bound_at_zero_stays_there(frequency) -> None:
    inside = []
    for seed in range(20):
        values = rng(seed).poisson(1.5, 32).astype(float)
        prediction = forecast(values[:20], frequency)
        assert prediction.lower.min() >= 0
        inside.append((prediction.lower <= values[20:]) & (values[20:] <= prediction.upper))
    assert np.mean(inside) > 0.85


@pytest.mark.parametrize("frequency", [Frequency.DAILY, Frequency.MONTHLY, Frequency.WEEKLY])
def test_the_weight_of_the_prior_fades_without_a_jump(frequency) -> None:
    values = 30 + np.cumsum(rng(7).normal(size=FADE_END_POINTS + 1))
    shares = [
        forecast_prior(
            history_of(values[-points:] / 60, frequency),
            12,
            forecast_by_members(values[-points:] / 60, frequency).step_error,
        ).weight
        for points in (FADE_END_POINTS - 2, FADE_END_POINTS - 1)
    ]
    assert 0 < shares[1] < shares[0] < 0.05


@pytest.mark.parametrize("frequency", Frequency)
@pytest.mark.parametrize("points", [FADE_END_POINTS, FADE_END_POINTS + 1, 300])
def test_long_histories_are_forecast_by_their_members_only(frequency, points) -> None:
    history = history_of(2 + rng(8).normal(0, 0.2, points), frequency)
    prediction = fit_constant(1.0, 3)
    assert not needs_prior(history)
    assert blend(history, prediction) is prediction


@pytest.mark.parametrize("frequency", [Frequency.YEARLY, Frequency.QUARTERLY])
def test_years_and_quarters_are_forecast_by_their_members_only(frequency) -> None:
    assert not needs_prior(history_of(rng(9).normal(size=15), frequency))


def test_hours_are_forecast_by_their_members_once_they_see_two_days() -> None:
    values = rng(10).normal(size=48)
    assert needs_prior(history_of(values[:47], Frequency.HOURS))
    assert not needs_prior(history_of(values, Frequency.HOURS))


def test_an_outlier_does_not_dominate_the_forecast() -> None:
    values = 10 + rng(11).normal(0, 0.5, 10)
    values[4] = 1_000.0
    for model_id in MODELS:
        prediction = forecast(values, Frequency.DAILY, 14, model_id=model_id)
        assert 5 < np.median(prediction.median) < 150


@EVERY_MODEL
def test_the_prior_weighs_less_where_members_expect_far_smaller_errors(model_id) -> None:
    history = history_of(2 + rng(12).normal(0, 0.1, 20), Frequency.WEEKLY)
    members = MODELS[model_id].fit_members(history, 5)
    usual = forecast_prior(history, 5, members.step_error).weight
    unknown = forecast_prior(history, 5, np.inf).weight
    exact = forecast_prior(history, 5, 1e-9).weight
    assert exact < 1e-9 < usual <= unknown <= 1.0


@EVERY_MODEL
@pytest.mark.parametrize("last", [1e-20, 1e90, -1e90])
def test_a_last_value_of_another_magnitude_is_forecast_by_the_model(last, model_id) -> None:
    for values in ([5, 3, 8, 4, 6, 5, 7, 4, 5, last], [0] * 9 + [last]):
        prediction = forecast(values, Frequency.HOURS, model_id=model_id)
        assert not prediction.provenance.is_fallback
        assert np.isfinite([prediction.lower, prediction.median, prediction.upper]).all()
