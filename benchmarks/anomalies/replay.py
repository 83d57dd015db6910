"""The streaming detector over a stored series, point by point."""

import numpy as np

from app.anomalies.results import AnomalyVerdict, Event, EventUpdate, Stage
from app.anomalies.streaming.detector import StreamDetector
from app.anomalies.streaming.learning import learn_stream
from app.timeseries.history import History
from app.timeseries.types import FloatArray


def replay(history: History, rate: float) -> list[AnomalyVerdict]:
    """Judge each point from those before, at a false alarm rate, as a monitor does."""
    return judge_points(StreamDetector(history.periods, rate), history, 0)


def judge_points(detector: StreamDetector, history: History, start: int) -> list[AnomalyVerdict]:
    """Judge the points from ``start`` on; fit the detector whenever it needs that."""
    values = history.values
    verdicts = []
    for index, value in enumerate(values[start:].tolist(), start):
        if detector.needs_fit:
            known = values[index - detector.learned_steps : index]
            detector.learn(*learn_stream(known, history.periods, detector.learning_context))
        verdicts.append(detector.update(value))
    return verdicts


def events_of(verdicts: list[AnomalyVerdict]) -> tuple[Event, ...]:
    """Return the events that a replay reported, each with its final kind."""
    events: list[Event] = []
    for index, verdict in enumerate(verdicts):
        if verdict.event is None:
            continue
        event = _event(index, verdict.event)
        if verdict.event.stage is Stage.OPENED:
            events.append(event)
        else:
            events[-1] = event
    return tuple(events)


def _event(index: int, update: EventUpdate) -> Event:
    end = index - 1 if update.stage is Stage.CLOSED else index
    start = index - update.steps_since_start
    return Event(
        start,
        max(start, end),
        update.kind,
        update.direction,
        index - update.steps_since_peak,
        update.severity,
    )


def severity_of_points(history: History) -> FloatArray:
    """Return the scores for NAB: what the API returns as severity of each point."""
    return np.array([verdict.severity for verdict in replay(history, 0.001)])
