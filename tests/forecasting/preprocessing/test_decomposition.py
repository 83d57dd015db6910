"""Seasonal indices, and the strength of a season."""

import numpy as np
import pytest

from app.forecasting.preprocessing.decomposition import (
    additive_indices,
    can_be_seasonal,
    centred_moving_average,
    is_seasonal,
    multiplicative_indices,
    seasonal_strength,
)

PATTERN = np.array([3.0, -1.0, -4.0, 2.0])


@pytest.mark.parametrize("period", [3, 4])
def test_moving_average_follows_a_straight_line(period) -> None:
    line = 5.0 + 2.0 * np.arange(20)
    trend, offset = centred_moving_average(line, period)
    np.testing.assert_allclose(trend, line[offset : offset + len(trend)])


def test_additive_indices_recover_a_pattern_on_a_trend() -> None:
    values = 100.0 + 0.7 * np.arange(24) + np.tile(PATTERN, 6)
    np.testing.assert_allclose(additive_indices(values, 4), PATTERN, atol=1e-12)


def test_multiplicative_indices_recover_factors() -> None:
    factors = np.array([1.2, 0.9, 0.8, 1.1])
    values = 50.0 * np.tile(factors, 6)
    np.testing.assert_allclose(multiplicative_indices(values, 4), factors)


def test_multiplicative_indices_reject_values_at_zero() -> None:
    assert multiplicative_indices(np.tile([0.0, 1.0, 2.0, 3.0], 5), 4) is None


@pytest.mark.parametrize(("length", "expected"), [(7, False), (8, True)])
def test_season_needs_two_cycles(length, expected) -> None:
    assert can_be_seasonal(length, 4) is expected


def test_noise_is_not_taken_for_a_season() -> None:
    noise = np.random.default_rng(1).normal(size=48)
    assert not is_seasonal(noise, 12)
    assert is_seasonal(noise / 5 + np.tile(np.arange(12.0), 4), 12)


@pytest.mark.parametrize("length", [24, 25, 29])
def test_two_years_show_their_season_where_they_are_alike(length) -> None:
    months = np.arange(length) % 12
    growing = (100.0 + 2 * np.arange(length)) * (1 + 0.3 * np.sin(2 * np.pi * months / 12))
    assert is_seasonal(growing, 12)
    assert not is_seasonal(np.arange(float(length)), 12)
    noise = np.random.default_rng(5).normal(size=(200, length))
    assert sum(is_seasonal(values, 12) for values in noise) <= 20


def test_strength_is_one_for_pure_season_and_small_for_noise() -> None:
    pure = np.tile(PATTERN, 12)
    noise = np.random.default_rng(2).normal(size=48)
    assert seasonal_strength(pure, 4) == pytest.approx(1.0)
    assert seasonal_strength(noise, 4) < 0.3


def test_a_trend_does_not_hide_the_season() -> None:
    time = np.arange(60.0)
    values = 100.0 + 0.5 * time + np.tile(np.arange(12.0), 5)
    assert is_seasonal(values, 12)
    assert not is_seasonal(np.cumsum(np.random.default_rng(3).normal(size=60)) + time, 12)
