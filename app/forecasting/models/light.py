"""Model 2, light and trend-focused: theta, exponential smoothing and ridge, in milliseconds."""

from app.forecasting.models.short import forecast_short
from app.forecasting.types import History, Prediction


def forecast(history: History, horizon: int, confidence: float) -> Prediction:
    """Model 1's recipe without ARIMA; raises ValueError if nothing fits."""
    return forecast_short(history, horizon, confidence, with_arima=False)
