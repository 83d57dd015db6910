"""The robust model, on spikes, level shifts, bursts and counts."""

import numpy as np
import pytest

from app.forecasting.forecast import fit
from app.forecasting.models.recipes import MODELS
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History
from benchmarks.invariance import solar_hours

LIGHT, ROBUST = MODELS["forecast-model-2"], MODELS["forecast-model-4"]


@pytest.fixture
def rng():
    return np.random.default_rng(21)


def load(n, rng, noise=2.0):
    wave = 20 * np.sin(2 * np.pi * np.arange(n) / 24)
    return 60 + wave + noise * rng.standard_normal(n)


def forecast(values, horizon=24, confidence=0.9):
    history = History(np.asarray(values, dtype=float), (24, 168), Frequency.HOURS)
    return ROBUST.fit(history, horizon).at(confidence)


def day_ahead(values):
    history = History(values, (24,), Frequency.HOURS)
    return fit(history, 24, "forecast-model-4").interval(0.95)


def test_spikes_hardly_move_the_median(rng) -> None:
    values = load(360, rng)
    spiky = values[:336].copy()
    spiky[rng.choice(336, 7, replace=False)] += 800
    spiky[-1] += 800
    response = forecast(spiky)
    assert (
        np.abs(response.median - values[336:]).mean() < 6
    )  # the noise itself is 1.6, the spikes 800
    assert response.median.max() < 110  # no more than 82 without the spikes


def test_after_a_level_shift_the_new_level_counts(rng) -> None:
    values = load(360, rng)
    values[290:] += 90
    response = forecast(values[:336])
    assert np.abs(response.median - values[336:]).mean() < 10  # of a shift by 90


def test_a_metric_of_zeros_and_bursts_has_a_low_median_and_a_high_upper_bound(rng) -> None:
    values = np.where(rng.random(400) < 0.85, 0.0, rng.exponential(50, 400))
    response = forecast(values)
    assert response.lower.max() == 0
    assert response.median.mean() < 8  # the mean of the bursts is 50, of all values 7.5
    assert response.upper.mean() > 25


def test_counts_are_covered_and_never_negative(rng) -> None:
    rate = 3 + 2.5 * np.sin(2 * np.pi * np.arange(1_000) / 24)
    values = rng.poisson(rate).astype(float)
    covered = []
    for end in range(400, 952, 46):
        response = forecast(values[end - 336 : end], 48)
        actual = values[end : end + 48]
        assert response.lower.min() >= 0
        covered.append(((response.lower <= actual) & (actual <= response.upper)).mean())
    assert 0.84 <= np.mean(covered) <= 0.99


def test_monthly_series_lose_gross_outliers_and_nothing_else(rng) -> None:
    values = 100 + np.arange(72.0) + np.tile(np.arange(12.0), 6) + rng.standard_normal(72)
    monthly = History(values, (12,), Frequency.MONTHLY)
    wild = values.copy()
    wild[40] = 1e12
    plain = ROBUST.fit(monthly, 12).at(0.9)
    np.testing.assert_allclose(plain.median, LIGHT.fit(monthly, 12).at(0.9).median, rtol=0.01)
    response = ROBUST.fit(History(wild, (12,), Frequency.MONTHLY), 12).at(0.9)
    np.testing.assert_allclose(response.median, plain.median, rtol=0.05)


@pytest.mark.parametrize("frequency", [Frequency.HOURS, Frequency.DAILY, Frequency.WEEKLY])
def test_growth_continues(rng, frequency) -> None:
    values = 10 * 1.05 ** np.arange(130.0) * np.exp(0.04 * rng.standard_normal(130))
    response = ROBUST.fit(History(values[:120], (7,), frequency), 10).at(0.95)
    np.testing.assert_allclose(response.median, values[120:], rtol=0.25)


@pytest.mark.parametrize("seed", [240, 242, 244, 255])
def test_sixty_hours_of_solar_power_have_an_interval(seed) -> None:
    values = solar_hours(60, np.random.default_rng(seed))
    lower, upper = day_ahead(values)
    assert np.mean(upper - lower) > 0.1 * values.mean()


def test_a_day_that_repeats_exactly_needs_no_width() -> None:
    values = np.tile(np.arange(24.0), 4)
    lower, upper = day_ahead(values)
    np.testing.assert_allclose(upper, lower)
