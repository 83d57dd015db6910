"""Large growth at one rate continues, with even noise; slowing growth is left to the members."""

import numpy as np
import pytest

from app.forecasting.exponential_growth import find_exponential_growth
from app.forecasting.forecast import fit
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History

HORIZON = 8
MODELS = ["forecast-model-1", "forecast-model-2", "forecast-model-4"]
FAST_GROWTH = [
    (Frequency.YEARLY, (), 25, 0.4),
    (Frequency.QUARTERLY, (4,), 40, 0.15),
    (Frequency.MONTHLY, (12,), 150, 0.05),
    (Frequency.DAILY, (7, 365), 200, 0.03),
    (Frequency.HOURS, (24, 168), 400, 0.02),
]
DECAY = [
    (Frequency.YEARLY, (), 40, -0.1),
    (Frequency.MONTHLY, (12,), 100, -0.06),
    (Frequency.DAILY, (7, 365), 200, -0.02),
]


def path(points, rate, scatter, seed):
    """Return values around a rate of growth, and the values without noise."""
    smooth = 100 * np.exp(rate * np.arange(points))
    return smooth * np.exp(scatter * np.random.default_rng(seed).standard_normal(points)), smooth


@pytest.mark.parametrize("model_id", MODELS)
@pytest.mark.parametrize("scatter", [0.05, 0.3])
@pytest.mark.parametrize(("frequency", "periods", "points", "rate"), FAST_GROWTH + DECAY)
def test_growth_and_decay_at_one_rate_are_continued_with_intervals_of_their_noise(
    frequency, periods, points, rate, scatter, model_id
) -> None:
    covered, bias, widths = [], [], []
    for seed in range(6):
        values, smooth = path(points + HORIZON, rate, scatter, seed)
        fitted = fit(History(values[:points], periods, frequency), HORIZON, model_id)
        lower, upper = fitted.interval(0.95)
        actual, middle = values[points:], smooth[points:]
        covered.append(np.mean((lower <= actual) & (actual <= upper)))
        bias.append(np.mean(np.log(fitted.median / middle)))
        widths.append(np.mean((upper - lower) / middle))
    assert np.mean(covered) >= 0.9
    assert abs(np.mean(bias)) < 0.12
    assert np.mean(widths) < 3 * (np.exp(1.96 * scatter) - np.exp(-1.96 * scatter))


@pytest.mark.parametrize("frequency", [Frequency.HOURS, Frequency.DAILY])
@pytest.mark.parametrize("points", [380, 400])
def test_growth_that_is_left_to_the_members_has_errors_of_its_last_level(frequency, points) -> None:
    covered = []
    for seed in range(8):
        values, _ = path(points + 24, 0.01, 0.05, seed)
        lower, upper = fit(
            History(values[:points], (), frequency), 24, "forecast-model-1"
        ).interval(0.95)
        covered.append(np.mean((lower <= values[points:]) & (values[points:] <= upper)))
    assert np.mean(covered) >= 0.92


def log_path(name, steps, rng):
    """Return the logarithms of a series that has grown, but not at one rate."""
    return {
        "a random walk": 0.2 * steps + np.cumsum(0.4 * rng.standard_normal(len(steps))),
        "growth that slows down": 8 * np.sqrt(steps / len(steps)),
        "saturation": -np.log1p(np.exp(8 - 16 * steps / len(steps))),
        "a change of rate": np.where(steps < 30, 0.3 * steps, 9 + 0.01 * (steps - 30)),
    }[name] + 0.02 * rng.standard_normal(len(steps))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    "name", ["a random walk", "growth that slows down", "saturation", "a change of rate"]
)
def test_growth_that_has_not_kept_one_rate_is_not_continued(name, seed) -> None:
    logs = log_path(name, np.arange(60.0), np.random.default_rng(seed))
    assert find_exponential_growth(History(np.exp(logs), (), Frequency.YEARLY)) is None


@pytest.mark.parametrize(
    ("points", "rate", "scatter"), [(23, 0.4, 0.05), (60, 0.05, 0.05), (60, 0.15, 0.8)]
)
def test_short_small_or_vague_growth_is_left_to_the_members(points, rate, scatter) -> None:
    values, _ = path(points, rate, scatter, seed=3)
    assert find_exponential_growth(History(values, (), Frequency.YEARLY)) is None


def test_a_season_does_not_hide_growth() -> None:
    values, _ = path(150, 0.05, 0.05, seed=1)
    seasonal = values * (1 + 0.4 * np.sin(2 * np.pi * np.arange(150) / 12))
    growth = find_exponential_growth(History(seasonal, (12,), Frequency.MONTHLY))
    assert growth is not None
    assert growth.rate == pytest.approx(0.05, abs=0.001)


def test_the_effect_of_more_growth_is_gradual() -> None:
    """A threshold would move a forecast by far for a little more growth."""
    rates = [
        find_exponential_growth(History(path(100, rate, 0.1, 5)[0], (), Frequency.YEARLY))
        for rate in np.linspace(0.038, 0.052, 29)
    ]
    removed = np.array([growth.rate if growth else 0.0 for growth in rates])
    assert removed[0] == 0.0
    assert removed[-1] > 0.05
    assert np.diff(removed).max() < 0.004


def test_growth_does_not_count_as_an_effect_of_holidays() -> None:
    values, _ = path(200, 0.03, 0.05, seed=2)
    fitted = fit(History(values, (7, 365), Frequency.DAILY), 5, "forecast-model-2")
    assert fitted.effects is None


@pytest.mark.parametrize("factor", [2.0, 1.2, 0.9])
@pytest.mark.parametrize("model_id", MODELS)
def test_growth_without_noise_continues_exactly(factor, model_id) -> None:
    values = factor ** np.arange(40.0)
    fitted = fit(History(values, (), Frequency.YEARLY), 3, model_id)
    np.testing.assert_allclose(fitted.median, factor ** np.arange(40.0, 43.0), rtol=1e-6)
    rate = f"{100 * (factor - 1):+.3g} % per step"
    assert fitted.provenance.notices == (f"extrapolated a constant growth rate: {rate}",)


def test_the_notice_names_the_rate_of_the_series_even_if_a_part_is_left_to_the_members() -> None:
    values, _ = path(420, 0.01, 0.05, seed=0)
    fitted = fit(History(values, (), Frequency.DAILY), 5, "forecast-model-2")
    (notice,) = fitted.provenance.notices
    percent = float(notice.removeprefix("extrapolated a constant growth rate: ").split()[0])
    assert percent == pytest.approx(1.0, abs=0.03)


def test_growth_towards_the_largest_number_does_not_depend_on_the_horizon() -> None:
    values, _ = path(24, np.log(1e80) / 23, 0.05, seed=0)
    history = History(values, (), Frequency.YEARLY)
    near, far = (fit(history, horizon, "forecast-model-1").median[:3] for horizon in (3, 100))
    np.testing.assert_allclose(near, far, rtol=1e-9)
