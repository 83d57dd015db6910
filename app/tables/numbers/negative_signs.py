"""Read ▲ before numbers as a minus, as in Japan and Korea; elsewhere it means a rise."""

import re
from dataclasses import replace

import numpy as np

from app.tables.reading import Reading
from app.tables.table import Table

_SIGN = "▲"
_OPPOSITE = "▼"  # where both are used they are arrows
_NEGATIVE = re.compile(rf"{_SIGN}(?=\s?[\d.])")
_EAST_ASIAN = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")  # kana, Han, Hangul


def read_triangles(table: Table, reading: Reading) -> Table:
    """Return the table with a minus for ▲ before numbers, and report that.

    It has to be written in Japanese, Chinese or Korean.
    """
    cells = table.cells.to_numpy()
    text = "".join(cells.ravel())
    if _SIGN not in text or _OPPOSITE in text or not _EAST_ASIAN.search(text):
        return table
    reading.add_remark("negative_sign", f"{_SIGN} before numbers is read as minus.")
    plain = np.frompyfunc(lambda cell: _NEGATIVE.sub("-", cell) if _SIGN in cell else cell, 1, 1)
    changed = table.cells.copy()
    changed[:] = plain(cells)
    return replace(table, cells=changed)
