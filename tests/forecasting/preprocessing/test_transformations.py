"""Transformations, and the range to which forecasts are limited."""

import numpy as np
import pytest

from app.forecasting.preprocessing.transformations import transformations_of


@pytest.mark.parametrize(
    ("values", "functions"),
    [
        ([1.0, 2.0, 4.0], [np.array, np.log]),
        ([0.0, 2.0, 4.0], [np.array, np.sqrt]),
        ([-1.0, 2.0, 4.0], [np.array]),
    ],
)
def test_transformations_depend_on_the_sign_of_the_series_and_are_inverted(
    values, functions
) -> None:
    views = transformations_of(np.array(values))
    for view, function in zip(views, functions, strict=True):
        np.testing.assert_array_equal(view.values, function(values))
        np.testing.assert_allclose(view.invert(view.values), values, rtol=1e-12)


def test_no_transformation_lets_a_forecast_run_away_or_below_zero() -> None:
    for view in (
        *transformations_of(np.array([0.0, 10.0])),
        *transformations_of(np.array([5.0, 10.0])),
    ):
        highest = 10.0
        forecast = view.invert(np.array([[-1e6, -1e6], [1e6, 1e6]]))
        assert (forecast[0] >= 0).all()
        assert (highest < forecast[1]).all()
        assert (forecast[1] <= highest + (0.5 + 1.5 * np.array([0.5, 1.0])) * 10).all()


def test_a_line_may_continue_for_as_long_as_it_has_been_seen() -> None:
    values = 100.0 + 2.0 * np.arange(24.0)
    known, later = values[:12], values[12:]
    raw, logarithmic = transformations_of(known)
    np.testing.assert_allclose(raw.invert(later), later)
    np.testing.assert_allclose(logarithmic.invert(np.log(later)), later)


def test_steady_growth_may_continue_and_growth_that_slows_down_may_not() -> None:
    steps = np.arange(60.0)
    growing, slowing = 1.1**steps, 1_000.0 * (1 - 0.9 ** (steps + 1))
    later = 1.1 ** np.arange(60.0, 90.0)
    np.testing.assert_allclose(transformations_of(growing)[0].invert(later), later)
    assert transformations_of(slowing)[0].invert(np.array([1e6] * 30)).max() < 3 * slowing.max()
