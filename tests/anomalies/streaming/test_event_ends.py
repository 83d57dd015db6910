"""How events end: what is normal, and from which point on."""

import numpy as np
import pytest

from app.anomalies.results import AnomalyVerdict, CloseReason, EventKind, Stage
from app.timeseries.types import FloatArray
from tests.anomalies.streaming.streams import Stream, closings, flags, openings

LEARNED, OUTAGE_BEGIN = 1_500, 5


def rate(count: int) -> FloatArray:
    return 41.0 + np.random.default_rng(3).normal(0.0, 0.8, count)


def replay_verdicts(values: FloatArray) -> list[AnomalyVerdict]:
    return Stream(values=values[:LEARNED]).judge_all(values[LEARNED:])


@pytest.mark.parametrize("steps", [1, 2, 4, 6, 10, 15])
def test_the_first_points_after_an_outage_are_normal_and_end_it(steps: int) -> None:
    values, end = rate(LEARNED + 60), OUTAGE_BEGIN + steps
    values[LEARNED + OUTAGE_BEGIN : LEARNED + end] = 0.2
    verdicts = replay_verdicts(values)
    assert not flags(verdicts[end:])
    assert max(abs(verdict.expected - 41.0) for verdict in verdicts[end:]) < 1.5
    events = [verdict.event for verdict in verdicts if verdict.event]
    assert [event.stage for event in events if event.stage is not Stage.CONTINUES] == [
        Stage.OPENED,
        Stage.CLOSED,
    ]
    assert verdicts[end + 4].event == events[-1]  # the fifth normal point
    assert events[-1].close_reason is CloseReason.ENDED
    assert events[-1].steps_since_end == 5


def test_a_second_outage_just_after_the_first_is_flagged() -> None:
    values = rate(LEARNED + 60)
    values[LEARNED + 5 : LEARNED + 9] = values[LEARNED + 10 : LEARNED + 14] = 0.2
    verdicts = replay_verdicts(values)
    assert verdicts[10].is_anomaly
    assert not flags(verdicts[14:])


def test_an_outage_of_a_constant_series_is_one_event() -> None:
    values = np.ones(LEARNED + 60)
    values[LEARNED + 5 : LEARNED + 15] = 0.0
    assert openings(replay_verdicts(values)) == [5]


def test_a_small_event_beside_bursts_is_not_kept_open_by_noise() -> None:
    rng, learned = np.random.default_rng(2), 4_320
    values = 8.4 * (1 + 0.05 * rng.standard_normal(learned + 120))
    values[3::7] += 16.0 * (1 + 0.1 * rng.standard_normal(len(values[3::7])))
    values[[learned + index for index in (20, 21)]] = 32.4
    normal_points = 0
    for verdict in Stream(values=values[:learned]).judge_all(values[learned:]):
        normal_points = 0 if verdict.is_anomaly else normal_points + 1
        is_open = verdict.event is not None and verdict.event.stage is not Stage.CLOSED
        assert not is_open or normal_points <= 7


@pytest.mark.parametrize("seed", range(3))
def test_a_lasting_level_under_spikes_is_one_level_shift(seed) -> None:
    rng, learned = np.random.default_rng(seed), 4_032
    values = 100 + 8 * rng.standard_normal(learned + 300)
    has_spike = rng.random(len(values)) < 0.02
    values[has_spike] += rng.exponential(300.0, has_spike.sum())
    values[learned + 50 :] *= 1.5
    verdicts = Stream(values=values[:learned]).judge_all(values[learned:])
    sent = [verdict.event for verdict in verdicts if verdict.event and verdict.severity >= 50]
    closed = [event for event in closings(verdicts) if event.severity >= 50]
    assert sent
    assert [(event.kind, event.close_reason) for event in closed] == [
        (EventKind.LEVEL_SHIFT, CloseReason.NEW_LEVEL)
    ]
