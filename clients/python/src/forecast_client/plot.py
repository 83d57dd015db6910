"""Draw results with matplotlib."""

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from forecast_client.results import Backtest, Detection, Forecast, SeriesResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from forecast_client.series import PreparedSeries

SHOWN_HORIZONS = 5  # the history that is drawn, in horizons; at least ``SHOWN_POINTS``
SHOWN_POINTS = 60
COLUMNS = 3  # in a figure of many results
HISTORY, MEDIAN, ANOMALY = "0.25", "tab:blue", "tab:red"


def draw(result: "SeriesResult", ax: "Axes | None") -> "Axes":
    """Draw a result with the history of its series, in ``ax`` or a new figure.

    Raises:
        ImportError: matplotlib is not installed.
    """
    axes = _pyplot().subplots(figsize=(9, 4.5), layout="constrained")[1] if ax is None else ax
    if isinstance(result, Forecast):
        _draw_forecast(axes, result)
    elif isinstance(result, Detection):
        _draw_detection(axes, result)
    elif isinstance(result, Backtest):
        _draw_backtest(axes, result)
    if result.series.name:
        axes.set_ylabel(result.series.name)
    axes.legend(frameon=False)
    return axes


def draw_many(results: "Mapping[Hashable, SeriesResult]") -> "Figure":
    """Draw results next to each other in a new figure, three in a row, with their ids as titles.

    Raises:
        ImportError: matplotlib is not installed.
    """
    rows = max(1, -(-len(results) // COLUMNS))
    figure: Figure
    figure, grid = _pyplot().subplots(
        rows, COLUMNS, figsize=(12, 2.6 * rows), layout="constrained", squeeze=False
    )
    cells = iter(grid.flat)
    for name, result in results.items():
        axes = draw(result, next(cells))
        axes.set(title=str(name), ylabel="")
        if axes is not grid.flat[0]:
            axes.legend_ = None
    for unused in cells:
        unused.set_visible(False)
    return figure


def _draw_forecast(axes: "Axes", forecast: Forecast) -> None:
    series = forecast.series
    _draw_history(axes, series, max(SHOWN_HORIZONS * len(forecast.timestamps), SHOWN_POINTS))
    future = _times(series, forecast.timestamps)
    _draw_band(axes, future, forecast, "interval")
    _draw_median(axes, future, forecast.median, forecast.model_id)
    start = _times(series, series.timestamps[-1:])[0]
    axes.axvline(start, color="0.6", linewidth=0.8, linestyle=":")


def _draw_detection(axes: "Axes", detection: Detection) -> None:
    series = detection.series
    _draw_history(axes, series)
    times = _times(series, detection.timestamps)
    values = series.values
    _draw_band(axes, times, detection, "expected")
    marks = zip(times, values[-len(times) :], detection.is_anomaly, strict=True)
    flagged = [(time, value) for time, value, is_anomaly in marks if is_anomaly]
    x, y = [time for time, _ in flagged], [value for _, value in flagged]
    axes.plot(x, y, color=ANOMALY, marker="o", linestyle="none", label="anomaly")
    for moment in _times(series, [change.timestamp for change in detection.change_points]):
        axes.axvline(moment, color=ANOMALY, linewidth=0.8, linestyle="--")


def _draw_backtest(axes: "Axes", backtest: Backtest) -> None:
    series = backtest.series
    tested = sum(len(window.timestamps) for window in backtest.windows)
    _draw_history(axes, series, max(2 * tested, SHOWN_POINTS))
    for number, window in enumerate(backtest.windows):
        times = _times(series, window.timestamps)
        band = window.forecasts[backtest.best_model]
        _draw_band(axes, times, band)
        _draw_median(axes, times, band.median, None if number else backtest.best_model)


def _pyplot() -> Any:
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError("plots need matplotlib: pip install matplotlib") from None
    return pyplot


def _draw_history(axes: "Axes", series: "PreparedSeries", shown: int = 0) -> None:
    times = _times(series, series.timestamps[-shown:])
    axes.plot(times, series.values[-shown:], color=HISTORY, linewidth=1.2, label="history")


def _times(series: "PreparedSeries", timestamps: Sequence[str]) -> Any:
    """Return wall-clock times in the time zone of the data, for matplotlib."""
    index: Any = series.index(timestamps)
    if series.labels.period is not None:
        index = index.to_timestamp()
    return index.tz_localize(None)


def _draw_band(axes: "Axes", times: Any, band: Any, label: str | None = None) -> None:
    bounds = band.lower_bound, band.upper_bound
    axes.fill_between(times, *bounds, color=MEDIAN, alpha=0.2, linewidth=0, label=label)


def _draw_median(axes: "Axes", times: Any, median: Sequence[float], label: str | None) -> None:
    marker = "o" if len(times) == 1 else None  # a line of one point is invisible
    axes.plot(times, median, color=MEDIAN, marker=marker, label=label)
