"""The streaming detector: its band, its false alarms and its state."""

from collections.abc import Callable
from dataclasses import astuple

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from app.anomalies.results import Direction
from app.anomalies.streaming.detector import StreamDetector
from app.anomalies.streaming.verdict import Stage
from app.forecasting.calendar.periods import (
    periods_of_business_days,
    periods_of_months,
    periods_of_seconds,
)
from tests.anomalies.streaming.feeding import DAY, feed, opened, seasonal


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


def test_a_state_in_the_database_stays_below_100_kilobytes_whatever_the_step() -> None:
    seasons = {periods_of_seconds(step) for step in range(1, 3_601)}
    seasons |= {periods_of_months(1), periods_of_business_days(1)}
    for periods in seasons:
        period, long_period = [*periods, 0, 0][:2]
        state = StreamDetector(period, 0.001, long_period=long_period).to_array()
        assert len(state) <= 100_000, periods


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


@pytest.mark.parametrize("rate", [0.01, 0.001])
def test_of_a_clean_series_hardly_more_events_open_than_points_are_flagged(rate: float) -> None:
    flags = events = 0
    for kind, make in CLEAN.items():
        values = make(np.random.default_rng(3), 1500)
        verdicts = feed(StreamDetector(DAY if kind == "season" else 0, rate), values)
        flags += sum(verdict.is_anomaly for verdict in verdicts)
        events += len(opened(verdicts))
    assert 0 < events <= 1.3 * flags


def test_each_flagged_point_is_inside_an_event() -> None:
    rng = np.random.default_rng(4)
    values = rng.standard_t(3, 2000)
    values[1000:] += 10
    verdicts = feed(StreamDetector(0, 0.01), values)
    flagged = [verdict for verdict in verdicts if verdict.is_anomaly]
    assert len(flagged) > 15
    assert all(v.event and v.event.stage is not Stage.CLOSED for v in flagged)


def test_a_missing_stretch_moves_the_season_along() -> None:
    values = seasonal(900)
    detector = StreamDetector(DAY, 0.001)
    feed(detector, values[:600])
    assert detector.skip(7) is None
    assert not detector.is_learning
    verdicts = feed(detector, values[607:])
    assert np.mean([abs(v.expected - x) for v, x in zip(verdicts, values[607:], strict=True)]) < 1.5
    assert not opened(verdicts)


def test_learning_begins_anew_after_more_than_two_missing_seasons() -> None:
    detector = StreamDetector(DAY, 0.001)
    feed(detector, seasonal(600))
    assert detector.skip(2 * DAY) is None
    assert not detector.is_learning
    assert detector.skip(2 * DAY + 1) is None
    assert detector.is_learning
    fresh = StreamDetector(DAY, 0.001)
    np.testing.assert_array_equal(detector.to_array(), fresh.to_array())


@pytest.mark.parametrize(("period", "learned"), [(0, 20), (7, 20), (DAY, 2 * DAY), (1440, 300)])
def test_it_is_known_before_a_point_whether_it_will_be_judged(period: int, learned: int) -> None:
    detector = StreamDetector(period, 0.001)
    for point in range(learned + 2):
        is_learning = detector.is_learning
        assert is_learning == (point < learned)
        assert detector.update(float(np.sin(point))).is_learning == is_learning


def test_a_history_that_is_too_short_leaves_the_detector_learning() -> None:
    detector = StreamDetector(DAY, 0.001)
    detector.warm_up(seasonal(2 * DAY - 1))
    assert detector.is_learning
    detector.warm_up(seasonal(2 * DAY)[-1:])
    assert not detector.is_learning


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


@pytest.mark.parametrize("sigmas", [8, 15, 50, 500])
@pytest.mark.parametrize("share", [0.0, 0.5], ids=["white", "autocorrelated"])
def test_no_point_after_a_spike_is_flagged_for_it(sigmas: float, share: float) -> None:
    flags = np.zeros(6, dtype=int)
    for seed in range(8):
        noise = np.random.default_rng(seed).standard_normal(320)
        for index in range(1, len(noise)):
            noise[index] += share * noise[index - 1]
        noise[300] += sigmas
        verdicts = feed(StreamDetector(DAY, 0.001), 50 + 2 * noise)
        assert verdicts[300].is_anomaly
        flags += [each.is_anomaly for each in verdicts[301:307]]
    assert flags.sum() <= 1


@pytest.mark.parametrize("sigmas", [6, 15])
def test_a_dip_does_not_leave_a_band_so_wide_that_it_hides_the_next(sigmas: float) -> None:
    values = 50 + np.random.default_rng(1).standard_normal(900)
    values[600:620] -= sigmas
    widths = [v.upper - v.lower for v in feed(StreamDetector(DAY, 0.001), values)]
    assert np.median(widths[-50:]) < 3 * np.median(widths[550:600])
