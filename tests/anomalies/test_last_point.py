"""The last point is judged against its forecast: its band, p-value and side."""

import time

import numpy as np
import numpy.typing as npt
import pytest

from app.anomalies.last_point import detect_last
from app.anomalies.results import Detection, Direction, EventKind
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.calendar.grid import Grid
from app.timeseries.history import History
from tests.support.machine_speed import slowness

RATES = (0.0001, 0.001, 0.01, 0.05, 0.1)
HOURS = (24, 168)


def judge(
    values: npt.ArrayLike,
    rate: float = 0.001,
    direction: Direction = Direction.BOTH,
    period: int | None = None,
    frequency: Frequency = Frequency.HOURS,
    periods: tuple[int, ...] = HOURS,
) -> Detection:
    history = History(np.asarray(values, dtype=np.float64), periods, frequency)
    return detect_last(history, rate, direction, period)


def day_and_noise(points: int, seed: int = 0) -> npt.NDArray[np.float64]:
    noise = np.random.default_rng(seed).standard_normal(points)
    return 20 + 5 * np.sin(np.arange(points) * 2 * np.pi / 24) + noise


AWKWARD = {
    "constant": np.full(12, 7.0),
    "twelve points": np.random.default_rng(1).standard_normal(12),
    "mostly zeros": np.random.default_rng(2).poisson(0.1, 200),
    "ties": np.round(np.random.default_rng(3).standard_normal(60)),
    "stairs": np.repeat(np.random.default_rng(4).standard_normal(50), 4),
    "huge": 1e100 * day_and_noise(200),
    "outlier before": np.insert(day_and_noise(200), 100, 1e12),
    "outlier last": np.append(day_and_noise(200), 1e12),
    "line": np.arange(40.0),
    "doubling": 2.0 ** np.arange(60),
    "negative": -1 - day_and_noise(60),
}


@pytest.mark.parametrize("values", AWKWARD.values(), ids=AWKWARD.keys())
@pytest.mark.parametrize("direction", Direction)
def test_every_series_has_a_finite_band_that_agrees_with_flag_and_p_value(
    values: npt.NDArray[np.float64], direction: Direction
) -> None:
    for rate in (RATES[0], RATES[-1]):
        verdict = judge(values, rate, direction)
        lower, upper, value = verdict.lower[0], verdict.upper[0], values[-1]
        assert np.isfinite([lower, upper, verdict.expected[0], verdict.p_value[0]]).all()
        assert lower <= verdict.expected[0] <= upper
        outside = {
            Direction.BOTH: value < lower or value > upper,
            Direction.UP: value > upper,
            Direction.DOWN: value < lower,
        }[direction]
        assert verdict.is_anomaly[0] == outside
        assert (verdict.p_value[0] < rate) == outside
        assert 0 <= verdict.p_value[0] <= 1
        assert 0 <= verdict.severity[0] <= 100
        assert not verdict.change_points


def test_a_history_that_is_cut_keeps_its_times() -> None:
    step, points = 3600, 5000
    last, kept = np.datetime64("2024-11-02T00", "s"), np.arange(points) >= points - 4_321
    grid = Grid(last - np.timedelta64(step * (points - 1), "s"), step)
    has_winter_time = grid.times(points) >= np.datetime64("2024-10-27T01", "s")
    hour = (np.arange(points) - has_winter_time) % 24
    noise = np.random.default_rng(0).standard_normal(points)
    values = 100 + 50 * ((hour >= 8) & (hour < 18)) + noise
    cut = History(values[kept], HOURS, Frequency.HOURS, grid.without_first(points - 4_321))
    verdict = detect_last(History(values, HOURS, Frequency.HOURS, grid), 0.001)
    assert verdict.expected[0] == detect_last(cut, 0.001).expected[0]
    without_times = detect_last(History(values, HOURS, Frequency.HOURS), 0.001)
    assert verdict.expected[0] != without_times.expected[0]


@pytest.mark.parametrize("hour", [8, 18])
@pytest.mark.parametrize("day", [1, 2, 5, 8])
def test_hours_that_a_change_of_clocks_moved_are_normal_after_some_days(day, hour) -> None:
    points, last = 5000, np.datetime64(f"2024-11-{day:02}T{hour:02}", "s")
    grid = Grid(last - np.timedelta64(3600 * (points - 1), "s"), 3600)
    times = grid.times(points)
    has_winter_time = times >= np.datetime64("2024-10-27T01", "s")
    local_hour = (times.astype("datetime64[h]").astype(int) - has_winter_time) % 24
    noise = np.random.default_rng(day).standard_normal(points)
    values = 100 + 50 * ((local_hour >= 8) & (local_hour < 18)) + noise
    verdict = detect_last(History(values, HOURS, Frequency.HOURS, grid), 0.001)
    assert not verdict.is_anomaly[0]
    assert abs(verdict.expected[0] - (values[-1] - noise[-1])) < 5


@pytest.mark.parametrize("size", [60, 300, 10_000])
def test_two_incidents_at_one_hour_of_successive_days_are_both_set_aside(size: float) -> None:
    values = day_and_noise(21 * 24)
    values[[-25, -49]] += size
    verdict = judge(values)
    assert not verdict.is_anomaly[0]
    assert verdict.upper[0] - verdict.lower[0] < 30
    assert "spikes before the last point were set aside: 2" in verdict.notices


def test_the_band_narrows_as_the_rate_grows() -> None:
    bands = [judge(day_and_noise(300), rate) for rate in RATES]
    widths = [float(band.upper[0] - band.lower[0]) for band in bands]
    assert widths == sorted(widths, reverse=True)
    assert len(set(widths)) == len(RATES)


def test_a_value_further_out_has_a_smaller_p_value_whatever_the_rate() -> None:
    past = day_and_noise(300)
    p_values = [float(judge([*past, 20 + away], 0.0001).p_value[0]) for away in range(3, 12)]
    assert p_values == sorted(p_values, reverse=True)
    assert judge([*past, 24], 0.05).p_value[0] == judge([*past, 24], 0.1).p_value[0]


def test_the_same_value_at_the_bound_is_not_outside() -> None:
    past = day_and_noise(300)
    band = judge([*past, 20.0], 0.01)
    upper = float(band.upper[0])
    assert not judge([*past, upper], 0.01).is_anomaly[0]
    assert judge([*past, np.nextafter(upper, np.inf)], 0.01).is_anomaly[0]


def test_a_single_direction_has_the_whole_rate() -> None:
    values = day_and_noise(300)
    two_sided, upward = judge(values, 0.02), judge(values, 0.01, Direction.UP)
    assert upward.upper[0] == two_sided.upper[0]
    down = judge(values, 0.01, Direction.DOWN)
    assert upward.p_value[0] + down.p_value[0] == pytest.approx(1)


def test_a_dip_is_not_an_anomaly_where_only_spikes_count() -> None:
    values = [*day_and_noise(300), -20.0]
    verdict = judge(values, direction=Direction.DOWN)
    (event,) = verdict.events
    assert event.kind is EventKind.DIP
    assert event.direction is Direction.DOWN
    assert (event.start, event.end, event.peak) == (300, 300, 300)
    assert event.severity == verdict.severity[0] > 25
    up = judge(values, direction=Direction.UP)
    assert not up.is_anomaly[0]
    assert not up.events


@pytest.mark.parametrize("other", [7.001, 6.999, 1e12, -7.0])
def test_any_other_value_after_a_constant_history_is_an_anomaly(other: float) -> None:
    for rate in RATES:
        assert judge([*[7.0] * 11, other], rate).is_anomaly[0]
    assert not judge([7.0] * 12, 0.1).is_anomaly[0]


def test_a_sensor_stuck_within_its_band_is_flat() -> None:
    verdict = judge([*day_and_noise(300), *[20.0] * 9])
    (event,) = verdict.events
    assert event.kind is EventKind.FLAT
    assert (event.start, event.end) == (300, 308)


def test_a_stuck_sensor_counts_only_on_the_side_asked_for() -> None:
    stuck = [*day_and_noise(300), *[15.5] * 9]
    (event,) = judge(stuck).events
    assert [judge(stuck, direction=side).events for side in (Direction.UP, Direction.DOWN)] == [
        (event,) if side is event.direction else () for side in (Direction.UP, Direction.DOWN)
    ]


def test_a_series_that_often_rests_is_not_flat() -> None:
    rests = np.repeat(np.random.default_rng(5).standard_normal(40), 10)
    assert not judge(rests).events


def test_p_values_of_clean_points_are_uniform_at_their_small_end() -> None:
    p_values = [judge(day_and_noise(240, seed), 0.0001).p_value[0] for seed in range(100)]
    assert 0.04 <= np.mean(np.less(p_values, 0.1)) <= 0.18
    assert np.mean(np.less(p_values, 0.01)) <= 0.04
    assert np.mean(np.less(p_values, 0.001)) <= 0.01


def test_a_spike_of_six_sigma_is_found_at_a_small_rate() -> None:
    spiked = [day_and_noise(800, seed) + 6 * (np.arange(800) == 799) for seed in range(10)]
    assert sum(judge(values).is_anomaly[0] for values in spiked) >= 9


def weeks_and_noise(points: int, seed: int = 0) -> npt.NDArray[np.float64]:
    noise = np.random.default_rng(seed).uniform(-1.75, 1.75, points)
    return 50 + 10 * np.sin(np.arange(points) * 2 * np.pi / 7) + noise


def judge_days(values: npt.NDArray[np.float64]) -> tuple[float, bool]:
    """Return the half-width of the band, and whether the last point is flagged."""
    verdict = judge(values, frequency=Frequency.DAILY, periods=(7,))
    return float(verdict.upper[0] - verdict.lower[0]) / 2, bool(verdict.is_anomaly[0])


def test_an_old_spike_neither_widens_nor_narrows_the_band() -> None:
    clean = weeks_and_noise(120)
    spiked = clean + 60 * (np.arange(120) == 90)
    for length in range(100, 120):
        usual, _ = judge_days(clean[:length])
        width, flagged = judge_days(spiked[:length])
        assert 0.8 * usual <= width <= 1.25 * usual
        assert not flagged


@pytest.mark.parametrize("size", [20.0, -20.0, 1e12])
@pytest.mark.parametrize("ago", [1, 2, 3])
def test_a_clean_point_is_not_flagged_after_an_outlier(ago: int, size: float) -> None:
    for seed in range(3):
        clean = weeks_and_noise(110, seed)
        usual, _ = judge_days(clean)
        spiked = clean.copy()
        spiked[-1 - ago] += size
        width, flagged = judge_days(spiked)
        # Right after it the band also holds a new level.
        assert 0.8 * usual <= width <= (2.5 if ago == 1 else 1.25) * usual
        assert not flagged


@pytest.mark.parametrize("size", [15.0, -30.0])
def test_a_new_level_is_not_an_anomaly_from_its_second_point_on(size: float) -> None:
    for points in range(1, 9):
        shifted = weeks_and_noise(120) + size * (np.arange(120) >= 120 - points)
        _, flagged = judge_days(shifted)
        assert flagged == (points == 1)


def test_spikes_that_were_set_aside_are_reported() -> None:
    spiked = weeks_and_noise(120) + 60 * (np.arange(120) == 90)
    verdict = judge(spiked, 0.05, frequency=Frequency.DAILY, periods=(7,))
    assert verdict.notices == ("spikes before the last point were set aside: 1",)


def test_a_rare_count_is_not_an_anomaly_where_such_counts_come() -> None:
    for seed in range(10):
        counts = np.random.default_rng(seed).poisson(0.1, 300)
        assert not judge([*counts, 1.0]).is_anomaly[0]
        assert judge([*counts, 9.0]).is_anomaly[0]


def test_stairs_are_not_taken_for_a_level_that_never_moves() -> None:
    steps = np.random.default_rng(6).standard_normal(150).cumsum()
    stairs = np.repeat(steps, 4)
    flagged = [
        judge(stairs[:end], frequency=Frequency.WEEKLY, periods=(52,)).is_anomaly[0]
        for end in range(401, 480, 4)
    ]
    assert np.mean(flagged) <= 0.05


def test_the_period_of_the_caller_takes_the_place_of_the_calendars() -> None:
    values = day_and_noise(300)
    assert judge(values, period=0).periods == ()
    assert judge(values, period=12).periods == (12,)


def test_periods_are_those_that_the_series_shows() -> None:
    assert judge(day_and_noise(600)).periods == (24,)
    noise = np.random.default_rng(7).standard_normal(400)
    assert judge(noise).periods == ()
    assert judge(np.full(400, 7.0)).periods == ()
    assert judge(noise + 5 * np.sin(np.arange(400) * 2 * np.pi / 7)).periods == (7,)


def test_a_season_that_the_calendar_does_not_suggest_narrows_the_band() -> None:
    values = day_and_noise(480)
    values[-1] += 8
    verdict = judge(values, periods=())
    assert verdict.is_anomaly[0]
    assert verdict.periods == (24,)


def test_a_history_too_short_for_the_rate_says_so() -> None:
    assert "too few for a false alarm rate" in judge(day_and_noise(300), 0.001).notices[-1]
    assert not judge(day_and_noise(300), 0.01).notices


def test_the_last_point_is_not_learned_from() -> None:
    past = day_and_noise(300)
    near, far = judge([*past, 20.0]), judge([*past, 1e12])
    assert (near.lower[0], near.upper[0]) == (far.lower[0], far.upper[0])


@pytest.mark.parametrize("scale", [1e-3, 1e6])
def test_the_response_does_not_depend_on_the_unit(scale: float) -> None:
    values = day_and_noise(300)
    first, second = judge(values), judge(scale * values)
    assert second.upper[0] == pytest.approx(scale * first.upper[0], rel=1e-6)
    assert second.p_value[0] == pytest.approx(first.p_value[0], rel=1e-6)


@pytest.mark.timing
@pytest.mark.parametrize(("points", "seconds"), [(8_640, 0.3), (50_000, 2.0)])
def test_a_long_series_is_judged_in_time(points: int, seconds: float) -> None:
    values = day_and_noise(points)

    def cost() -> float:
        begin = time.process_time()
        judge(values, frequency=Frequency.MINUTES, periods=(288, 2016))
        return time.process_time() - begin

    # The least of three: what else the machine does makes some of them longer.
    assert min(cost() for _ in range(3)) <= seconds * slowness()


def test_a_bound_that_limits_the_band_is_named() -> None:
    values = np.minimum(100.0, np.random.default_rng(1).normal(97, 3, 200))
    [notice] = judge(values, 0.05).notices
    assert notice.startswith("nothing is forecast above 100: ")
