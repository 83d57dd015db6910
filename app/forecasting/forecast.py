"""The engine's face: a validated series, horizon, confidence and model in, a ``Forecast`` out."""

import numpy as np

from app.forecasting.calendar.frequency import UNITS, Frequency
from app.forecasting.calendar.timestamps import format_timestamps
from app.forecasting.prediction import predict
from app.forecasting.series import MODEL_IDS, Forecast, Series
from app.forecasting.types import History


def forecast(series: Series, horizon: int, confidence: float, model_id: str) -> Forecast:
    """Forecast ``horizon`` periods of ``series`` with a prediction interval.

    Args:
        series: The history, 10 points or more.
        horizon: Periods to forecast, 1 to 100.
        confidence: The interval's confidence level, 0.1 to 0.99.
        model_id: One of ``MODEL_IDS``.

    Returns:
        The forecast; the same arguments give the same numbers, whatever the clock or the load.

    Raises:
        BeyondCalendarError: A period would lie past the year 9999.
        KeyError: There is no model ``model_id``.
    """
    calendar = series.calendar
    history = History(series.values, calendar.periods, calendar.frequency)
    prediction = predict(history, horizon, confidence, model_id)
    return Forecast(
        timestamps=format_timestamps(calendar.future(horizon), series.suffix),
        lower=prediction.lower + 0.0,  # so that no -0.0 is answered
        median=prediction.median + 0.0,
        upper=prediction.upper + 0.0,
        model_id=model_id,
        notices=(*_length_notices(series), *prediction.notices),
        fell_back=prediction.fell_back,
    )


def warm_up() -> None:
    """Forecast once by every model, so that processes forked later share what that imports."""
    values = 10.0 + np.arange(60) % 7 + np.arange(60) / 10
    for frequency, periods in ((Frequency.MONTHLY, (12,)), (Frequency.HOURS, (24,))):
        for model_id in MODEL_IDS:
            predict(History(values, periods, frequency), 3, 0.95, model_id)


def _length_notices(series: Series) -> tuple[str, ...]:
    frequency = series.calendar.frequency
    points, recommended = len(series.values), UNITS[frequency].recommended_points
    if points >= recommended:
        return ()
    return (f"series has {points} points; {recommended} are recommended for {frequency} data",)
