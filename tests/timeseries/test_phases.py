"""Means and medians by phase equal what numpy computes phase by phase."""

import numpy as np

from app.timeseries.phases import phase_means, phase_medians, shrunk_phase_means

VALUES = np.array([1.0, 10.0, 3.0, 20.0, 5.0])
PHASES = np.arange(5) % 2


def test_a_phase_has_the_mean_of_its_values_and_an_empty_one_that_given() -> None:
    np.testing.assert_array_equal(phase_means(VALUES, PHASES, 3, empty=7.0), [3, 15, 7])


def test_weights_count_within_a_phase() -> None:
    weights = np.array([1.0, 1.0, 3.0, 0.0, 0.0])
    np.testing.assert_array_equal(phase_means(VALUES, PHASES, 2, weights=weights), [2.5, 10])


def test_few_values_are_shrunk_further_towards_the_prior_mean() -> None:
    shrunk = shrunk_phase_means(VALUES, PHASES, 3, prior_mean=0.0, prior_weight=2.0)
    np.testing.assert_allclose(shrunk, [9 / 5, 30 / 4, 0])


def test_phases_that_occur_once_more_have_all_their_values_in_the_median() -> None:
    np.testing.assert_array_equal(phase_medians(VALUES, 2), [3, 15])
