"""Noise that says nothing and an added constant hardly move a forecast."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from app.forecasting.forecast import fit
from app.forecasting.model_ids import MODEL_IDS
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.types import History
from benchmarks.series import PERIODS

HORIZON = 24
MAX_NOISE_MOVE = 0.2
"""In half-widths: of the median and of both bounds, by noise of 1e-9."""
MAX_MEDIAN_MOVE, MAX_BOUND_MOVE = 0.08, 0.15
"""In ranges of the series, by an added constant."""


def solar(count, rng):
    """Hours that are 0 by night."""
    by_hour = np.maximum(np.sin((np.arange(count) % 24 - 6) * np.pi / 12), 0.0).round(6)
    weather = np.repeat(rng.uniform(0.4, 1.0, count // 24 + 1), 24)[:count]
    return 100 * by_hour * weather * np.exp(0.1 * rng.standard_normal(count))


def closed_at_weekends(count, rng):
    return 100 * np.exp(0.2 * rng.standard_normal(count)) * (np.arange(count) % 7 < 5)


def rare_counts(count, rng):
    return rng.poisson(0.7, count).astype(float)


def positive(count, rng):
    return np.exp(0.5 * rng.standard_normal(count))


NON_NEGATIVE = {
    "solar": (Frequency.HOURS, solar, (60, 500)),
    "closed at weekends": (Frequency.DAILY, closed_at_weekends, (40, 400)),
    "rare counts": (Frequency.DAILY, rare_counts, (70, 400)),
    "positive": (Frequency.DAILY, positive, (40, 400)),
}
FLAT = {
    Frequency.DAILY: (12, 40, 400),
    Frequency.WEEKLY: (40, 250),
    Frequency.MONTHLY: (40, 150),
    Frequency.QUARTERLY: (60,),
    Frequency.YEARLY: (60,),
}
SEEDS = st.integers(0, 10_000)
SAME_EXAMPLES = settings(max_examples=2, deadline=None, derandomize=True)


def forecast(values, frequency, model_id):
    fitted = fit(History(values, PERIODS[frequency], frequency), HORIZON, model_id)
    return np.stack([fitted.median, *fitted.interval(0.95)])


def moved_by_noise(values, noisy, frequency, model_id):
    """The largest move in half-widths."""
    plain = forecast(values, frequency, model_id)
    moved = np.abs(forecast(noisy, frequency, model_id) - plain).max()
    return moved / (np.mean(plain[2] - plain[1]) / 2)


def moved_by_constant(values, constant, frequency, model_id):
    """The largest moves of the median and of a bound, in ranges of the series."""
    plain = forecast(values, frequency, model_id)
    moved = np.abs(forecast(values + constant, frequency, model_id) - constant - plain)
    return moved[0].max() / np.ptp(values), moved[1:].max() / np.ptp(values)


@pytest.mark.parametrize("model_id", MODEL_IDS)
@pytest.mark.parametrize("kind", NON_NEGATIVE)
@given(seed=SEEDS, is_signed=st.booleans())
@SAME_EXAMPLES
def test_noise_of_a_billionth_moves_nothing(kind, model_id, seed, is_signed):
    frequency, make, counts = NON_NEGATIVE[kind]
    for count in counts:
        rng = np.random.default_rng(seed)
        values = make(count, rng)
        noise = 1e-9 * rng.standard_normal(count)
        noisy = values + (noise if is_signed else np.abs(noise))
        assert moved_by_noise(values, noisy, frequency, model_id) < MAX_NOISE_MOVE


@pytest.mark.parametrize("model_id", MODEL_IDS)
@pytest.mark.parametrize("count", [60, 500])
@given(seed=SEEDS)
@SAME_EXAMPLES
def test_one_value_just_below_zero_by_night_leaves_the_bounds_at_zero(model_id, count, seed):
    values = solar(count, np.random.default_rng(seed))
    noisy = values.copy()
    noisy[np.flatnonzero(values == 0)[count // 6]] = -0.01
    assert moved_by_noise(values, noisy, Frequency.HOURS, model_id) < 0.01
    assert forecast(noisy, Frequency.HOURS, model_id).min() >= 0


@pytest.mark.parametrize("model_id", MODEL_IDS)
@pytest.mark.parametrize("frequency", FLAT)
@example(seed=8)
@example(seed=12)
@given(seed=SEEDS)
@SAME_EXAMPLES
def test_an_added_constant_hardly_moves_noise(frequency, model_id, seed):
    for count in FLAT[frequency]:
        values = 100 + 5 * np.random.default_rng(seed).standard_normal(count)
        median, bound = moved_by_constant(values, 500.0, frequency, model_id)
        assert median < MAX_MEDIAN_MOVE
        assert bound < MAX_BOUND_MOVE


@pytest.mark.parametrize("model_id", MODEL_IDS)
@pytest.mark.parametrize("count", [48, 500])
@given(seed=SEEDS)
@SAME_EXAMPLES
def test_celsius_and_kelvin_have_one_forecast(model_id, count, seed):
    rng = np.random.default_rng(seed)
    values = 20 + 4 * np.sin(np.arange(count) * np.pi / 12) + rng.standard_normal(count)
    median, bound = moved_by_constant(values, 273.15, Frequency.HOURS, model_id)
    assert median < MAX_MEDIAN_MOVE
    assert bound < MAX_BOUND_MOVE
