"""Model 3: several seasonalities at once and long horizons."""

from app.forecasting.models.long import forecast_validated
from app.forecasting.models.short import RECIPES, forecast_short
from app.forecasting.types import History, Prediction


def forecast(history: History, horizon: int, confidence: float) -> Prediction:
    """Return the forecast of model 3.

    Args:
        history: at least 10 points.
        horizon: steps to forecast.
        confidence: of the interval, 0.1 to 0.99.
    """
    if history.frequency in RECIPES:
        return forecast_short(history, horizon, confidence, with_arima=False)
    return forecast_validated(history, horizon, confidence, with_arima=False, light=False)
