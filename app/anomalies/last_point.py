"""Judge the last point of a series by its forecast from the points before."""

import numpy as np

from app.anomalies.flat import find_flat
from app.anomalies.results import Detection, Direction, Event, EventKind
from app.anomalies.severity import severity_of
from app.anomalies.streaming.detector import StreamDetector
from app.anomalies.streaming.learning import learn_stream
from app.forecasting.types import FloatArray, History

# Older points hardly affect a one-step forecast, and the response should be fast: two weeks of
# five-minute data, half a year of hours.
_MOST_POINTS = 4_320


def detect_last(
    history: History,
    false_alarm_rate: float,
    direction: Direction = Direction.BOTH,
    period: int | None = None,
) -> Detection:
    """Judge the last point of a series as a monitor with this history would.

    The arguments are those of ``detect``; the arrays have one entry. There are no change points;
    the only event is one that includes the last point.
    """
    values = np.asarray(history.values, dtype=np.float64)
    before, value = values[:-1][-_MOST_POINTS:], float(values[-1])
    fit, forecaster = learn_stream(before, history.periods, len(before), period=period)
    detector = StreamDetector.fitted(fit, forecaster, false_alarm_rate, direction)
    verdict = detector.update(value)
    notices: tuple[str, ...] = ()
    if false_alarm_rate * len(before) < 1:
        notices = (
            f"{len(before)} points before the last are too few for a false alarm rate of "
            f"{false_alarm_rate:g}, so the band is wide: send a longer history or a higher rate",
        )
    return Detection(
        is_anomaly=np.array([verdict.is_anomaly]),
        expected=np.array([verdict.expected]),
        lower=np.array([verdict.lower]),
        upper=np.array([verdict.upper]),
        p_value=np.array([verdict.p_value]),
        severity=np.array([verdict.severity]),
        events=_events(values, verdict.is_anomaly, verdict.expected, verdict.severity, direction),
        periods=tuple(fit.periods),
        notices=notices,
    )


def _events(
    values: FloatArray, is_anomaly: bool, expected: float, severity: float, direction: Direction
) -> tuple[Event, ...]:
    """Return the only event that lasts to the end: a flat stretch, or the last point itself."""
    last = len(values) - 1
    side = Direction.UP if values[-1] > expected else Direction.DOWN
    flat = [stretch for stretch in find_flat(values) if stretch[1] == last]
    if flat and direction in (Direction.BOTH, side):
        start, end, p_value = flat[0]
        grave = max(severity_of(-float(np.log10(max(p_value, 1e-300)))), severity)
        return (Event(start, end, EventKind.FLAT, side, last, grave),)
    if not is_anomaly:
        return ()
    kind = EventKind.SPIKE if side is Direction.UP else EventKind.DIP
    return (Event(last, last, kind, side, last, severity),)
