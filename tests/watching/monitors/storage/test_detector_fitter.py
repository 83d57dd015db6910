"""The fit of a monitor's detector: its points, its time, and the effect of a failure."""

import logging

import numpy as np
import pytest

from app.compute import jobs
from app.compute.errors import EngineBusyError
from app.compute.jobs import ENGINE_EXTENSION, InProcessEngine
from app.core.instruments import REGISTRY
from app.watching.monitors import append as append_module
from app.watching.monitors.settings.errors import NoSuchMonitorError
from app.watching.monitors.settings.monitor_records import PointStatus
from app.watching.monitors.settings.states import State
from tests.support.watching import delete_monitor
from tests.watching.monitors.feeding import (
    ACCOUNT,
    NAME,
    are_all_judged,
    events,
    history,
    make,
    make_states_foreign,
    points,
    send,
    statuses,
    waves,
)

FAILURES = "forecast_monitor_fit_failures_total"
RELEARNED = "forecast_monitor_relearned_total"


def count_of(name):
    return REGISTRY.get_sample_value(name) or 0.0


class Engine:
    """An engine that runs jobs and records their values; it fails on demand."""

    def __init__(self) -> None:
        self.fitted, self.is_broken = [], False

    def __call__(self, job, values, *arguments):
        self.fitted.append(values)
        if self.is_broken:
            raise RuntimeError("the engine is gone")
        return jobs.call_job_function(job, values, *arguments)


@pytest.fixture
def engine(context):
    engine = Engine()
    context.extensions[ENGINE_EXTENSION] = InProcessEngine(engine)
    return engine


def test_a_fit_is_of_all_points_so_far_stored_or_not(engine) -> None:
    make()
    values = waves(250)
    for index in range(25):
        send([index], values[index : index + 1])
    send(range(25, 250), values[25:])
    assert [len(fitted) for fitted in engine.fitted][:2] == [20, 30]
    assert len(engine.fitted[-1]) >= 200
    for fitted in engine.fitted:
        np.testing.assert_array_equal(fitted, values[: len(fitted)])


def test_points_that_are_missing_are_known_as_missing(engine) -> None:
    make()
    indices = [index for index in range(240) if index % 7]
    send(indices, [waves(240)[index] for index in indices])
    fitted = engine.fitted[-1]
    np.testing.assert_array_equal(np.flatnonzero(np.isnan(fitted)), np.arange(6, len(fitted), 7))


def test_late_points_are_learned_from_later(engine) -> None:
    make()
    values = waves(400)
    send([*range(100), *range(101, 200)], [*values[:100], *values[101:200]])
    assert statuses(send([100], [values[100]])) == [PointStatus.LATE]
    send(range(200, 300), values[200:300])
    assert np.isnan(engine.fitted[-2][100])
    assert engine.fitted[-1][100] == values[100]


@pytest.mark.parametrize("settings", [{"monitor_points_kept": 60}])
def test_only_points_that_are_kept_are_learned_from(engine) -> None:
    make()
    values = waves(400)
    for first in range(0, 400, 50):
        send(range(first, first + 50), values[first : first + 50])
    assert 60 <= len(engine.fitted[-1]) <= 110
    assert are_all_judged(send([400], waves(401)[-1:]))


def test_a_fit_that_fails_keeps_the_last_one_is_logged_and_counted(engine, caplog) -> None:
    make()
    before = count_of(FAILURES)
    send(range(220), waves(220))
    engine.is_broken = True
    with caplog.at_level(logging.WARNING):
        judged = send(range(220, 300), waves(300)[220:])
    assert are_all_judged(judged)
    assert not any(point.is_anomaly for point in judged.points)
    failures = count_of(FAILURES) - before
    assert 1 <= failures <= 8  # not for every point
    assert "keeps its last fit" in caplog.text
    assert send([300], [40.0]).points[0].is_anomaly
    engine.is_broken = False
    fits = len(engine.fitted)
    send(range(301, 320), waves(320)[301:])
    assert len(engine.fitted) == fits + 1
    assert count_of(FAILURES) - before <= failures + 1


def test_a_busy_engine_is_a_warning_and_not_an_error(engine, context, caplog) -> None:
    make()
    send(range(220), waves(220))

    def reject(*_arguments: object, **_options: object) -> None:
        raise EngineBusyError(3.0)

    context.extensions[ENGINE_EXTENSION] = InProcessEngine(reject)
    send(range(220, 300), waves(300)[220:])
    levels = {record.levelno for record in caplog.records if "last fit" in record.message}
    assert levels == {logging.WARNING}
    assert "a monitor keeps its last fit: a job would wait for 3.0 s" in caplog.messages


def test_without_a_first_fit_a_monitor_continues_learning_until_there_is_one(engine) -> None:
    make()
    engine.is_broken = True
    assert set(statuses(send(range(100), waves(100)))) == {PointStatus.LEARNING}
    engine.is_broken = False
    later = send(range(100, 130), waves(130)[100:])
    assert statuses(later)[-1] == PointStatus.JUDGED


def test_a_state_of_another_release_is_fitted_again_without_error_or_gap(engine) -> None:
    make()
    send(range(300), waves(300))
    make_states_foreign()
    fits = len(engine.fitted)
    values = waves(330)
    for index in range(300, 330):
        assert are_all_judged(send([index], values[index : index + 1]))
    assert len(engine.fitted) == fits + 1
    assert [point.index for point in points()] == list(range(330))
    assert not any(point.is_anomaly for point in points()[300:])


def test_a_state_of_another_release_whose_fit_fails_is_tried_again(engine) -> None:
    make()
    send(range(300), waves(300))
    make_states_foreign()
    engine.is_broken = True
    assert statuses(send([300], waves(301)[-1:])) == [PointStatus.LEARNING]
    engine.is_broken = False
    send(range(301, 315), waves(315)[301:])
    assert are_all_judged(send([315], waves(316)[-1:]))


@pytest.mark.parametrize("count", [1, 5, 19])
def test_a_state_of_another_release_with_few_points_continues_learning(engine, count) -> None:
    make()
    send(range(count), waves(count))
    make_states_foreign()
    assert statuses(send([count], [10.0])) == [PointStatus.LEARNING]
    send(range(count + 1, 60), waves(60)[count + 1 :])
    assert are_all_judged(send([60], waves(61)[-1:]))


def test_a_history_whose_newest_point_is_a_spike_opens_no_event(engine) -> None:
    past = history(300)
    past.values[-1] += 30
    make(history=past)
    assert send([0], waves(301)[:1]).state == State.NORMAL
    assert not events()


def test_a_series_that_changes_for_good_is_learned_again_and_counted() -> None:
    make()
    before = count_of(RELEARNED)
    rng = np.random.default_rng(1)
    changed = 100 + 5 * rng.standard_normal(600)
    send(range(400), np.zeros(400))
    appended = send(range(400, 600), changed[:200])
    assert count_of(RELEARNED) - before >= 1
    assert any("learning has started again" in notice for notice in appended.notices)
    assert events()
    later = send(range(600, 1000), changed[200:])
    assert are_all_judged(later)
    assert sum(point.is_anomaly for point in later.points) <= 6


def test_a_monitor_deleted_while_it_is_fitted_is_not_there_any_more(context, monkeypatch) -> None:
    make()
    send(range(100), waves(100))
    read = append_module.read_stored

    def read_and_delete(*arguments):
        stored = read(*arguments)
        if stored is not None:
            delete_monitor(ACCOUNT, NAME)
        return stored

    monkeypatch.setattr(append_module, "read_stored", read_and_delete)
    with pytest.raises(NoSuchMonitorError):
        send(range(100, 160), waves(160)[100:])
