"""The models by their id; light to import."""

from dataclasses import dataclass

MIN_POINTS = 10  # the shortest history that the engine forecasts


class UnknownModelError(LookupError):
    """No model has this id."""


@dataclass(frozen=True)
class ModelRole:
    """The name of a model and its purpose in one line; ``detail`` says how it works."""

    name: str
    purpose: str
    detail: str = ""


# By the id of the model, the default first.
MODEL_ROLES: dict[str, ModelRole] = {
    "forecast-model-1": ModelRole(
        "General",
        "General purpose, the most accurate over all.",
        "A combination of ARIMA, exponential smoothing, theta and autoregression.",
    ),
    "forecast-model-2": ModelRole("Fast", "Trend-focused and lightweight: milliseconds."),
    "forecast-model-3": ModelRole("Seasonal", "Several seasonalities and long horizons."),
    "forecast-model-4": ModelRole(
        "Robust",
        "High-variance data and infrastructure metrics.",
        "Robust to outliers, level shifts, bursts, zeros and counts.",
    ),
}
MODEL_IDS = tuple(MODEL_ROLES)
DEFAULT_MODEL = MODEL_IDS[0]
LIGHT_MODEL = "forecast-model-2"  # the id of the model that takes milliseconds
SEASONAL_NAIVE = "seasonal_naive"  # the id of the baseline: the last seasonal period again
