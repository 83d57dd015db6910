"""Draw the README's picture: the airline passengers and the forecast of their next year.

``python docs/plot_forecast.py`` writes docs/images/airline-forecast.svg, by the engine itself.
"""

import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
import orjson

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from app.forecasting.forecast import forecast  # noqa: E402
from app.timeseries.calendar.fit import fit_calendar  # noqa: E402
from app.timeseries.calendar.frequency import Frequency  # noqa: E402
from app.timeseries.calendar.timestamps import parse_timestamps  # noqa: E402
from app.timeseries.series import Series  # noqa: E402

WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 820, 340, 50, 34, 34
SHOWN = 60
Point = tuple[float, float]


def main() -> None:
    """Forecast the shipped example and write the picture."""
    order = orjson.loads((ROOT / "docs/examples/airline-passengers.json").read_bytes())
    column, horizon = order["series"][0], order["forecast_horizon"]
    timestamps = parse_timestamps(column["timestamps"])
    frequency = Frequency(order["data_frequency"])
    values = np.asarray(column["values"], dtype=float)
    series = Series(values, fit_calendar(timestamps.times, frequency), timestamps.suffix)
    forecasts = {
        level: forecast(series, horizon, level, "forecast-model-1") for level in (0.8, 0.95)
    }
    picture = draw(column["timestamps"][-SHOWN:], values[-SHOWN:], forecasts)
    (ROOT / "docs/images/airline-forecast.svg").write_text(picture)


def draw(timestamps: Sequence[str], history: np.ndarray, forecasts: dict) -> str:
    """Return the picture as SVG."""
    widest = forecasts[0.95]
    labels = [*timestamps, *widest.timestamps]
    top = float(max(history.max(), widest.upper.max())) * 1.05
    step = (WIDTH - LEFT - 10) / (len(labels) - 1)

    def place(start: int, numbers: Iterable[float]) -> list[Point]:
        height = HEIGHT - BOTTOM - TOP
        return [
            (LEFT + (start + index) * step, HEIGHT - BOTTOM - height * float(number) / top)
            for index, number in enumerate(numbers)
        ]

    first = len(history)
    parts = [*axes(labels, place, top)]
    for level, colour in ((0.95, "#cfe3f7"), (0.8, "#9cc5ec")):
        band = forecasts[level]
        outline = place(first, band.lower) + place(first, band.upper)[::-1]
        parts.append(f'<polygon points="{path(outline)}" fill="{colour}"/>')
    last = place(first - 1, history[-1:])
    parts += [
        line(place(0, history), "#222222"),
        line(last + place(first, widest.median), "#0b62b8"),
        '<text x="60" y="20">Airline passengers (thousands a month): history, median, '
        "80 % and 95 % intervals</text>",
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        'font-family="sans-serif" font-size="13"><title>Airline passengers and their forecast'
        '</title><rect width="100%" height="100%" fill="white"/>' + "".join(parts) + "</svg>\n"
    )


def axes(labels: Sequence[str], place: Callable[..., list[Point]], top: float) -> list[str]:
    """Return grid lines with their numbers, and a year at each January."""
    parts = []
    for number in range(0, int(top), 100):
        ((_x, y),) = place(0, [number])
        parts.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH - 10}" stroke="#e4e4e4"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{number}</text>')
    for index, label in enumerate(labels):
        if label[5:7] == "01":
            ((x, _y),) = place(index, [0])
            parts.append(f'<text x="{x:.1f}" y="{HEIGHT - 10}">{label[:4]}</text>')
    return parts


def line(points: Sequence[Point], colour: str) -> str:
    """Return a line through ``points``."""
    return (
        f'<polyline points="{path(points)}" fill="none" stroke="{colour}" stroke-width="1.8" '
        'stroke-linejoin="round"/>'
    )


def path(points: Iterable[Point]) -> str:
    """Return ``points`` as SVG writes them."""
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


if __name__ == "__main__":
    main()
