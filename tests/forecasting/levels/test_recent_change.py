"""A level that has just changed is the level that is forecast."""

import numpy as np
import pytest

from app.forecasting.forecast import fit
from app.forecasting.levels.recent_change import (
    LevelChange,
    find_level_candidate,
    find_level_change,
)
from app.forecasting.models.recipes import MODELS
from app.forecasting.types import ForecastDistribution
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History

POINTS, HORIZON = 200, 10
PERIODS = {
    Frequency.HOURS: (24, 168),
    Frequency.DAILY: (7, 365),
    Frequency.WEEKLY: (52,),
    Frequency.MONTHLY: (12,),
}


def history_with_level(frequency, factors, seed=0, noise=0.05):
    """Return a level of 100 with the shortest season, times ``factors`` of the last points."""
    period = min(PERIODS[frequency])
    steps = np.arange(POINTS)
    values = 100 * (1 + 0.3 * np.sin(2 * np.pi * steps / period))
    values[POINTS - len(factors) :] *= factors
    values *= 1 + noise * np.random.default_rng(seed).standard_normal(POINTS)
    return History(values, PERIODS[frequency], frequency)


def future_at_old_level(frequency):
    """Return the values that follow at the old level."""
    steps = POINTS + np.arange(HORIZON)
    return 100 * (1 + 0.3 * np.sin(2 * np.pi * steps / min(PERIODS[frequency])))


@pytest.mark.parametrize("model_id", MODELS)
@pytest.mark.parametrize("frequency", [*PERIODS])
@pytest.mark.parametrize("factor", [0.55, 1.6])
@pytest.mark.parametrize(("since", "way"), [(3, 0.6), (5, 0.85), (7, 0.9)])
def test_a_new_level_is_forecast_from_its_third_point_on(model_id, frequency, factor, since, way):
    fitted = fit(history_with_level(frequency, [factor] * since, seed=since), HORIZON, model_id)
    assert fitted.provenance.level_change == POINTS - since
    old = future_at_old_level(frequency)
    assert way <= np.mean((fitted.median - old) / (factor * old - old)) <= 1.15
    lower, upper = fitted.interval(0.95)
    assert np.mean((lower <= factor * old) & (factor * old <= upper)) == 1


def test_points_well_inside_the_interval_are_no_likely_change_however_quiet_the_past_was():
    history = history_with_level(Frequency.DAILY, [0.7] * 7, noise=0.01)
    assert find_level_candidate(history).ratio > 6

    def forecast_widely(before, horizon):
        steps = len(before.values) + np.arange(horizon)
        median = 100 * (1 + 0.3 * np.sin(2 * np.pi * steps / 7))
        return ForecastDistribution(median, lambda _confidence: (median - 75, median + 75))

    assert find_level_change(history, forecast_widely) is None


@pytest.mark.parametrize("frequency", [Frequency.HOURS, Frequency.DAILY])
@pytest.mark.parametrize("factor", [0.55, 1.6])
@pytest.mark.parametrize(
    ("since", "way", "covered"), [(3, 0.6, 0.7), (5, 0.8, 0.95), (7, 0.85, 0.95)]
)
def test_a_change_of_five_standard_deviations_is_likely_from_its_third_point_on(
    frequency, factor, since, way, covered
):
    old = future_at_old_level(frequency)
    ways, coverages = [], []
    for seed in range(4):
        history = history_with_level(frequency, [factor] * since, seed, noise=0.1)
        fitted = fit(history, HORIZON, "forecast-model-1")
        ways.append(np.mean((fitted.median - old) / (factor * old - old)))
        lower, upper = fitted.interval(0.95)
        coverages.append(np.mean((lower <= factor * old) & (factor * old <= upper)))
    assert way <= np.mean(ways) <= 1.15
    assert np.mean(coverages) >= covered


@pytest.mark.parametrize(("count", "way_back"), [(1, 1.0), (2, 0.5)])
def test_one_or_two_strange_last_points_are_not_a_new_level(count, way_back) -> None:
    history = history_with_level(Frequency.DAILY, [0.55] * count)
    assert find_level_candidate(history) is None
    fitted = fit(history, HORIZON, "forecast-model-1")
    assert fitted.provenance.level_change is None
    reached = np.mean(fitted.median / future_at_old_level(Frequency.DAILY))
    assert reached == pytest.approx(0.55 + 0.45 * way_back, abs=0.05)


@pytest.mark.parametrize("since", [3, 4, 7])
def test_after_an_outage_the_level_before_it_is_forecast(since) -> None:
    history = history_with_level(Frequency.DAILY, [0.1] * 6 + [1.0] * since)
    fitted = fit(history, HORIZON, "forecast-model-1")
    assert fitted.provenance.level_change is None
    assert np.mean(fitted.median / future_at_old_level(Frequency.DAILY)) == pytest.approx(
        1, abs=0.06
    )


def test_a_ramp_is_not_a_change_of_level() -> None:
    history = history_with_level(Frequency.DAILY, [*np.linspace(1.0, 1.6, 20), *[1.6] * 5])
    assert fit(history, HORIZON, "forecast-model-1").provenance.level_change is None


def test_series_without_a_change_have_none() -> None:
    for seed in range(20):
        rng = np.random.default_rng(seed)
        walk = 100 + np.cumsum(rng.standard_normal(POINTS))
        counts = rng.poisson(0.4, POINTS).astype(float)
        growth = np.exp(np.arange(POINTS) / 40) * (1 + 0.05 * rng.standard_normal(POINTS))
        flat = history_with_level(Frequency.DAILY, [], seed).values
        for values in (walk, counts, growth, flat):
            history = History(values, (7, 365), Frequency.DAILY)
            assert fit(history, HORIZON, "forecast-model-2").provenance.level_change is None


@pytest.mark.parametrize("factor", [1000.0, 0.001])
@pytest.mark.parametrize("since", [10, 30])
def test_another_scale_has_intervals_of_its_noise(factor, since) -> None:
    fitted = fit(history_with_level(Frequency.DAILY, [factor] * since), HORIZON, "forecast-model-1")
    lower, upper = fitted.interval(0.95)
    noise = 2 * 1.96 * 0.05 * factor * future_at_old_level(Frequency.DAILY)
    assert fitted.provenance.level_change == POINTS - since
    assert np.all(upper - lower < 6 * noise)
    assert fitted.median == pytest.approx(factor * future_at_old_level(Frequency.DAILY), rel=0.1)


def test_a_signed_series_moves_by_a_difference() -> None:
    change = LevelChange(index=2, points=3, size=-5.0, is_factor=False, scatter=0.1)
    values = np.array([1.0, -1.0, -6.0, -5.0, -4.0])
    moved = change.remove_from(History(values, (), Frequency.DAILY))
    assert moved.values.tolist() == [-4.0, -6.0, -6.0, -5.0, -4.0]


def test_the_interval_of_a_moved_history_reaches_for_the_old_level() -> None:
    flat = ForecastDistribution(
        np.full(2, 60.0), lambda confidence: (np.full(2, 59.0), np.full(2, 61.0))
    )
    change = LevelChange(index=90, points=3, size=0.6, is_factor=True, scatter=1.0)
    lower, upper = change.add_to(flat, floor=0.0).interval(0.95)
    assert np.all(60.0 - lower < upper - 60.0)
    assert np.all(upper > 100)
    later = LevelChange(index=90, points=30, size=0.6, is_factor=True, scatter=1.0)
    assert np.all(later.add_to(flat, floor=0.0).interval(0.95)[1] < 70)


def test_a_ramp_that_still_rises_is_no_new_level_however_high_it_is() -> None:
    values = np.exp(0.08 * np.random.default_rng(1).standard_normal(POINTS))
    values[-6:] = [10, 30, 100, 300, 600, 1000]
    history = History(values, PERIODS[Frequency.HOURS], Frequency.HOURS)
    assert fit(history, HORIZON, "forecast-model-1").provenance.level_change is None
