"""Import the libraries of forecasts before processes are forked, which then share them."""

import numpy as np

from app.forecasting.forecast import predict
from app.forecasting.models.recipes import MODELS
from app.timeseries.calendar.frequency import Frequency
from app.timeseries.history import History


def warm_up() -> None:
    """Forecast once by every model, to import its libraries before processes are forked."""
    values = 10.0 + np.arange(60) % 7 + np.arange(60) / 10
    for frequency, periods in ((Frequency.MONTHLY, (12,)), (Frequency.HOURS, (24,))):
        for model_id in MODELS:
            predict(History(values, periods, frequency), 3, 0.95, model_id)
