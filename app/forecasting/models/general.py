"""Model 1, general purpose: ARIMA (pmdarima), exponential smoothing, theta and ridge."""

from app.forecasting.models.short import forecast_short
from app.forecasting.types import History, Prediction


def forecast(history: History, horizon: int, confidence: float) -> Prediction:
    """The most accurate combination for every frequency; raises ValueError if nothing fits."""
    return forecast_short(history, horizon, confidence, with_arima=True)
