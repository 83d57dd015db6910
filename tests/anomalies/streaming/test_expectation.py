"""The expectation of the next value: it finds what is regular and survives what is not."""

import numpy as np
import pytest

from app.anomalies.streaming.expectation import Expectation, Profile

DAY = 24


def errors(values: np.ndarray, period: int = 0, long_period: int = 0) -> np.ndarray:
    known = Expectation(period, long_period)
    known.start(float(values[0]))
    out = [0.0]
    for value in values[1:].tolist():
        out.append(abs(value - known.step(value)))
    return np.array(out)


def noise(length: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(length)


def test_a_season_is_found() -> None:
    values = 10 * np.sin(2 * np.pi * np.arange(1000) / DAY) + 0.1 * noise(1000)
    assert errors(values, DAY)[500:].mean() < 0.15


def test_a_walk_is_forecast_by_its_last_value() -> None:
    values = np.cumsum(noise(2000))
    assert errors(values)[500:].mean() < 1.05 * np.abs(np.diff(values))[500:].mean()


def test_an_autoregression_is_found() -> None:
    values = noise(3000)
    for i in range(2, 3000):
        values[i] += 1.6 * values[i - 1] - 0.8 * values[i - 2]
    assert errors(values)[1000:].mean() < 1.1 * np.sqrt(2 / np.pi)


def test_a_week_is_found_beside_the_day() -> None:
    time = np.arange(24 * 7 * 6)
    values = np.where(time % 168 < 48, 0.0, 10.0) * (time % DAY == 9) + 0.1 * noise(len(time))
    with_week, without = errors(values, DAY, 168), errors(values, DAY)
    assert with_week[-168:].mean() < 0.8 * without[-168:].mean()


def test_an_outage_teaches_little() -> None:
    values = noise(1500)
    values[1000:1003] += 100
    assert errors(values)[1040:1140].mean() < 1.2


@pytest.mark.parametrize("size", [1e30, -1e30])
def test_a_wild_value_leaves_everything_finite(size: float) -> None:
    values = noise(300)
    values[[5, 150, 151]] = size
    assert np.isfinite(errors(values, 7, 28)).all()


def test_a_shifted_level_is_the_normal_one_at_once() -> None:
    known = Expectation(0, 0)
    known.start(0.0)
    for value in noise(500).tolist():
        known.step(value)
    assert known.away(10.0) == pytest.approx(10, abs=0.5)
    level = known.level
    known.shift_level(0.5)
    assert known.level == level
    known.shift_level(10.0)
    assert known.away(10.0) == pytest.approx(0, abs=0.5)
    assert known.drift == 0.0


def test_a_profile_of_a_long_season_is_kept_coarsely() -> None:
    profile = Profile(10_080)
    profile.learn(5, 3.0, 100.0)
    assert len(profile.values) == 2016
    assert profile.at(5) == profile.at(7) == 3.0
    assert profile.at(10) == 0.0
