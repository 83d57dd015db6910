"""Plots show the history and the results; without matplotlib they say what to install."""

import sys
from collections.abc import Iterator

import pandas as pd
import pytest

from forecast_client import Backtest, Detection, Forecast, Many, Prepared, prepare
from forecast_client.records import Band, ChangePoint, ModelScore, Window

INDEX = pd.date_range("2024-01-01", periods=40, freq="D", tz="Europe/Berlin")
FORECAST_TIMES = ["2024-02-10T00:00:00+01:00", "2024-02-11T00:00:00+01:00"]


@pytest.fixture(autouse=True)
def closed_figures() -> Iterator[None]:
    from matplotlib import pyplot  # not while tests are collected: half a second

    pyplot.switch_backend("Agg")
    yield
    pyplot.close("all")


@pytest.fixture
def series() -> Prepared:
    return prepare(pd.Series(range(40), index=INDEX, name="sales"))


def forecast_of(series: Prepared, points: int = 2) -> Forecast:
    return Forecast(
        timestamps=FORECAST_TIMES[:points],
        median=[40.0, 41.0][:points],
        lower_bound=[39.0, 39.0][:points],
        upper_bound=[41.0, 43.0][:points],
        model_id="forecast-model-2",
        series=series,
    )


def labels_of(axes: object) -> list[str]:
    return [text.get_text() for text in axes.get_legend().get_texts()]  # type: ignore[attr-defined]


def test_a_forecast_continues_its_history(series: Prepared) -> None:
    axes = forecast_of(series).plot()
    history, median = axes.lines[:2]
    assert list(history.get_ydata()) == list(range(40))
    assert list(median.get_ydata()) == [40, 41]
    days = pd.DatetimeIndex([*history.get_xdata(), *median.get_xdata()])
    assert list(days) == list(pd.date_range("2024-01-01", periods=42, freq="D"))
    band = axes.collections[0].get_paths()[0].vertices[:, 1]
    assert (band.min(), band.max()) == (39, 43)
    assert labels_of(axes) == ["history", "interval", "forecast-model-2"]
    assert axes.get_ylabel() == "sales"


def test_a_forecast_of_one_point_has_a_marker(series: Prepared) -> None:
    assert forecast_of(series, 1).plot().lines[1].get_marker() == "o"


def test_a_plot_is_drawn_on_the_axes_that_are_given(series: Prepared) -> None:
    from matplotlib import pyplot

    _, axes = pyplot.subplots()
    assert forecast_of(series).plot(axes) is axes
    assert len(pyplot.get_fignums()) == 1


def test_a_detection_marks_what_is_flagged(series: Prepared) -> None:
    count = len(series.values)
    detection = Detection(
        timestamps=list(series.timestamps),
        is_anomaly=[index in (3, 7) for index in range(count)],
        expected=[0.0] * count,
        lower_bound=[-1.0] * count,
        upper_bound=[1.0] * count,
        p_value=[0.5] * count,
        severity=[0.0] * count,
        events=(),
        change_points=(ChangePoint(series.timestamps[20], 0.0, 1.0, 0.01),),
        periods=[7],
        series=series,
    )
    axes = detection.plot()
    assert list(axes.lines[1].get_ydata()) == [3, 7]
    assert labels_of(axes) == ["history", "expected", "anomaly"]
    assert len(axes.lines) == 3


def test_a_backtest_draws_the_best_model_in_each_window(series: Prepared) -> None:
    def window(start: int) -> Window:
        times = list(series.timestamps[start : start + 5])
        band = Band([1.0 * start] * 5, [0.0] * 5, [50.0] * 5)
        worse = Band([-99.0] * 5, [-99.0] * 5, [-99.0] * 5)
        forecasts = {"forecast-model-3": band, "forecast-model-1": worse}
        return Window(series.timestamps[start - 1], False, times, [0.0] * 5, forecasts)

    score = ModelScore("forecast-model-3", 1, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.1)
    backtest = Backtest(
        models=(score,),
        best_model="forecast-model-3",
        windows=(window(30), window(35)),
        series=series,
    )
    axes = backtest.plot()
    assert [line.get_ydata()[0] for line in axes.lines[1:]] == [30, 35]
    assert labels_of(axes) == ["history", "forecast-model-3"]


def test_without_matplotlib_the_error_says_what_to_install(
    series: Prepared, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match="plots need matplotlib: pip install matplotlib"):
        forecast_of(series).plot()


def test_many_results_are_drawn_beside_each_other(series: Prepared) -> None:
    many = Many({name: forecast_of(series) for name in ("a", "b", "c", "d")}, {})
    figure = many.plot()
    shown = [axes for axes in figure.axes if axes.get_visible()]
    assert [axes.get_title() for axes in shown] == ["a", "b", "c", "d"]
    assert [axes.get_legend() is not None for axes in shown] == [True, False, False, False]
    assert len(many.plot(2).axes) == 3
