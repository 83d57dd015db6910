"""Model 2, light and trend-focused: theta, exponential smoothing and ridge, in milliseconds."""

from app.forecasting.models.long import forecast_long
from app.forecasting.models.short import RECIPES, forecast_short
from app.forecasting.types import History, Prediction


def forecast(history: History, horizon: int, confidence: float) -> Prediction:
    """Model 1's recipe without ARIMA; raises ValueError if nothing fits."""
    recipe = forecast_short if history.frequency in RECIPES else forecast_long
    return recipe(history, horizon, confidence, with_arima=False)
