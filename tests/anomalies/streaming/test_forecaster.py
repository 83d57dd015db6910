"""The forecasts from point to point: experts, spikes, levels, gaps."""

import numpy as np
import pytest

from app.anomalies.streaming.fit import StreamFit
from app.anomalies.streaming.forecaster import BURST_POINTS, Forecaster, ForecastStep
from app.timeseries.types import FloatArray
from tests.anomalies.clean_series import autocorrelated_noise
from tests.anomalies.streaming.streams import noise


def forecast_points(
    values: FloatArray, fit: StreamFit | None = None
) -> tuple[Forecaster, list[ForecastStep]]:
    forecaster = Forecaster()
    forecaster.scale = forecaster.spread = 1.0
    forecaster.errors = [1.0] * len(forecaster.errors)
    fit = fit or StreamFit()
    forecaster.recent = [0.0] * (fit.lags[-1] + 1)
    return forecaster, [forecaster.step(fit, value) for value in values.tolist()]


def usual_error(steps: list[ForecastStep]) -> float:
    return float(np.mean([abs(step.error) for step in steps[300:]]))


def test_the_forecast_of_a_random_walk_is_its_last_value() -> None:
    assert usual_error(forecast_points(np.cumsum(noise(2000)))[1]) < 1.1 * np.sqrt(2 / np.pi)


def test_the_forecast_of_noise_is_its_level() -> None:
    assert usual_error(forecast_points(noise(2000))[1]) < 1.15 * np.sqrt(2 / np.pi)


def test_the_autoregression_is_used_where_it_is_better() -> None:
    fit = StreamFit()
    fit.weights = [-0.9]
    values = autocorrelated_noise(np.random.default_rng(1), 2000, -0.9)
    assert usual_error(forecast_points(values, fit)[1]) < 0.5 * usual_error(
        forecast_points(values)[1]
    )


def test_lags_reach_back_as_many_points_as_they_say() -> None:
    fit = StreamFit()
    fit.lags, fit.weights = (1, 7), [0.0, 1.0]
    values = np.tile([5.0, -3.0, 0.0, 9.0, 1.0, -8.0, 2.0], 100)
    assert usual_error(forecast_points(values, fit)[1]) < 0.1


def test_the_season_is_not_part_of_errors() -> None:
    fit = StreamFit()
    fit.periods, fit.profile_sizes, fit.profile = [4.0], (4,), [0.0, 30.0, 0.0, -30.0]
    season = np.tile(fit.profile, 250)
    plain, seasonal = forecast_points(noise(1000))[1], forecast_points(season + noise(1000), fit)[1]
    np.testing.assert_allclose(
        [step.error for step in seasonal], [step.error for step in plain], atol=1e-9
    )


def test_errors_count_by_the_usual_size_in_their_phase() -> None:
    fit = StreamFit()
    fit.periods, fit.profile_sizes = [2.0], (2,)
    fit.profile, fit.phases = [0.0, 0.0], [0.5, 2.0]
    forecaster, steps = forecast_points(noise(1000), fit)
    assert steps[-1].scale == pytest.approx(4 * steps[-2].scale, rel=0.2)
    assert len(forecaster.sizes) == BURST_POINTS


@pytest.mark.parametrize("sigmas", [8.0, 1e3, 1e9])
def test_a_spike_says_little_about_the_points_after_it(sigmas: float) -> None:
    values = noise(1000)
    values[800] += sigmas
    steps = forecast_points(values)[1]
    assert steps[800].error > 0.8 * sigmas
    assert abs(steps[801].expected) < 4
    assert steps[801].scale < 1.1 * steps[800].scale


def test_a_second_point_as_far_out_on_the_same_side_confirms_a_level() -> None:
    values = noise(1000)
    values[800:] += 50.0
    steps = forecast_points(values)[1]
    assert abs(steps[801].error) > 30
    assert abs(steps[805].error) < 15
    assert abs(np.mean([step.error for step in steps[830:900]])) < 1


def test_a_missing_value_is_replaced_by_its_forecast() -> None:
    values = noise(1000)
    forecaster, _steps = forecast_points(values)
    scale, level = forecaster.scale, forecaster.level
    for _ in range(30):
        forecaster.step(StreamFit(), None)
    assert forecaster.time == 1030
    assert (forecaster.scale, forecaster.level) == (scale, level)
    assert abs(forecaster.step(StreamFit(), 0.0).expected) < 2


def test_the_drift_is_the_distance_from_the_slow_level() -> None:
    values = noise(1500)
    values[1400:] += 5.0
    steps = forecast_points(values)[1]
    assert max(abs(step.drift) for step in steps[1000:1400]) < 1.5
    assert steps[1440].drift > 2
    forecaster, _steps = forecast_points(values)
    forecaster.shift_level(5.0)
    assert abs(forecaster.step(StreamFit(), 5.0).drift) < 1


def test_a_burst_is_a_sum_of_the_last_errors_in_usual_ones() -> None:
    values = noise(1000)
    values[900:910] *= 8
    steps = forecast_points(values)[1]
    surprises = [abs(step.error) / step.scale for step in steps]
    assert steps[909].burst == pytest.approx(sum(surprises[910 - BURST_POINTS : 910]))
    assert steps[909].burst > 3 * steps[899].burst


@pytest.mark.parametrize("value", [0.0, 1e9, -1e9, 5e-324])
def test_a_constant_series_is_forecast_without_error(value: float) -> None:
    forecaster, steps = forecast_points(np.full(500, value))
    assert steps[-1].error == pytest.approx(0.0, abs=1e-6 * abs(value))
    assert np.isfinite([*steps[-1], *forecaster.errors]).all()
    assert steps[-1].scale > 0


def test_values_that_jump_from_end_to_end_leave_finite_numbers() -> None:
    forecaster, steps = forecast_points(np.tile([1e9, -1e9, 0.0, 5e-324], 200))
    assert np.isfinite(np.array(steps)).all()
    assert np.isfinite([forecaster.level, forecaster.spread, forecaster.scale]).all()
