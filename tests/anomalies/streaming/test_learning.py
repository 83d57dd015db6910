"""What is learned from the points of a stream."""

import math

import numpy as np
import pytest

from app.anomalies.results import Direction
from app.anomalies.streaming.detector import StreamDetector
from app.anomalies.streaming.fit import MAX_LEARNED_POINTS, LearningContext, StreamFit
from app.anomalies.streaming.forecaster import Forecaster
from app.anomalies.streaming.learning import learn_history, learn_stream
from app.anomalies.streaming.state import MIN_FIT_POINTS, pack
from app.timeseries.types import FloatArray
from tests.anomalies.streaming.streams import DAY, HOURS, flags, noise, seasonal_series, verdicts_on

RATE = 0.001


def fit_stream(values: FloatArray, level_points: int = 0) -> tuple[StreamFit, Forecaster]:
    return learn_stream(values, HOURS, LearningContext(len(values), level_points))


def width(fit: StreamFit, forecaster: Forecaster) -> float:
    """Return the half-width of the band at a rate of 1 % a side, in values of a linear fit."""
    return forecaster.scale * fit.tails.errors.up.quantile(math.log(0.01)) * fit.unit


def numbers(fit: StreamFit, forecaster: Forecaster) -> FloatArray:
    return np.frombuffer(pack(fit) + pack(forecaster))


def test_a_season_is_found_and_continued() -> None:
    fit, forecaster = fit_stream(seasonal_series(1000))
    assert list(fit.periods) == [DAY]
    profile = np.array([fit.season_at(time) for time in range(DAY)]) * fit.unit
    assert np.abs(profile - 10 * np.sin(2 * np.pi * np.arange(DAY) / DAY)).max() < 1.0
    step = forecaster.step(fit, fit.to_units(float(seasonal_series(1001)[-1])))
    assert abs(step.error * fit.unit) < 4


def test_the_season_has_its_place_whatever_the_time_learning_began() -> None:
    values = seasonal_series(1000)
    fit, _forecaster = learn_stream(values[7:], HOURS, LearningContext(1000))
    ours, _forecaster = fit_stream(values)
    results = [fit.season_at(time) * fit.unit for time in range(1000, 1024)]
    np.testing.assert_allclose(
        results, [ours.season_at(time) * ours.unit for time in range(1000, 1024)], atol=0.5
    )


def test_proportional_growth_is_learned_in_logarithms() -> None:
    time = np.arange(800)
    values = np.exp(2 + np.sin(2 * np.pi * time / DAY) + 0.2 * noise(800))
    assert fit_stream(values)[0].is_log
    assert not fit_stream(seasonal_series(800))[0].is_log


def test_the_band_of_noise_is_as_wide_as_the_noise() -> None:
    assert width(*fit_stream(5 * noise(3000))) == pytest.approx(5 * 2.33, rel=0.25)


def test_outliers_do_not_widen_the_band() -> None:
    values = noise(2000)
    spiked = values.copy()
    spiked[[500, 900, 1999]] = [1e6, -50.0, 80.0]
    assert width(*fit_stream(spiked)) < 1.3 * width(*fit_stream(values))


def test_an_incident_does_not_widen_the_band() -> None:
    values = seasonal_series(336)
    spoilt = values.copy()
    spoilt[200:206] = 0.0
    assert width(*fit_stream(spoilt)) < 1.5 * width(*fit_stream(values))


def test_forecasts_continue_at_the_level_after_the_last_step() -> None:
    values = noise(1000)
    values[700:] += 30
    fit, forecaster = fit_stream(values)
    assert fit.to_values(forecaster.level) == pytest.approx(30, abs=1.0)
    assert fit.to_values(fit.base) == pytest.approx(30, abs=1.0)
    assert abs(forecaster.drift) * fit.unit < 1.0


def test_a_level_that_is_known_from_outside_is_accepted_though_it_is_young() -> None:
    values = noise(1000)
    values[-30:] += 4
    fit, forecaster = fit_stream(values, 30)
    assert fit.to_values(forecaster.level) == pytest.approx(4, abs=1.0)
    assert fit.to_values(fit.base) == pytest.approx(4, abs=1.0)


def test_a_level_that_began_before_all_that_is_learned_leaves_no_point_out() -> None:
    values = seasonal_series(500)
    np.testing.assert_equal(numbers(*fit_stream(values, 520)), numbers(*fit_stream(values)))


def test_missing_points_are_not_errors() -> None:
    values = seasonal_series(1000)
    known = width(*fit_stream(values))
    values[[10, 500, 501, 502, 998]] = np.nan
    assert width(*fit_stream(values)) == pytest.approx(known, rel=0.1)


def test_missing_points_keep_the_season_in_place() -> None:
    values = seasonal_series(1000)
    values[400:437] = np.nan
    fit, forecaster = fit_stream(values)
    step = forecaster.step(fit, fit.to_units(float(seasonal_series(1001)[-1])))
    assert abs(step.error * fit.unit) < 4


def test_hours_that_are_restless_have_wider_bands() -> None:
    time = np.arange(2000)
    values = seasonal_series(2000) + noise(2000) * np.where(time % DAY < 12, 5, 0.1)
    fit, _forecaster = fit_stream(values)
    assert fit.phase_at(3) > 2 * fit.phase_at(18)


@pytest.mark.parametrize("value", [0.0, 5.0, -1e100, 1e-300, 5e-324, 1e100])
def test_the_fit_of_a_constant_series_is_finite(value: float) -> None:
    fit, forecaster = fit_stream(np.full(500, value))
    assert fit.unit > 0
    assert fit.to_values(forecaster.level) == pytest.approx(value, rel=1e-6)
    assert np.isfinite(numbers(fit, forecaster)).all()


@pytest.mark.parametrize("count", [10, 20, 21, 40, 49, 75])
def test_few_points_have_a_fit(count: int) -> None:
    for values in (seasonal_series(count), np.zeros(count), np.eye(count)[-1]):
        fit, forecaster = fit_stream(values)
        assert forecaster.time == count
        assert np.isfinite(numbers(fit, forecaster)).all()


@pytest.mark.parametrize("scale", [1e-300, 1e-9, 1e9, 1e100])
def test_every_size_has_a_fit(scale: float) -> None:
    values = scale * np.random.default_rng(1).uniform(-1, 1, 400)
    fit, forecaster = fit_stream(values)
    assert np.isfinite(numbers(fit, forecaster)).all()
    assert width(fit, forecaster) == pytest.approx(scale, rel=0.5)


def test_only_the_end_of_a_long_history_is_learned() -> None:
    end, context = seasonal_series(MAX_LEARNED_POINTS), LearningContext(MAX_LEARNED_POINTS + 50)
    long = learn_stream(np.concatenate([np.full(50, 1e6), end]), HOURS, context)
    np.testing.assert_array_equal(numbers(*long), numbers(*learn_stream(end, HOURS, context)))


def test_the_same_points_have_the_same_fit() -> None:
    np.testing.assert_array_equal(
        numbers(*fit_stream(seasonal_series(700))), numbers(*fit_stream(seasonal_series(700)))
    )


def test_a_learned_spike_does_not_begin_a_burst() -> None:
    values = seasonal_series(401)
    values[400] += 40
    fit, forecaster = fit_stream(values)
    step = forecaster.step(fit, fit.to_units(float(seasonal_series(402)[-1])))
    assert fit.tails.burst.log_p(step.burst) > math.log(0.01)


def learned_detector(values: FloatArray, direction: Direction = Direction.BOTH) -> StreamDetector:
    state = learn_history(values, HOURS, RATE, direction)
    return StreamDetector.from_bytes(state, HOURS, RATE, direction)


@pytest.mark.parametrize("count", [300, 3000])
def test_after_a_history_the_next_point_is_judged(count: int) -> None:
    detector = learned_detector(seasonal_series(count))
    assert not detector.needs_fit
    verdict = detector.update(float(seasonal_series(count + 1)[-1]))
    assert not verdict.is_learning
    assert not verdict.is_anomaly
    assert 3 < verdict.upper - verdict.lower < 15
    assert detector.update(160.0).is_anomaly


@pytest.mark.parametrize("count", [1, 12, 19])
def test_a_history_that_is_too_short_is_learned_later(count: int) -> None:
    detector = learned_detector(seasonal_series(count))
    assert detector.is_learning
    assert detector.time == count


@pytest.mark.parametrize("every", [7, 25, 60])
@pytest.mark.parametrize("count", [1, 2, 4, 21, 40])
def test_a_history_of_which_nearly_all_points_are_missing_is_learned(
    count: int, every: int
) -> None:
    sparse = np.full((count, every), np.nan)
    sparse[:, 0] = seasonal_series(count)
    fit, forecaster = fit_stream(sparse.ravel())
    assert np.isfinite(numbers(fit, forecaster)).all()


def test_missing_points_of_a_history_do_not_count_for_the_first_fit() -> None:
    sparse = np.full((MIN_FIT_POINTS, 60), np.nan)
    sparse[:, 0] = seasonal_series(MIN_FIT_POINTS)
    assert learned_detector(sparse[:-1].ravel()).is_learning
    assert not learned_detector(sparse.ravel()).is_learning


def test_a_rate_from_the_smallest_to_the_largest_values_is_learned() -> None:
    rng = np.random.default_rng(0)
    values = np.where(rng.random(400) < 0.5, 1e-300, 1e100)
    values[100:230] = np.nan
    fit, forecaster = fit_stream(values)
    assert np.isfinite(numbers(fit, forecaster)).all()
    assert np.isfinite(fit.bounds.loss_of(1e-300, 1e100).log_p)


def test_a_detector_learns_only_the_end_of_a_long_history() -> None:
    end = seasonal_series(MAX_LEARNED_POINTS)
    ours, theirs = learned_detector(np.concatenate([np.full(50, 1e6), end])), learned_detector(end)
    assert ours.to_bytes() == theirs.to_bytes()


def test_one_side_is_judged_where_one_is_asked_for() -> None:
    detector = learned_detector(seasonal_series(500), Direction.DOWN)
    assert not detector.update(1e3).is_anomaly
    assert detector.update(-1e3).is_anomaly


@pytest.mark.parametrize("kind", ["normal", "heavy", "week"])
@pytest.mark.parametrize("periods", [(7,), ()])
def test_the_band_of_the_first_days_is_about_as_wide_as_the_values(
    kind: str, periods: tuple[int, ...]
) -> None:
    for seed in range(4):
        rng = np.random.default_rng(seed)
        made = {
            "normal": 40 + 4 * rng.standard_normal(60),
            "heavy": 40 + 4 * rng.standard_t(4, 60),
            "week": 40 + 2 * rng.standard_normal(60) - 12 * (np.arange(60) % 7 > 4),
        }
        verdicts = verdicts_on(made[kind], periods)
        assert flags(verdicts) <= 1
        for verdict in verdicts[20:]:
            assert -60 < verdict.lower <= verdict.upper < 200
