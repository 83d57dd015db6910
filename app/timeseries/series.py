"""The engine's input and output types; light to import."""

from dataclasses import dataclass

from app.forecasting.types import FloatArray, History
from app.timeseries.calendar.fit import Calendar

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


@dataclass(frozen=True)
class Series:
    """A validated series: ``values`` (n,) on the grid of ``calendar``, oldest first.

    ``suffix`` ends its timestamps: nothing, ``Z`` or an offset.
    """

    values: FloatArray
    calendar: Calendar
    suffix: str = ""

    @property
    def history(self) -> History:
        """What a model learns from."""
        calendar = self.calendar
        grid = calendar.grid(len(self.values))
        return History(self.values, calendar.periods, calendar.frequency, grid)


@dataclass(frozen=True)
class Forecast:
    """A forecast of ``h`` periods: ``timestamps`` and three arrays of shape (h,).

    lower <= median <= upper, all finite. ``notices`` are short sentences about the forecast;
    ``fell_back``: a simpler model was used, because ``model_id`` could not be fitted.
    """

    timestamps: list[str]
    lower: FloatArray
    median: FloatArray
    upper: FloatArray
    model_id: str
    notices: tuple[str, ...] = ()
    fell_back: bool = False
