"""Errors that grow with the level."""

import numpy as np

from app.forecasting.intervals.level_factors import level_factors


def test_only_series_that_are_never_negative_have_errors_that_grow_with_the_level() -> None:
    np.testing.assert_allclose(level_factors(np.array([4.0, 1]), np.array([0.0, 2])), [2, 1])
    np.testing.assert_array_equal(level_factors(np.array([4.0, 1]), np.array([-1.0, 2])), [1, 1])
