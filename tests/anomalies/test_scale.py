"""The scale of residuals, by phase and over time."""

import numpy as np
import pytest

from app.anomalies.scale import noise_scale


@pytest.fixture
def rng():
    return np.random.default_rng(10)


def scale_of(residual, periods):
    return noise_scale(residual, periods, np.zeros(len(residual), dtype=bool))


def test_even_noise_has_one_scale(rng) -> None:
    scale = scale_of(2 * rng.standard_normal(3000), (24,))
    np.testing.assert_allclose(scale, 2, rtol=0.15)


def test_hours_that_are_restless_have_a_scale_of_their_own(rng) -> None:
    size = 1 + 0.8 * np.sin(2 * np.pi * np.arange(3000) / 24)
    scale = scale_of(size * rng.standard_normal(3000), (24,))
    assert np.corrcoef(scale, size)[0, 1] > 0.95


def test_the_scale_follows_growing_noise(rng) -> None:
    size = np.linspace(1, 4, 3000)
    scale = scale_of(size * rng.standard_normal(3000), ())
    assert np.corrcoef(scale, size)[0, 1] > 0.9


def test_an_outlier_does_not_widen_its_own_scale(rng) -> None:
    residual = rng.standard_normal(600)
    spiked = residual.copy()
    spiked[300] = 1e9
    np.testing.assert_allclose(scale_of(spiked, (24,)), scale_of(residual, (24,)), rtol=0.15)


def test_no_noise_has_a_scale_above_zero() -> None:
    assert (scale_of(np.zeros(50), (24,)) > 0).all()
