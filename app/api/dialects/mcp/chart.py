"""The chart of a series with a band, as PNG: for clients that show pictures."""

from dataclasses import dataclass

import numpy as np

from app.api.dialects.mcp.figures import figures_of
from app.api.dialects.mcp.png import GLYPH_STEP, SCALE, Raster
from app.api.dialects.mcp.sentences import short_time
from app.timeseries.types import BoolArray, FloatArray

WIDTH, HEIGHT = 720, 360
LEFT, RIGHT, TOP, BOTTOM = 90, 12, 12, 28
MAX_POINTS = 600
"""The newest points that are drawn: more than one for each pixel show nothing."""
PALETTE = [
    (255, 255, 255),  # background
    (214, 228, 245),  # band
    (150, 150, 150),  # axes and words
    (31, 90, 160),  # expected or forecast
    (40, 40, 40),  # values
    (200, 30, 30),  # flagged
]
BAND, AXES, MIDDLE, VALUES, FLAGGED = range(1, len(PALETTE))


@dataclass(frozen=True)
class ChartData:
    """What is drawn, oldest first; arrays have shape (n,), NaN where there is nothing."""

    timestamps: list[str]
    values: FloatArray
    middle: FloatArray
    lower: FloatArray
    upper: FloatArray
    flagged: BoolArray


def draw_chart(whole: ChartData) -> bytes:
    """Return the chart of the newest ``MAX_POINTS`` points as a PNG file."""
    cut = slice(-MAX_POINTS, None)
    columns = [column[cut] for column in (whole.values, whole.middle, whole.lower, whole.upper)]
    raster = Raster(WIDTH, HEIGHT, PALETTE)
    low, high = _range(np.concatenate(columns))
    x = np.linspace(LEFT, WIDTH - RIGHT - 4, max(2, len(columns[0])))[: len(columns[0])]
    span = HEIGHT - TOP - BOTTOM

    values, middle, lower, upper = (
        TOP + span * (high - column) / (high - low) for column in columns
    )
    for part in _parts(np.isfinite(lower) & np.isfinite(upper)):
        raster.fill_between(x[part], lower[part], upper[part], BAND)
    edge = np.array([LEFT - 4.0, LEFT - 4.0, WIDTH - RIGHT])
    raster.line(edge, np.array([TOP, HEIGHT - BOTTOM + 2.0, HEIGHT - BOTTOM + 2.0]), AXES)
    for line, colour in ((middle, MIDDLE), (values, VALUES)):
        for part in _parts(np.isfinite(line)):
            raster.line(x[part], line[part], colour)
    flagged = whole.flagged[cut]
    raster.squares(x[flagged], values[flagged], FLAGGED)
    _label(raster, whole.timestamps[cut], columns[0], low, high)
    return raster.encode()


def _range(numbers: FloatArray) -> tuple[float, float]:
    """Return the least and the greatest number, apart from each other."""
    known = numbers[np.isfinite(numbers)]
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
    margin = 0.0 if high > low else 0.5 * (abs(low) or 1.0)
    return low - margin, high + margin


def _parts(known: BoolArray) -> list[slice]:
    """Return where two or more neighbours are known."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], known.astype(np.int8), [0]])))
    pairs = edges.reshape(-1, 2).tolist()
    return [slice(start, end) for start, end in pairs if end - start > 1]


def _label(raster: Raster, times: list[str], values: FloatArray, low: float, high: float) -> None:
    """Write the range of the values on the left, the first and the last time below."""
    figures = figures_of(values[np.isfinite(values)])
    for number, y in ((high, TOP), (low, HEIGHT - BOTTOM - 8)):
        text = figures.write(number)[:10]
        raster.write(text, LEFT - 10 - len(text) * GLYPH_STEP * SCALE, y, AXES)
    if times:
        first, last = short_time(times[0])[:19], short_time(times[-1])[:19]
        y = HEIGHT - BOTTOM + 10
        raster.write(first, LEFT, y, AXES)
        raster.write(last, WIDTH - RIGHT - len(last) * GLYPH_STEP * SCALE, y, AXES)
