"""The streaming detector over a stored series, point by point."""

import numpy as np

from app.anomalies.results import Event
from app.anomalies.streaming.detector import StreamDetector
from app.anomalies.streaming.verdict import EventNews, Stage, Verdict
from app.forecasting.forecast import predict
from app.forecasting.types import FloatArray, History

# The model that forecasts the next season for the detector: the quick one.
MODEL = "forecast-model-2"


def replay(history: History, rate: float, forecasts: bool) -> list[Verdict]:
    """Judge each point from those before.

    Args:
        history: The series; its two shortest periods are the detector's.
        rate: The false alarm rate.
        forecasts: Whether the engine's forecast of the next season is learned, once a season.
    """
    periods = [each for each in history.periods if 2 * each < len(history.values)]
    period, long_period = [*periods, 0, 0][:2]
    detector = StreamDetector(period, rate, long_period=long_period)
    verdicts = []
    for value in history.values.tolist():
        if forecasts and detector.wants_forecast:
            known = History(detector.recent_values(), history.periods, history.frequency)
            said = predict(known, detector.forecast_horizon, 0.5, MODEL)
            detector.learn_forecast(said.median)
        verdicts.append(detector.update(value))
    return verdicts


def events_of(verdicts: list[Verdict]) -> tuple[Event, ...]:
    """The events that a replay reported, each with its final kind."""
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


def _event(index: int, news: EventNews) -> Event:
    end = index - 1 if news.stage is Stage.CLOSED else index
    start = index - news.started
    return Event(
        start, max(start, end), news.kind, news.direction, index - news.peak, news.severity
    )


def evidence_of(history: History) -> FloatArray:
    """The scores for NAB: the evidence at each point, the engine's forecasts included."""
    return np.array([each.evidence for each in replay(history, 0.001, forecasts=True)])
