"""Engine jobs for streams: learn a history, forecast the next season."""

import numpy as np

from app.anomalies.results import Direction
from app.anomalies.streaming.detector import MOST_LEARNED, new_detector
from app.forecasting.calendar.frequency import Frequency
from app.forecasting.forecast import predict
from app.forecasting.types import FloatArray, History

# A fast model; the detector weights it by its accuracy.
_MODEL = "forecast-model-2"
# Only the median is used.
_CONFIDENCE = 0.8


def learn_history(
    values: FloatArray,
    frequency: Frequency,
    periods: tuple[int, ...],
    false_alarm_rate: float,
    direction: Direction,
) -> bytes:
    """Return the state of a detector that has learned from a history, oldest first, shape (n,).

    It includes the engine's forecast of the next season if the history is long enough.
    ``periods`` are the seasonal periods in steps, shortest first.
    """
    detector = new_detector(periods, false_alarm_rate, direction)
    detector.warm_up(values[-MOST_LEARNED:])
    if detector.wants_forecast:
        known = detector.recent_values()
        horizon = detector.forecast_horizon
        detector.learn_forecast(forecast_season(known, frequency, periods, horizon))
    return detector.to_array().tobytes()


def forecast_season(
    values: FloatArray, frequency: Frequency, periods: tuple[int, ...], horizon: int
) -> FloatArray:
    """Return the engine's median of ``horizon`` steps after ``values``, shape (horizon,)."""
    history = History(np.asarray(values, dtype=np.float64), periods, frequency)
    return predict(history, horizon, _CONFIDENCE, _MODEL).median
