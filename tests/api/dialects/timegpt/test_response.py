"""The scores of values that forecasts judge."""

import numpy as np
from scipy.stats import norm

from app.api.dialects.timegpt.response import score_values


def test_a_bound_has_the_score_of_its_level() -> None:
    values = np.array([15.0, 8.0, 10.0, 25.0, np.nan])
    median, lower, upper = np.full(5, 10.0), np.full(5, 8.0), np.full(5, 15.0)
    flagged, score = score_values(values, median, lower, upper, 0.9)
    unit = norm.ppf(0.95)
    np.testing.assert_allclose(score, [unit, -unit, 0, 3 * unit, 0])
    np.testing.assert_array_equal(flagged, [False, False, False, True, False])


def test_beside_an_interval_without_width_scores_stay_finite() -> None:
    flat = np.zeros(2)
    flagged, score = score_values(np.array([0.0, 1.0]), flat, flat, flat, 0.99)
    np.testing.assert_array_equal(flagged, [False, True])
    assert np.isfinite(score).all()
