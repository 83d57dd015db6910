"""The streaming detector's events: what opens one, what it is called, and how it closes."""

from collections.abc import Callable

import numpy as np
import pytest

from app.anomalies.results import Direction, EventKind
from app.anomalies.streaming.detector import StreamDetector
from app.anomalies.streaming.verdict import Closing, Stage, Verdict
from tests.anomalies.streaming.feeding import DAY, closed, feed, opened, seasonal


def autoregression(length: int, seed: int) -> np.ndarray:
    noise = np.random.default_rng(seed).standard_normal(length)
    for i in range(1, length):
        noise[i] += 0.5 * noise[i - 1]
    return noise * np.sqrt(0.75)


QUIET: dict[str, Callable[[int], np.ndarray]] = {
    "white": lambda seed: np.random.default_rng(seed).standard_normal(500),
    "AR(.5)": lambda seed: autoregression(500, seed),
    "season": lambda seed: seasonal(500, seed),
}


def put(kind: str, seed: int, size: float, lasts: int | None = None) -> list[Verdict]:
    """The verdicts from 20 points before something of ``size`` sigma on."""
    values = QUIET[kind](seed)
    values[350 : 350 + (lasts or len(values))] += size
    return feed(StreamDetector(DAY if kind == "season" else 0, 0.001), values)[330:]


@pytest.mark.parametrize("kind", QUIET)
def test_a_level_shift_is_one_event_that_closes_as_the_new_level(kind: str) -> None:
    good = flags = 0
    for seed in range(10):
        verdicts = put(kind, seed, 5.0 if seed % 2 else -5.0)
        side = Direction.UP if seed % 2 else Direction.DOWN
        soon = verdicts[:100]
        told = [(e.kind, e.closing, e.direction) for e in closed(soon)]
        one = len(opened(soon)) == 1
        good += one and told == [(EventKind.LEVEL_SHIFT, Closing.NEW_LEVEL, side)]
        flags += sum(verdict.is_anomaly for verdict in verdicts[60:])
    assert good >= 9
    assert flags <= 6  # of 1,100 points


@pytest.mark.parametrize("kind", QUIET)
@pytest.mark.parametrize("lasts", [3, 10])
def test_a_dip_that_comes_back_closes_as_a_dip(kind: str, lasts: int) -> None:
    told = [
        (event.kind, event.closing)
        for seed in range(6)
        for event in closed(put(kind, seed, -7.0, lasts)[:60])
    ]
    assert len(told) >= 6
    assert told.count((EventKind.DIP, Closing.ENDED)) >= 0.8 * len(told)


@pytest.mark.parametrize("kind", QUIET)
def test_a_large_spike_is_one_event_that_ends(kind: str) -> None:
    told = []
    for seed in range(6):
        verdicts = put(kind, seed, 9.0, 1)[:50]
        assert opened(verdicts)[0] == 20
        told += [(event.kind, event.closing) for event in closed(verdicts)]
    assert told.count((EventKind.SPIKE, Closing.ENDED)) >= 5


def test_two_spikes_fifty_points_apart_are_two_events() -> None:
    values = seasonal(1200)
    values[[800, 850]] += 10
    verdicts = feed(StreamDetector(DAY, 0.001), values)[790:900]
    assert opened(verdicts) == [10, 60]
    assert [(e.kind, e.closing) for e in closed(verdicts)] == [(EventKind.SPIKE, Closing.ENDED)] * 2


def test_a_spike_at_the_same_hour_every_day_becomes_part_of_the_season() -> None:
    values = seasonal(1500)
    values[5::DAY] += 20
    verdicts = feed(StreamDetector(DAY, 0.001), values)
    assert not any(v.is_anomaly for v in verdicts[200::DAY])
    assert not opened(verdicts[200:])


def test_a_stuck_sensor_is_one_flat_event() -> None:
    values = seasonal(1200)
    values[800:860] = values[800]
    verdicts = feed(StreamDetector(DAY, 0.001), values)
    flat = [e for e in closed(verdicts) if e.kind is EventKind.FLAT]
    assert len(flat) == 1
    assert len(opened(verdicts[790:])) == 1


def test_only_the_asked_side_opens_events() -> None:
    values = seasonal(1200)
    values[800] -= 10
    assert not opened(feed(StreamDetector(DAY, 0.001, Direction.UP), values)[790:])
    assert opened(feed(StreamDetector(DAY, 0.001, Direction.DOWN), values)[790:]) == [10]


def test_with_up_alone_a_restless_stretch_opens_no_event_at_a_low_value() -> None:
    for seed in range(5):
        values = seasonal(1000, seed)
        values[800:812] -= np.abs(np.random.default_rng(seed).normal(0.0, 6.0, 12))
        verdicts = feed(StreamDetector(DAY, 0.001, Direction.UP), values)
        assert all(verdicts[i].is_anomaly for i in opened(verdicts) if i >= 800)
        for news in closed(verdicts):
            assert news.direction is Direction.UP


def test_an_event_under_way_closes_where_learning_begins_anew() -> None:
    values = seasonal(610)
    values[600] += 30
    detector = StreamDetector(DAY, 0.001)
    assert feed(detector, values[:603])[-1].event
    news = detector.skip(2 * DAY + 1)
    assert news
    assert (news.stage, news.closing, news.started) == (Stage.CLOSED, Closing.ENDED, 3)
    assert detector.skip(2 * DAY + 1) is None


def test_an_event_goes_on_over_a_few_missing_points() -> None:
    values = seasonal(700)
    values[600] += 30
    detector = StreamDetector(DAY, 0.001)
    feed(detector, values[:602])
    assert detector.skip(3) is None
    event = detector.update(float(values[605])).event
    assert event
    assert (event.stage, event.started, event.peak) == (Stage.CONTINUES, 5, 5)
