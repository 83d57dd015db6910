"""The learned factors: they are complete, and widen with the confidence."""

import numpy as np
import pytest

from app.forecasting.intervals.learned import CONFIDENCE_LEVELS, LEARNED
from app.timeseries.calendar.frequency import Frequency

SHORT = pytest.mark.parametrize(
    "table", [LEARNED.with_arima, LEARNED.without_arima], ids=["with ARIMA", "without"]
)

LONG = pytest.mark.parametrize("table", [LEARNED.weighed, LEARNED.robust], ids=["all", "model 4"])


@SHORT
def test_every_short_recipe_has_a_row_of_factors_and_an_exponent_for_each_level(table) -> None:
    assert set(table) == {Frequency.YEARLY, Frequency.QUARTERLY, Frequency.MONTHLY}
    for frequency, widths in table.items():
        columns = 6 if frequency == Frequency.YEARLY else 5
        assert widths.factors.shape == (len(CONFIDENCE_LEVELS), columns)
        assert widths.exponents.shape == (len(CONFIDENCE_LEVELS),)


@SHORT
def test_more_confidence_is_never_widened_less_after_few_points(table) -> None:
    for widths in table.values():
        assert np.all(np.diff(widths.exponents) >= 0)


@SHORT
def test_yearly_widths_are_not_widened_twice_for_few_points(table) -> None:
    np.testing.assert_array_equal(table[Frequency.YEARLY].exponents, 0.0)
    assert np.all(table[Frequency.MONTHLY].exponents > 0)


@LONG
def test_more_confidence_is_never_widened_less_after_few_seasons(table) -> None:
    for widths in table.values():
        for exponents in (widths.exponents.seasonal, widths.exponents.plain):
            assert exponents.shape == (len(CONFIDENCE_LEVELS),)
            assert np.all(np.diff(exponents) >= 0)


@LONG
def test_every_frequency_of_the_long_recipes_has_a_row_of_factors_for_each_level(table) -> None:
    assert set(table) | set(LEARNED.with_arima) == set(Frequency)
    for widths in table.values():
        assert widths.factors.shape == (len(CONFIDENCE_LEVELS), 4)
