"""Results drawn by matplotlib."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from forecast_client.results import Backtest, Detection, Forecast


def plot_forecast(forecast: "Forecast", ax: "Axes | None" = None) -> "Axes":
    """Draw the history, the median and the interval."""
    raise NotImplementedError


def plot_detection(detection: "Detection", ax: "Axes | None" = None) -> "Axes":
    """Draw the series, the band and the points flagged."""
    raise NotImplementedError


def plot_backtest(backtest: "Backtest", ax: "Axes | None" = None) -> "Axes":
    """Draw what came, and the past forecasts of the best model over it."""
    raise NotImplementedError
