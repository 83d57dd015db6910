"""Model 1, general purpose: ARIMA (pmdarima), exponential smoothing, theta and ridge."""

from app.forecasting.models.long import forecast_long
from app.forecasting.models.short import RECIPES, forecast_short
from app.forecasting.types import History, Prediction


def forecast(history: History, horizon: int, confidence: float) -> Prediction:
    """The most accurate combination for every frequency; raises ValueError if nothing fits."""
    recipe = forecast_short if history.frequency in RECIPES else forecast_long
    return recipe(history, horizon, confidence, with_arima=True)
