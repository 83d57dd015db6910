"""The entrance: a history and a false alarm rate in, a detection out."""

import numpy as np

from app.anomalies.last_point import detect_last
from app.anomalies.results import Detection, Direction, Event, EventKind
from app.anomalies.tail import fit_tail
from app.forecasting.types import FloatArray, History

__all__ = ["FEWEST_POINTS", "detect", "detect_last"]

FEWEST_POINTS = 12


def detect(
    history: History,
    false_alarm_rate: float,
    direction: Direction = Direction.BOTH,
    period: int | None = None,
) -> Detection:
    """Judge every point of a series by all the others.

    Args:
        history: ``FEWEST_POINTS`` values or more, finite, and the seasonal periods that its
            calendar suggests; they count where the values show them.
        false_alarm_rate: Share of the points of a clean series that may be flagged, 0.0001 to 0.1.
        direction: The sides on which a point counts.
        period: The seasonal period in steps where the caller knows it; 0: there is none; None: it
            is found.

    Returns:
        The detection, with arrays as long as ``history.values``; the same arguments give the same
        numbers.
    """
    values = np.asarray(history.values, dtype=np.float64)
    expected = np.full(len(values), np.median(values))
    return _judge(values, expected, false_alarm_rate, direction)


def _judge(values: FloatArray, expected: FloatArray, rate: float, side: Direction) -> Detection:
    residual = values - expected
    tail = fit_tail(np.abs(residual))
    half = tail.quantile(rate)
    above, below = residual > half, residual < -half
    flagged = {Direction.BOTH: above | below, Direction.UP: above, Direction.DOWN: below}[side]
    p_value = tail.p_value(np.abs(residual))
    events = tuple(
        Event(
            i,
            i,
            EventKind.SPIKE if above[i] else EventKind.DIP,
            Direction.UP if above[i] else Direction.DOWN,
            i,
            50.0,
        )
        for i in np.flatnonzero(flagged).tolist()
    )
    severity = np.clip(-np.log10(np.maximum(p_value, 1e-12)) * 25 / 3, 0, 100)
    return Detection(flagged, expected, expected - half, expected + half, p_value, severity, events)
