"""The engine's forecast of a monitor's next season, computed in the background.

A thread of the web worker requests it from an engine process. Appends never wait: if the queue is
full, the next append offers the monitor again.
"""

import contextlib
import logging
import queue
import threading
import time
from collections.abc import Callable
from typing import Any, cast

from flask import Flask, current_app

from app.engine.jobs import EXTENSION as ENGINE
from app.engine.jobs import Job
from app.forecasting.types import FloatArray
from app.monitors.detectors import detector_of
from app.monitors.writing import read_stored, write_detector

logger = logging.getLogger(__name__)

EXTENSION = "monitor-forecasts"
JOB = Job("app.anomalies.streaming.jobs:forecast_season", noun="forecast of a season")
WAITING = 64
# The pause after an engine was busy or failed.
PAUSE_SECONDS = 10.0
# Attempts to store a forecast while points arrive.
ATTEMPTS = 5

Run = Callable[..., Any]


def init_forecasts(app: Flask) -> None:
    """Let appends to monitors of ``app`` request forecasts."""
    app.extensions[EXTENSION] = Forecasts(app)


def offer(account_id: int, name: str) -> None:
    """Request a forecast of a monitor's next season, if an engine is running and free."""
    cast(Forecasts, current_app.extensions[EXTENSION]).offer(account_id, name)


class Forecasts:
    """A queue of monitors and the thread that processes it, started on demand."""

    def __init__(self, app: Flask) -> None:
        self._app = app
        self._waiting: queue.Queue[tuple[int, str]] = queue.Queue(WAITING)
        self._known: set[tuple[int, str]] = set()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._resumes_at = 0.0

    def offer(self, account_id: int, name: str) -> None:
        """Queue a monitor, unless it is queued, the queue is full or there is no engine."""
        monitor = (account_id, name)
        if ENGINE not in self._app.extensions or time.monotonic() < self._resumes_at:
            return
        with self._lock, contextlib.suppress(queue.Full):
            if monitor in self._known:
                return
            self._waiting.put_nowait(monitor)
            self._known.add(monitor)
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name=EXTENSION, daemon=True)
                self._thread.start()

    def _work(self) -> None:
        while True:
            monitor = self._waiting.get()
            try:
                with self._app.app_context():
                    refresh(*monitor, self._app.extensions[ENGINE])
            except Exception:
                logger.warning("the forecast of a season failed", exc_info=True)
                self._resumes_at = time.monotonic() + PAUSE_SECONDS
            finally:
                with self._lock:
                    self._known.discard(monitor)


def refresh(account_id: int, name: str, run: Run) -> bool:
    """Teach a monitor the forecast of its next season; return whether this was done.

    ``run`` executes a job, like `app.engine.jobs.do`.
    """
    stored = read_stored(account_id, name)
    if stored is None or stored.grid is None or stored.newest_place is None:
        return False
    detector, has_relearned = detector_of(stored, stored.grid)
    if has_relearned or not detector.wants_forecast:  # appends store what was learned again
        return False
    frequency, periods = stored.settings.data_frequency, stored.grid.periods
    forecast = run(JOB, detector.recent_values(), frequency, periods, detector.forecast_horizon)
    return _learn(account_id, name, stored.id, stored.newest_place, forecast)


def _learn(account_id: int, name: str, monitor_id: int, place: int, forecast: FloatArray) -> bool:
    """Store the forecast of the steps after ``place``, without those that have passed."""
    for _ in range(ATTEMPTS):
        stored = read_stored(account_id, name)
        if stored is None or stored.grid is None or stored.id != monitor_id:
            return False
        came = (stored.newest_place or 0) - place
        if not 0 <= came < len(forecast):
            return False
        detector, _ = detector_of(stored, stored.grid)
        detector.learn_forecast(forecast[came:])
        if write_detector(stored, detector.to_array().tobytes()):
            return True
    return False
