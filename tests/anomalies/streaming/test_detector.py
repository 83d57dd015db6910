"""The streaming detector: its band, its false alarms, its fits and its state."""

from collections.abc import Callable
from dataclasses import astuple
from itertools import cycle, islice

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from app.anomalies.results import AnomalyVerdict, Direction
from app.anomalies.streaming.detector import StreamDetector
from app.timeseries.calendar.periods import (
    periods_of_business_days,
    periods_of_months,
    periods_of_seconds,
)
from app.timeseries.types import FloatArray
from tests.anomalies.streaming.streams import (
    DAY,
    HOURS,
    WEEK,
    Stream,
    flags,
    openings,
    seasonal_series,
    verdicts_on,
)

CLEAN: dict[str, Callable[[np.random.Generator, int], FloatArray]] = {
    "season": lambda rng, n: seasonal_series(n, int(rng.integers(1000))),
    "heavy tails": lambda rng, n: rng.standard_t(5, n),
    "counts": lambda rng, n: rng.poisson(3.0, n).astype(float),
    "random walk": lambda rng, n: np.cumsum(rng.standard_normal(n)),
}
BAD = st.sampled_from([0.0, -0.0, 1.0, 1e100, -1e100, 1e12, 1e-300, 5e-324, 3.0])


def eventful_series() -> FloatArray:
    """Return a season with a spike, an outage, a new level, a stuck window and wild noise."""
    values = seasonal_series(1100)
    values[300] += 15
    values[400:406] = 0.0
    values[500:] += 20
    values[650:700] = values[650]
    values[800:] += np.random.default_rng(2).normal(0.0, 30.0, 300)
    return values


@pytest.mark.parametrize("direction", Direction)
def test_a_stored_detector_continues_exactly_as_if_it_had_not_been_stored(
    direction: Direction,
) -> None:
    kept = Stream(HOURS, 0.01, direction)
    stored = Stream(HOURS, 0.01, direction, is_stored=True)
    for value in eventful_series().tolist():
        assert stored.judge(value) == kept.judge(value)
    assert stored.detector.to_bytes() == kept.detector.to_bytes()
    assert kept.fits == stored.fits > 5


def test_a_series_that_is_learned_anew_is_stored_as_well() -> None:
    values = np.concatenate([np.zeros(400), 100 + 5 * np.random.default_rng(1).normal(size=300)])
    kept, stored = Stream(HOURS), Stream(HOURS, is_stored=True)
    verdicts = kept.judge_all(values)
    assert any(verdict.needs_relearning for verdict in verdicts)
    assert stored.judge_all(values) == verdicts


@pytest.mark.parametrize("cut", [0, 1, 8, 24, 160, 1000, -8, -1])
def test_a_broken_state_is_rejected(cut: int) -> None:
    packed = Stream(HOURS).detector.to_bytes()
    with pytest.raises(ValueError, match="state"):
        StreamDetector.from_bytes(packed[:cut], HOURS, 0.001, Direction.BOTH)


def test_a_state_in_the_database_stays_small_whatever_the_step() -> None:
    seasons = {periods_of_seconds(step) for step in (1, 7, 60, 300, 900, 3600)}
    seasons |= {periods_of_months(1), periods_of_business_days(1)}
    rng = np.random.default_rng(1)
    for periods in seasons:
        stream = Stream(periods)
        stream.detector = StreamDetector(periods, 0.001, time=10_000)
        time = np.arange(10_000)
        season = sum((np.sin(2 * np.pi * time / period) for period in periods), 0 * time)
        stream.values = (10 * season + rng.standard_normal(10_000)).tolist()
        stream.fit()
        assert len(stream.detector.to_bytes()) <= 150_000, periods


def test_the_same_values_get_the_same_verdicts() -> None:
    assert verdicts_on(seasonal_series(300), HOURS) == verdicts_on(seasonal_series(300), HOURS)


@pytest.mark.parametrize("direction", Direction)
@pytest.mark.parametrize("rate", [0.1, 0.01, 0.001])
def test_a_point_is_flagged_exactly_outside_the_band(direction: Direction, rate: float) -> None:
    values = seasonal_series(1200)
    values[np.arange(200, 1200, 167)] += np.tile([20.0, -20.0], 3)
    flagged = 0
    for value, verdict in zip(
        values.tolist(), verdicts_on(values, HOURS, rate, direction), strict=True
    ):
        above = value > verdict.upper and direction is not Direction.DOWN
        below = value < verdict.lower and direction is not Direction.UP
        assert verdict.is_anomaly == (above or below) == (verdict.p_value < rate)
        assert verdict.lower <= verdict.expected <= verdict.upper
        assert 0 < verdict.p_value <= 1
        flagged += verdict.is_anomaly
    assert flagged >= 3


def verdicts_on_clean(kind: str, rate: float, direction: Direction) -> list[AnomalyVerdict]:
    """Return the verdicts on two clean series, without the first points."""
    return [
        verdict
        for seed in (1, 2)
        for verdict in verdicts_on(
            CLEAN[kind](np.random.default_rng(seed), 1500), HOURS, rate, direction
        )[500:]
    ]


@pytest.mark.parametrize("kind", CLEAN)
@pytest.mark.parametrize("rate", [0.05, 0.01])
def test_the_flagged_share_of_a_clean_series_is_the_false_alarm_rate(
    kind: str, rate: float
) -> None:
    verdicts = verdicts_on_clean(kind, rate, Direction.BOTH)
    assert 0.4 * rate <= flags(verdicts) / len(verdicts) <= 1.6 * rate


@pytest.mark.parametrize("kind", CLEAN)
def test_at_the_default_rate_hardly_a_point_of_a_clean_series_is_flagged(kind: str) -> None:
    verdicts = verdicts_on_clean(kind, 0.001, Direction.BOTH)
    assert flags(verdicts) <= 0.002 * len(verdicts)
    severe = [v for v in verdicts if v.severity >= 50]
    assert len(severe) <= 3
    assert len(openings(verdicts)) <= 12


@pytest.mark.parametrize("direction", [Direction.UP, Direction.DOWN])
def test_with_one_direction_the_whole_rate_is_that_sides(direction: Direction) -> None:
    verdicts = verdicts_on_clean("season", 0.05, direction)
    assert 0.03 <= flags(verdicts) / len(verdicts) <= 0.07


def test_the_band_is_wider_where_the_rate_is_lower() -> None:
    widths = [
        np.array([v.upper - v.lower for v in verdicts_on(seasonal_series(600), HOURS, rate)[100:]])
        for rate in (0.1, 0.01, 0.001, 0.0001)
    ]
    for wider, narrower in zip(widths[1:], widths, strict=False):
        assert (wider > narrower).all()


def test_a_band_far_wider_than_the_values_is_reported() -> None:
    rng = np.random.default_rng(1)
    calm, wild = seasonal_series(600), rng.pareto(0.7, 600)
    assert not any(verdict.is_band_wide for verdict in verdicts_on(calm, HOURS))
    assert not any(verdict.is_band_wide for verdict in verdicts_on(calm - calm.mean(), HOURS))
    reported = [verdict for verdict in verdicts_on(wild, HOURS) if verdict.is_band_wide]
    assert len(reported) > 100
    assert all(verdict.upper - verdict.lower > 20 * np.median(wild) / 2 for verdict in reported)


@pytest.mark.parametrize("missing", [1, 7, DAY, 2 * DAY])
def test_the_season_stays_in_phase_after_a_gap(missing: int) -> None:
    values = seasonal_series(900)
    stream = Stream(HOURS)
    stream.judge_all(values[:600])
    assert stream.skip(missing) is None
    assert not stream.detector.is_learning
    verdicts = stream.judge_all(values[600 + missing :])
    errors = [abs(v.expected - x) for v, x in zip(verdicts, values[600 + missing :], strict=True)]
    assert np.mean(errors) < 1.2
    assert np.mean(errors[:24]) < 1.6
    assert flags(verdicts) <= 1


def test_learning_begins_anew_after_more_than_two_missing_seasons() -> None:
    stream = Stream(HOURS)
    stream.judge_all(seasonal_series(600))
    assert stream.skip(2 * DAY) is None
    assert not stream.detector.is_learning
    assert stream.skip(2 * DAY + 1) is None
    assert stream.detector.is_learning
    assert stream.detector.to_bytes() == Stream(HOURS).detector.to_bytes()


def test_gaps_before_the_first_fit_are_learned_over() -> None:
    values = seasonal_series(500)
    stream = Stream(HOURS)
    for begin in range(0, 500, 10):
        stream.judge_all(values[begin : begin + 6])
        stream.skip(4)
    assert not stream.detector.is_learning
    assert abs(stream.judge(float(values[0])).expected - 100) < 20


@pytest.mark.parametrize(
    ("periods", "learned"), [((), 20), ((7,), 20), (HOURS, 2 * DAY), ((1440, 10080), 300)]
)
def test_it_is_known_before_a_point_whether_it_will_be_judged(
    periods: tuple[int, ...], learned: int
) -> None:
    stream = Stream(periods)
    for point, value in enumerate(seasonal_series(learned + 2).tolist()):
        if stream.detector.needs_fit:
            stream.fit()
        is_learning = stream.detector.is_learning
        assert is_learning == (point < learned)
        assert stream.judge(value).is_learning == is_learning


def test_a_restored_detector_judges_the_first_point() -> None:
    values = seasonal_series(1501)
    stream = Stream(HOURS)
    stream.detector = StreamDetector(HOURS, 0.001, time=1500)
    stream.values = values[:1500].tolist()
    assert stream.detector.needs_fit
    verdict = stream.judge(float(values[1500]))
    usual = verdicts_on(values, HOURS)[-1]
    assert not verdict.is_learning
    assert not verdict.is_anomaly
    assert verdict.expected == pytest.approx(usual.expected, abs=0.5)
    ratio = (verdict.upper - verdict.lower) / (usual.upper - usual.lower)
    assert ratio == pytest.approx(1.0, abs=0.25)


def test_fits_become_rarer_and_never_cease() -> None:
    stream = Stream(HOURS)
    at = []
    for value in seasonal_series(3000).tolist():
        before = stream.fits
        stream.judge(value)
        at += [stream.detector.time] * (stream.fits - before)
    gaps = np.diff(at)
    assert at[0] == 21
    assert max(gaps) <= 500
    assert (gaps[-2:] == 500).all()
    assert len(at) < 20


def test_a_fit_that_fails_is_tried_again_soon_and_the_last_one_is_kept() -> None:
    stream = Stream(HOURS)
    values = seasonal_series(420)
    stream.judge_all(values[:400])
    detector = stream.detector
    detector._state.next_fit_at = detector.time
    assert detector.needs_fit
    detector.postpone_fit()
    for value in values[400:410].tolist():
        assert not detector.needs_fit
        verdict = detector.update(value)
        assert not verdict.is_learning
        assert verdict.upper - verdict.lower < 15
    assert detector.needs_fit


@pytest.mark.parametrize("factor", [2.0**-40, 2.0**40, -1.0])
def test_another_unit_or_sign_changes_nothing_else(factor: float) -> None:
    values = eventful_series() - 100  # not positive: a logarithm has no sign
    plain, scaled = verdicts_on(values, HOURS), verdicts_on(values * factor, HOURS)
    assert [v.is_anomaly for v in plain] == [v.is_anomaly for v in scaled]
    sides = ("lower", "upper") if factor > 0 else ("upper", "lower")
    for ours, theirs in zip(
        ("lower", "expected", "upper"), (sides[0], "expected", sides[1]), strict=True
    ):
        np.testing.assert_allclose(
            [getattr(v, ours) * factor for v in plain],
            [getattr(v, theirs) for v in scaled],
            rtol=1e-7,
            atol=1e-7 * abs(factor),
        )
    np.testing.assert_allclose([v.severity for v in plain], [v.severity for v in scaled], atol=1e-6)


def test_a_shift_of_the_whole_series_shifts_the_band() -> None:
    values = seasonal_series(800) - 100
    plain, shifted = verdicts_on(values, HOURS), verdicts_on(values - 2.0**20, HOURS)
    assert [v.is_anomaly for v in plain] == [v.is_anomaly for v in shifted]
    np.testing.assert_allclose(
        [v.upper - 2.0**20 for v in plain], [v.upper for v in shifted], atol=1e-3
    )


@pytest.mark.parametrize("value", [0.0, 5.0, -1e100, 1e-300, 5e-324, 1e9 + 0.1])
def test_a_constant_series_is_never_flagged(value: float) -> None:
    verdicts = verdicts_on(np.full(900, value), HOURS, rate=0.1)
    assert not flags(verdicts)
    assert not any(verdict.event for verdict in verdicts)


@pytest.mark.parametrize("before", [30, 400, 2000])
@pytest.mark.parametrize("change", [1e-3, 1.0, -50.0, 1e9])
def test_the_first_change_of_a_constant_series_is_flagged(before: int, change: float) -> None:
    stream = Stream()
    stream.judge_all(np.full(before, 7.0))
    assert stream.judge(7.0 + change).is_anomaly


def assert_sound(value: float, verdict: AnomalyVerdict) -> None:
    numbers = (*astuple(verdict)[:4], verdict.severity)
    assert np.isfinite(numbers).all()
    assert verdict.lower <= verdict.expected <= verdict.upper
    assert verdict.is_anomaly == (not verdict.lower <= value <= verdict.upper)
    assert verdict.is_anomaly == (verdict.p_value < 0.01)
    assert 0.0 < verdict.p_value <= 1.0
    assert 0.0 <= verdict.severity < 100.0


@given(
    st.lists(st.one_of(BAD, st.floats(-1e3, 1e3)), min_size=1, max_size=30),
    st.integers(1, 8),
    st.sampled_from([(), (2, 6), (7, 21)]),
)
@example([0.0, 0.0, 0.0, 0.0, 0.0, 1e-168, 1.0], 3, ())
@example([1e100, -1e100], 100, ())
@example([5e-324, 0.0, 0.0], 100, (2, 6))
@settings(max_examples=40, deadline=None)
def test_verdicts_on_any_values_are_finite_and_in_order(
    values: list[float], times: int, periods: tuple[int, ...]
) -> None:
    stream = Stream(periods, 0.01)
    for value in values * times:
        assert_sound(value, stream.judge(value))


@pytest.mark.parametrize(
    "ending", [[1e100, -1e100], [5e-324], [0.0, 1e100], [-1e100], [1e-300, -1e-300, 1e15]], ids=str
)
def test_absurd_values_after_ordinary_ones_leave_finite_verdicts(ending: list[float]) -> None:
    stream = Stream(HOURS, 0.01)
    stream.judge_all(np.exp(seasonal_series(400) / 100))
    for value in islice(cycle(ending), 400):
        assert_sound(value, stream.judge(value))
    for value in seasonal_series(300).tolist():
        assert_sound(value, stream.judge(value))


def test_a_series_recovers_from_absurd_values() -> None:
    values = seasonal_series(2000)
    values[[500, 700, 900]] = [1e100, -1e100, 1e50]
    verdicts = verdicts_on(values, HOURS)
    assert flags(verdicts) <= 6
    assert all(verdicts[at].is_anomaly for at in (500, 700, 900))
    assert verdicts[-1].upper - verdicts[-1].lower < 15


def test_a_week_is_learned_beside_a_day() -> None:
    time = np.arange(6 * WEEK)
    values = seasonal_series(6 * WEEK) - 30.0 * (time // DAY % 7 >= 5)
    late = verdicts_on(values, HOURS)[4 * WEEK :]
    errors = [abs(v.expected - x) for v, x in zip(late, values[4 * WEEK :], strict=True)]
    assert np.mean(errors) < 1.5
    assert flags(late) <= 3
