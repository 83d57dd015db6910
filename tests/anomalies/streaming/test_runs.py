"""Runs of one value: stuck, usual, or the normal value by now."""

import pytest

from app.anomalies.streaming.runs import Runs

RATE = 0.001


def learned(values: list[float]) -> Runs:
    runs = Runs()
    for value in values:
        assert not runs.add(value, RATE)
        assert not runs.is_stuck
    return runs


def points_until_stuck(runs: Runs, most: int = 100) -> int | None:
    for point in range(most):
        runs.add(-1.0, RATE)
        if runs.is_stuck:
            return point
    return None


def test_a_run_is_stuck_where_no_value_was_ever_repeated() -> None:
    assert points_until_stuck(learned([float(i) for i in range(200)])) == 12


def test_a_run_must_be_three_times_the_longest_seen() -> None:
    values = [float(max(i, 10)) for i in range(600)]
    assert points_until_stuck(learned(values)) == 30


def test_nothing_is_stuck_before_it_is_known_how_long_runs_are() -> None:
    assert points_until_stuck(learned([float(i) for i in range(20)])) is None


@pytest.mark.parametrize("rate", [0.1, 0.0001])
def test_a_value_that_nearly_all_points_have_is_not_stuck(rate: float) -> None:
    runs = Runs()
    for i in range(3000):
        runs.add(0.0 if i % 40 else float(i), rate)
    for _ in range(60):
        runs.add(0.0, rate)
        assert not runs.is_stuck


def test_a_value_that_is_stuck_for_long_is_the_normal_one() -> None:
    runs = learned([float(i) for i in range(200)])
    believed = [runs.add(-1.0, RATE) for _ in range(400)]
    assert believed.count(True) == 1
    assert not runs.is_stuck
