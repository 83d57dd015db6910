"""Past errors are ranked and weighed alike on every CPU."""

import numpy as np
import pytest

from app.forecasting.error_ranking import loss_weights, rank_errors


def test_errors_that_differ_by_rounding_keep_their_order_and_nan_comes_last() -> None:
    errors = np.array([2.0, 1.0 + 1e-12, np.nan, 1.0, 0.5])
    assert rank_errors(errors).tolist() == [4, 1, 3, 0, 2]


def test_weights_favour_the_smallest_loss_and_sum_to_one() -> None:
    weights = loss_weights(np.array([1.0, 1.1, 2.0]))
    assert weights.sum() == pytest.approx(1.0)
    assert np.all(np.diff(weights) < 0)
    np.testing.assert_allclose(loss_weights(np.zeros(4)), 0.25)
