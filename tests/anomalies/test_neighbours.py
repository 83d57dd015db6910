"""The expectation of a point from its neighbours on both sides."""

import numpy as np
import pytest

from app.anomalies.neighbours import expect_from_neighbours
from tests.anomalies.clean_series import autocorrelated_noise


@pytest.fixture
def rng():
    return np.random.default_rng(9)


def test_white_noise_is_expected_at_its_level(rng) -> None:
    expected = expect_from_neighbours(5 + rng.standard_normal(2000), ())
    assert np.abs(expected - 5).mean() < 0.15


def test_a_random_walk_is_expected_between_its_neighbours(rng) -> None:
    random_walk = np.cumsum(rng.standard_normal(2000))
    error = (random_walk - expect_from_neighbours(random_walk, ()))[1:-1]
    assert error.std() == pytest.approx(np.sqrt(0.5), rel=0.08)


def test_neighbours_explain_more_of_autocorrelated_noise_than_its_level_does(rng) -> None:
    noise = autocorrelated_noise(rng, 3000, 0.7)
    error = noise - expect_from_neighbours(noise, ())
    assert error.std() == pytest.approx(np.sqrt(0.51 / 1.49), rel=0.08)


def test_a_line_is_expected_to_its_ends(rng) -> None:
    line = 0.5 * np.arange(300.0)
    noisy = line + 0.1 * rng.standard_normal(300)
    np.testing.assert_allclose(expect_from_neighbours(noisy, ()), line, atol=0.3)


@pytest.mark.parametrize("at", [0, 1, 250, 498, 499])
def test_an_outlier_moves_neither_its_own_expectation_nor_its_neighbours(rng, at) -> None:
    values = autocorrelated_noise(rng, 500, 0.5)
    spiked = values.copy()
    spiked[at] += 1e6
    difference = expect_from_neighbours(spiked, ()) - expect_from_neighbours(values, ())
    assert np.abs(difference).max() < 3


def test_a_series_that_rests_is_expected_to_rest(rng) -> None:
    values = np.where(rng.random(500) < 0.9, 7.0, 9.0)
    assert (expect_from_neighbours(values, ()) == 7.0).all()
