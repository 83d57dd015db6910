"""The engine's job for a new monitor with a history."""

from app.anomalies.results import Direction
from app.anomalies.streaming.detector import StreamDetector
from app.anomalies.streaming.fit import MAX_LEARNED_POINTS
from app.anomalies.streaming.learning import learn_stream
from app.timeseries.types import FloatArray


def learn_history(
    values: FloatArray, periods: tuple[int, ...], false_alarm_rate: float, direction: Direction
) -> bytes:
    """Return the state of a detector that has learned from a history, oldest first, shape (n,).

    ``periods`` are the seasonal periods in steps, shortest first.
    """
    latest = values[-MAX_LEARNED_POINTS:]
    detector = StreamDetector.from_steps(periods, false_alarm_rate, direction, steps=len(latest))
    if detector.needs_fit:
        detector.learn(*learn_stream(latest, periods, detector.time))
    return detector.to_bytes()
