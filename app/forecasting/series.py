"""What goes into the engine's face and what comes out; light to import."""

from dataclasses import dataclass

from app.forecasting.calendar.fit import Calendar
from app.forecasting.types import FloatArray

MIN_POINTS = 10
"""So few points are forecast."""

MODEL_IDS: dict[str, str] = {
    "forecast-model-1": "General purpose: a combination of ARIMA, exponential smoothing, theta and "
    "autoregression, the most accurate over all frequencies.",
    "forecast-model-2": "Trend-focused and lightweight: answers in milliseconds.",
    "forecast-model-3": "Several seasonalities at once and long horizons.",
    "forecast-model-4": "High-variance data and infrastructure metrics: robust to outliers, level "
    "shifts, bursts, zeros and counts.",
}
"""The models by their id, the default first, and what each is for."""


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
