"""Draw the pictures of ``docs/developing/accuracy.md``.

``python -m benchmarks.accuracy --save results.json``, then ``python -m benchmarks.plots
results.json``, which writes calibration, accuracy against time, and six real series with their
forecasts to docs/images.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from app.forecasting.forecast import fit
from app.forecasting.models.recipes import MODELS
from app.timeseries.calendar.frequency import Frequency
from benchmarks.accuracy import Row
from benchmarks.other_forecasters import LEVELS
from benchmarks.series import DevelopmentSeries, load_series

IMAGES = Path(__file__).parents[1] / "docs" / "images"
# One series of each frequency, neither the easiest nor the hardest of its group, and its model.
EXAMPLES = (
    ("M3", Frequency.YEARLY, 100, "forecast-model-1"),
    ("M3", Frequency.QUARTERLY, 120, "forecast-model-1"),
    ("M3", Frequency.MONTHLY, 300, "forecast-model-1"),
    ("M4", Frequency.WEEKLY, 40, "forecast-model-1"),
    ("NN5", Frequency.DAILY, 10, "forecast-model-3"),
    ("M4", Frequency.HOURS, 30, "forecast-model-3"),
)
SHOWN_HORIZONS = 4
NAIVE = "seasonal naive"
METHODS = (*MODELS, NAIVE, "statsforecast AutoETS")
PERCENTS = [100 * level for level in LEVELS]


def draw_grid(rows: int, columns: int, width: float, height: float) -> tuple[Figure, list[Axes]]:
    """Return a figure and its axes, each of ``width`` by ``height`` inches."""
    size = (width * columns, height * rows)
    figure, grid = plt.subplots(rows, columns, figsize=size, squeeze=False, layout="constrained")
    return figure, list(grid.flat)


def draw_calibration(rows: Sequence[Row]) -> Figure:
    """Draw coverage against confidence, pooled by frequency, a line for each model."""
    frequencies = list(dict.fromkeys(row.frequency for row in rows))
    figure, grid = draw_grid(-(-len(frequencies) // 3), 3, 3.4, 3.1)
    for axes, frequency in zip(grid, frequencies, strict=False):
        axes.set(title=frequency, xlabel="confidence, %", ylabel="coverage, %")
        axes.set(xticks=PERCENTS, yticks=PERCENTS)
        axes.plot([40, 100], [40, 100], "--", color="0.75")
        for model in MODELS:
            chosen = [row for row in rows if row.frequency == frequency and row.method == model]
            if chosen:
                counts = [row.count for row in chosen]
                pooled = np.average([row.coverages for row in chosen], axis=0, weights=counts)
                axes.plot(PERCENTS, pooled, "o-", label=model)
        axes.legend(fontsize="small")
    return figure


def draw_accuracy_against_time(rows: Sequence[Row]) -> Figure:
    """Draw MASE over seasonal naive's against seconds, the mean of all series, by method."""
    naive = {(row.source, row.frequency): row.mase for row in rows if row.method == NAIVE}
    figure, [axes] = draw_grid(1, 1, 7, 4)
    for method in METHODS:
        chosen = [row for row in rows if row.method == method]
        if chosen and method != NAIVE:
            counts = [row.count for row in chosen]
            ratios = [row.mase / naive[row.source, row.frequency] for row in chosen]
            seconds = np.average([row.seconds for row in chosen], weights=counts)
            axes.semilogx(seconds, np.average(ratios, weights=counts), "o", label=method)
    axes.set(title="Error against time, mean of all development series")
    axes.set(xlabel="seconds a request", ylabel="MASE over seasonal naive's")
    axes.legend()
    return figure


def _draw_example(axes: Axes, series: DevelopmentSeries, model_id: str) -> None:
    horizon = len(series.actual)
    known = series.history.values[-SHOWN_HORIZONS * horizon :]
    fitted = fit(series.history, horizon, model_id)
    steps = np.arange(len(known), len(known) + horizon)
    for level, opacity in ((0.95, 0.2), (0.8, 0.3)):
        axes.fill_between(steps, *fitted.interval(level), color="tab:blue", alpha=opacity)
    axes.plot(known, color="0.2")
    axes.plot(steps, fitted.median, color="tab:blue")
    axes.plot(steps, series.actual, "--", color="tab:orange")
    axes.set(title=f"{series.history.frequency}: {series.source} {series.name}, {model_id}")


def draw_examples() -> Figure:
    """Draw six real series: history, median, 80 and 95 % bands, and what came next (dashed)."""
    figure, grid = draw_grid(3, 2, 5, 3)
    for axes, (source, frequency, index, model_id) in zip(grid, EXAMPLES, strict=True):
        group = [series for series in load_series() if series.group == (source, frequency)]
        _draw_example(axes, group[index], model_id)
    return figure


def save(figure: Figure, name: str) -> None:
    """Write a picture to docs/images."""
    figure.savefig(IMAGES / name)
    plt.close(figure)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path, help="what benchmarks.accuracy --save wrote")
    records = json.loads(parser.parse_args().results.read_text(encoding="utf-8"))
    rows = [Row(**record) for record in records]
    save(draw_calibration(rows), "calibration.svg")
    save(draw_accuracy_against_time(rows), "accuracy-against-time.svg")
    save(draw_examples(), "six-series.svg")


if __name__ == "__main__":
    main()
