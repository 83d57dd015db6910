"""Judge the last point of a series from those before it, as a monitor that learned from them."""

import numpy as np

from app.anomalies.events import find_events
from app.anomalies.flat_runs import find_flat_runs
from app.anomalies.results import Detection, Direction, Event, severity_of
from app.anomalies.streaming.detector import StreamDetector
from app.anomalies.streaming.learning import learn_stream
from app.timeseries.history import History
from app.timeseries.types import BoolArray, FloatArray

# Older points hardly affect a one-step forecast, and the response should be fast: two weeks of
# five-minute data, half a year of hours.
_MAX_POINTS = 4_320

# The points just before the last are not learned from but judged too, as a monitor does: a fit that
# ends within a new level may take it for an outlier. This many, or this part of a short series.
_MAX_RECENT_POINTS, _RECENT_DIVISOR = 30, 5


def detect_last(
    history: History,
    false_alarm_rate: float,
    direction: Direction = Direction.BOTH,
    period: int | None = None,
) -> Detection:
    """Judge the last point of a series by the forecast of it from the points before.

    The arguments are as in ``detect``; the arrays have one entry. There are no change points, and
    at most one event, which includes the last point.
    """
    values = np.asarray(history.values, dtype=np.float64)
    before = values[:-1][-_MAX_POINTS:]
    recent = min(_MAX_RECENT_POINTS, len(before) // _RECENT_DIVISOR)
    learned = len(before) - recent
    fit, forecaster = learn_stream(before[:learned], history.periods, learned, period=period)
    detector = StreamDetector(history.periods, false_alarm_rate, direction, time=learned)
    detector.learn(fit, forecaster, starts_judging=True)
    for value in before[learned:].tolist():
        detector.update(value)
    verdict = detector.update(float(values[-1]))
    is_anomaly = np.array([verdict.is_anomaly])
    improbability = -float(np.log10(verdict.p_value))
    notices: tuple[str, ...] = ()
    if false_alarm_rate * len(before) < 1:
        notices = (
            f"{len(before)} points before the last are too few for a false alarm rate of "
            f"{false_alarm_rate:g}, so the band is wide: send a longer history or a higher rate",
        )
    return Detection(
        is_anomaly=is_anomaly,
        expected=np.array([verdict.expected]),
        lower=np.array([verdict.lower]),
        upper=np.array([verdict.upper]),
        p_value=np.array([verdict.p_value]),
        severity=np.array([severity_of(improbability)]),
        events=_last_events(values, verdict.expected, improbability, is_anomaly, direction),
        periods=fit.periods,
        notices=notices,
    )


def _last_events(
    values: FloatArray,
    expected: float,
    improbability: float,
    is_anomaly: BoolArray,
    direction: Direction,
) -> tuple[Event, ...]:
    """Return the event that includes the last point, if any: a flat run or the point itself."""
    last = len(values) - 1
    is_last = np.arange(len(values)) == last
    scaled_residual = np.where(values > expected, 1.0, -1.0)
    flat = [run for run in find_flat_runs(values) if run.end == last]
    return find_events(
        scaled_residual, improbability * is_last, is_last & is_anomaly, direction, segments=flat
    )
