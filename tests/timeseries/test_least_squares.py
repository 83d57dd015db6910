"""Design matrices and slopes are those of their definitions."""

import numpy as np
import pytest

from app.timeseries.least_squares import fourier_columns, lag_columns, line_slope


def test_a_row_has_the_values_before_its_step() -> None:
    columns = lag_columns(np.arange(6.0), (1, 3))
    np.testing.assert_array_equal(columns, [[2, 0], [3, 1], [4, 2]])


def test_each_series_has_its_own_lags() -> None:
    series = np.arange(12.0).reshape(2, 6)
    columns = lag_columns(series, (2, 1))
    assert columns.shape == (2, 4, 2)
    np.testing.assert_array_equal(columns[1], lag_columns(series[1], (2, 1)))


def test_waves_are_sines_and_then_cosines() -> None:
    columns = fourier_columns(np.array([0, 1, 2]), 4.0, 2)
    np.testing.assert_allclose(columns, [[0, 0, 1, 1], [1, 0, 0, -1], [0, 0, -1, 1]], atol=1e-15)


@pytest.mark.parametrize("slope", [-2.0, 0.0, 0.5])
def test_the_slope_of_a_line_is_its_own(slope: float) -> None:
    assert line_slope(7.0 + slope * np.arange(9)) == pytest.approx(slope, abs=1e-15)


def test_the_slope_is_that_of_least_squares() -> None:
    values = np.random.default_rng(3).normal(size=20)
    assert line_slope(values) == pytest.approx(np.polyfit(np.arange(20), values, 1)[0])
