"""The streaming detector: its band, its false alarms, its events and its state."""

from collections.abc import Callable
from dataclasses import astuple

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from app.anomalies.results import Direction, EventKind
from app.anomalies.streaming.detector import StreamDetector
from app.anomalies.streaming.verdict import Closing, EventNews, Stage, Verdict

DAY = 24


def seasonal(length: int, seed: int = 0) -> np.ndarray:
    time = np.arange(length)
    noise = np.random.default_rng(seed).standard_normal(length)
    return 100 + 10 * np.sin(2 * np.pi * time / DAY) + noise


def feed(detector: StreamDetector, values: np.ndarray) -> list[Verdict]:
    return [detector.update(value) for value in values.tolist()]


def closed(verdicts: list[Verdict]) -> list[EventNews]:
    return [v.event for v in verdicts if v.event and v.event.stage is Stage.CLOSED]


def opened(verdicts: list[Verdict]) -> list[int]:
    return [i for i, v in enumerate(verdicts) if v.event and v.event.stage is Stage.OPENED]


def test_a_stored_detector_goes_on_exactly_as_if_it_had_not_been_stored() -> None:
    values = seasonal(400)
    values[300] += 15
    kept = StreamDetector(DAY, 0.01, long_period=7 * DAY)
    stored = StreamDetector(DAY, 0.01, long_period=7 * DAY)
    for value in values.tolist():
        stored = StreamDetector.from_array(stored.to_array())
        assert stored.update(value) == kept.update(value)


@pytest.mark.parametrize("direction", Direction)
def test_a_batch_of_updates_is_the_same_updates_with_a_round_trip_between_them(
    direction: Direction,
) -> None:
    history, batch = seasonal(600), seasonal(60, seed=1)
    batch[20] += 30
    batch[40:] += 10
    whole = StreamDetector(DAY, 0.01, direction)
    whole.warm_up(history)
    state = whole.to_array()
    verdicts, events = feed(whole, batch), 0
    for value, verdict in zip(batch.tolist(), verdicts, strict=True):
        loaded = StreamDetector.from_array(state)
        assert loaded.update(value) == verdict
        state = loaded.to_array()
        events += verdict.event is not None
    np.testing.assert_array_equal(state, whole.to_array())
    assert events or direction is Direction.DOWN


def test_with_one_direction_the_whole_rate_is_that_sides() -> None:
    values = np.random.default_rng(5).exponential(1.0, 2500)
    for direction in (Direction.UP, Direction.DOWN):
        verdicts = feed(StreamDetector(0, 0.05, direction), values)
        assert 0.04 <= np.mean([verdict.is_anomaly for verdict in verdicts]) <= 0.06


@pytest.mark.parametrize(("period", "long_period"), [(0, 0), (288, 2016), (1440, 10080)])
def test_a_state_in_the_database_stays_below_100_kilobytes(period: int, long_period: int) -> None:
    assert len(StreamDetector(period, 0.001, long_period=long_period).to_array()) <= 100_000


@pytest.mark.parametrize("cut", [0, 1, 8, 20, 1000, -1])
def test_a_broken_state_is_refused(cut: int) -> None:
    array = StreamDetector(DAY, 0.01).to_array()
    with pytest.raises(ValueError, match="state"):
        StreamDetector.from_array(array[:cut])


def test_a_state_of_another_version_is_refused() -> None:
    array = StreamDetector(DAY, 0.01).to_array().copy()
    array[:8] = np.frombuffer(np.float64(99.0).tobytes(), np.uint8)
    with pytest.raises(ValueError, match="version"):
        StreamDetector.from_array(array)


def test_the_same_values_get_the_same_verdicts() -> None:
    values = seasonal(300)
    assert feed(StreamDetector(DAY, 0.01), values) == feed(StreamDetector(DAY, 0.01), values)


@pytest.mark.parametrize("direction", Direction)
def test_a_point_is_flagged_exactly_outside_the_band(direction: Direction) -> None:
    values = seasonal(1500)
    values[np.arange(200, 1500, 167)] += np.tile([20.0, -20.0], 4)
    rate = 0.01
    flags = 0
    for value, verdict in zip(
        values.tolist(), feed(StreamDetector(DAY, rate, direction), values), strict=True
    ):
        above = value > verdict.upper and direction is not Direction.DOWN
        below = value < verdict.lower and direction is not Direction.UP
        assert verdict.is_anomaly == (above or below) == (verdict.p_value < rate)
        assert verdict.lower <= verdict.expected <= verdict.upper
        flags += verdict.is_anomaly
    assert flags >= 4


CLEAN: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "season": lambda rng, n: seasonal(n, int(rng.integers(1000))),
    "heavy tails": lambda rng, n: rng.standard_t(5, n),
    "counts": lambda rng, n: rng.poisson(3.0, n).astype(float),
    "walk": lambda rng, n: np.cumsum(rng.standard_normal(n)),
}


@pytest.mark.parametrize("kind", CLEAN)
def test_of_a_clean_series_the_asked_share_is_flagged(kind: str) -> None:
    verdicts = [
        verdict
        for seed in (1, 2)
        for verdict in feed(
            StreamDetector(DAY if kind == "season" else 0, 0.01),
            CLEAN[kind](np.random.default_rng(seed), 3000),
        )
    ]
    assert 0.004 <= np.mean([verdict.is_anomaly for verdict in verdicts]) <= 0.016
    # A walk reaches new extremes for ever.
    assert len(opened(verdicts)) <= (10 if kind == "walk" else 4)


def test_a_missing_stretch_moves_the_season_along() -> None:
    values = seasonal(900)
    detector = StreamDetector(DAY, 0.001)
    feed(detector, values[:600])
    assert detector.skip(7)
    verdicts = feed(detector, values[607:])
    assert np.mean([abs(v.expected - x) for v, x in zip(verdicts, values[607:], strict=True)]) < 1.5
    assert not opened(verdicts)


def test_learning_begins_anew_after_more_than_two_missing_seasons() -> None:
    detector = StreamDetector(DAY, 0.001)
    feed(detector, seasonal(600))
    assert not detector.skip(2 * DAY + 1)
    assert detector.update(100.0).is_learning


def test_a_level_shift_is_one_event_that_closes_as_the_new_level() -> None:
    values = seasonal(1200)
    values[800:] += 12
    verdicts = feed(StreamDetector(DAY, 0.001), values)
    assert opened(verdicts)[0] in range(800, 806)
    assert [(e.kind, e.closing, e.direction) for e in closed(verdicts)] == [
        (EventKind.LEVEL_SHIFT, Closing.NEW_LEVEL, Direction.UP)
    ]


def test_a_spike_is_one_event_that_ends() -> None:
    values = seasonal(1200)
    values[800] += 30
    verdicts = feed(StreamDetector(DAY, 0.001), values)
    assert opened(verdicts) == [800]
    assert [(e.kind, e.closing) for e in closed(verdicts)] == [(EventKind.SPIKE, Closing.ENDED)]


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
    assert len(opened(verdicts)) == 1


def test_only_the_asked_side_opens_events() -> None:
    values = seasonal(1200)
    values[800] -= 30
    assert not opened(feed(StreamDetector(DAY, 0.001, Direction.UP), values))
    assert opened(feed(StreamDetector(DAY, 0.001, Direction.DOWN), values)) == [800]


def test_the_engines_forecast_is_used_where_it_is_better() -> None:
    rng = np.random.default_rng(3)
    truth = rng.standard_normal(3000) * 10
    values = truth + rng.standard_normal(3000)
    errors = []
    for knows in (False, True):
        detector = StreamDetector(0, 0.001)
        wrong = 0.0
        for i, value in enumerate(values.tolist()):
            if knows and detector.wants_forecast:
                detector.learn_forecast(truth[i : i + detector.forecast_horizon])
            wrong += abs(detector.update(value).expected - value)
        errors.append(wrong)
    assert errors[1] < 0.5 * errors[0]


def test_a_detector_that_learned_a_history_judges_the_next_point() -> None:
    detector = StreamDetector(DAY, 0.001)
    detector.warm_up(seasonal(500))
    assert not detector.update(float(seasonal(501)[-1])).is_learning
    np.testing.assert_allclose(detector.recent_values()[-200:], seasonal(501)[-200:], rtol=1e-6)


def test_another_unit_changes_the_unit_alone() -> None:
    values = seasonal(600)
    plain = feed(StreamDetector(DAY, 0.01), values)
    scaled = feed(StreamDetector(DAY, 0.01), values * 2.0**40)
    assert [v.is_anomaly for v in plain] == [v.is_anomaly for v in scaled]
    np.testing.assert_allclose(
        [v.upper * 2.0**40 for v in plain], [v.upper for v in scaled], rtol=1e-12
    )


@pytest.mark.parametrize("value", [0.0, 5.0, -1e100, 1e-300])
def test_a_constant_series_is_never_flagged(value: float) -> None:
    assert not any(
        v.is_anomaly or v.event for v in feed(StreamDetector(0, 0.1), np.full(300, value))
    )


BAD = st.sampled_from([0.0, -0.0, 1.0, 1e100, -1e100, 1e12, 1e-300, 5e-324, 3.0])


@given(
    st.lists(st.one_of(BAD, st.floats(-1e3, 1e3)), min_size=1, max_size=30),
    st.integers(1, 8),
    st.sampled_from([0, 2, 7]),
)
@example([0.0, 0.0, 0.0, 0.0, 0.0, 1e-168, 1.0], 3, 0)
@settings(max_examples=60, deadline=None)
def test_whatever_comes_the_verdict_is_finite_and_in_order(
    cycle: list[float], times: int, period: int
) -> None:
    detector = StreamDetector(period, 0.01, long_period=3 * period)
    for value in cycle * times:
        verdict = detector.update(value)
        assert all(np.isfinite(n) for n in astuple(verdict)[:7] if not isinstance(n, bool))
        assert verdict.lower <= verdict.expected <= verdict.upper
        assert verdict.is_anomaly == (not verdict.lower <= value <= verdict.upper)
    assert 0.0 <= verdict.p_value <= 1.0
