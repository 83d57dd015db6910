"""A certain change of level long ago does not widen intervals; other movements are kept."""

import numpy as np
import pytest

from app.forecasting.forecast import fit
from app.forecasting.levels.old_change import find_old_level_change
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History

POINTS, HORIZON, NOISE = 300, 14, 0.05
PERIODS = (7, 365)
STEPS = np.arange(POINTS + HORIZON)
EARLIER = np.arange(POINTS)


def daily_history(values):
    return History(np.asarray(values, dtype=float), PERIODS, Frequency.DAILY)


def days_with_change(change, factor, season=0.0, seed=1):
    """Return 300 days whose level changes, and the 14 that follow."""
    level = 100 * (1 + season * np.sin(2 * np.pi * STEPS / 7)) * np.where(change > STEPS, 1, factor)
    values = level * (1 + NOISE * np.random.default_rng(seed).standard_normal(len(STEPS)))
    return values[:POINTS], values[POINTS:]


@pytest.mark.parametrize("model_id", ["forecast-model-1", "forecast-model-2", "forecast-model-4"])
@pytest.mark.parametrize("season", [0.0, 0.3])
@pytest.mark.parametrize(("change", "factor"), [(150, 0.55), (200, 0.55), (200, 1.6)])
def test_an_old_change_of_level_does_not_widen_intervals(model_id, season, change, factor) -> None:
    values, actual = days_with_change(change, factor, season)
    fitted = fit(daily_history(values), HORIZON, model_id)
    fitted_since = fit(daily_history(values[change:]), HORIZON, model_id)
    assert fitted.provenance.level_change == change
    (lower, upper), (lower_since, upper_since) = fitted.interval(0.95), fitted_since.interval(0.95)
    assert np.mean(upper - lower) < 1.5 * np.mean(upper_since - lower_since)
    assert np.mean((lower <= actual) & (actual <= upper)) >= 0.9
    np.testing.assert_allclose(fitted.median, fitted_since.median, rtol=0.05)


def test_an_old_change_by_a_difference_is_moved_by_it() -> None:
    season = 12 * np.sin(2 * np.pi * EARLIER / 7)
    error = 3 * np.random.default_rng(2).standard_normal(POINTS)
    change = find_old_level_change(daily_history(np.where(EARLIER < 150, 100, 60) + season + error))
    assert change is not None
    assert not change.is_factor
    assert change.size == pytest.approx(-40, abs=2)


def test_an_older_and_a_new_change_are_both_found() -> None:
    values, _ = days_with_change(100, 0.3)
    values[-8:] *= 1.4
    fitted = fit(daily_history(values), HORIZON, "forecast-model-2")
    assert fitted.provenance.level_change == POINTS - 8
    np.testing.assert_allclose(fitted.median, 42, rtol=0.1)


def noise(seed):
    return np.random.default_rng(seed).standard_normal(POINTS)


@pytest.mark.parametrize(
    "make",
    [
        lambda seed: 500 + np.cumsum(noise(seed)),
        lambda seed: 100 * np.exp(0.03 * np.cumsum(noise(seed))),
        lambda seed: 100 * np.exp(0.01 * EARLIER + 0.05 * noise(seed)),
        lambda seed: 100 + 0.5 * EARLIER + 5 * noise(seed),
        lambda seed: np.where(EARLIER // 50 % 2, 55, 100) * (1 + NOISE * noise(seed)),
        lambda seed: np.repeat(noise(seed)[:10] ** 2 + 2, 30) * (1 + NOISE * noise(seed + 99)),
        lambda seed: np.clip((EARLIER - 150) / 60, 0, 1) * 60 + 100 + 3 * noise(seed),
        lambda seed: 100 + 40 * np.sin(2 * np.pi * EARLIER / 200 + seed) + 5 * noise(seed),
        lambda seed: np.random.default_rng(seed).poisson(0.4, POINTS),
        lambda _seed: np.zeros(POINTS),
        lambda _seed: np.where(EARLIER < 150, 2.5, 2.75),
    ],
    ids=[
        "random walk",
        "random walk of logarithms",
        "growth",
        "line",
        "steps back and forth",
        "a level a month",
        "ramp",
        "slow wave",
        "counts",
        "zeros",
        "price",
    ],
)
def test_other_movements_do_not_count_as_an_old_change(make) -> None:
    assert all(find_old_level_change(daily_history(make(seed))) is None for seed in range(20))


def test_a_fall_to_zero_and_another_kind_of_noise_are_not_moved() -> None:
    level = np.where(EARLIER < 150, 100.0, 0.0)
    assert find_old_level_change(daily_history(np.maximum(level + noise(1), 0.0))) is None
    levels_of_unlike_spread = np.where(EARLIER < 150, 100 + 10 * noise(1), 300 + noise(2))
    assert find_old_level_change(daily_history(levels_of_unlike_spread)) is None


def test_few_points_do_not_prove_an_old_change() -> None:
    values, _ = days_with_change(150, 0.55)
    assert find_old_level_change(daily_history(values[120:190])) is None
    assert find_old_level_change(daily_history(values[110:190])) is not None
