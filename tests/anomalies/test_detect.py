"""A detection as a whole: its rate, the agreement of its parts, and the spikes that it finds."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.anomalies.detect import detect
from app.anomalies.results import Direction, EventKind
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History
from tests.anomalies.clean_series import KINDS, autocorrelated_noise, day, hourly_history, week

RATES = (0.05, 0.01, 0.001)
HARD = {
    "constant": np.full(60, 5.0),
    "nearly constant": 1 + 1e-12 * np.sin(np.arange(60.0)),
    "step": np.repeat([0.0, 1.0], 40),
    "line": np.arange(80.0),
    "alternating": np.arange(80) % 2.0,
    "largest numbers": np.where(np.arange(40) % 3 > 0, 1.7e308, -1.7e308),
    "growth": np.exp(0.5 * np.arange(200)),
    "outliers in next to nothing": np.where(
        np.arange(150) % 60 == 50, 1e12, 1e-300 * np.arange(150)
    ),
    "one event": (np.arange(200) == 50) * 1.0,
}


def flagged_indices(values, rate=0.001, direction=Direction.BOTH):
    return np.flatnonzero(detect(hourly_history(values), rate, direction).is_anomaly)


def check_agreement(values, rate, direction) -> None:
    """Hold a detection to everything that its parts say of each other."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        detection = detect(hourly_history(values), rate, direction)
    arrays = (
        detection.expected,
        detection.lower,
        detection.upper,
        detection.p_value,
        detection.severity,
    )
    assert all(len(array) == len(values) and np.isfinite(array).all() for array in arrays)
    assert (detection.lower <= detection.expected).all()
    assert (detection.expected <= detection.upper).all()
    above, below = values > detection.upper, values < detection.lower
    sides = {Direction.BOTH: above | below, Direction.UP: above, Direction.DOWN: below}
    np.testing.assert_array_equal(detection.is_anomaly, sides[direction])
    np.testing.assert_array_equal(detection.is_anomaly, detection.p_value < rate)
    assert ((detection.severity >= 0) & (detection.severity <= 100)).all()
    lying = np.zeros(len(values), dtype=int)
    for event in detection.events:
        lying[event.start : event.end + 1] += 1
        assert event.start <= event.peak <= event.end
        assert direction in (Direction.BOTH, event.direction)
    assert lying.max(initial=0) <= 1
    assert lying[detection.is_anomaly].all()
    assert list(detection.events) == sorted(detection.events, key=lambda event: event.start)


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS.keys())
def test_the_share_flagged_of_a_clean_series_is_the_rate(kind) -> None:
    rng = np.random.default_rng(20)
    series = [hourly_history(kind(rng, 1200)) for _ in range(6)]
    twentieth, hundredth, thousandth = (
        np.mean([detect(values, rate).is_anomaly.mean() for values in series]) for rate in RATES
    )
    assert 0.04 <= twentieth <= 0.065
    assert 0.007 <= hundredth <= 0.014
    assert thousandth <= 0.002


@pytest.mark.parametrize("direction", [Direction.UP, Direction.DOWN])
def test_the_rate_of_one_direction_is_that_of_its_side(direction) -> None:
    rng = np.random.default_rng(21)
    shares = [
        detect(hourly_history(rng.exponential(1.0, 1500)), 0.05, direction).is_anomaly.mean()
        for _ in range(6)
    ]
    assert 0.04 <= np.mean(shares) <= 0.065


@given(
    st.lists(
        st.one_of(
            st.floats(-1e300, 1e300),
            st.floats(-5, 5),
            st.integers(0, 3).map(float),
            st.just(0.0),
            st.sampled_from([1e12, -1e100, 5e-324]),
        ),
        min_size=12,
        max_size=120,
    ),
    st.sampled_from([0.0001, 0.001, 0.01, 0.1]),
    st.sampled_from(list(Direction)),
)
def test_band_flags_p_values_and_events_agree_on_open_input(values, rate, direction) -> None:
    check_agreement(np.array(values), rate, direction)


@pytest.mark.parametrize("values", HARD.values(), ids=HARD.keys())
@pytest.mark.parametrize("direction", list(Direction))
def test_band_flags_p_values_and_events_agree_on_hard_input(values, direction) -> None:
    for rate in (0.0001, 0.1):
        check_agreement(values, rate, direction)


@given(
    st.integers(0, 50), st.floats(1e-6, 1e6), st.floats(-1e3, 1e3), st.sampled_from(sorted(KINDS))
)
@settings(max_examples=25, deadline=None)
def test_another_unit_gives_the_same_flags_and_a_band_in_that_unit(seed, factor, offset, kind):
    values = KINDS[kind](np.random.default_rng(seed), 240)
    if max(values.min(), values.min() + offset) > 0:
        # Positive values may be judged by their logarithms, which an offset changes.
        offset = 0.0
    first = detect(hourly_history(values), 0.01)
    second = detect(hourly_history(factor * values + factor * offset), 0.01)
    tolerance = 1e-6 * np.abs(values).max()
    np.testing.assert_allclose(second.upper / factor - offset, first.upper, atol=tolerance)
    np.testing.assert_allclose(second.lower / factor - offset, first.lower, atol=tolerance)
    # Ties may fall on either side of the band by rounding.
    margin = np.minimum(np.abs(values - first.upper), np.abs(values - first.lower)) > tolerance
    np.testing.assert_array_equal(second.is_anomaly[margin], first.is_anomaly[margin])
    assert second.periods == first.periods


def test_the_same_arguments_give_the_same_numbers() -> None:
    history = hourly_history(day(500) + autocorrelated_noise(np.random.default_rng(1), 500, 0.5))
    first, second = detect(history, 0.01), detect(history, 0.01)
    np.testing.assert_array_equal(first.p_value, second.p_value)
    np.testing.assert_array_equal(first.upper, second.upper)
    assert first.events == second.events


def test_the_p_value_does_not_depend_on_the_rate() -> None:
    values = np.random.default_rng(2).standard_normal(800)
    strict, lax = (detect(hourly_history(values), rate).p_value for rate in (0.001, 0.1))
    np.testing.assert_allclose(strict, lax, rtol=1e-6)


def test_most_spikes_of_five_sigmas_are_found() -> None:
    rng = np.random.default_rng(23)
    count = 0
    for _ in range(40):
        values, at = day(1000) + rng.standard_normal(1000), int(rng.integers(30, 970))
        values[at] += 5 * rng.choice([-1, 1])
        count += at in flagged_indices(values)
    assert count >= 34


def test_a_gross_outlier_does_not_hide_one_beside_it() -> None:
    values = day(600) + 0.5 * np.random.default_rng(24).standard_normal(600)
    values[300], values[303] = 1e12, values[303] + 5
    assert {300, 303} <= set(flagged_indices(values).tolist())


def test_a_level_shift_is_one_event_and_then_the_new_normal() -> None:
    values = day(600) + np.random.default_rng(25).standard_normal(600)
    values[400:] += 6
    detection = detect(hourly_history(values), 0.001)
    (change,) = detection.change_points
    assert change.index == pytest.approx(400, abs=2)
    assert change.after - change.before == pytest.approx(6, abs=0.5)
    shifts = [event for event in detection.events if event.kind is EventKind.LEVEL_SHIFT]
    assert len(shifts) == 1
    assert detection.is_anomaly[400:].sum() <= 3


def test_a_spike_at_the_same_hour_each_day_is_not_an_alarm() -> None:
    values = np.random.default_rng(26).standard_normal(720)
    values[7::24] += 10
    detection = detect(hourly_history(values), 0.001)
    assert detection.periods == (24,)
    assert detection.is_anomaly.sum() <= 3


def test_a_quiet_day_of_the_week_is_not_an_alarm() -> None:
    values = week(1344) + 0.5 * np.random.default_rng(27).standard_normal(1344)
    detection = detect(hourly_history(values), 0.001)
    assert detection.periods == (24, 168)
    assert detection.is_anomaly.sum() <= 4
    values[5 * 168 + 24 : 5 * 168 + 48] = values[5 * 24 : 6 * 24]
    spoilt = detect(hourly_history(values), 0.001)
    assert spoilt.is_anomaly[5 * 168 + 24 : 5 * 168 + 48].any()


def test_a_stuck_sensor_is_a_flat_event() -> None:
    values = day(500) + np.random.default_rng(28).standard_normal(500)
    values[200:230] = values[200]
    flat = [event for event in detect(hourly_history(values), 0.001).events if event.kind == "flat"]
    assert [(event.start, event.end) for event in flat] == [(200, 229)]


def test_a_series_anomalous_for_half_its_length_has_levels_and_no_alarm_a_point() -> None:
    values = np.random.default_rng(29).standard_normal(400)
    values[100:300] += 10
    detection = detect(hourly_history(values), 0.001)
    assert [change.index for change in detection.change_points] == pytest.approx([100, 300], abs=1)
    assert detection.is_anomaly.sum() <= 2


@pytest.mark.parametrize("length", [12, 20])
def test_a_spike_in_a_short_series_is_found(length) -> None:
    values = np.random.default_rng(30).standard_normal(length)
    values[length // 2] = 60.0
    assert flagged_indices(values).tolist() == [length // 2]


def test_a_period_is_that_which_the_caller_names() -> None:
    history = hourly_history(day(480) + np.random.default_rng(31).standard_normal(480))
    assert detect(history, 0.01).periods == (24,)
    assert detect(history, 0.01, period=48).periods == (48,)
    assert detect(history, 0.01, period=0).periods == ()
    assert detect(history, 0.01, period=400).periods == ()


def test_a_notice_says_that_few_points_cannot_show_a_small_rate() -> None:
    values = np.random.default_rng(32).standard_normal(150)
    (notice,) = detect(hourly_history(values), 0.001).notices
    assert "200 points" in notice
    assert detect(hourly_history(values), 0.01).notices == ()


@pytest.mark.parametrize("points", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("after", [0, 1, 50])
@pytest.mark.parametrize("ones", [[], [50, 210], [10, 60, 61, 130, 222]])
def test_failed_requests_that_are_usually_none_are_one_spike(points, after, ones) -> None:
    counts = np.zeros(300)
    counts[ones] = 1.0
    series = np.concatenate([counts, np.full(points, 500.0), np.zeros(after)])
    seen = detect(hourly_history(series), 0.001)
    assert np.flatnonzero(seen.is_anomaly).tolist() == list(range(300, 300 + points))
    assert [(event.start, event.kind) for event in seen.events] == [(300, EventKind.SPIKE)]


@pytest.mark.parametrize("cycles", [2, 2.3, 3, 5])
@pytest.mark.parametrize("period", [288, 1440])
@pytest.mark.parametrize("shape", ["wave", "peaks", "square"])
def test_days_of_clean_minutes_have_no_level_shift(shape, period, cycles) -> None:
    for seed in range(3):
        rng = np.random.default_rng(seed)
        turn = (np.arange(int(cycles * period)) / period + 0.3 * seed) % 1
        days = {
            "wave": 40 * np.sin(2 * np.pi * turn),
            "peaks": 80 * np.exp(-(((turn - 0.4) / 0.1) ** 2)),
            "square": np.where(turn > 0.6001, 40.0, -40.0),
        }
        values = 200 + days[shape] + 5 * rng.standard_normal(len(turn))
        history = History(values, (period, 7 * period), Frequency.MINUTES)
        detection = detect(history, 0.001)
        assert not detection.change_points
        assert all(event.severity < 60 for event in detection.events)


@pytest.mark.parametrize("weeks", [2, 2.3, 3, 3.5])
def test_a_sharp_peak_of_each_week_is_no_anomaly(weeks: float) -> None:
    for seed in range(5):
        hours = (np.arange(int(weeks * 168)) + 33 * seed) % 168
        peaks = 80 * np.exp(-(((hours - 67) / 17) ** 2)) + 40 * np.exp(-(((hours - 134) / 8) ** 2))
        noise = np.random.default_rng(7 * seed + 1).standard_normal(len(hours))
        detection = detect(hourly_history(200 + peaks + noise), 0.001)
        assert all(event.severity < 60 for event in detection.events)


@pytest.mark.parametrize("height", [-20.0, 12.0])
@pytest.mark.parametrize("days", [14, 28])
def test_an_outlier_on_a_daily_peak_hides_neither_the_day_nor_a_missing_peak(days, height) -> None:
    for seed in range(3):
        values = 1000 + np.random.default_rng(seed).standard_normal(24 * days)
        values[3::24] += height
        outlier, missing = 3 + 24 * (days // 2), 3 + 24 * (days // 2 + 2)
        values[outlier] += 1000
        values[missing] -= height
        detection = detect(hourly_history(values), 0.001)
        assert 24 in detection.periods
        assert detection.is_anomaly[[outlier, missing]].all()


@pytest.mark.parametrize("cycles", [2, 2.3, 2.9, 3.5, 5])
def test_a_level_shift_in_a_few_years_of_days_has_no_second_one_a_year_away(cycles) -> None:
    count, located, others = int(365 * cycles), 0, 0
    days = np.arange(count)
    for seed in range(12):
        rng = np.random.default_rng([seed, count])
        start = int(count * rng.uniform(0.15, 0.85))
        values = 200 + 8 * np.sin(2 * np.pi * (days + rng.integers(365)) / 365)
        values += 2 * np.sin(2 * np.pi * days / 7) + rng.standard_normal(count)
        values[start:] += 4 * rng.choice([-1, 1])
        detection = detect(History(values, (7, 365), Frequency.DAILY), 0.001)
        near = [abs(change.index - start) <= 5 for change in detection.change_points]
        located += any(near)
        others += len(near) - sum(near)
    assert located >= 11
    assert others <= 2


def test_a_change_of_slope_in_a_few_cycles_is_not_a_series_of_level_shifts() -> None:
    changes = 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        hours = np.arange(924)
        values = 100 + 5 * np.sin(2 * np.pi * hours / 168) + rng.standard_normal(924)
        values += 0.05 * np.maximum(hours - 462, 0)
        changes += len(detect(hourly_history(values), 0.001).change_points)
    assert changes <= 2


@pytest.mark.parametrize("distance", [130, 160, 168, 176, 200])
def test_two_shifts_about_a_week_apart_are_both_located(distance) -> None:
    hours = np.arange(588)
    for seed in range(4):
        noise = np.random.default_rng(seed).standard_normal(588)
        start = 150 + 10 * seed
        values = 100 + 8 * np.sin(2 * np.pi * hours / 168) + noise
        values += 6 * (hours >= start) + 6 * (hours >= start + distance)
        changes = [change.index for change in detect(hourly_history(values), 0.001).change_points]
        assert changes == pytest.approx([start, start + distance], abs=5)


@pytest.mark.parametrize("depth", [12.0, -12.0])
@pytest.mark.parametrize("days", [2, 3])
def test_a_level_for_some_days_is_in_its_own_week_of_two(days, depth) -> None:
    hours = np.arange(336)
    for seed in range(6):
        rng = np.random.default_rng(seed)
        start = int(rng.integers(24, 80))
        values = 100 + 8 * np.sin(2 * np.pi * hours / 24) + rng.standard_normal(336)
        values[start : start + 24 * days] += depth
        changes = [change.index for change in detect(hourly_history(values), 0.001).change_points]
        assert changes == pytest.approx([start, start + 24 * days], abs=5)


def test_a_spike_does_not_make_a_dip_of_three_days_normal() -> None:
    flagged = 0
    for seed in range(12):
        values = 50 + 3 * np.random.default_rng(seed).standard_normal(200)
        values[100:103] -= 30
        values[60] += 30
        detection = detect(History(values, (7,), Frequency.DAILY), 0.001)
        flagged += int(detection.is_anomaly[100:103].sum())
    assert flagged >= 30


def test_bursts_that_recur_are_normal_noise() -> None:
    flagged = 0
    for seed in range(100, 140):
        rng = np.random.default_rng(seed)
        values = 50 + 3 * rng.standard_normal(400)
        for start in np.flatnonzero(rng.random(397) < 0.01):
            values[start : start + 3] += 25
        flagged += int(detect(History(values, (7,), Frequency.DAILY), 0.001).is_anomaly.sum())
    assert flagged <= 28  # of 16,000 points


@pytest.mark.parametrize(("count", "least"), [(200, 4), (400, 6)])
def test_three_days_far_from_the_others_are_not_the_tail_of_the_noise(count, least) -> None:
    flagged = 0
    for seed in range(8):
        values = 50 + 3 * np.random.default_rng(seed).standard_normal(count)
        values[count // 2 : count // 2 + 3] += 25
        detection = detect(History(values, (7,), Frequency.DAILY), 0.001)
        flagged += bool(detection.is_anomaly[count // 2 : count // 2 + 3].any())
    assert flagged >= least


@pytest.mark.parametrize("seed", range(8))
def test_a_few_points_far_out_are_found_however_many_are_beside_them(seed) -> None:
    values = 50 + 3 * np.random.default_rng(seed).standard_normal(400)
    values[200:204] += 25
    assert {200, 201, 202, 203} <= set(flagged_indices(values).tolist())
