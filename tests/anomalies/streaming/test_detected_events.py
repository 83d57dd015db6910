"""The streaming detector's events: what opens one, its kind, and how it closes."""

import copy
import functools
from collections.abc import Callable

import numpy as np
import pytest

from app.anomalies.results import AnomalyVerdict, CloseReason, Direction, EventKind, EventUpdate
from app.anomalies.streaming.detector import StreamDetector
from app.anomalies.streaming.learning import learn_history
from app.timeseries.types import FloatArray
from tests.anomalies.clean_series import autocorrelated_noise
from tests.anomalies.streaming.streams import (
    DAY,
    HOURS,
    Stream,
    closings,
    flags,
    openings,
    verdicts_on,
)
from tests.anomalies.streaming.streams import seasonal_series as season

QUIET: dict[str, Callable[[int], FloatArray]] = {
    "white": lambda seed: np.random.default_rng(seed).standard_normal(800),
    "autocorrelated": lambda seed: autocorrelated_noise(np.random.default_rng(seed), 800, 0.5),
    "season": lambda seed: season(800, seed),
}
STEADY_SERIES = {
    "normal": lambda rng, n: 100 + 10 * rng.standard_normal(n),
    "log-normal": lambda rng, n: 0.25 * rng.lognormal(0.0, 0.1, n),
    "counts": lambda rng, n: rng.poisson(100, n).astype(float),
}
CHANGE_INDEX, POINTS_BEFORE = 600, 20
SEASONED = 1500


@functools.cache
def stream_of(kind: str, seed: int) -> tuple[Stream, list[AnomalyVerdict]]:
    """Return a stream before anything happens, which tests copy, and its verdicts so far."""
    stream = Stream(HOURS)
    return stream, stream.judge_all(QUIET[kind](seed)[:CHANGE_INDEX])


@functools.cache
def seasonal_stream(seed: int) -> Stream:
    """Return a stream of 1,500 hours of a season, which tests copy."""
    stream = Stream(HOURS)
    stream.judge_all(season(SEASONED, seed))
    return stream


@functools.cache
def steady_stream(kind: str, seed: int) -> Stream:
    """Return a stream of the first 1,500 points of a series, which tests copy."""
    stream = Stream()
    stream.judge_all(STEADY_SERIES[kind](np.random.default_rng(seed), 1600)[:1500])
    return stream


def judge_with_deviation(
    kind: str, seed: int, size: float, lasts: int | None = None
) -> list[AnomalyVerdict]:
    """Return the verdicts on a deviation of ``size`` sigma, from 20 points before it."""
    values = QUIET[kind](seed)
    values[CHANGE_INDEX : CHANGE_INDEX + (lasts or len(values))] += size
    stream, before = stream_of(kind, seed)
    return [*before[-POINTS_BEFORE:], *copy.deepcopy(stream).judge_all(values[CHANGE_INDEX:])]


def outcomes_of(
    verdicts: list[AnomalyVerdict],
) -> list[tuple[EventKind, CloseReason | None, Direction]]:
    """Return the kind, close reason and direction of each closed event."""
    return [(event.kind, event.close_reason, event.direction) for event in closings(verdicts)]


def level_shift_index(verdicts: list[AnomalyVerdict]) -> int | None:
    """Return the first position at which an event is a level shift."""
    levels = (i for i, v in enumerate(verdicts) if v.event and _is_level(v.event))
    return next(levels, None)


def _is_level(event: EventUpdate) -> bool:
    return event.kind is EventKind.LEVEL_SHIFT


def judge_with_changes(seed: int, *changes: tuple[int, int | None, float]) -> list[AnomalyVerdict]:
    """Return the verdicts from point 1,500 on; changes are first, last and size in sigmas."""
    values = season(2000, seed)
    for first, last, size in changes:
        values[SEASONED + first : None if last is None else SEASONED + last] += size
    return copy.deepcopy(seasonal_stream(seed)).judge_all(values[SEASONED:])


@pytest.mark.parametrize("kind", QUIET)
def test_a_level_shift_is_one_event_that_closes_as_the_new_level(kind: str) -> None:
    good = flagged = 0
    for seed in range(6):
        verdicts = judge_with_deviation(kind, seed, 8.0 if seed % 2 else -8.0)
        side = Direction.UP if seed % 2 else Direction.DOWN
        soon = verdicts[: POINTS_BEFORE + 80]
        is_single = len(openings(soon)) == 1
        good += is_single and outcomes_of(soon) == [
            (EventKind.LEVEL_SHIFT, CloseReason.NEW_LEVEL, side)
        ]
        flagged += flags(verdicts[POINTS_BEFORE + 40 :])
    assert good >= 5
    assert flagged <= 5  # of 960 points


@pytest.mark.parametrize("kind", QUIET)
@pytest.mark.parametrize("lasts", [3, 10])
def test_a_dip_that_comes_back_closes_as_a_dip(kind: str, lasts: int) -> None:
    events = [
        event
        for seed in range(4)
        for event in outcomes_of(judge_with_deviation(kind, seed, -9.0, lasts)[:80])
    ]
    assert len(events) >= 4
    dip = (EventKind.DIP, CloseReason.ENDED, Direction.DOWN)
    assert events.count(dip) >= 0.8 * len(events)


@pytest.mark.parametrize("kind", QUIET)
def test_a_large_spike_is_one_event_that_ends(kind: str) -> None:
    for seed in range(3):
        verdicts = judge_with_deviation(kind, seed, 12.0, 1)[: POINTS_BEFORE + 30]
        assert openings(verdicts)[-1] == POINTS_BEFORE
        assert outcomes_of(verdicts)[-1] == (EventKind.SPIKE, CloseReason.ENDED, Direction.UP)


@pytest.mark.parametrize("kind", QUIET)
@pytest.mark.parametrize("size", [5.0, 8.0, 20.0, -5.0, -8.0])
def test_a_spike_of_two_steps_is_never_called_a_level_shift(kind: str, size: float) -> None:
    for seed in range(4):
        verdicts = judge_with_deviation(kind, seed, size, 2)[POINTS_BEFORE : POINTS_BEFORE + 20]
        assert level_shift_index(verdicts) is None


@pytest.mark.parametrize("kind", STEADY_SERIES)
@pytest.mark.parametrize("share", [0.1, 0.5, 3.0])
def test_the_peak_of_an_event_lies_on_the_side_that_its_words_name(kind: str, share: float) -> None:
    seen = 0
    for seed in range(4):
        values = STEADY_SERIES[kind](np.random.default_rng(seed), 1600)[1500:]
        values[:25] *= share
        values[60:62] *= 3.0
        verdicts = copy.deepcopy(steady_stream(kind, seed)).judge_all(values)
        for index, verdict in enumerate(verdicts):
            if event := verdict.event:
                at = index - event.steps_since_peak
                side = Direction.UP if values[at] > verdicts[at].expected else Direction.DOWN
                assert at < 0 or event.direction is side
                seen += 1
    assert seen > 50


def test_two_spikes_fifty_points_apart_are_two_events() -> None:
    verdicts = judge_with_changes(0, (10, 11, 12.0), (60, 61, 12.0))[:100]
    assert openings(verdicts) == [10, 60]
    assert outcomes_of(verdicts) == [(EventKind.SPIKE, CloseReason.ENDED, Direction.UP)] * 2


def test_a_spike_at_the_same_hour_every_day_becomes_part_of_the_season() -> None:
    values = season(1200)
    values[5::DAY] += 20
    verdicts = verdicts_on(values, HOURS)[400:]
    assert not openings(verdicts)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("after", [3, 4])
@pytest.mark.parametrize(("spike", "level"), [(20.0, 20.0), (100.0, 20.0), (20.0, -20.0)])
def test_a_level_that_begins_right_after_a_spike_is_reported_as_a_level_shift(
    spike: float, level: float, after: int, seed: int
) -> None:
    verdicts = judge_with_changes(seed, (0, 1, spike), (after, None, level))
    at = level_shift_index(verdicts)
    assert at is not None
    assert after <= at < after + 12
    side = Direction.UP if level > 0 else Direction.DOWN
    first = next(event for event in closings(verdicts) if _is_level(event))
    assert (first.close_reason, first.direction) == (CloseReason.NEW_LEVEL, side)
    assert CloseReason.ENDED not in [event.close_reason for event in closings(verdicts[after:])]
    assert first.severity > 50


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("size", [20.0, -20.0])
def test_a_level_that_begins_when_the_spike_before_has_ended_is_severe(
    size: float, seed: int
) -> None:
    verdicts = judge_with_changes(seed, (0, 1, 100.0), (12, None, size))
    first, second = closings(verdicts)[:2]
    assert (first.kind, first.close_reason) == (EventKind.SPIKE, CloseReason.ENDED)
    assert (second.kind, second.close_reason) == (EventKind.LEVEL_SHIFT, CloseReason.NEW_LEVEL)
    assert second.severity > 50


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("lasts", [240, None], ids=["for 240 points", "for good"])
def test_four_sigma_are_reported_as_a_level_shift_within_60_points(
    lasts: int | None, seed: int
) -> None:
    verdicts = judge_with_changes(seed, (0, lasts, 4.0))
    at = level_shift_index(verdicts)
    assert at is not None
    assert at < 60
    first = next(event for event in closings(verdicts) if _is_level(event))
    assert (first.close_reason, first.direction) == (CloseReason.NEW_LEVEL, Direction.UP)
    assert first.severity > 50


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", STEADY_SERIES)
def test_a_half_more_that_stays_is_severe_within_ten_points(kind: str, seed: int) -> None:
    values = STEADY_SERIES[kind](np.random.default_rng(seed), 1512)[1500:] * 1.5
    verdicts = copy.deepcopy(steady_stream(kind, seed)).judge_all(values)[:10]
    assert max(verdict.event.severity for verdict in verdicts if verdict.event) > 50


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("size", [4.0, 20.0])
def test_the_return_from_a_level_is_reported(size: float, seed: int) -> None:
    verdicts = judge_with_changes(seed, (0, 240, size))[240:]
    at = level_shift_index(verdicts)
    assert at is not None
    assert at < (12 if size > 10 else 60)
    event = closings(verdicts)[-1]
    assert (event.close_reason, event.direction) == (CloseReason.NEW_LEVEL, Direction.DOWN)
    assert event.severity > 50


@pytest.mark.parametrize("sigmas", [8, 15, 50, 500])
@pytest.mark.parametrize("kind", ["white", "autocorrelated"])
def test_no_point_after_a_spike_is_flagged_for_it(kind: str, sigmas: float) -> None:
    flagged = 0
    for seed in range(6):
        verdicts = judge_with_deviation(kind, seed, sigmas, 1)
        assert verdicts[POINTS_BEFORE].is_anomaly
        assert not verdicts[POINTS_BEFORE + 1].is_anomaly
        flagged += flags(verdicts[POINTS_BEFORE + 1 : POINTS_BEFORE + 7])
    assert flagged <= 1


def widths(verdicts: list[AnomalyVerdict]) -> FloatArray:
    return np.array([verdict.upper - verdict.lower for verdict in verdicts])


@pytest.mark.parametrize("seed", range(3))
def test_six_hours_at_zero_do_not_leave_a_wide_band(seed: int) -> None:
    values = season(500, seed)
    spoilt = values.copy()
    spoilt[200:206] = 0.0
    stream = Stream(HOURS)
    verdicts = stream.judge_all(spoilt)
    ratio = widths(verdicts)[226:] / widths(verdicts_on(values, HOURS))[226:]
    assert stream.fits > 3
    for begin in range(0, len(ratio), 24):
        assert np.median(ratio[begin : begin + 24]) < 1.5


@pytest.mark.parametrize("sigmas", [6, 15])
def test_the_band_is_back_within_20_points_of_a_dip(sigmas: float) -> None:
    values = 50 + np.random.default_rng(1).standard_normal(900)
    plain = widths(verdicts_on(values, HOURS))
    values[600:620] -= sigmas
    dipped = widths(verdicts_on(values, HOURS))
    assert np.median(dipped[640:660]) < 1.5 * np.median(plain[640:660])
    assert np.median(dipped[-50:]) < 1.5 * np.median(plain[-50:])


@pytest.mark.parametrize("length", [60, 200])
@pytest.mark.parametrize("seed", range(3))
def test_a_stuck_sensor_is_one_flat_event_that_ends(length: int, seed: int) -> None:
    values = season(1200, seed)
    values[800 : 800 + length] = values[800]
    verdicts = verdicts_on(values, HOURS)[790 : 800 + length + 30]
    flat = [event for event in closings(verdicts) if event.kind is EventKind.FLAT]
    assert [event.close_reason for event in flat] == [CloseReason.ENDED]
    assert len([at for at in openings(verdicts) if at >= 10]) == 1


@pytest.mark.parametrize("decimals", [1, 2, 12])
@pytest.mark.parametrize("seed", range(3))
def test_a_stuck_sensor_is_an_alert_within_half_an_hour(decimals: int, seed: int) -> None:
    values = np.round(20 + 0.3 * np.random.default_rng(seed).standard_normal(1200), decimals)
    values[1000:1100] = values[999]
    verdicts = verdicts_on(values, ())
    events = [verdict.event for verdict in verdicts]
    assert max(event.severity for event in events[1000:1030] if event) >= 50
    assert all(event is None or event.severity < 50 for event in events[600:1000])


def test_a_machine_that_rested_at_times_in_its_history_is_not_stuck_when_it_rests() -> None:
    minutes = np.arange(4000)
    noise = np.random.default_rng(2).standard_normal(4000)
    values = np.where(minutes % 400 < 90, 0.0, 50 + 3 * noise)
    state = learn_history(values[:3000], (), 0.001, Direction.BOTH)
    detector = StreamDetector.from_bytes(state, (), 0.001, Direction.BOTH)
    for value in values[3000:].tolist():
        event = detector.update(value).event
        assert event is None or event.kind is not EventKind.FLAT or event.severity < 50


def test_a_value_that_is_stuck_for_good_is_accepted_once() -> None:
    values = season(1600)
    values[800:] = values[800]
    events = [
        event
        for event in closings(verdicts_on(values, HOURS)[800:])
        if event.kind is EventKind.FLAT
    ]
    assert [event.close_reason for event in events] == [CloseReason.NEW_LEVEL]


@pytest.mark.parametrize("seed", range(3))
def test_a_series_that_drops_to_zero_for_good_is_reported_once(seed: int) -> None:
    values = season(1800, seed)
    values[1000:] = 0.0
    verdicts = verdicts_on(values, HOURS)[1000:]
    assert openings(verdicts) == [0]
    assert [event.close_reason for event in closings(verdicts)] == [CloseReason.NEW_LEVEL]


@pytest.mark.parametrize("seed", range(3))
def test_noise_that_grows_tenfold_is_not_reported_for_days(seed: int) -> None:
    values = np.random.default_rng(seed).standard_normal(2500)
    values[1500:] *= 10
    assert 1 <= len(openings(verdicts_on(values, HOURS)[1500:])) <= 3


def test_rounding_errors_after_an_outage_of_an_up_down_series_are_no_events() -> None:
    values = np.ones(5532)
    values[[1601, 3121]] = 0
    values[4532:4552] = 0
    learned = 4032
    stream = Stream((288, 2016), values=values[:learned])
    assert openings(stream.judge_all(values[learned:])) == [500]


def test_a_second_outage_of_an_up_down_series_is_an_event_too() -> None:
    learned = 4032
    values = np.ones(learned + 620)
    values[[93, 112, 168, 2197, 2474, 3768, learned + 439, learned + 460]] = 0
    values[learned + 500 : learned + 520] = 0
    values[learned + 580 : learned + 592] = 0
    stream = Stream((288, 2016), values=values[:learned])
    verdicts = stream.judge_all(values[learned:])
    assert openings(verdicts) == [439, 460, 500, 580]
    assert verdicts[580].severity > 50
