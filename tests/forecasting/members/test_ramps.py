"""Ramps with resets are continued to their usual end; no other series counts as ramps."""

import numpy as np
import pytest

from app.forecasting.forecast import fit
from app.forecasting.members.ramps import RAMPS, Ramps, has_ramps
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History
from tests.forecasting.tasks import disturb_after, make_task

POINTS, HORIZON = 600, 30
MODELS = ["forecast-model-1", "forecast-model-2", "forecast-model-4"]


def memory(steps, rng):
    """Memory that is freed at 900."""
    values, used = np.zeros(steps), 200.0
    for step in range(steps):
        used += rng.gamma(2, 2)
        if used > 900:
            used = 200 + 50 * rng.random()
        values[step] = used
    return values


def stock(steps, rng):
    """Stock that is replenished below 100."""
    values, left = np.zeros(steps), 500.0
    for step in range(steps):
        left -= rng.poisson(30)
        if left < 100:
            left += 500
        values[step] = left
    return values


def saw(steps, rng):
    return np.arange(steps) % 60 + rng.standard_normal(steps)


@pytest.mark.parametrize("model_id", MODELS)
@pytest.mark.parametrize("make", [memory, stock, saw])
def test_the_error_is_a_third_of_that_without_ramps_and_intervals_hold(make, model_id) -> None:
    errors, naive_errors, covered = [], [], []
    for seed in range(4):
        values = make(POINTS + HORIZON, np.random.default_rng(seed))
        known, actual = values[:POINTS], values[POINTS:]
        fitted = fit(History(known, (1_440, 10_080), Frequency.MINUTES), HORIZON, model_id)
        lower, upper = fitted.interval(0.95)
        errors.append(np.abs(fitted.median - actual).mean())
        naive_errors.append(np.abs(known[-1] - actual).mean())
        covered.append(np.mean((lower <= actual) & (actual <= upper)))
    assert np.mean(errors) < np.mean(naive_errors) / 3
    assert np.mean(covered) >= 0.9


def test_a_ramp_rises_to_its_top_and_begins_at_its_bottom() -> None:
    path = Ramps(slope=2.0, bottom=10.0, top=16.0).continue_from(12.0, 6)
    np.testing.assert_allclose(path, [14, 16, 10, 12, 14, 16])
    falling = Ramps(slope=-2.0, bottom=16.0, top=10.0).continue_from(14.0, 4)
    np.testing.assert_allclose(falling, [12, 10, 16, 14])


@pytest.mark.parametrize(("slope", "length"), [(0.1, 12), (0.1, 10), (1 / 3, 10), (0.7, 9)])
def test_a_ramp_without_noise_resets_at_its_step(slope, length) -> None:
    values = slope * (np.arange(200) % length)
    origins = range(60, 110)
    forecast = RAMPS.forecast(make_task(values[:150], 40, origins))[0]
    expected = [values[origin : origin + 40] for origin in origins]
    np.testing.assert_allclose(forecast.backtest, expected, atol=1e-9)


def test_a_value_outside_of_the_ramps_leads_back_to_them() -> None:
    ramps = Ramps(slope=2.0, bottom=10.0, top=16.0)
    np.testing.assert_allclose(ramps.continue_from(4.0, 3), [6, 8, 10])
    assert ramps.continue_from(40.0, 1)[0] < 18.0


def test_a_past_forecast_does_not_know_later_values() -> None:
    rng = np.random.default_rng(1)
    values = memory(POINTS, rng)
    known, disturbed = (
        RAMPS.forecast(make_task(v, 10, (400, 500)))[0]
        for v in (values, disturb_after(values, 400, rng))
    )
    np.testing.assert_array_equal(known.backtest[0], disturbed.backtest[0])


def test_the_last_value_is_expected_before_a_ramp_has_ended() -> None:
    forecast = RAMPS.forecast(make_task(np.tile(np.arange(20.0), 4), 5, (12,)))[0]
    np.testing.assert_array_equal(forecast.backtest[0], np.full(5, 11.0))
    np.testing.assert_array_equal(forecast.forecast, np.arange(5.0))


def other_series(name, rng):
    """Return a series whose sudden changes do not end ramps."""
    steps = np.arange(POINTS)
    noise = rng.standard_normal(POINTS)
    return {
        "a random walk": np.cumsum(noise),
        "a walk that falls suddenly": np.cumsum(1.0 + noise - 300 * (rng.random(POINTS) < 0.01)),
        "spikes": 50 + noise + 300 * (steps % 24 == 3),
        "a counter that starts anew": np.concatenate(
            [np.cumsum(rng.poisson(9, size)) for size in (40, 330, 130, 100)]
        ).astype(float),
        "a day with a sharp morning": 100 + 90 * np.sin(steps / 3.82) + 250 * (steps % 24 == 8),
        "two states": 40 + 30.0 * (steps // 70 % 2) + noise,
        "all zeros": np.zeros(POINTS),
    }[name]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    "name",
    [
        "a random walk",
        "a walk that falls suddenly",
        "spikes",
        "a counter that starts anew",
        "a day with a sharp morning",
        "two states",
        "all zeros",
    ],
)
def test_other_series_with_sudden_changes_do_not_count_as_ramps(name, seed) -> None:
    assert not has_ramps(other_series(name, np.random.default_rng(seed)))
