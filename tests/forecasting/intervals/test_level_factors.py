"""Errors that grow with the level."""

import numpy as np
import pytest

from app.forecasting.intervals.level_factors import level_factors


def test_only_series_that_are_never_negative_have_errors_that_grow_with_the_level() -> None:
    np.testing.assert_allclose(level_factors(np.array([4.0, 1]), np.array([0.0, 2]), 1), [2, 1])
    np.testing.assert_array_equal(level_factors(np.array([4.0, 1]), np.array([-1.0, 2]), 1), [1, 1])


def test_errors_of_a_series_that_grows_at_one_rate_are_proportional_to_its_level() -> None:
    noise = 1 + 0.05 * np.random.default_rng(5).standard_normal(100)
    week = np.where(np.arange(100) % 7 < 5, 1.0, 0.7)
    levels = np.array([100.0, 400.0])
    for rate, ratio in ((0.03, 4.0), (0.01, 2.0)):
        values = 10 * np.exp(rate * np.arange(100)) * week * noise
        first, last = level_factors(levels, values, 7)
        assert last / first == pytest.approx(ratio)


def test_short_growth_which_may_be_chance_keeps_errors_of_the_root_of_its_level() -> None:
    first, last = level_factors(np.array([100.0, 400.0]), 10 * np.exp(0.2 * np.arange(20)), 1)
    assert last / first == pytest.approx(2.0)
