"""Noise that says nothing and an added constant hardly move a forecast."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from app.forecasting.model_ids import MODEL_IDS
from app.timeseries.calendar.frequency import Frequency
from benchmarks.invariance import (
    ADDED,
    CELSIUS_COUNTS,
    FLAT,
    NON_NEGATIVE,
    TO_KELVIN,
    celsius,
    forecast,
    move_by_constant,
    move_in_half_widths,
    noise_at_100,
    solar_hours,
    with_one_below_zero,
    with_tiny_noise,
)
from benchmarks.other_forecasters import engine_model

MAX_NOISE_MOVE = 0.2  # in half-widths: of the median and of both bounds, by noise of 1e-9
MAX_MEDIAN_MOVE, MAX_BOUND_MOVE = 0.08, 0.15  # in ranges of the series, by an added constant
SEEDS = st.integers(0, 10_000)
SAME_EXAMPLES = settings(max_examples=2, deadline=None, derandomize=True)


@pytest.mark.parametrize("model_id", MODEL_IDS)
@pytest.mark.parametrize("kind", NON_NEGATIVE)
@given(seed=SEEDS, is_signed=st.booleans())
@SAME_EXAMPLES
def test_noise_of_a_billionth_moves_nothing(kind, model_id, seed, is_signed) -> None:
    frequency, make, counts = NON_NEGATIVE[kind]
    for count in counts:
        rng = np.random.default_rng(seed)
        values = make(count, rng)
        noisy = with_tiny_noise(values, rng, signed=is_signed)
        moved = move_in_half_widths(engine_model(model_id), values, noisy, frequency)
        assert moved < MAX_NOISE_MOVE


@pytest.mark.parametrize("model_id", MODEL_IDS)
def test_units_and_rounding_move_no_forecast_of_a_regular_series(model_id) -> None:
    index, model = np.arange(40), engine_model(model_id)
    values = 100 + 10 * np.sin(index * 2 * np.pi / 7) + index * 7919 % 13 / 3 + index / 5
    noisy = values * (1 + 1e-9 * np.random.default_rng(0).standard_normal(40))
    expected = forecast(model, values, Frequency.DAILY)
    np.testing.assert_allclose(forecast(model, 7 * values, Frequency.DAILY) / 7, expected)
    np.testing.assert_allclose(forecast(model, noisy, Frequency.DAILY), expected, rtol=1e-6)


@pytest.mark.parametrize("seed", [0, 28, 46])
def test_units_move_no_forecast_of_whole_numbers_after_a_change_of_level(seed) -> None:
    noise, model = np.random.default_rng(seed).integers(-1, 2, 60), engine_model("forecast-model-2")
    counts = np.where(np.arange(60) > 30, 70.0, 50.0) + noise
    in_tens = forecast(model, counts / 10, Frequency.MONTHLY)
    np.testing.assert_allclose(10 * in_tens, forecast(model, counts, Frequency.MONTHLY), rtol=1e-7)


@pytest.mark.parametrize("model_id", MODEL_IDS)
@pytest.mark.parametrize("count", [60, 500])
@given(seed=SEEDS)
@SAME_EXAMPLES
def test_one_value_just_below_zero_by_night_leaves_the_bounds_at_zero(model_id, count, seed):
    values, model = solar_hours(count, np.random.default_rng(seed)), engine_model(model_id)
    noisy = with_one_below_zero(values)
    assert move_in_half_widths(model, values, noisy, Frequency.HOURS) < 0.01
    assert forecast(model, noisy, Frequency.HOURS).min() >= 0


@pytest.mark.parametrize("model_id", MODEL_IDS)
@pytest.mark.parametrize("frequency", FLAT)
@example(seed=8)
@example(seed=12)
@given(seed=SEEDS)
@SAME_EXAMPLES
def test_an_added_constant_hardly_moves_noise(frequency, model_id, seed) -> None:
    for count in FLAT[frequency]:
        values = noise_at_100(count, np.random.default_rng(seed))
        median, bound = move_by_constant(engine_model(model_id), values, ADDED, frequency)
        assert median < MAX_MEDIAN_MOVE
        assert bound < MAX_BOUND_MOVE


@pytest.mark.parametrize("model_id", MODEL_IDS)
@pytest.mark.parametrize("count", CELSIUS_COUNTS)
@given(seed=SEEDS)
@SAME_EXAMPLES
def test_celsius_and_kelvin_have_one_forecast(model_id, count, seed) -> None:
    values = celsius(count, np.random.default_rng(seed))
    median, bound = move_by_constant(engine_model(model_id), values, TO_KELVIN, Frequency.HOURS)
    assert median < MAX_MEDIAN_MOVE
    assert bound < MAX_BOUND_MOVE
