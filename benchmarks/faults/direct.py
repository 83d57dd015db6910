"""Judge the series without a Prometheus or a database, as an append of a monitor does."""

import datetime as dt
from dataclasses import dataclass

import numpy as np

from app.anomalies.results import SEVERITY_DECIMALS
from app.anomalies.streaming.detector import StreamDetector
from app.anomalies.streaming.fit import MAX_LEARNED_POINTS
from app.anomalies.streaming.learning import learn_history, learn_stream
from app.delivery.formats.types import MessageType
from app.timeseries.calendar.axes import SecondAxis
from app.timeseries.types import FloatArray
from app.watching.monitors.judging.event_ledger import EventLedger
from app.watching.monitors.judging.point_judge import PointJudge
from app.watching.monitors.settings.states import LearningReason
from app.watching.sources.source_records import QuerySettings
from app.watching.sources.steps import ABSENT_STEPS
from benchmarks.faults.shapes import Shape
from benchmarks.faults.shop import HISTORY


@dataclass(frozen=True)
class SeenEvent:
    """An event of a series; steps are counted from the history's first.

    Attributes:
        start: Its first step.
        end: Its last step; that of the series if it is open.
        kind: Its kind in the end.
        severity: Its severity in the end.
        highest: The highest severity that it had: a spike that was taken for a level shift had more
            than it ends with.
        alerted: The step at which it becomes an alert; None if it never does.
    """

    start: int
    end: int
    kind: str
    severity: float
    highest: float
    alerted: int | None

    @property
    def is_alert(self) -> bool:
        return self.alerted is not None


@dataclass(frozen=True)
class Judged:
    """The events of a series, and the steps at which it became absent."""

    events: tuple[SeenEvent, ...]
    absent: tuple[int, ...]


def judge(shape: Shape, values: FloatArray, query_settings: QuerySettings) -> Judged:
    """Learn from the history of ``values``, shape (n,), and judge each step after it."""
    learned = HISTORY[shape.step]
    settings = query_settings.monitor_settings
    periods = SecondAxis().periods(shape.step)
    detection = settings.detector_arguments(periods)
    packed = learn_history(values[:learned], *detection)
    detector = StreamDetector.from_bytes(packed, *detection)

    def fit(detector: StreamDetector, newest: int, _new: object) -> None:
        """Fit to all steps up to the newest, as `DetectorFitter` does to stored ones."""
        steps = min(detector.learned_steps, MAX_LEARNED_POINTS, newest + 1)
        latest = values[newest + 1 - steps : newest + 1]
        latest = latest[np.flatnonzero(~np.isnan(latest))[0] :]
        detector.learn(*learn_stream(latest, periods, detector.learning_context))

    ledger = EventLedger(0, dt.datetime.now(dt.UTC), settings)
    judging = PointJudge(
        detector,
        newest=learned - 1,
        is_learning=False,
        reason=LearningReason.NEW,
        stored={},
        ledger=ledger,
        fit=fit,
    )
    alerted: dict[int, int] = {}
    highest: dict[int, float] = {}
    for step in range(learned, len(values)):
        if np.isnan(values[step]):
            continue
        sent = len(ledger.messages)
        judging.judge([step], [""], [float(values[step])])
        if (event := ledger.anomaly_event) is not None:
            highest[event.id] = max(event.severity, highest.get(event.id, 0.0))
        for message in ledger.messages[sent:]:
            if message.type is MessageType.OPENED:
                alerted[message.event.id] = step
    events = [
        SeenEvent(
            event.start_index,
            len(values) - 1 if event.end_index is None else event.end_index,
            event.kind,
            round(event.severity, SEVERITY_DECIMALS),
            round(highest.get(event.id, event.severity), SEVERITY_DECIMALS),
            alerted.get(event.id),
        )
        for event in ledger.opened
    ]
    return Judged(tuple(events), absences(values[learned:], learned))


def absences(values: FloatArray, first: int) -> tuple[int, ...]:
    """Return the steps at which a series has had no value for more than `ABSENT_STEPS`."""
    run = 0
    steps = []
    for step, is_missing in enumerate(np.isnan(values).tolist(), first):
        run = run + 1 if is_missing else 0
        if run == ABSENT_STEPS + 1:
            steps.append(step)
    return tuple(steps)
