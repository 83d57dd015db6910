"""The statistics of a point: which way the rate goes, and what a point shows."""

import numpy as np
import pytest

from app.anomalies.results import Direction, EventKind
from app.anomalies.streaming.statistics import Reading, Statistics


def read(values: np.ndarray, direction: Direction = Direction.BOTH) -> list[Reading]:
    statistics = Statistics(0, 0, direction)
    statistics.start(0.0)
    return [statistics.read(value) for value in values.tolist()]


@pytest.mark.parametrize("direction", Direction)
def test_p_values_below_a_rate_are_as_many_as_the_rate_says(direction: Direction) -> None:
    values = np.random.default_rng(1).exponential(1.0, 4000)
    p_values = np.array([reading.p_value for reading in read(values, direction)])[500:]
    assert 0.04 <= (p_values < 0.05).mean() <= 0.06
    assert 0.006 <= (p_values < 0.01).mean() <= 0.014


@pytest.mark.parametrize(("direction", "size"), [(Direction.UP, -30.0), (Direction.DOWN, 30.0)])
def test_an_error_on_the_side_not_asked_for_is_no_news(direction: Direction, size: float) -> None:
    values = np.random.default_rng(1).standard_normal(600)
    values[-1] = size
    assert read(values, direction)[-1].p_value > 0.5
    assert read(values)[-1].p_value < 1e-4


def test_a_spike_shows_as_an_error_and_as_an_extreme_value() -> None:
    values = np.random.default_rng(1).standard_normal(600)
    values[-1] = 30.0
    signs = read(values)[-1].signs
    assert all(s.improbability > 4 for s in signs if s.kind is EventKind.SPIKE)
    assert all(s.improbability < 1 for s in signs if s.kind is EventKind.DIP)
