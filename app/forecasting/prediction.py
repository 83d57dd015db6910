"""The engine's one entrance: a history, a horizon, a confidence and a model in, a forecast out."""

import logging
import warnings
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from app.forecasting.fallback import forecast_constant, forecast_naive
from app.forecasting.models import general, light, robust, seasonal
from app.forecasting.models.short import forecast_short
from app.forecasting.preparation import is_sound, prepare, restore, set_aside_outliers
from app.forecasting.types import History, Prediction

_log = logging.getLogger(__name__)

Model = Callable[[History, int, float], Prediction]


MODELS: dict[str, Model] = {
    "forecast-model-1": general.forecast,
    "forecast-model-2": light.forecast,
    "forecast-model-3": seasonal.forecast,
    "forecast-model-4": robust.forecast,
}


def _smoothing_and_theta(history: History, horizon: int, confidence: float) -> Prediction:
    return forecast_short(history, horizon, confidence, with_arima=False)


# What takes over, in this order, when the model asked for fails.
_SIMPLER: tuple[tuple[str, Model], ...] = (
    ("exponential smoothing with theta", _smoothing_and_theta),
    ("the naive forecast", forecast_naive),
)


def predict(history: History, horizon: int, confidence: float, model_id: str) -> Prediction:
    """Forecast ``horizon`` steps with the interval that holds the truth with ``confidence``.

    ``history.values`` are finite, at least one; ``horizon`` is at least 1; 0 < ``confidence`` < 1.
    The answer is finite, ordered, and non-negative where the history is; it depends on the
    arguments alone. A model that fails is replaced by a simpler one, and a notice says so. Raises
    KeyError for an unknown model id.
    """
    model = MODELS[model_id]
    values = history.values
    if np.all(values == values[0]):
        return forecast_constant(float(values[0]), horizon)
    cleaned, outliers = set_aside_outliers(values)
    if np.all(cleaned == cleaned[0]):
        cleaned, outliers = values, 0
    prepared = prepare(replace(history, values=cleaned))
    notices: tuple[str, ...] = ()
    if outliers:
        notices = (f"values far beyond all others, set aside: {outliers}",)
    ladder = ((model_id, model), *_SIMPLER)
    for rung, (name, forecast) in enumerate(ladder):
        prediction = _try(name, forecast, prepared.history, horizon, confidence)
        if prediction is not None:
            if rung:
                notices += (f"{model_id} could not be fitted; {name} answered",)
            notices += prediction.notices
            answer = replace(prediction, notices=notices, fell_back=rung > 0)
            return restore(answer, prepared)
    # Reached only if the naive forecast itself overflows.
    last = forecast_constant(float(values[-1]), horizon)
    notices = (f"{model_id} could not be fitted; the last value answered",)
    return replace(last, notices=notices, fell_back=True)


def _try(
    name: str, model: Model, history: History, horizon: int, confidence: float
) -> Prediction | None:
    """The model's answer, or None when it raised or was not finite."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            prediction = model(history, horizon, confidence)
        # Whatever a numerical library raises, the request still gets an answer.
        except Exception:
            _log.exception("%s failed", name)
            return None
    return prediction if is_sound(prediction, horizon) else None
