"""Health: when a model is wrong, when it is fitted anew, and when the series is learned anew."""

from app.anomalies.streaming.health import Health

RATE = 0.001


def ill_at(health: Health, flagged: set[int], points: int, rate: float = RATE) -> list[int]:
    return [at for at in range(points) if health.is_failing(at, at in flagged, rate)]


def test_two_percent_of_the_last_500_points_are_borne_and_more_are_not() -> None:
    assert not ill_at(Health(), set(range(0, 500, 50)), 500)  # 10 points
    assert ill_at(Health(), {*range(0, 500, 50), 499}, 500) == [499]


def test_flags_of_more_than_500_points_ago_are_forgotten() -> None:
    assert not ill_at(Health(), {*range(10), *range(510, 520)}, 1000)


def test_with_a_high_rate_ten_times_the_rate_is_borne() -> None:
    assert not ill_at(Health(), set(range(0, 500, 10)), 500, rate=0.01)  # 50 points
    assert ill_at(Health(), {*range(0, 500, 10), 499}, 500, rate=0.01) == [499]


def test_the_first_repair_is_a_fit_and_the_next_soon_after_means_a_lasting_change() -> None:
    health = Health()
    assert ill_at(health, set(range(100, 111)), 111) == [110]
    assert not health.record_repair(110, None)
    assert health.failing_since == 100
    assert health.record_repair(125, None)
    assert health.failing_since == 100


def test_trouble_begins_with_the_open_event() -> None:
    health = Health()
    ill_at(health, set(range(100, 111)), 111)
    assert not health.record_repair(110, 90)
    assert health.failing_since == 90


def test_what_has_lasted_for_a_few_points_is_not_yet_a_lasting_change() -> None:
    health = Health()
    ill_at(health, set(range(100, 111)), 111)
    assert not health.record_repair(111, None)
    assert not health.record_repair(119, None)
    assert health.record_repair(120, None)


def test_a_repair_that_held_for_long_is_not_repeated_as_a_lasting_change() -> None:
    health = Health()
    ill_at(health, set(range(100, 111)), 111)
    assert not health.record_repair(110, None)
    ill_at(health, set(range(700, 711)), 711)
    assert not health.record_repair(710, None)
    assert health.failing_since == 700


def test_each_time_that_a_series_was_learned_anew_makes_the_next_time_later() -> None:
    waits = []
    for _ in range(8):
        waits.append(0)
        again = Health()
        again.relearned = len(waits) - 1
        ill_at(again, set(range(11)), 11)
        assert not again.record_repair(10, None)
        while not again.record_repair(10 + waits[-1], None):
            waits[-1] += 1
    assert waits == sorted(waits)
    assert waits[1] > waits[0]
    assert waits[-1] == waits[-2]
