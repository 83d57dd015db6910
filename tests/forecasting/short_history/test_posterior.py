"""The mixture over small Gaussian models: weights, forecasts and quantiles."""

import numpy as np
import pytest
from scipy.stats import t as student

from app.forecasting.intervals.learned import LEARNED
from app.forecasting.short_history.mixture import CentredValues, Mixture, Quantiles
from app.forecasting.short_history.posterior import fit_posterior, forecast_mixture
from app.forecasting.short_history.structures import make_kernels
from app.timeseries.calendar.frequency import Frequency

MONTHS, DAYS, HOURS = (
    LEARNED.priors[frequency] for frequency in (Frequency.MONTHLY, Frequency.DAILY, Frequency.HOURS)
)
LEVELS = (0.005, 0.025, 0.1, 0.5, 0.9, 0.975, 0.995)


def rng(seed=0):
    return np.random.default_rng(seed)


def test_the_weights_of_all_structures_sum_to_one() -> None:
    for values in (50 + rng().normal(size=20), rng().normal(size=20)):
        posterior = fit_posterior(values, 12, MONTHS)
        assert posterior.weights.sum() == pytest.approx(1.0)
        assert posterior.weights.shape == (len(posterior.forms), len(posterior.structures))


def test_the_forecast_of_one_structure_equals_the_textbook_formula() -> None:
    values = 9 + rng(3).normal(size=12)
    posterior = fit_posterior(values, 1, MONTHS)
    best = int(posterior.weights[0].argmax())
    raw = np.zeros_like(posterior.weights)
    raw[0, best] = 1.0
    single = forecast_mixture(posterior.__class__(**{**posterior.__dict__, "weights": raw}), 4, 1)
    kernels = make_kernels(12, 4, 1)
    one_type = posterior.structures[[best]]
    known = kernels.covariances(one_type, 0, 12)[0]
    ahead = kernels.covariances(one_type, 12, 16)[0]
    inverse, ones = np.linalg.inv(known), np.ones(12)
    level = ones @ inverse @ values / (ones @ inverse @ ones)
    centre = level + ahead @ inverse @ (values - level)
    free = 1 - ahead @ inverse @ ones
    variance = (
        kernels.variances(one_type, 12)[0]
        - np.diagonal(ahead @ inverse @ ahead.T)
        + free**2 / (ones @ inverse @ ones)
    )
    residual = (values - level) @ inverse @ (values - level)
    unit = np.abs(values).mean()
    squares = residual + MONTHS.degrees * (MONTHS.scale * unit) ** 2
    np.testing.assert_allclose(single.centres[0] * unit, centre)
    np.testing.assert_allclose(
        single.spreads[0] * unit, np.sqrt(squares / (11 + MONTHS.degrees) * variance)
    )


def test_a_season_is_likely_in_a_wave_and_unlikely_in_noise() -> None:
    steps = np.arange(18)
    wave = 100 + 20 * np.sin(2 * np.pi * steps / 12) + rng().normal(size=18)
    assert fit_posterior(wave, 12, MONTHS).season_probability > 0.9
    walk = 100 + np.cumsum(rng().normal(size=18))
    assert fit_posterior(walk, 12, MONTHS).season_probability < 0.7


def test_exponential_growth_is_likelier_on_logarithms() -> None:
    growth = 10 * np.exp(0.12 * np.arange(25) + 0.05 * rng(1).normal(size=25))
    raw, log = fit_posterior(growth, 1, MONTHS).weights.sum(axis=1)
    assert log > raw


def test_a_series_that_reaches_zero_has_no_logarithms() -> None:
    assert len(fit_posterior(np.array([0.0, 3, 1, 2, 5, 3, 1, 2, 4, 1]), 7, DAYS).forms) == 1


def test_a_mixture_of_one_has_the_quantiles_of_students_t() -> None:
    flat = np.zeros((1, 3))
    values = CentredValues(np.zeros(5), 5.0, 0.0, False)
    mixture = Mixture(np.ones(1), flat + 5, flat + 2, np.array([False]), values, 9.0, 10.0)
    expected = 10 * (5 + 2 * student.ppf(LEVELS, 9))
    for step in Quantiles.of(mixture).at(LEVELS).T:
        np.testing.assert_allclose(step, expected, atol=0.02 * 20)


def test_little_noise_on_a_high_level_is_forecast_like_the_same_noise_on_any_other() -> None:
    noise = 5 * rng(8).normal(size=12)

    def bounds(level):
        posterior = fit_posterior(level + noise, 7, DAYS)
        return Quantiles.of(forecast_mixture(posterior, 24, 7)).at((0.025, 0.975)) - level

    np.testing.assert_allclose(bounds(100.0), bounds(600.0), atol=0.1 * np.ptp(noise))


@pytest.mark.parametrize("values", [20 + rng(5).normal(size=15), rng(6).normal(size=15)])
def test_quantiles_never_fall_as_their_level_rises(values) -> None:
    levels = tuple(np.linspace(0.005, 0.995, 199))
    result = Quantiles.of(forecast_mixture(fit_posterior(values, 24, HOURS), 30, 24)).at(levels)
    assert (np.diff(result, axis=0) >= 0).all()


def test_a_step_is_forecast_alike_by_every_horizon() -> None:
    values = 20 + rng(7).normal(size=30)
    posterior = fit_posterior(values, 12, MONTHS)
    near, far = (
        Quantiles.of(forecast_mixture(posterior, horizon, 12)).at(LEVELS) for horizon in (5, 60)
    )
    np.testing.assert_allclose(near, far[:, :5], rtol=1e-9)


def test_cached_and_fresh_kernels_give_the_same_forecast() -> None:
    values = 20 + rng(8).normal(size=22)

    def forecast():
        return Quantiles.of(forecast_mixture(fit_posterior(values, 7, DAYS), 14, 7)).at(LEVELS)

    make_kernels.cache_clear()
    np.testing.assert_array_equal(forecast(), forecast())
