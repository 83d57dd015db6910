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
from app.watching.monitors.judging.event_ledger import EventLedger
from app.watching.monitors.judging.grid import MonitorGrid
from app.watching.monitors.judging.point_judge import PointJudge
from app.watching.monitors.settings.monitor_records import MonitorCloseReason, Point, Replay
from app.watching.monitors.settings.monitor_settings import MonitorSettings
from app.watching.monitors.settings.states import LearningReason, State

_NO_TIME = dt.datetime.fromtimestamp(0, dt.UTC)  # replayed events do not show when they opened


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
        self._judge: PointJudge | None = None
        self._ledger = EventLedger(0, _NO_TIME, settings)
        self._replay = Replay()
        if history is not None:
            self._learn(history)

    @property
    def has_points(self) -> bool:
        """Whether it has learned from a history, or judged a point."""
        return self._judge is not None

    def append(self, timestamps: ParsedTimestamps, value: float) -> None:
        """Judge a point after those before it; ``timestamps`` has only its own."""
        if self._grid is None or self._judge is None:
            settings = self._settings
            self._grid = MonitorGrid.from_first(settings.data_frequency, settings.step, timestamps)
            arguments = settings.detector_arguments(self._grid.periods)
            self._judge = self._make_judge(self._grid, StreamDetector(*arguments), None)
        self._grid = self._grid.refined_by(timestamps)
        (index,) = self._grid.indices(timestamps)
        (timestamp,) = self._grid.timestamps([index])
        self._replay.points += self._judge.judge([index], [timestamp], [value])
        self._values += [math.nan] * (index - len(self._values)) + [value]
        self._record_alerts(timestamp)

    def end_absent(self) -> None:
        """Record that the series is absent, as a poll does."""
        if self._grid is None or self._judge is None or self._judge.newest is None:
            return
        self._ledger.end_anomaly(self._judge.newest, MonitorCloseReason.ABSENT)
        self._ledger.finish(State.ABSENT)
        self._judge.detector.drop_event()
        (timestamp,) = self._grid.timestamps([self._judge.newest])
        self._record_alerts(timestamp)

    def finish(self) -> Replay:
        """Return what was judged, with the events as they are now."""
        if self._grid is not None:
            self._replay.events = [event.to_record(self._grid) for event in self._ledger.opened]
        return self._replay

    def _learn(self, history: Series) -> None:
        count = len(history.values)
        self._grid = MonitorGrid.from_history(history.calendar, count, history.suffix)
        arguments = self._settings.detector_arguments(self._grid.periods)
        learned = learn_history(history.values, *arguments)
        detector = StreamDetector.from_bytes(learned, *arguments)
        self._judge = self._make_judge(self._grid, detector, count - 1)
        self._values = history.values.tolist()

    def _make_judge(
        self, grid: MonitorGrid, detector: StreamDetector, newest: int | None
    ) -> PointJudge:
        return PointJudge(
            detector,
            newest=newest,
            is_learning=detector.is_learning,
            reason=LearningReason.NEW,
            stored={},
            ledger=self._ledger,
            fit=partial(self._fit, grid.periods),
        )

    def _record_alerts(self, timestamp: str) -> None:
        """Record that the events that have just become alerts did so at ``timestamp``."""
        for message in self._ledger.messages:
            if message.type is MessageType.OPENED:
                self._replay.alerted_at[message.event.id] = timestamp
        self._ledger.messages.clear()

    def _fit(
        self, periods: tuple[int, ...], detector: StreamDetector, newest: int, _new: Sequence[Point]
    ) -> None:
        """Fit to the points that a monitor would have kept, as `DetectorFitter` does."""
        steps = min(detector.learned_steps, MAX_LEARNED_POINTS)
        values = np.array(self._values[max(0, newest - steps + 1) : newest + 1])
        present = np.flatnonzero(~np.isnan(values))
        first = int(present[-self._points_kept :][0])
        detector.learn(*learn_stream(values[first:], periods, detector.learning_context))
