"""The pictures of ``docs/developing/anomaly-detection.md``, drawn from a run's own figures."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from app.anomalies.detect import detect
from app.timeseries.types import FloatArray, History
from benchmarks.anomalies.clean_series import KINDS, make_clean
from benchmarks.anomalies.methods import RATE, RATES
from benchmarks.anomalies.power import Outcome
from benchmarks.svg import COLOURS, Chart, Point, picture

IMAGES = Path(__file__).parents[2] / "docs" / "images"
BAND, LINE, SYNTHETIC_COLOUR = "#d6e6f7", "#333", "#b8b8b8"
# The share drawn for no flags, as the scale is logarithmic.
_LEAST = 1e-4
_EXAMPLE_LENGTH, _EXAMPLE_SEED = 840, 11


def write(name: str, text: str) -> None:
    """Write a picture to docs/images."""
    (IMAGES / name).write_text(text, encoding="utf-8")


def draw_false_alarms(measured: Mapping[str, Mapping[str, Mapping[str, float]]]) -> str:
    """Share asked against share flagged, a chart a method, a line a kind of series.

    ``measured`` is flags per 1,000 points by method, setting (one for each of ``RATES``) and kind.
    """
    charts = []
    ticks = [(float(np.log10(rate)), f"{100 * rate:g} %") for rate in RATES]
    for turn, (name, settings) in enumerate(measured.items()):
        chart = Chart(name, (-3.3, -1.0), (-4.0, -1.0), left=400 * turn, width=400, height=320)
        chart.axes(ticks, [(-4, "none"), *ticks], ("rate asked", "flagged of clean series"))
        chart.line([(-3.3, -3.3), (-1.0, -1.0)], "#bbb", "4 3")
        kinds = next(iter(settings.values()))
        real = [kind for kind in kinds if kind not in KINDS]
        for kind in kinds:
            shares = [max(rates[kind] / 1_000, _LEAST) for rates in settings.values()]
            points = list(zip(np.log10(RATES).tolist(), np.log10(shares).tolist(), strict=True))
            colour = COLOURS[real.index(kind)] if kind in real else SYNTHETIC_COLOUR
            chart.line(points, colour)
        words = [*zip(real, COLOURS, strict=False), ("synthetic kinds", SYNTHETIC_COLOUR)]
        for line, (kind, colour) in enumerate(words):
            chart.dot((-2.0, -3.05 - 0.2 * line), colour)
            chart.text((-1.93, -3.1 - 0.2 * line), kind)
        charts.append(chart)
    return picture(charts, 400 * len(charts), 320)


def draw_power(outcomes: Mapping[str, Sequence[Outcome]]) -> str:
    """Share found against size, a row a method: spikes on the left, shifts on the right."""
    charts = []
    for row, (name, own) in enumerate(outcomes.items()):
        for column, what in enumerate(("spike", "shift")):
            chart = Chart(
                f"{name}: {what}s at {100 * RATE:g} %",
                (0, 8),
                (0, 100),
                left=400 * column,
                top=280 * row,
                width=400,
                height=280,
            )
            ticks = [(float(size), str(size)) for size in (1, 2, 3, 4, 5, 6, 8)]
            percents = [(float(share), str(share)) for share in (0, 25, 50, 75, 100)]
            chart.axes(ticks, percents, ("size in sigma", "found, %"))
            groups = list(dict.fromkeys(event.group for event in own))
            for group, colour in zip(groups, (*COLOURS, "#000000"), strict=False):
                chart.line(_curve(own, what, group), colour)
            charts.append(chart)
            if row == column == 0:
                for line, (group, colour) in enumerate(
                    zip(groups, (*COLOURS, "#000000"), strict=False)
                ):
                    chart.dot((0.2, 95 - 8 * line), colour)
                    chart.text((0.4, 93 - 8 * line), group)
    return picture(charts, 800, 280 * len(outcomes))


def _curve(outcomes: Sequence[Outcome], what: str, group: str) -> list[Point]:
    points = []
    for name in dict.fromkeys(outcome.name for outcome in outcomes):
        if name.startswith(what):
            own = [
                outcome.is_found
                for outcome in outcomes
                if (outcome.group, outcome.name) == (group, name)
            ]
            points.append((float(name.split()[1]), 100 * float(np.mean(own))))
    return points


def example() -> History:
    """Hours with two spikes, a dip of ten points, a stuck sensor and a new level."""
    history = make_clean("day and week", _EXAMPLE_SEED, _EXAMPLE_LENGTH)
    values = history.values
    values[120] += 8
    values[126] -= 6
    values[210:220] -= 6
    values[300:324] = values[300]
    values[430:] += 5
    return history


def draw_example() -> str:
    """The example with its band, the points flagged, its events and its change points."""
    history = example()
    values, detection = history.values, detect(history, RATE)
    low, high = float(values.min()) - 2, float(values.max()) + 4
    chart = Chart("", (0, len(values)), (low, high), width=900, height=340)
    _band(chart, detection.lower, detection.upper)
    for turn, event in enumerate(detection.events):
        x = float(event.start)
        chart.line([(x, low), (x, high - 1.5)], COLOURS[1], "2 3")
        # Staggered, as neighbours' words would run into each other.
        chart.text((x, high - 1 - turn % 2), str(event.kind).replace("_", " "), "middle")
    for change in detection.change_points:
        chart.line([(0, change.before), (change.index, change.before)], COLOURS[2], "6 4")
        chart.line([(change.index, change.after), (len(values), change.after)], COLOURS[2], "6 4")
    chart.line(list(enumerate(values.tolist())), LINE)
    for index in np.flatnonzero(detection.is_anomaly).tolist():
        chart.dot((index, float(values[index])), COLOURS[5])
    days = [(float(day), f"day {day // 24}") for day in range(0, len(values), 120)]
    chart.axes(days, [(low, f"{low:.0f}"), (high, f"{high:.0f}")])
    return picture([chart], 900, 340)


def _band(chart: Chart, lower: FloatArray, upper: FloatArray) -> None:
    above = list(enumerate(upper.tolist()))
    chart.band([*enumerate(lower.tolist()), *above[::-1]], BAND)
