"""What an engine process learns from a history."""

import numpy as np
import pytest

from app.anomalies.results import Direction
from app.anomalies.streaming.detector import StreamDetector
from app.anomalies.streaming.fit import MAX_LEARNED_POINTS
from app.anomalies.streaming.jobs import learn_history
from app.timeseries.types import FloatArray
from tests.anomalies.streaming.feeding import HOURS, seasonal

RATE = 0.001


def learned(values: FloatArray, direction: Direction = Direction.BOTH) -> StreamDetector:
    state = learn_history(values, HOURS, RATE, direction)
    return StreamDetector.from_bytes(state, HOURS, RATE, direction)


@pytest.mark.parametrize("count", [300, 3000])
def test_after_a_history_the_next_point_is_judged(count: int) -> None:
    detector = learned(seasonal(count))
    assert not detector.needs_fit
    verdict = detector.update(float(seasonal(count + 1)[-1]))
    assert not verdict.is_learning
    assert not verdict.is_anomaly
    assert 3 < verdict.upper - verdict.lower < 15
    assert detector.update(160.0).is_anomaly


@pytest.mark.parametrize("count", [1, 12, 19])
def test_a_history_that_is_too_short_is_learned_later(count: int) -> None:
    detector = learned(seasonal(count))
    assert detector.is_learning
    assert detector.time == count


def test_of_a_long_history_the_end_is_learned() -> None:
    end = seasonal(MAX_LEARNED_POINTS)
    ours, theirs = learned(np.concatenate([np.full(50, 1e6), end])), learned(end)
    assert ours.to_bytes() == theirs.to_bytes()


def test_one_side_is_judged_where_one_is_asked_for() -> None:
    detector = learned(seasonal(500), Direction.DOWN)
    assert not detector.update(1e3).is_anomaly
    assert detector.update(-1e3).is_anomaly
