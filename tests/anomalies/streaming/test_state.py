"""The parts of a detector's state, and their bytes."""

from array import array
from zlib import crc32

import pytest

from app.anomalies.results import severity_of
from app.anomalies.streaming.state import FlatRunTracker, Health, StreamState, pack, unpack

RATE = 0.001


class Part:
    def __init__(self) -> None:
        self.numbers = [0.0]
        self.whole = (1,)


class Whole:
    def __init__(self) -> None:
        self.count, self.share, self.is_open = 0, 0.0, False
        self.part = Part()
        self.empty = [0.0] * 0
        self.last = 0.0


def full_state() -> Whole:
    whole = Whole()
    whole.count, whole.share, whole.is_open, whole.last = 7, 0.1, True, 5e-324
    whole.part.numbers = [1 / 3, -1e100, -0.0]
    whole.part.whole = (24, 168)
    return whole


def test_a_component_comes_back_exactly_and_with_its_types() -> None:
    back = Whole()
    unpack(pack(full_state()), back)
    assert (back.count, back.share, back.is_open, back.last) == (7, 0.1, True, 5e-324)
    assert (type(back.count), type(back.is_open)) == (int, bool)
    assert back.part.numbers == [1 / 3, -1e100, -0.0]
    assert back.part.whole == (24, 168)
    assert back.empty == []
    assert pack(back) == pack(full_state())


def test_lists_may_be_longer_than_in_a_new_component() -> None:
    whole = full_state()
    whole.empty = [float(number) for number in range(100)]
    back = Whole()
    unpack(pack(whole), back)
    assert (back.empty, back.last) == (whole.empty, whole.last)


@pytest.mark.parametrize("cut", [1, 7, 12, -1, -4])
def test_bytes_that_are_not_numbers_are_rejected(cut: int) -> None:
    with pytest.raises(ValueError, match="length is not that of numbers"):
        unpack(pack(full_state())[:cut], Whole())


@pytest.mark.parametrize("numbers", [1, 2, 5, 8, 10, 11])
def test_a_truncated_state_is_rejected(numbers: int) -> None:
    with pytest.raises(ValueError, match="truncated"):
        unpack(pack(full_state())[: 8 * numbers], Whole())


@pytest.mark.parametrize("number", [float("inf"), -float("inf"), float("nan")])
def test_a_damaged_state_of_infinite_numbers_is_rejected_with_the_error_that_callers_expect(
    number: float,
) -> None:
    packed = pack(full_state())
    damaged = packed[:8] + array("d", [number]).tobytes() * (len(packed) // 8 - 1)
    with pytest.raises(ValueError, match=r"damaged|NaN"):
        unpack(damaged, Whole())


def test_a_state_with_something_behind_it_is_rejected() -> None:
    with pytest.raises(ValueError, match="longer"):
        unpack(pack(full_state()) + bytes(8), Whole())


@pytest.mark.parametrize("version", [0.0, 4.0, 1e100, float("nan")])
def test_a_state_of_another_version_is_rejected(version: float) -> None:
    packed = array("d", [version]).tobytes() + pack(full_state())[8:]
    with pytest.raises(ValueError, match="version"):
        unpack(packed, Whole())


def test_empty_bytes_are_rejected_as_a_state() -> None:
    with pytest.raises(ValueError, match="version"):
        unpack(b"", Whole())


def attribute_names(component: object) -> list[str]:
    """Return the names that ``pack`` stores, in its order; those of a part follow its own."""
    names = []
    for name, value in vars(component).items():
        is_part = not isinstance(value, (bool, int, float, list, tuple))
        names += [name, *attribute_names(value)] if is_part else [name]
    return names


def test_other_attributes_have_another_version() -> None:
    # When this fails, increase the version unless only names changed, then record both numbers.
    names = ",".join(attribute_names(StreamState(20)))
    assert (array("d", pack(Part())[:8])[0], crc32(names.encode())) == (16.0, 2662436174)


def failing_times(health: Health, flagged: set[int], points: int, rate: float = RATE) -> list[int]:
    times = []
    for time in range(points):
        health.record_point(time, time in flagged)
        if health.is_failing(rate):
            times.append(time)
    return times


def test_a_model_fails_if_more_than_2_percent_of_500_points_are_flagged() -> None:
    assert not failing_times(Health(), set(range(0, 500, 50)), 500)  # 10 points
    assert failing_times(Health(), {*range(0, 500, 50), 499}, 500) == [499]


def test_flags_of_more_than_500_points_ago_are_forgotten() -> None:
    health = Health()
    assert not failing_times(health, {*range(10), *range(510, 520)}, 1000)
    assert health.flagged_times == list(range(510, 520))


def test_all_flags_that_are_too_old_after_a_gap_are_forgotten() -> None:
    health = Health()
    assert failing_times(health, set(range(20)), 20) == list(range(10, 20))
    health.record_point(509, False)
    assert health.flagged_times == list(range(10, 20))
    assert not health.is_failing(RATE)
    health.record_point(600, True)
    assert health.flagged_times == [600]


def test_with_a_high_rate_a_model_fails_above_ten_times_that_rate() -> None:
    assert not failing_times(Health(), set(range(0, 500, 10)), 500, rate=0.01)  # 50 points
    assert failing_times(Health(), {*range(0, 500, 10), 499}, 500, rate=0.01) == [499]


def test_a_second_repair_soon_after_the_first_means_a_lasting_change() -> None:
    health = Health()
    assert failing_times(health, set(range(100, 111)), 111) == [110]
    assert not health.record_repair(110, None)
    assert health.failing_since == 100
    assert health.record_repair(125, None)
    assert health.failing_since == 100


def test_a_model_fails_from_the_start_of_the_open_event_on() -> None:
    health = Health()
    failing_times(health, set(range(100, 111)), 111)
    assert not health.record_repair(110, 90)
    assert health.failing_since == 90


def test_a_change_of_a_few_points_is_not_a_lasting_change() -> None:
    health = Health()
    failing_times(health, set(range(100, 111)), 111)
    assert not health.record_repair(111, None)
    assert not health.record_repair(119, None)
    assert health.record_repair(120, None)


def test_a_repair_long_after_another_is_no_sign_of_a_lasting_change() -> None:
    health = Health()
    failing_times(health, set(range(100, 111)), 111)
    assert not health.record_repair(110, None)
    failing_times(health, set(range(700, 711)), 711)
    assert not health.record_repair(710, None)
    assert health.failing_since == 700


def test_each_relearning_delays_the_next_one() -> None:
    waits = []
    for _ in range(8):
        waits.append(0)
        second = Health()
        second.relearnings = len(waits) - 1
        failing_times(second, set(range(11)), 11)
        assert not second.record_repair(10, None)
        while not second.record_repair(10 + waits[-1], None):
            waits[-1] += 1
    assert waits == sorted(waits)
    assert waits[1] > waits[0]
    assert waits[-1] == waits[-2]


def tracker_of(values: list[float]) -> FlatRunTracker:
    runs = FlatRunTracker()
    for value in values:
        assert not runs.add(value, RATE)
        assert not runs.is_stuck
    return runs


def points_until_stuck(runs: FlatRunTracker, most: int = 100) -> int | None:
    for point in range(most):
        runs.add(-1.0, RATE)
        if runs.is_stuck:
            return point
    return None


@pytest.mark.parametrize("value", [0.0, 5.0])
def test_the_first_value_repeats_none_before_it(value: float) -> None:
    runs = FlatRunTracker()
    runs.add(value, RATE)
    assert (runs.length, runs.points) == (0, 0)
    runs.add(value, RATE)
    runs.add(value + 1.0, RATE)
    assert (runs.longest, runs.repeats, runs.points) == (1, 1, 2)


def test_a_run_is_stuck_where_no_value_was_ever_repeated() -> None:
    assert points_until_stuck(tracker_of([float(i) for i in range(200)])) == 12


def test_a_run_must_be_three_times_the_longest_seen() -> None:
    values = [float(max(i, 10)) for i in range(600)]
    assert points_until_stuck(tracker_of(values)) == 30


def test_nothing_is_stuck_before_it_is_known_how_long_runs_are() -> None:
    assert points_until_stuck(tracker_of([float(i) for i in range(20)])) is None


def test_a_stuck_value_has_severity_50_once_it_is_far_longer_than_any_run_before() -> None:
    for longest, needed in ((1, 15), (10, 50)):
        runs = tracker_of([float(max(i, longest)) for i in range(600)])
        severities = []
        for _ in range(needed + 1):
            runs.add(-1.0, RATE)
            severities.append(severity_of(runs.evidence))
        assert max(severities[:-1]) < 50 <= severities[-1]


def test_a_second_run_as_long_as_one_that_was_stuck_is_no_alert() -> None:
    runs = tracker_of([float(i) for i in range(600)])
    peaks = []
    for begin in (1000.0, 2000.0):
        peaks.append(0.0)
        for _ in range(90):
            runs.add(-1.0, RATE)
            peaks[-1] = max(peaks[-1], severity_of(runs.evidence))
        for i in range(300):
            runs.add(begin + i, RATE)
            assert runs.evidence == 0.0
    assert peaks[0] > 90
    assert peaks[1] < 50


@pytest.mark.parametrize("rate", [0.1, 0.0001])
def test_a_value_that_nearly_all_points_have_is_not_stuck(rate: float) -> None:
    runs = FlatRunTracker()
    for i in range(3000):
        runs.add(0.0 if i % 40 else float(i), rate)
    for _ in range(60):
        runs.add(0.0, rate)
        assert not runs.is_stuck


def test_a_value_that_is_stuck_for_long_is_the_normal_one() -> None:
    runs = tracker_of([float(i) for i in range(200)])
    became_normal = [runs.add(-1.0, RATE) for _ in range(400)]
    assert became_normal.count(True) == 1
    assert not runs.is_stuck
