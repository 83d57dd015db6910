"""The fit imputes masked values, from the season and the levels beside them."""

import numpy as np
import pytest

from app.anomalies.series_fit import _fit_imputed, _impute_masked

LENGTH = 400


@pytest.fixture
def rng():
    return np.random.default_rng(60)


@pytest.fixture
def excluded_points():
    return (np.arange(LENGTH) >= 150) & (np.arange(LENGTH) < 200)


def test_masked_values_are_imputed_from_the_season_and_the_levels_beside_them(
    excluded_points,
) -> None:
    season = np.sin(2 * np.pi * np.arange(LENGTH) / 24)
    values = np.where(excluded_points, 1e6, season + 0.1 * np.arange(LENGTH))
    np.testing.assert_allclose(
        _impute_masked(values, season, excluded_points), season + 0.1 * np.arange(LENGTH), atol=0.5
    )
    assert _impute_masked(values, season, np.zeros(LENGTH, dtype=bool)) is values


def test_a_bridge_without_noise_shows_no_step(rng, excluded_points) -> None:
    for _ in range(10):
        values = rng.standard_normal(LENGTH)
        values[excluded_points] = rng.standard_normal()
        assert _fit_imputed(values, np.zeros(LENGTH), 0, excluded_points, []).level_steps == []


def test_a_level_that_changes_under_a_bridge_begins_after_it(rng, excluded_points) -> None:
    values = rng.standard_normal(LENGTH)
    values[200:] += 8
    values[excluded_points] = 4
    fitted = _fit_imputed(values, np.zeros(LENGTH), 0, excluded_points, [])
    assert [step.index for step in fitted.level_steps] == [200]
    assert np.abs(fitted.expected[200:220] - 8).max() < 1.5
