"""The streaming detector's events: the sides that are asked for, and how severe each is."""

import copy
import functools
import itertools

import numpy as np
import pytest

from app.anomalies.results import AnomalyVerdict, CloseReason, Direction, Stage
from tests.anomalies.streaming.streams import (
    DAY,
    HOURS,
    WEEK,
    Stream,
    closings,
    flags,
    openings,
    verdicts_on,
)
from tests.anomalies.streaming.streams import seasonal_series as season
from tests.anomalies.streaming.test_detected_events import judge_with_changes, seasonal_stream

SEASONED = 1500


def test_events_open_only_in_the_direction_set() -> None:
    values = season(1200)
    values[800] -= 12
    assert not openings(verdicts_on(values, HOURS, direction=Direction.UP)[790:860])
    assert openings(verdicts_on(values, HOURS, direction=Direction.DOWN)[790:860]) == [10]


@functools.cache
def one_sided_stream(seed: int, side: Direction) -> Stream:
    """Return a stream of 800 hours of a season that is asked for one side, which tests copy."""
    stream = Stream(HOURS, direction=side)
    stream.judge_all(season(800, seed))
    return stream


@pytest.mark.parametrize("lasts", [1, 2, 5, 12])
@pytest.mark.parametrize("side", [Direction.UP, Direction.DOWN])
def test_the_return_from_an_unreported_deviation_opens_no_event(
    lasts: int, side: Direction
) -> None:
    away = -12.0 if side is Direction.UP else 12.0
    for seed in range(3):
        values = season(1200, seed)[800 : 810 + lasts]
        values[:lasts] += away
        assert not openings(copy.deepcopy(one_sided_stream(seed, side)).judge_all(values))


@pytest.mark.parametrize("side", [Direction.UP, Direction.DOWN])
def test_an_overshoot_on_the_way_back_is_reported_immediately(side: Direction) -> None:
    away = -12.0 if side is Direction.UP else 12.0
    for seed in range(3):
        values = season(1200, seed)[800:810]
        values[0], values[1] = values[0] + away, values[1] - 2 * away
        assert openings(copy.deepcopy(one_sided_stream(seed, side)).judge_all(values)) == [1]


def test_with_up_only_a_noisy_window_opens_no_event_at_a_low_value() -> None:
    for seed in range(3):
        values = season(900, seed)[800:]
        values[:12] -= np.abs(np.random.default_rng(seed).normal(0.0, 6.0, 12))
        verdicts = copy.deepcopy(one_sided_stream(seed, Direction.UP)).judge_all(values)
        assert not openings(verdicts[:12])
        assert {update.direction for update in closings(verdicts)} <= {Direction.UP}


def test_an_open_event_closes_where_learning_begins_anew() -> None:
    values = season(610)
    values[600] += 30
    stream = Stream(HOURS)
    assert stream.judge_all(values[:603])[-1].event
    update = stream.skip(2 * DAY + 1)
    assert update
    assert (update.stage, update.close_reason, update.steps_since_start) == (
        Stage.CLOSED,
        CloseReason.ENDED,
        3,
    )
    assert stream.skip(2 * DAY + 1) is None


def test_an_event_continues_over_a_few_missing_points() -> None:
    values = season(700)
    values[600] += 30
    stream = Stream(HOURS)
    stream.judge_all(values[:602])
    assert stream.skip(3) is None
    event = stream.judge(float(values[605])).event
    assert event
    assert (event.stage, event.steps_since_start, event.steps_since_peak) == (Stage.CONTINUES, 5, 5)


def test_each_flagged_point_is_inside_an_event() -> None:
    values = np.random.default_rng(4).standard_t(3, 2500)
    values[1000:] += 10
    values[1500:1700] *= 30
    verdicts = verdicts_on(values, HOURS, rate=0.01)
    flagged = [
        verdict for verdict in verdicts if verdict.is_anomaly and not verdict.needs_relearning
    ]
    assert len(flagged) > 15
    assert all(v.event and v.event.stage is not Stage.CLOSED for v in flagged)


def verdict_on_spike(seed: int, size: float) -> AnomalyVerdict:
    """Return the verdict on a point exactly ``size`` sigmas from the expected value."""
    expected = 100 + 10 * np.sin(2 * np.pi * SEASONED / DAY)
    return copy.deepcopy(seasonal_stream(seed)).judge(float(expected + size))


@pytest.mark.parametrize("seed", range(3))
def test_severity_grows_with_the_spike_without_end(seed: int) -> None:
    severities = [verdict_on_spike(seed, size).severity for size in (5.0, 8.0, 13.0, 130.0, 1300.0)]
    assert all(a < b for a, b in itertools.pairwise(severities))
    assert severities[-1] < 100


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("size", [8.1, -8.1])
def test_a_little_more_than_eight_sigma_is_sent_by_default(seed: int, size: float) -> None:
    verdict = verdict_on_spike(seed, size)
    assert verdict.is_anomaly
    assert verdict.severity >= 50


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("later", [8, 50])
@pytest.mark.parametrize("size", [30.0, -20.0])
def test_a_second_event_as_large_soon_after_the_first_is_sent(
    seed: int, later: int, size: float
) -> None:
    verdicts = judge_with_changes(seed, (10, 11, 30.0), (10 + later, 11 + later, size))
    assert verdicts[10].severity >= 50
    assert verdicts[10 + later].severity >= 50


def test_severity_does_not_depend_on_the_unit_of_the_series() -> None:
    values = season(1600)
    values[1500] += 9
    severities = [
        verdicts_on(values * scale, HOURS)[1500].severity for scale in (1.0, 2.0**-30, 2.0**40)
    ]
    np.testing.assert_allclose(severities, severities[0], rtol=1e-9)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("workdays", [5, 7])
def test_no_traffic_by_day_is_an_alert_where_nights_have_none(workdays: int, seed: int) -> None:
    rng, time = np.random.default_rng(seed), np.arange(5 * WEEK)
    is_open = (time % DAY >= 8) & (time % DAY < 18) & (time // DAY % 7 < workdays)
    values = np.where(is_open, np.round(50 + 5 * rng.standard_normal(len(time))), 0.0)
    first = 4 * WEEK + DAY + 10
    values[first : first + 2] = 0
    verdicts = Stream(HOURS, values=values[: 4 * WEEK]).judge_all(values[4 * WEEK : first + 2])
    assert max(verdict.severity for verdict in verdicts[-2:]) >= 50
    assert not flags(verdicts[:-2])


@pytest.mark.parametrize("seed", [2, 4, 7])
def test_one_value_near_0_of_a_rate_with_heavy_tails_is_no_alert_but_two_are(seed: int) -> None:
    values = 0.2 + 0.02 * np.random.default_rng(seed).standard_t(5, 3002)
    values[3000:] = 0.01
    verdicts = Stream(values=values[:3000]).judge_all(values[3000:])
    assert verdicts[0].severity < 50 <= verdicts[1].severity
