"""Draw the chart of a series with a band, as PNG: for clients that show pictures."""

import struct
import zlib
from dataclasses import dataclass

import numpy as np

from app.core.text import exact_timestamp, short_number, spread_digits
from app.timeseries.types import BoolArray, FloatArray

WIDTH, HEIGHT = 720, 360
_LEFT, _RIGHT, _TOP, _BOTTOM = 90, 12, 12, 28
_MAX_POINTS = 600  # only the newest are drawn: about one for each pixel
PALETTE = [
    (255, 255, 255),  # background
    (214, 228, 245),  # band
    (150, 150, 150),  # axes and words
    (31, 90, 160),  # expected or forecast
    (40, 40, 40),  # values
    (200, 30, 30),  # flagged
]
_BAND, _AXES, _MIDDLE, _VALUES, _FLAGGED = range(1, len(PALETTE))
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
# Glyphs of 3 x 5 pixels: an octal digit for each row, from the top.
_GLYPHS = dict(
    zip(
        "0123456789-.,:+e",
        (
            0o75557, 0o26227, 0o71747, 0o71717, 0o55711, 0o74717, 0o74757, 0o71111,
            0o75757, 0o75717, 0o00700, 0o00002, 0o00024, 0o02020, 0o02720, 0o07747,
        ),
        strict=True,
    )
)  # fmt: skip
_GLYPH_HEIGHT, _GLYPH_STEP = 5, 4
_GLYPH_SCALE = 2
_CHARACTER_WIDTH = _GLYPH_STEP * _GLYPH_SCALE
_LABEL_GAP = 10  # right of a label
_MAX_LABEL_LENGTH = (_LEFT - _LABEL_GAP) // _CHARACTER_WIDTH  # unless more digits are needed
_MAX_DIGITS = 6  # significant, unless more are needed
_MAX_TIME_LENGTH = 35  # characters: nine decimals and an offset


class Raster:
    """Pixels as indices of ``PALETTE``, row by row from the top."""

    def __init__(self, width: int, height: int) -> None:
        self.pixels = np.zeros((height, width), dtype=np.uint8)

    def fill_between(self, x: FloatArray, low: FloatArray, high: FloatArray, colour: int) -> None:
        """Fill the area between two lines over ``x``, ascending; all have shape (n,)."""
        columns = np.arange(max(0, int(x[0])), min(self.pixels.shape[1], int(x[-1]) + 1))
        top, bottom = np.interp(columns, x, high), np.interp(columns, x, low)
        rows = np.arange(self.pixels.shape[0])[:, None]
        inside = (rows >= np.round(top)) & (rows <= np.round(bottom))
        self.pixels[:, columns] = np.where(inside, colour, self.pixels[:, columns])

    def draw_line(self, x: FloatArray, y: FloatArray, colour: int) -> None:
        """Draw a line through the points (x, y), two pixels wide."""
        along = np.concatenate([[0], np.maximum(abs(np.diff(x)), abs(np.diff(y))).cumsum()])
        dense = np.arange(0, along[-1] + 1, 0.5)
        across, down = np.interp(dense, along, x), np.interp(dense, along, y)
        for column, row in ((0, 0), (0, 1), (1, 0)):
            self._set_pixels(across + column, down + row, colour)

    def draw_squares(self, x: FloatArray, y: FloatArray, colour: int) -> None:
        """Draw a square at each point (x, y), seven pixels wide."""
        for column in range(-3, 4):
            for row in range(-3, 4):
                self._set_pixels(x + column, y + row, colour)

    def draw_text(self, text: str, x: int, y: int, colour: int) -> None:
        """Draw digits and their signs; other characters are blank."""
        for index, character in enumerate(text):
            bits = f"{_GLYPHS.get(character, 0):015b}"
            cells = np.array([*bits], dtype=np.uint8).reshape(_GLYPH_HEIGHT, 3)
            for row, column in np.argwhere(cells.repeat(_GLYPH_SCALE, 0).repeat(_GLYPH_SCALE, 1)):
                left = x + index * _GLYPH_STEP * _GLYPH_SCALE + column
                self._set_pixels(np.array([left]), np.array([y + row]), colour)

    def _set_pixels(self, x: FloatArray, y: FloatArray, colour: int) -> None:
        height, width = self.pixels.shape
        columns, rows = np.round(x).astype(int), np.round(y).astype(int)
        inside = (columns >= 0) & (columns < width) & (rows >= 0) & (rows < height)
        self.pixels[rows[inside], columns[inside]] = colour

    def encode_png(self) -> bytes:
        """Return the pixels as a PNG file (RFC 2083)."""
        height, width = self.pixels.shape
        rows = np.hstack([np.zeros((height, 1), dtype=np.uint8), self.pixels])  # filter 0 of a row
        parts = (
            (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
            (b"PLTE", bytes(value for colour in PALETTE for value in colour)),
            (b"IDAT", zlib.compress(rows.tobytes(), 6)),
            (b"IEND", b""),
        )
        return _SIGNATURE + b"".join(_png_chunk(kind, data) for kind, data in parts)


def _png_chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


@dataclass(frozen=True)
class BandChart:
    """A series with its band, oldest first; arrays have shape (n,), NaN where nothing is drawn.

    ``has_days``: its steps are days or longer.
    """

    timestamps: list[str]
    values: FloatArray
    middle: FloatArray
    lower: FloatArray
    upper: FloatArray
    is_flagged: BoolArray
    has_days: bool = False


def draw_chart(chart: BandChart) -> bytes:
    """Return the chart of the newest ``_MAX_POINTS`` points as a PNG file."""
    newest = slice(-_MAX_POINTS, None)
    columns = [column[newest] for column in (chart.values, chart.middle, chart.lower, chart.upper)]
    raster = Raster(WIDTH, HEIGHT)
    low, high = _value_range(np.concatenate(columns))
    labels = value_labels(low, high)
    left = max(_LEFT, _LABEL_GAP + max(map(len, labels)) * _CHARACTER_WIDTH)
    x = np.linspace(left, WIDTH - _RIGHT - 4, max(2, len(columns[0])))[: len(columns[0])]
    span = HEIGHT - _TOP - _BOTTOM

    values, middle, lower, upper = (
        _TOP + span * (high - column) / (high - low) for column in columns
    )
    for part in _known_runs(np.isfinite(lower) & np.isfinite(upper)):
        raster.fill_between(x[part], lower[part], upper[part], _BAND)
    axes_x = np.array([left - 4.0, left - 4.0, WIDTH - _RIGHT])
    axes_y = np.array([_TOP, HEIGHT - _BOTTOM + 2.0, HEIGHT - _BOTTOM + 2.0])
    raster.draw_line(axes_x, axes_y, _AXES)
    for line, colour in ((middle, _MIDDLE), (values, _VALUES)):
        for part in _known_runs(np.isfinite(line)):
            raster.draw_line(x[part], line[part], colour)
    is_flagged = chart.is_flagged[newest]
    raster.draw_squares(x[is_flagged], values[is_flagged], _FLAGGED)
    for text, row in zip(labels, (HEIGHT - _BOTTOM - 8, _TOP), strict=True):
        raster.draw_text(text, left - _LABEL_GAP - len(text) * _CHARACTER_WIDTH, row, _AXES)
    _draw_times(raster, chart.timestamps[newest], chart.has_days, left)
    return raster.encode_png()


def _value_range(numbers: FloatArray) -> tuple[float, float]:
    """Return the minimum and the maximum, widened if they are equal."""
    finite = numbers[np.isfinite(numbers)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
    margin = 0.0 if high > low else 0.5 * (abs(low) or 1.0)
    return low - margin, high + margin


def _known_runs(is_known: BoolArray) -> list[slice]:
    """Return the runs of two or more known points."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], is_known.astype(np.int8), [0]])))
    pairs = edges.reshape(-1, 2).tolist()
    return [slice(start, end) for start, end in pairs if end - start > 1]


def value_labels(low: float, high: float) -> tuple[str, str]:
    """Return the labels of the axis at ``low`` and at ``high``, which is larger."""
    digits = spread_digits(low, high)
    return _value_label(low, digits), _value_label(high, digits)


def _value_label(number: float, digits: int) -> str:
    text = short_number(number, max(_MAX_DIGITS, digits))
    return text if len(text) <= _MAX_LABEL_LENGTH else f"{number:.{max(3, digits)}g}"


def _draw_times(raster: Raster, times: list[str], has_days: bool, left: int) -> None:
    """Draw the first and the last time below the chart."""
    if times:
        first, last = (
            exact_timestamp(time, has_days)[:_MAX_TIME_LENGTH] for time in (times[0], times[-1])
        )
        y = HEIGHT - _BOTTOM + 10
        raster.draw_text(first, left, y, _AXES)
        raster.draw_text(last, WIDTH - _RIGHT - len(last) * _CHARACTER_WIDTH, y, _AXES)
