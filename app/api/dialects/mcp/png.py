"""A small raster with a palette, written as PNG (RFC 2083) by zlib: no library draws for it."""

import struct
import zlib

import numpy as np

from app.timeseries.types import FloatArray

SIGNATURE = b"\x89PNG\r\n\x1a\n"
# Glyphs of 3 x 5 pixels, row by row from the top, in octal: a digit for each row.
GLYPHS = {
    "0": 0o75557,
    "1": 0o26227,
    "2": 0o71747,
    "3": 0o71717,
    "4": 0o55711,
    "5": 0o74717,
    "6": 0o74757,
    "7": 0o71111,
    "8": 0o75757,
    "9": 0o75717,
    "-": 0o00700,
    ".": 0o00002,
    ",": 0o00024,
    ":": 0o02020,
    "+": 0o02720,
    "e": 0o07747,
}
GLYPH_HEIGHT, GLYPH_STEP = 5, 4
SCALE = 2


class Raster:
    """Pixels of a palette, row by row from the top; 0 is the background."""

    def __init__(self, width: int, height: int, palette: list[tuple[int, int, int]]) -> None:
        self.pixels = np.zeros((height, width), dtype=np.uint8)
        self.palette = palette

    def fill_between(self, x: FloatArray, low: FloatArray, high: FloatArray, colour: int) -> None:
        """Fill the area between two lines over ``x``, ascending; all have shape (n,)."""
        columns = np.arange(max(0, int(x[0])), min(self.pixels.shape[1], int(x[-1]) + 1))
        top, bottom = np.interp(columns, x, high), np.interp(columns, x, low)
        rows = np.arange(self.pixels.shape[0])[:, None]
        inside = (rows >= np.round(top)) & (rows <= np.round(bottom))
        self.pixels[:, columns] = np.where(inside, colour, self.pixels[:, columns])

    def line(self, x: FloatArray, y: FloatArray, colour: int) -> None:
        """Draw a line of two pixels through the points (x, y)."""
        along = np.concatenate([[0], np.maximum(abs(np.diff(x)), abs(np.diff(y))).cumsum()])
        dense = np.arange(0, along[-1] + 1, 0.5)
        across, down = np.interp(dense, along, x), np.interp(dense, along, y)
        for column, row in ((0, 0), (0, 1), (1, 0)):
            self._set(across + column, down + row, colour)

    def squares(self, x: FloatArray, y: FloatArray, colour: int) -> None:
        """Draw a square of seven pixels at each point (x, y)."""
        for column in range(-3, 4):
            for row in range(-3, 4):
                self._set(x + column, y + row, colour)

    def write(self, text: str, x: int, y: int, colour: int) -> None:
        """Write digits and their signs; other characters are blank."""
        for index, character in enumerate(text):
            bits = f"{GLYPHS.get(character, 0):015b}"
            cells = np.array([*bits], dtype=np.uint8).reshape(GLYPH_HEIGHT, 3)
            for row, column in np.argwhere(cells.repeat(SCALE, 0).repeat(SCALE, 1)):
                left = x + index * GLYPH_STEP * SCALE + column
                self._set(np.array([left]), np.array([y + row]), colour)

    def _set(self, x: FloatArray, y: FloatArray, colour: int) -> None:
        height, width = self.pixels.shape
        columns, rows = np.round(x).astype(int), np.round(y).astype(int)
        inside = (columns >= 0) & (columns < width) & (rows >= 0) & (rows < height)
        self.pixels[rows[inside], columns[inside]] = colour

    def encode(self) -> bytes:
        height, width = self.pixels.shape
        rows = np.hstack([np.zeros((height, 1), dtype=np.uint8), self.pixels])  # filter 0 of a row
        parts = (
            (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
            (b"PLTE", bytes(value for colour in self.palette for value in colour)),
            (b"IDAT", zlib.compress(rows.tobytes(), 6)),
            (b"IEND", b""),
        )
        return SIGNATURE + b"".join(_chunk(kind, data) for kind, data in parts)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
