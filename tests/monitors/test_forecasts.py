"""The engine's forecast of a season: when it is asked for, and what it is worth afterwards."""

import threading

import numpy as np
import pytest

from app.engine import jobs
from app.engine.jobs import EXTENSION, InProcess
from app.monitors import forecasts
from app.monitors.detectors import detector_of
from app.monitors.registry import delete_monitor
from app.monitors.writing import read_stored
from tests.monitors.feeding import ACCOUNT, NAME, make, send, waves


@pytest.fixture
def asked(context):
    """Says when an engine was asked, and lets it answer."""
    told = threading.Event()

    def run(job, *arguments):
        told.set()
        return jobs.do(job, *arguments)

    context.extensions[EXTENSION] = InProcess(run)
    return told


def learned():
    stored = read_stored(ACCOUNT, NAME)
    return not detector_of(stored, stored.grid)[0].wants_forecast


def wait_for(condition):
    pause = threading.Event()
    for _ in range(500):
        if condition():
            return
        pause.wait(0.01)
    raise AssertionError("it did not happen")


def test_a_live_monitor_learns_a_forecast_beside_the_request(asked, now):
    make()
    now.move(hours=49)
    send(range(60), waves(60))
    wait_for(learned)
    assert asked.is_set()


def test_a_history_that_is_fed_fast_gets_no_forecast(asked, now):
    make()
    now.move(days=100)
    send(range(60), waves(60))
    assert not asked.is_set()
    assert not learned()


def test_without_an_engine_nothing_is_asked(context):
    make()
    send(range(60), waves(60))
    assert not learned()


def test_steps_that_came_meanwhile_are_left_out():
    make()
    send(range(60), waves(60))
    given = []

    def slow(job, values, *arguments):
        send([60, 61], waves(62)[-2:])
        forecast = jobs.do(job, values, *arguments)
        given.append(forecast)
        return forecast

    assert forecasts.refresh(ACCOUNT, NAME, slow)
    assert learned()
    assert send([62], waves(63)[-1:]).points[0].cursor == 62


def test_a_forecast_whose_season_has_gone_by_is_dropped():
    make()
    send(range(60), waves(60))

    def too_slow(_job, _values, *_arguments):
        send(range(60, 90), waves(90)[60:])
        return np.zeros(24)

    assert not forecasts.refresh(ACCOUNT, NAME, too_slow)


def test_a_forecast_of_a_monitor_that_was_made_anew_is_dropped():
    make()
    send(range(60), waves(60))

    def meanwhile(_job, _values, *_arguments):
        delete_monitor(ACCOUNT, NAME)
        make()
        send(range(55), waves(55))
        return np.zeros(24)

    assert not forecasts.refresh(ACCOUNT, NAME, meanwhile)
    assert not learned()


def test_a_monitor_that_is_gone_or_knows_its_season_learns_nothing():
    assert not forecasts.refresh(ACCOUNT, NAME, jobs.do)
    make()
    assert not forecasts.refresh(ACCOUNT, NAME, jobs.do)
    send(range(60), waves(60))
    assert forecasts.refresh(ACCOUNT, NAME, jobs.do)
    assert not forecasts.refresh(ACCOUNT, NAME, jobs.do)
