import numpy as np
import pytest

from app.timeseries.robust import clip_to_median, clip_to_sigmas, robust_sigma, running_median


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


@pytest.mark.parametrize("points", [7, 60])
def test_a_spike_on_a_line_is_brought_near_the_line(points) -> None:
    values = np.arange(points) + np.random.default_rng(8).standard_normal(points)
    values[points // 2] = 1e9
    assert clip_to_median(values, 9, 3.0)[points // 2] == pytest.approx(points // 2, abs=10)


def test_running_median_is_that_of_each_window() -> None:
    values = np.array([5.0, 1.0, 9.0, 2.0, 7.0])
    np.testing.assert_array_equal(running_median(values, 3)[1:-1], [5.0, 2.0, 7.0])


def test_a_last_point_that_is_an_outlier_does_not_become_the_level() -> None:
    values = np.ones(30)
    values[-1] = 100.0
    assert running_median(values, 7)[-1] == 1.0
