"""Results drawn by matplotlib."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from forecast_client.results import Backtest, Detection, Forecast
    from forecast_client.series import Prepared

SHOWN_HORIZONS = 5
"""How much history is drawn: so many times the horizon, and at least ``SHOWN_POINTS``."""
SHOWN_POINTS = 60
HISTORY, MEDIAN, ANOMALY = "0.25", "tab:blue", "tab:red"


def plot_forecast(forecast: "Forecast", ax: "Axes | None" = None) -> "Axes":
    """Draw the end of the history, the median and the interval.

    Raises:
        ImportError: There is no matplotlib.
    """
    axes, series = _axes(ax), forecast.series
    shown = max(SHOWN_HORIZONS * len(forecast.timestamps), SHOWN_POINTS)
    _history(axes, series, shown)
    future = _times(series, forecast.timestamps)
    axes.fill_between(
        future,
        forecast.lower_bound,
        forecast.upper_bound,
        color=MEDIAN,
        alpha=0.2,
        linewidth=0,
        label="interval",
    )
    axes.plot(
        future, forecast.median, color=MEDIAN, marker=_marker(future), label=forecast.model_id
    )
    start = _times(series, series.timestamps[-1:])[0]
    axes.axvline(start, color="0.6", linewidth=0.8, linestyle=":")
    return _finished(axes, series)


def plot_detection(detection: "Detection", ax: "Axes | None" = None) -> "Axes":
    """Draw the series, the band, the points flagged and the change points.

    Raises:
        ImportError: There is no matplotlib.
    """
    axes, series = _axes(ax), detection.series
    _history(axes, series)
    times = _times(series, detection.timestamps)
    axes.fill_between(
        times,
        detection.lower_bound,
        detection.upper_bound,
        color=MEDIAN,
        alpha=0.2,
        linewidth=0,
        label="expected",
    )
    values = series.values[-len(times) :]
    marks = list(zip(times, values, detection.is_anomaly, strict=True))
    axes.plot(
        [time for time, _, is_anomaly in marks if is_anomaly],
        [value for _, value, is_anomaly in marks if is_anomaly],
        color=ANOMALY,
        marker="o",
        linestyle="none",
        label="anomaly",
    )
    for change in detection.change_points:
        moment = _times(series, [change.timestamp])[0]
        axes.axvline(moment, color=ANOMALY, linewidth=0.8, linestyle="--")
    return _finished(axes, series)


def plot_backtest(backtest: "Backtest", ax: "Axes | None" = None) -> "Axes":
    """Draw what came, and the past forecasts of the best model over it.

    Raises:
        ImportError: There is no matplotlib.
    """
    axes, series = _axes(ax), backtest.series
    tested = sum(len(window.timestamps) for window in backtest.windows)
    _history(axes, series, max(2 * tested, SHOWN_POINTS))
    for number, window in enumerate(backtest.windows):
        times, band = _times(series, window.timestamps), window.forecasts[backtest.best_model]
        label = backtest.best_model if number == 0 else None
        axes.fill_between(
            times, band.lower_bound, band.upper_bound, color=MEDIAN, alpha=0.2, linewidth=0
        )
        axes.plot(times, band.median, color=MEDIAN, marker=_marker(times), label=label)
    return _finished(axes, series)


def _axes(ax: "Axes | None") -> "Axes":
    """Return ``ax``, or those of a new figure."""
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError("plots need matplotlib: pip install matplotlib") from None
    return pyplot.subplots(figsize=(9, 4.5), layout="constrained")[1]


def _times(series: "Prepared", timestamps: Sequence[str]) -> Any:
    """Timestamps as matplotlib draws them: the wall clock of the data's time zone."""
    index: Any = series.index(timestamps)
    if series.labels.period is not None:
        index = index.to_timestamp()
    return index.tz_localize(None)


def _history(axes: "Axes", series: "Prepared", shown: int = 0) -> None:
    times = _times(series, series.timestamps[-shown:])
    axes.plot(times, series.values[-shown:], color=HISTORY, linewidth=1.2, label="history")


def _marker(times: Sequence[Any]) -> str | None:
    """A line of one point would not be seen."""
    return "o" if len(times) == 1 else None


def _finished(axes: "Axes", series: "Prepared") -> "Axes":
    if series.name:
        axes.set_ylabel(series.name)
    axes.legend(frameon=False)
    return axes
