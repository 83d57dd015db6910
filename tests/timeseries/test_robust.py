"""Robust estimates, which a few points do not move."""

import numpy as np
import pytest

from app.timeseries.robust import clip_to_sigmas, robust_sigma, weighted_median


def test_the_sigma_is_that_of_the_noise_whatever_a_few_points_do() -> None:
    noise = np.random.default_rng(7).standard_normal(2000)
    noise[:100] = 1e6
    assert robust_sigma(noise) == pytest.approx(1, abs=0.1)


def test_sigma_of_mostly_zero_residuals_is_not_zero() -> None:
    assert robust_sigma(np.array([0.0, 0.0, 0.0, -4.0])) == 1.0
    assert robust_sigma(np.zeros(4)) == 0.0


def test_only_what_is_too_far_out_is_moved_and_no_further_than_to_the_limit() -> None:
    around = np.full(5, 10.0)
    values = np.array([9.0, 11.0, 9.0, 11.0, 100.0])
    limit = 10 + 2 * robust_sigma(values - around)
    assert clip_to_sigmas(values, around, 2.0).tolist() == [
        9.0,
        11.0,
        9.0,
        11.0,
        pytest.approx(limit),
    ]


def test_the_weighted_median_is_taken_at_each_entry() -> None:
    forecasts = np.array([[1.0, 9.0], [2.0, 2.0], [9.0, 1.0]])
    equal, first = np.full((3, 2), 1 / 3), np.array([[0.6, 0.6], [0.2, 0.2], [0.2, 0.2]])
    np.testing.assert_array_equal(weighted_median(forecasts, equal), [2.0, 2.0])
    np.testing.assert_array_equal(weighted_median(forecasts, first), [1.0, 9.0])
    by_step = np.array([[0.6, 0.2], [0.2, 0.2], [0.2, 0.6]])
    np.testing.assert_array_equal(weighted_median(forecasts, by_step), [1.0, 1.0])
