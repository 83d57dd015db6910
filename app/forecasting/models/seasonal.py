"""Model 3: several seasonalities at once and long horizons."""

from dataclasses import replace

from app.forecasting.calendar.frequency import Frequency
from app.forecasting.models.long import forecast_validated
from app.forecasting.models.short import RECIPES, Recipes, forecast_short
from app.forecasting.types import History, Prediction

# Seasons are what this model is for: ridge autoregression, which sees them best, has half the say;
# where there is none, smoothing averages fewer parameter sets.
SEASONAL_RECIPES: Recipes = {
    Frequency.YEARLY: replace(RECIPES[Frequency.YEARLY], averaged=4),
    Frequency.QUARTERLY: replace(RECIPES[Frequency.QUARTERLY], ridge_share=0.5),
    Frequency.MONTHLY: replace(RECIPES[Frequency.MONTHLY], ridge_share=0.5),
}


def forecast(history: History, horizon: int, confidence: float) -> Prediction:
    """Return the forecast of model 3.

    Args:
        history: at least 10 points.
        horizon: steps to forecast.
        confidence: of the interval, 0.1 to 0.99.
    """
    if history.frequency in RECIPES:
        return forecast_short(
            history, horizon, confidence, with_arima=False, recipes=SEASONAL_RECIPES
        )
    return forecast_validated(history, horizon, confidence, with_arima=False, light=False)
