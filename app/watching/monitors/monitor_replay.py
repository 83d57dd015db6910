"""Judge the past of a series as a live monitor would have, without storing anything."""

import datetime as dt
import math
from collections.abc import Sequence
from functools import partial

import numpy as np

from app.anomalies.streaming.detector import StreamDetector
from app.anomalies.streaming.fit import MAX_LEARNED_POINTS
from app.anomalies.streaming.learning import learn_history, learn_stream
from app.delivery.formats.types import MessageType
from app.timeseries.calendar.timestamps import ParsedTimestamps
from app.timeseries.series import Series
from app.watching.monitors.event_ledger import EventLedger, StoredEvent
from app.watching.monitors.grid import MonitorGrid
from app.watching.monitors.monitor_records import MonitorCloseReason, Point, Replay
from app.watching.monitors.monitor_settings import MonitorSettings
from app.watching.monitors.point_judge import PointJudge
from app.watching.monitors.states import LearningReason, State


class MonitorReplay:
    """A monitor that learns from a history and judges the points after it.

    Args:
        settings: Its settings; it is not muted.
        history: What it learns from, as `app.watching.sources.series.learning_history` returns it;
            None without one.
        points_kept: The number of points that a monitor keeps, from which it learns again.
    """

    def __init__(self, settings: MonitorSettings, history: Series | None, points_kept: int) -> None:
        self._settings, self._points_kept = settings, points_kept
        self._values: list[float] = []  # of each index of the grid, NaN where there is no point
        self._grid: MonitorGrid | None = None
        self._detector: StreamDetector | None = None
        self._newest: int | None = None
        self._is_learning = True
        self._reason = LearningReason.NEW
        self._revision = 0
        self._anomaly_event: StoredEvent | None = None
        self._events: list[StoredEvent] = []
        self.replay = Replay()
        if history is not None:
            self._learn(history)

    def append(self, timestamps: ParsedTimestamps, value: float, now: dt.datetime) -> None:
        """Judge a point after those before it; ``timestamps`` has only its own."""
        if self._grid is None or self._detector is None:
            settings = self._settings
            self._grid = MonitorGrid.from_first(settings.data_frequency, settings.step, timestamps)
            self._detector = StreamDetector(*settings.detector_arguments(self._grid.periods))
        self._grid = self._grid.refined_by(timestamps)
        (index,) = self._grid.indices(timestamps)
        ledger = EventLedger(self._revision, now, self._settings, anomaly=self._anomaly_event)
        judge = PointJudge(
            self._detector,
            newest=self._newest,
            is_learning=self._is_learning,
            reason=self._reason,
            stored={},
            ledger=ledger,
            fit=partial(self._fit, self._grid),
        )
        (timestamp,) = self._grid.timestamps([index])
        self.replay.points += judge.judge([index], [timestamp], [value])
        self._values += [math.nan] * (index - len(self._values)) + [value]
        self._newest = judge.newest
        self._is_learning, self._reason = judge.is_learning, judge.reason
        self._record_events(ledger, timestamp)

    def end_absent(self, now: dt.datetime) -> None:
        """Record that the series is absent, as a poll does."""
        if self._grid is None or self._detector is None or self._newest is None:
            return
        ledger = EventLedger(self._revision, now, self._settings, anomaly=self._anomaly_event)
        ledger.end_anomaly(self._newest, MonitorCloseReason.ABSENT)
        ledger.finish(State.ABSENT)
        self._detector.drop_event()
        (timestamp,) = self._grid.timestamps([self._newest])
        self._record_events(ledger, timestamp)

    def finish(self) -> Replay:
        """Return what was judged, with the events as they are now."""
        if self._grid is not None:
            self.replay.events = [event.to_record(self._grid) for event in self._events]
        return self.replay

    def _learn(self, history: Series) -> None:
        count = len(history.values)
        self._grid = MonitorGrid.from_history(history.calendar, count, history.suffix)
        settings = self._settings.detector_arguments(self._grid.periods)
        learned = learn_history(history.values, *settings)
        self._detector = StreamDetector.from_bytes(learned, *settings)
        self._is_learning = self._detector.is_learning
        self._values = history.values.tolist()
        self._newest = count - 1
        self._revision = 1

    def _record_events(self, ledger: EventLedger, timestamp: str) -> None:
        self._revision, self._anomaly_event = ledger.revision, ledger.anomaly_event
        self._events += ledger.opened
        for message in ledger.messages:
            if message.type is MessageType.OPENED:
                self.replay.alerted_at[message.event.id] = timestamp

    def _fit(
        self, grid: MonitorGrid, detector: StreamDetector, newest: int, _new: Sequence[Point]
    ) -> None:
        """Fit to the points that a monitor would have kept, as `DetectorFitter` does."""
        steps = min(detector.learned_steps, MAX_LEARNED_POINTS)
        values = np.array(self._values[max(0, newest - steps + 1) : newest + 1])
        present = np.flatnonzero(~np.isnan(values))
        first = int(present[-self._points_kept :][0])
        detector.learn(*learn_stream(values[first:], grid.periods, detector.learning_context))
