"""The counters of monitors in `/metrics`: failed fits, and series that were learned again."""

import logging
from typing import Any

import pytest

from app.compute.jobs import ENGINE_EXTENSION, InProcessEngine
from tests.support.api import Api
from tests.support.metrics import read
from tests.support.monitors import LEARNED, Monitor, noise_at_100

FAILED_FITS = "forecast_monitor_fit_failures_total"
RELEARNED = "forecast_monitor_relearned_total"
POINTS_BETWEEN_FITS = 500  # the most points between two fits


def series_count(api: Api, name: str) -> float:
    return read(api.request("GET", "/metrics").get_data(as_text=True))[name]


def test_a_fit_that_fails_is_counted_logged_and_leaves_the_last_one_in_place(
    api: Api, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monitor = Monitor.create(api)
    monitor.append(noise_at_100(LEARNED))
    before = series_count(api, FAILED_FITS)

    def fail(*_arguments: Any) -> None:
        raise TimeoutError

    with monkeypatch.context() as patch, caplog.at_level(logging.WARNING):
        patch.setitem(api.app.extensions, ENGINE_EXTENSION, InProcessEngine(fail))
        result = monitor.append(noise_at_100(POINTS_BETWEEN_FITS, seed=5), LEARNED)
    failures = series_count(api, FAILED_FITS) - before
    assert failures >= 1
    assert [record.message for record in caplog.records].count(
        "a monitor keeps its last fit"
    ) == failures
    assert set(result["status"]) == {"judged"}
    last = LEARNED + POINTS_BETWEEN_FITS
    assert monitor.append([160.0], last)["is_anomaly"] == [True]
    monitor.append(noise_at_100(20, seed=7), last + 1)
    assert series_count(api, FAILED_FITS) - before == failures


def test_a_series_that_no_fit_holds_for_is_learned_again_and_counted(api: Api) -> None:
    monitor = Monitor.create(api)
    monitor.append([0.0] * 400)
    before, reasons = series_count(api, RELEARNED), set()
    new = [(-1) ** i * 3.0 ** (i / 4) for i in range(100)]  # swings that grow
    for first in range(0, 100, 10):
        reasons.add(monitor.append(new[first : first + 10], 400 + first)["reason"])
    assert reasons == {None, "changed"}
    assert series_count(api, RELEARNED) > before
