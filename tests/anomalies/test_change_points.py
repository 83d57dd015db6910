"""Change points: level shifts are located, and nothing else is one."""

import numpy as np
import pytest

from app.anomalies.change_points import (
    describe_steps,
    find_steps,
    remove_steps,
    step_levels,
    step_statistics,
)
from app.anomalies.detect import detect
from app.anomalies.results import Direction, EventKind
from app.anomalies.units import Units
from tests.anomalies.clean_series import autocorrelated_noise, hourly_history

PLAIN = Units(centre=0.0, unit=1.0, is_log=False)
CLEAN = {
    "white": lambda rng: rng.standard_normal(600),
    "autocorrelated": lambda rng: autocorrelated_noise(rng, 600, 0.8),
    "random walk": lambda rng: np.cumsum(rng.standard_normal(600)),
    "trend": lambda rng: 0.05 * np.arange(600) + rng.standard_normal(600),
    "long tails": lambda rng: rng.standard_t(3, 600),
    "alternating": lambda rng: np.arange(600) % 2.0,
    "line": lambda rng: np.arange(600.0),
}


@pytest.fixture
def rng():
    return np.random.default_rng(12)


def test_most_level_shifts_of_three_sigmas_in_autocorrelated_noise_are_located(rng):
    count = false = 0
    for _ in range(40):
        at = int(rng.integers(100, 500))
        steps = find_steps(autocorrelated_noise(rng, 600, 0.5) + 3.0 * (np.arange(600) >= at))
        near = [abs(step.index - at) <= 12 for step in steps]
        count += any(near)
        false += len(near) - sum(near)
    assert count >= 34  # 39 of these 40
    assert false <= 2


@pytest.mark.parametrize("points", [60, 90, 120])
def test_large_shifts_are_found_in_short_series_too(rng, points) -> None:
    count = 0
    for _ in range(20):
        at = points // 2 + int(rng.integers(-points // 6, points // 6))
        steps = find_steps(rng.standard_normal(points) + 10.0 * (np.arange(points) >= at))
        count += any(abs(step.index - at) <= 3 for step in steps)
    assert count >= 17  # all 20 of these


@pytest.mark.parametrize("kind", CLEAN.values(), ids=CLEAN.keys())
@pytest.mark.parametrize("points", [60, 120, 600])
def test_series_without_a_shift_have_none(rng, kind, points) -> None:
    assert sum(len(find_steps(kind(rng)[:points])) for _ in range(30)) <= 1


def test_two_shifts_of_opposite_sign_are_two_steps(rng) -> None:
    values = rng.standard_normal(600)
    values[200:350] += 5
    steps = find_steps(values)
    assert [step.index for step in steps] == pytest.approx([200, 350], abs=2)
    assert steps[0].t > 0 > steps[1].t
    part = step_levels(values, steps)
    assert part[250] - part[100] == pytest.approx(5, abs=0.6)


def test_an_exact_step_is_found_at_its_first_point() -> None:
    values = np.repeat([0.0, 1.0], 100)
    (step,) = find_steps(values)
    (change,) = describe_steps(values, [step], PLAIN)
    assert (change.index, change.before, change.after) == (100, 0.0, 1.0)


def test_a_step_in_a_long_series_is_located_to_the_point(rng) -> None:
    values = rng.standard_normal(20_000)
    values[12_345:] += 6
    assert [step.index for step in find_steps(values)] == pytest.approx([12_345], abs=2)


def test_an_outlier_is_not_a_step(rng) -> None:
    values = rng.standard_normal(400)
    values[200] = 1e9
    assert find_steps(values) == []


def test_the_statistic_is_that_of_least_squares(rng) -> None:
    values = autocorrelated_noise(rng, 80, 0.5)
    values[40:] += 1
    at, n = 40, len(values)
    columns = [np.ones(n - 3), np.arange(n - 3.0), *(values[3 - k : n - k] for k in (1, 2, 3))]
    columns.append((np.arange(3, n) >= at).astype(float))
    design = np.array(columns).T
    weights, power = np.linalg.lstsq(design, values[3:], rcond=None)[:2]
    variance = power[0] / (n - 9) * np.linalg.inv(design.T @ design)[-1, -1]
    assert step_statistics(values)[at] == pytest.approx(weights[-1] / np.sqrt(variance))


def test_short_series_have_no_steps(rng) -> None:
    assert find_steps(rng.standard_normal(12)) == []
    assert describe_steps(np.zeros(12), [], PLAIN) == ()


def test_a_step_between_equal_medians_is_reported_on_its_side() -> None:
    rng = np.random.default_rng(3)
    busier = np.concatenate([rng.random(300) < 0.05, rng.random(300) < 0.45]).astype(float)
    detection = detect(hourly_history(busier), 0.001)
    (change,) = detection.change_points
    assert change.before == pytest.approx(0.05, abs=0.03)
    assert change.after == pytest.approx(0.45, abs=0.05)
    (event,) = [event for event in detection.events if event.kind is EventKind.LEVEL_SHIFT]
    assert event.direction is Direction.UP


@pytest.mark.parametrize("cycles", [2, 3, 4.5])
@pytest.mark.parametrize("fraction", [0.2, 0.6, 0.8])
def test_a_step_in_few_cycles_is_removed_where_it_is(rng, cycles, fraction) -> None:
    points = np.arange(int(100 * cycles))
    at = int(fraction * len(points))
    seasonal = 5 * np.sin(points / 100 * 2 * np.pi) + 0.3 * rng.standard_normal(len(points))
    removed = remove_steps(seasonal + 10.0 * (points >= at), 100)
    difference = removed - seasonal
    assert abs(np.median(difference[:at]) - np.median(difference[at:])) < 0.3
    assert np.quantile(np.abs(difference - np.median(difference)), 0.97) < 0.3


@pytest.mark.parametrize("points", [14, 205, 600])
def test_a_season_without_a_step_or_of_many_cycles_is_kept_as_it_is(rng, points) -> None:
    values = np.sin(np.arange(points) / 100 * 2 * np.pi) + 0.3 * rng.standard_normal(points)
    assert remove_steps(values, min(100, points // 2)) is values
    stepped = values + 10.0 * (np.arange(points) >= points // 2)
    assert remove_steps(stepped, points // 6) is stepped


@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize("seed", range(5))
def test_a_jump_of_a_random_walk_is_a_level_shift_and_no_dip_before_it(seed, side) -> None:
    values = np.cumsum(np.random.default_rng(seed).standard_normal(300))
    values[150:] += 12
    detection = detect(hourly_history(side * values), 0.001)
    (event,) = detection.events
    direction = Direction.UP if side > 0 else Direction.DOWN
    assert (event.kind, event.direction) == (EventKind.LEVEL_SHIFT, direction)
    assert [change.index for change in detection.change_points] == [150]


def test_a_walk_that_returns_after_a_jump_has_no_change_point() -> None:
    values = np.cumsum(np.random.default_rng(0).standard_normal(300))
    values[150:153] += 12
    assert detect(hourly_history(values), 0.001).change_points == ()


def test_opposite_outliers_beside_the_edge_of_a_season_are_no_level_shift(rng) -> None:
    values = 100.0 * (np.arange(480) % 24 >= 12) + rng.standard_normal(480)
    values[251] -= 15
    values[252] += 15
    detection = detect(hourly_history(values), 0.001)
    assert detection.is_anomaly[251:253].all()
    assert detection.change_points == ()
