"""What the benchmark puts into series, and what it takes for found."""

import numpy as np
import pytest

from app.anomalies.results import Direction, Event, EventKind
from benchmarks.anomalies.clean_series import KINDS, make_clean
from benchmarks.anomalies.injections import BURST, FLAT, INJECTIONS, make_trial, residual_scale
from benchmarks.anomalies.methods import Judgement
from benchmarks.anomalies.power import MAX_DELAY, outcome_of

INJECTIONS_BY_NAME = {injection.name: injection for injection in INJECTIONS}


@pytest.fixture
def history():
    return make_clean("season, normal", 0, 600)


def changed_indices(name, history):
    trial = make_trial(INJECTIONS_BY_NAME[name], history, 1.0, 3)
    return trial, trial.injected_history().values - history.values


@pytest.mark.parametrize(("name", "points"), [("spike 5", 1), ("dip 3", 10), ("nothing", 0)])
def test_an_injection_changes_only_its_window(history, name, points) -> None:
    trial, change = changed_indices(name, history)
    assert np.flatnonzero(change).tolist() == list(range(trial.at, trial.at + points))
    size = {"spike 5": 5, "dip 3": 3, "nothing": 0}[name]
    assert np.abs(change).sum() == pytest.approx(size * points)


def test_shift_lasts_to_the_end(history) -> None:
    trial, change = changed_indices("shift 2", history)
    assert np.allclose(np.abs(change[trial.at :]), 2)
    assert not change[: trial.at].any()


def test_burst_is_restless_and_flat_rests(history) -> None:
    trial, change = changed_indices("burst 5", history)
    assert 2 < change[trial.at : trial.at + BURST].std() < 10
    trial = make_trial(INJECTIONS_BY_NAME["flat"], history, 1.0, 3)
    assert np.ptp(trial.injected_history().values[trial.at : trial.at + FLAT]) == 0


def test_a_series_that_is_never_negative_is_not_forecast_below_0() -> None:
    history = make_clean("counts of 3", 0, 600)
    for seed in range(10):
        trial = make_trial(INJECTIONS_BY_NAME["spike 8"], history, 1.0, seed)
        assert trial.injected_history().values.min() >= 0


def test_scale_is_that_of_the_noise_without_the_season() -> None:
    assert residual_scale(make_clean("season, normal", 1, 2_000)) == pytest.approx(1, abs=0.1)


@pytest.mark.parametrize("kind", KINDS)
def test_clean_series_are_finite_and_the_same_each_time(kind) -> None:
    first, other = make_clean(kind, 5, 300), make_clean(kind, 5, 300)
    assert np.isfinite(first.values).all()
    assert np.array_equal(first.values, other.values)
    assert not np.array_equal(first.values, make_clean(kind, 6, 300).values)


def judgement(length, *flagged, events=(), changes=()):
    flags = np.zeros(length, dtype=bool)
    flags[list(flagged)] = True
    return Judgement(flags, events, changes)


def test_spike_is_found_where_its_own_point_is_flagged(history) -> None:
    trial = make_trial(INJECTIONS_BY_NAME["spike 5"], history, 1.0, 3)
    assert outcome_of("", trial, judgement(600, trial.at)).is_found
    assert not outcome_of("", trial, judgement(600, trial.at + 1)).is_found


def test_shift_must_be_seen_soon(history) -> None:
    trial = make_trial(INJECTIONS_BY_NAME["shift 5"], history, 1.0, 3)
    at = trial.at
    assert outcome_of("", trial, judgement(600, at + 4, at + 6)).delay == 4
    assert not outcome_of("", trial, judgement(600, at + MAX_DELAY, at + 50)).is_found
    assert outcome_of("", trial, judgement(600, changes=(at - 2,))).delay == 2


def test_events_are_counted_where_the_thing_is(history) -> None:
    trial = make_trial(INJECTIONS_BY_NAME["dip 5"], history, 1.0, 3)
    at = trial.at
    events = tuple(
        Event(start, start + 2, kind, Direction.DOWN, start, 50.0)
        for start, kind in (
            (at, EventKind.DIP),
            (at + 5, EventKind.BURST),
            (at + 40, EventKind.DIP),
        )
    )
    outcome = outcome_of("", trial, judgement(600, at, events=events))
    assert (outcome.events, outcome.kind, outcome.is_right_kind) == (2, "dip", True)
    assert not outcome_of("", trial, judgement(600, events=events[1:2])).is_right_kind
