"""The standard error of each step ahead."""

import numpy as np

from app.forecasting.step_errors import extend_errors, measured_errors


def test_standard_errors_without_measured_ones_are_those_of_a_random_walk() -> None:
    np.testing.assert_allclose(extend_errors(np.zeros(0), 4, 2.0), 2.0 * np.sqrt([1, 2, 3, 4]))


def test_measured_standard_errors_never_fall() -> None:
    np.testing.assert_array_equal(extend_errors(np.array([1.0, 3.0, 2.0]), 3, 1.0), [1, 3, 3])


def test_later_steps_continue_with_the_growth_of_the_first() -> None:
    linear = extend_errors(np.array([1.0, 2.0, 3.0]), 6, 1.0)
    np.testing.assert_allclose(linear, [1, 2, 3, 4, 5, 6])


def test_errors_of_zero_stay_zero() -> None:
    np.testing.assert_array_equal(extend_errors(np.zeros(3), 5, 1.0), np.zeros(5))


def test_three_errors_of_a_short_history_are_not_enough() -> None:
    for length, too_few in ((12, 3), (100, 7)):
        assert measured_errors([np.ones(too_few)], length, 1, 5.0) == [5.0]
        assert measured_errors([np.ones(too_few + 1)], length, 1, 5.0) == [1.0]
