"""What goes into the engine's face and what comes out; light to import."""

from dataclasses import dataclass

from app.forecasting.calendar.fit import Calendar
from app.forecasting.types import FloatArray

MIN_POINTS = 10
"""So few points are forecast."""


@dataclass(frozen=True)
class Role:
    """What a model is called and what it is for, in one line; ``detail`` says how or when else."""

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


@dataclass(frozen=True)
class Series:
    """A validated series: ``values`` (n,) on the grid of ``calendar``, oldest first.

    ``suffix`` is what its timestamps end in: nothing, ``Z`` or an offset.
    """

    values: FloatArray
    calendar: Calendar
    suffix: str = ""


@dataclass(frozen=True)
class Forecast:
    """A forecast of ``h`` periods: ``timestamps`` and three arrays of shape (h,).

    lower <= median <= upper, all finite. ``notices`` are short sentences about the answer;
    ``fell_back``: a simpler model answered, because ``model_id`` could not be fitted.
    """

    timestamps: list[str]
    lower: FloatArray
    median: FloatArray
    upper: FloatArray
    model_id: str
    notices: tuple[str, ...] = ()
    fell_back: bool = False
