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

from app.forecasting.forecast import fit
from app.forecasting.models.table import MODELS
from app.timeseries.calendar.frequency import Frequency
from benchmarks.accuracy import Row
from benchmarks.rivals import LEVELS
from benchmarks.series import DevelopmentSeries, load_series
from benchmarks.svg import COLOURS, Chart, Point, picture

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
METHODS = (*MODELS, "seasonal naive", "statsforecast AutoETS")


def draw_calibration(rows: Sequence[Row]) -> str:
    """Coverage against confidence, pooled by frequency, a line for each model."""
    charts = []
    frequencies = list(dict.fromkeys(row.frequency for row in rows))
    for turn, frequency in enumerate(frequencies):
        chart = Chart(
            frequency,
            (40, 100),
            (20, 100),
            left=270 * (turn % 3),
            top=250 * (turn // 3),
            width=270,
            height=250,
        )
        ticks = [(100 * level, f"{100 * level:.0f}") for level in LEVELS]
        chart.axes(ticks, ticks, ("confidence, %", "coverage, %"))
        chart.line([(40, 40), (100, 100)], "#bbb", "4 3")
        for model, colour in zip(MODELS, COLOURS, strict=False):
            own = [row for row in rows if row.frequency == frequency and row.method == model]
            if not own:
                continue
            counts = [row.count for row in own]
            pooled = np.average([row.coverages for row in own], axis=0, weights=counts)
            points = [(100 * level, share) for level, share in zip(LEVELS, pooled, strict=True)]
            chart.line(points, colour)
            for point in points:
                chart.dot(point, colour)
        for line, (model, colour) in enumerate(zip(MODELS, COLOURS, strict=False)):
            chart.dot((68, 42 - 6 * line), colour)
            chart.text((70, 40.5 - 6 * line), model)
        charts.append(chart)
    return picture(charts, 810, 250 * ((len(charts) + 2) // 3))


def draw_accuracy_against_time(rows: Sequence[Row]) -> str:
    """MASE over seasonal naive's against seconds, mean of all series, a dot for each method."""
    naive = {(row.source, row.frequency): row.mase for row in rows if row.method == METHODS[-2]}
    points: dict[str, Point] = {}
    for method in METHODS:
        own = [row for row in rows if row.method == method]
        if own and method != METHODS[-2]:
            counts = [row.count for row in own]
            ratios = [row.mase / naive[row.source, row.frequency] for row in own]
            seconds = np.average([row.seconds for row in own], weights=counts)
            points[method] = (float(np.log10(seconds)), float(np.average(ratios, weights=counts)))
    chart = Chart(
        "Error against time, mean of all development series",
        (-3, 0.5),
        (0.6, 1.0),
        width=620,
        height=360,
    )
    chart.axes(
        [(-3, "1 ms"), (-2, "10 ms"), (-1, "0.1 s"), (0, "1 s")],
        [(tick, f"{tick:.1f}") for tick in (0.6, 0.7, 0.8, 0.9, 1.0)],
        ("seconds a request", "MASE over seasonal naive's"),
    )
    for turn, (method, point) in enumerate(points.items()):
        chart.dot(point, COLOURS[turn])
        # Named apart from the points, as the models are close to each other.
        chart.dot((-0.7, 0.97 - 0.03 * turn), COLOURS[turn])
        chart.text((-0.65, 0.963 - 0.03 * turn), method)
    return picture([chart], 620, 360)


def _example(series: DevelopmentSeries, model_id: str, left: float, top: float) -> Chart:
    horizon = len(series.actual)
    known = series.history.values[-SHOWN_HORIZONS * horizon :]
    fitted = fit(series.history, horizon, model_id)
    bands = {level: fitted.at(level) for level in (0.95, 0.8)}
    widest, first = bands[0.95], len(known)
    everything = np.concatenate([known, series.actual, widest.lower, widest.upper])
    low, high = float(everything.min()), float(everything.max())
    chart = Chart(
        f"{series.history.frequency}: {series.source} {series.name}, {model_id}",
        (0, first + horizon),
        (low, high + 1e-9),
        left=left,
        top=top,
        width=400,
        height=240,
    )
    steps = range(first, first + horizon)
    for level, colour in ((0.95, "#d6e6f7"), (0.8, "#a6c9ec")):
        lower = list(zip(steps, bands[level].lower, strict=True))
        upper = list(zip(steps, bands[level].upper, strict=True))
        chart.band([*lower, *upper[::-1]], colour)
    chart.axes([(first, "origin")], [(low, f"{low:.4g}"), (high, f"{high:.4g}")])
    chart.line(list(enumerate(known)), "#333")
    chart.line(list(zip(steps, widest.median, strict=True)), COLOURS[0])
    chart.line(list(zip(steps, series.actual, strict=True)), COLOURS[1], "3 2")
    return chart


def draw_examples() -> str:
    """Six real series: history, median, 80 and 95 % bands, and what came next (dashed)."""
    charts = []
    for turn, (source, frequency, index, model_id) in enumerate(EXAMPLES):
        group = [series for series in load_series() if series.group == (source, frequency)]
        charts.append(_example(group[index], model_id, 400 * (turn % 2), 240 * (turn // 2)))
    return picture(charts, 800, 720)


def main() -> None:
    """Write the three pictures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path, help="what benchmarks.accuracy --save wrote")
    records = json.loads(parser.parse_args().results.read_text(encoding="utf-8"))
    rows = [Row(**record) for record in records]
    IMAGES.mkdir(parents=True, exist_ok=True)
    pictures = {
        "calibration.svg": draw_calibration(rows),
        "accuracy-against-time.svg": draw_accuracy_against_time(rows),
        "six-series.svg": draw_examples(),
    }
    for name, text in pictures.items():
        (IMAGES / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
