"""Which seasons a series shows, and their profiles."""

import numpy as np
import pytest

from app.anomalies.seasons import cycle_means, find_profiles, seasonal_profile
from app.timeseries.running_median import clip_to_median
from tests.anomalies.clean_series import autocorrelated_noise, day, week


@pytest.fixture
def rng():
    return np.random.default_rng(6)


def periods(values, suggested):
    return tuple(profile.period for profile in find_profiles(values, suggested))


def test_noise_shows_no_season(rng) -> None:
    for _ in range(20):
        assert periods(rng.standard_normal(800), (24, 168)) == ()
        assert periods(np.cumsum(rng.standard_normal(800)), (24, 168)) == ()
        assert periods(autocorrelated_noise(rng, 800, 0.9), (7, 365)) == ()


def test_a_day_and_a_week_both_show(rng) -> None:
    assert periods(week(1500) + rng.standard_normal(1500), (24, 168)) == (24, 168)
    assert periods(day(1500) + rng.standard_normal(1500), (24, 168)) == (24,)


def test_a_period_that_no_calendar_suggests_is_found_in_the_values(rng) -> None:
    values = 2 * np.sin(2 * np.pi * np.arange(800) / 37) + rng.standard_normal(800)
    assert periods(values, (24,)) == (37,)


def test_a_spike_at_the_same_hour_is_a_season(rng) -> None:
    values = rng.standard_normal(480)
    values[5::24] += 6
    assert periods(values, (24,)) == (24,)
    assert seasonal_profile(values, 24).values[5] == pytest.approx(6, abs=1.0)


@pytest.mark.parametrize("cycles", [6, 8])
@pytest.mark.parametrize("spike", [0, 100, 1000])
def test_one_spike_does_not_hide_the_week(rng, cycles, spike) -> None:
    n = 7 * cycles
    values = 10 * np.sin(2 * np.pi * np.arange(n) / 7) + 2 * rng.standard_normal(n)
    values[2 * n // 3] += spike
    assert periods(clip_to_median(values, 25, 6.0), (7,)) == (7,)


@pytest.mark.parametrize("make", ["poisson", "exponential"])
def test_rare_events_are_not_taken_for_a_season(rng, make) -> None:
    series = (getattr(rng, make)(0.3, 24 * 6).astype(float) for _ in range(200))
    assert sum(periods(values, (24,)) != () for values in series) <= 2


def test_one_spike_leaves_no_mark_on_its_phase(rng) -> None:
    values = day(480) + 0.1 * rng.standard_normal(480)
    spiked = values.copy()
    spiked[100] += 1000
    before, after = (
        np.tile(find_profiles(series, 24)[0].values, 20) for series in (values, spiked)
    )
    far = np.abs(np.arange(480) - 100) > 36
    np.testing.assert_allclose(after[far], before[far], atol=0.2)


def test_the_profile_is_that_of_the_season(rng) -> None:
    profile = seasonal_profile(day(2400) + rng.standard_normal(2400), 24).values
    np.testing.assert_allclose(profile, day(24) - 20, atol=0.4)


@pytest.mark.parametrize("cycles", [1, 2, 2.3, 3, 6.9])
@pytest.mark.parametrize("period", [7, 24])
def test_the_mean_of_a_cycle_has_nothing_of_the_season_at_the_ends_either(period, cycles) -> None:
    index = np.arange(int(cycles * period))
    season = np.where(index % period < 3, 5.0, -1.0)
    level = season[:period].mean()
    np.testing.assert_allclose(cycle_means(season, period), level, atol=1e-12)
    slope = 0.5 if cycles >= 2 else 0.0  # one cycle does not show a trend
    middle = 0.0 if period % 2 else -0.5 * slope
    expected = level + slope * index + middle
    np.testing.assert_allclose(cycle_means(season + slope * index, period), expected, atol=1e-9)


def test_a_smooth_season_has_fewer_free_parameters_than_an_irregular_one(rng):
    turn = 2 * np.pi * np.arange(2880) / 1440
    smooth = seasonal_profile(10 * np.sin(turn) + rng.standard_normal(2880), 1440)
    rough = np.tile(10 * rng.standard_normal(1440), 2)
    assert smooth.freedom < 720
    assert seasonal_profile(rough + rng.standard_normal(2880), 1440).freedom > 1300


@pytest.mark.parametrize("period", [12.42, 47.3, 4.7, 37])
def test_a_period_of_a_fractional_number_of_steps_is_found(rng, period) -> None:
    turn = 2 * np.pi * (np.arange(1500) / period + rng.random())
    values = 10 * np.sin(turn) + 5 * np.cos(2 * turn) + rng.standard_normal(1500)
    (profile,) = find_profiles(values, (24, 168))
    assert profile.period == pytest.approx(period, rel=3e-4 if period % 1 else 0)
    assert np.std(values - profile.repeat(1500)) < 1.2


def test_a_weak_season_of_whole_steps_is_not_taken_for_one_of_others() -> None:
    for seed in range(20):
        noise = np.random.default_rng(seed).standard_normal(300)
        assert periods(2 * np.sin(2 * np.pi * np.arange(300) / 13) + noise, (24,)) == (13,)
