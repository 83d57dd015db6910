"""Means of whole hours or weeks, and the values between them."""

import numpy as np
import pytest

from app.forecasting.short_history.seasonal_means import between_means, means_of


@pytest.mark.parametrize("steps_per_mean", [2, 7, 60])
def test_a_line_comes_back_from_its_means(steps_per_mean: int) -> None:
    line = np.arange(10.0 * steps_per_mean)
    restored = between_means(means_of(line, steps_per_mean), steps_per_mean, -1.0)
    # The line ends in the middle of the last mean.
    known = len(line) - steps_per_mean // 2
    np.testing.assert_allclose(restored[:known], line[:known])
