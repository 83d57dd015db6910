"""The models by their id; light to import."""

from dataclasses import dataclass

MIN_POINTS = 10
"""The shortest history that the engine forecasts."""


@dataclass(frozen=True)
class Role:
    """The name of a model and its purpose in one line; ``detail`` says how it works."""

    name: str
    purpose: str
    detail: str = ""


MODEL_IDS: dict[str, Role] = {
    "forecast-model-1": Role(
        "General",
        "General purpose, the most accurate over all.",
        "A combination of ARIMA, exponential smoothing, theta and autoregression.",
    ),
    "forecast-model-2": Role("Fast", "Trend-focused and lightweight: milliseconds."),
    "forecast-model-3": Role("Seasonal", "Several seasonalities and long horizons."),
    "forecast-model-4": Role(
        "Robust",
        "High-variance data and infrastructure metrics.",
        "Robust to outliers, level shifts, bursts, zeros and counts.",
    ),
}
"""The models by their id, the default first."""
SEASONAL_NAIVE = "seasonal_naive"
"""The id of the baseline: the last seasonal period again."""
