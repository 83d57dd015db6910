"""Columns that are known for a history and ahead of it."""

import numpy as np

from app.forecasting.regressors.columns import KnownColumns

NUMBERS = KnownColumns(np.array([[1.0, 5.0, 3.0, 9.0, -4.0]]), np.array([False]))


def test_values_ahead_stay_within_those_that_were_seen() -> None:
    np.testing.assert_array_equal(NUMBERS.clipped_to_seen(3).values, [[1, 5, 3, 5, 1]])


def test_a_category_that_was_never_seen_is_not_made_another() -> None:
    kinds = KnownColumns(NUMBERS.values, np.array([True]))
    np.testing.assert_array_equal(kinds.clipped_to_seen(3).values, NUMBERS.values)


def test_gaps_are_filled_linearly_and_the_ends_by_their_neighbours() -> None:
    nan = np.nan
    sent = np.array([[nan, 2.0, nan, 4.0, nan], [nan] * 5, [1.0] * 5])
    filled = KnownColumns(sent, np.zeros(3, dtype=bool)).with_filled_gaps()
    np.testing.assert_array_equal(filled.values, [[2, 2, 3, 4, 4], [0] * 5, [1] * 5])


def test_columns_drop_their_first_values() -> None:
    np.testing.assert_array_equal(NUMBERS.without_first(3).values, [[9, -4]])
