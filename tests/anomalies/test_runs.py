"""A stuck sensor is a flat run; a series that is often at rest has none."""

import numpy as np
import pytest

from app.anomalies.results import EventKind
from app.anomalies.runs import find_active_runs, find_flat_runs


@pytest.fixture
def rng():
    return np.random.default_rng(14)


def test_a_stuck_sensor_is_seen_from_its_first_equal_value_to_its_last(rng) -> None:
    values = rng.standard_normal(300)
    values[100:120] = values[100]
    (run,) = find_flat_runs(values)
    assert (run.start, run.end, run.kind) == (100, 119, EventKind.FLAT)
    assert run.p_value < 1e-12


def test_series_that_rest_often_are_not_stuck(rng) -> None:
    for _ in range(20):
        assert find_flat_runs(rng.poisson(3.0, 1000).astype(float)) == []
        assert find_flat_runs(np.where(rng.random(1000) < 0.9, 0.0, 1.0)) == []
        assert find_flat_runs(np.tile(np.repeat([0.0, 1.0, 2.0], [10, 1, 1]), 40)) == []


def test_a_constant_series_and_one_that_mostly_is_never_moved(rng) -> None:
    assert find_flat_runs(np.ones(200)) == []
    assert find_flat_runs(np.append(np.ones(150), rng.standard_normal(50))) == []


def test_an_outage_of_an_up_down_series_is_a_dip_and_errors_of_a_calm_one_are_a_spike(rng) -> None:
    values = np.ones(1000)
    values[[40, 700]] = 0.0
    values[500:512] = 0.0
    counts = np.where(rng.random(1000) < 0.1, 1.0, 0.0)
    counts[500:512] = 300.0
    for series, kind in ((values, EventKind.DIP), (counts, EventKind.SPIKE)):
        assert [(run.start, run.kind) for run in find_active_runs(series, ())] == [(500, kind)]


def test_activity_as_long_as_usual_or_at_an_end_is_no_run(rng) -> None:
    assert find_active_runs(np.tile(np.repeat([0.0, 1.0], [90, 10]), 10), ()) == []
    assert find_active_runs(np.repeat([1.0, 0.0], [960, 40]), ()) == []
    for _ in range(20):
        assert find_active_runs(rng.poisson(0.3, 1000).astype(float), ()) == []


@pytest.mark.parametrize("length", [2, 3, 4, 5])
@pytest.mark.parametrize("begin", [0, 150, 300])
@pytest.mark.parametrize(("usual", "size"), [(0.0, 500.0), (0.0, -500.0), (100.0, 600.0)])
def test_a_short_incident_in_an_idle_series_is_found_wherever_it_is(
    rng, length, begin, usual, size
) -> None:
    idle = np.full(300, usual)
    counts = usual + rng.poisson(0.05, 300)
    few = idle.copy()
    few[[40, 220]] += 1.0
    for background in (idle, few, counts):
        series = np.insert(background, begin, np.full(length, size))
        (run,) = find_active_runs(series, ())
        assert run.start <= begin < begin + length - 1 <= run.end <= begin + length
        assert run.kind is (EventKind.SPIKE if size > usual else EventKind.DIP)


def test_rare_activity_no_larger_than_usual_is_no_run(rng) -> None:
    for probability in (0.01, 0.03, 0.1):
        for _ in range(20):
            active = rng.random(1000) < probability
            active[[500, 501, 700]] = active[[99, 100, 300]] = True
            assert find_active_runs(active * rng.integers(4, 8, 1000).astype(float), ()) == []


def test_runs_of_a_job_a_day_apart_are_normal_and_another_one_is_not() -> None:
    minutes = np.zeros(3 * 1440)
    for day in range(3):
        minutes[1440 * day + 180 + day % 2 : 1440 * day + 183] = 500.0
    assert find_active_runs(minutes, (1440,)) == []
    minutes[2000:2003] = 500.0
    assert [run.start for run in find_active_runs(minutes, (1440,))] == [2000]
