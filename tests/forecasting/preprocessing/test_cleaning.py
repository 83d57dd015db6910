"""What is cleaned before a fit: outliers, the local level and the season."""

import numpy as np
import pytest

from app.forecasting.preprocessing.cleaning import (
    clean_series,
    clip_gross_outliers,
    local_level,
    robust_season,
    steady_growth,
    steady_slope,
)
from app.forecasting.preprocessing.level_shifts import last_level_shift, move_to_new_level
from app.forecasting.preprocessing.seasonality import Seasonality, find_seasonality


@pytest.fixture
def rng():
    return np.random.default_rng(5)


def daily_history(n, rng, noise=0.5):
    return 50 + 10 * np.sin(2 * np.pi * np.arange(n) / 24) + noise * rng.standard_normal(n)


def test_the_local_level_continues_at_the_ends_of_a_rise_past_outliers() -> None:
    rise = 3.0 * np.arange(60.0)
    np.testing.assert_allclose(local_level(rise, 27), rise)
    wild = rise.copy()
    wild[-1] = 1_000.0
    np.testing.assert_allclose(local_level(wild, 5)[-1], rise[-1], atol=3.0)


def test_the_season_survives_outliers(rng) -> None:
    pattern = np.array([0.0, 1, 4, 9, 4, 1, 0, -3])
    values = 20 + np.tile(pattern, 20) + 0.01 * rng.standard_normal(160)
    values[rng.choice(160, 8, replace=False)] += 1000
    season = robust_season(values, Seasonality(8, 0), 8)
    deviations = season[-8:] - season[-8:].mean()
    np.testing.assert_allclose(deviations, pattern - pattern.mean(), atol=0.2)


def test_noise_gets_no_season(rng) -> None:
    assert not robust_season(rng.standard_normal(4_000), Seasonality(8, 0), 8).any()


def test_a_weekday_that_differs_moves_as_a_whole(rng) -> None:
    day = np.arange(24 * 7 * 6) // 24 % 7
    values = 100 + np.where(day >= 5, -30.0, 0.0) + rng.standard_normal(len(day))
    season = robust_season(values, Seasonality(24, 168), 168)[-168:]
    assert season[5 * 24 :].mean() - season[: 5 * 24].mean() == pytest.approx(-30, abs=2)


def test_a_lasting_shift_is_found_where_it_is(rng) -> None:
    values = rng.standard_normal(300)
    values[210:] += 12
    assert abs(last_level_shift(values, Seasonality(24, 0)) - 210) <= 3


@pytest.mark.parametrize("seed", [5, 13, 58, 89])
def test_a_shift_is_at_the_same_point_in_all_units(seed) -> None:
    noise = np.random.default_rng(seed).integers(-1, 2, 40)
    counts = np.where(np.arange(40) > 20, 70.0, 50.0) + noise
    shifts = {last_level_shift(counts * unit, Seasonality(7, 0)) for unit in (1, 0.1, 1 / 3)}
    assert len(shifts) == 1


def test_neither_spikes_nor_noise_are_a_shift(rng) -> None:
    values = rng.standard_normal(300)
    values[::40] += 30
    assert last_level_shift(values, Seasonality(24, 0)) == 0


@pytest.mark.parametrize("bend", [0, 120], ids=["a rise throughout", "a rise from the middle on"])
def test_a_rise_is_not_a_shift(rng, bend) -> None:
    values = rng.standard_normal(200) + 3.0 * np.maximum(0, np.arange(200) - bend)
    assert last_level_shift(values, Seasonality(24, 0)) == 0


def test_a_load_that_doubled_is_moved_by_a_factor(rng) -> None:
    values = 100 + 10 * rng.standard_normal(200)
    values[100:] *= 2
    moved = move_to_new_level(values, values, 100, 48)
    assert np.median(moved[:100]) == pytest.approx(200, rel=0.05)
    assert moved[:100].std() == pytest.approx(20, rel=0.3)


def test_a_level_that_was_added_to_is_moved_by_a_difference(rng) -> None:
    values = 100 + 10 * rng.standard_normal(200)
    values[100:] += 100
    moved = move_to_new_level(values, values, 100, 48)
    assert moved[:100].std() == pytest.approx(values[:100].std(), rel=1e-9)


def test_clean_pulls_in_spikes_and_leaves_the_rest(rng) -> None:
    values = daily_history(240, rng)
    spiky = values.copy()
    spiky[[50, 120, 200]] += 500
    cleaned = clean_series(spiky, Seasonality(24, 0), 24)
    untouched = np.delete(np.arange(240), [50, 120, 200])
    np.testing.assert_allclose(cleaned.clipped[untouched], values[untouched], atol=2.0)
    assert np.abs(cleaned.clipped - values).max() < 5
    assert cleaned.shift == 0


def test_a_recent_shift_is_not_taken_for_the_mark_of_its_weekday(rng) -> None:
    values = daily_history(336, rng)
    values[312:] += 60
    cleaned = clean_series(values, Seasonality(24, 168), 24)
    assert abs(cleaned.shift - 312) <= 3
    assert np.median(cleaned.moved[:300]) == pytest.approx(110, abs=5)


def test_cleaning_never_makes_a_metric_negative(rng) -> None:
    values = np.where(rng.random(200) < 0.8, 0.0, rng.exponential(5, 200))
    cleaned = clean_series(values, Seasonality(24, 168), 12)
    assert cleaned.clipped.min() >= 0
    assert cleaned.moved.min() >= 0


def test_only_gross_outliers_leave_a_short_history() -> None:
    values = 100 + 3.0 * np.arange(40)
    values[17] = 1e12
    values[30] += 15
    kept = clip_gross_outliers(values, 1)
    assert kept[17] < 200
    np.testing.assert_array_equal(np.delete(kept, 17), np.delete(values, 17))


@pytest.mark.parametrize("length", [10, 12, 24, 30, 60, 100])
@pytest.mark.parametrize("slope", [3.0, -3.0])
def test_the_ends_of_a_line_are_neither_outliers_nor_a_shift(length, slope) -> None:
    line = 1_000.0 + slope * np.arange(float(length))
    cleaned = clean_series(line, find_seasonality(length, (24,)), 5)
    assert cleaned.shift == 0
    np.testing.assert_allclose(cleaned.clipped, line)
    np.testing.assert_allclose(cleaned.season_ahead, 0.0, atol=1e-9)


def test_a_slope_is_seen_through_season_and_noise_and_not_in_a_shift(rng) -> None:
    time = np.arange(96.0)
    rising = 0.5 * time + 5 * np.sin(2 * np.pi * time / 24) + rng.normal(0, 0.5, 96)
    assert steady_slope(rising, 24) == pytest.approx(0.5, abs=0.05)
    assert steady_slope(rng.normal(0, 1, 96), 24) == 0.0
    assert steady_slope(np.where(time < 60, 0.0, 50.0) + rng.normal(0, 1, 96)) == 0.0


def test_growth_is_steady_if_every_quarter_shares_in_it(rng) -> None:
    steps = np.arange(120.0)
    noise = np.exp(0.04 * rng.standard_normal(120))
    assert steady_growth(1.05**steps * noise, 1) == pytest.approx(np.log(1.05), rel=0.05)
    assert steady_growth(50 + 0.05 * steps**2 + noise, 1) == 0.0
    assert steady_growth(1_000 / (1 + np.exp(6 - steps / 8)) * noise, 1) == 0.0
    assert steady_growth(1.05**steps - 2, 1) == 0.0


def test_the_end_of_growth_is_not_an_outlier_and_a_spike_in_it_is_one(rng) -> None:
    growth = 1.1 ** np.arange(60.0) * np.exp(0.04 * rng.standard_normal(60))
    wild = growth.copy()
    wild[30] *= 10
    cleaned = clean_series(wild, Seasonality(7, 0), 5)
    np.testing.assert_allclose(cleaned.clipped[-7:], growth[-7:], rtol=0.05)
    assert cleaned.clipped[30] < 2 * growth[30]
