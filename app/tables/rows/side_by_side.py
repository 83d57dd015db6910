"""Join blocks of columns side by side, with the same names, as a long table."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

import pandas as pd

from app.tables.dates.cells import is_written_date
from app.tables.messages import shorten
from app.tables.numbers.parsing import is_numeric
from app.tables.reading import Reading
from app.tables.table import Table, is_mostly

_MAX_ROWS_TRIED = 20
_MIN_BLOCK_COLUMNS = 2  # a column of dates and one of values
_MAX_SHOWN_NAMES = 4


def stack_side_by_side(table: Table, reading: Reading) -> Table:
    """Return the table with its blocks below each other, and report that.

    Several blocks must have the same names and columns of dates. If they share dates, each block is
    a series, named by the cell above it.
    """
    top = table.cells.iloc[:_MAX_ROWS_TRIED].to_numpy().tolist()
    for position, names in enumerate(top):
        starts = _starts_of_blocks(names)
        if not starts:
            continue
        width = max(i for i, name in enumerate(names[starts[0] : starts[1]], 1) if name)
        blocks = [table.cells.iloc[position + 1 :, start : start + width] for start in starts]
        dates = _dates_of(blocks)
        if dates is None:
            continue
        header_row = table.cells.iloc[[position], starts[0] : starts[0] + width]
        stacked = [part.set_axis(range(width), axis=1) for part in (header_row, *blocks)]
        if len({*chain(*dates)}) < sum(len({*part}) for part in dates):
            labels = _labels_above(top[position - 1] if position else [], starts)
            if labels is None and all(part == dates[0] for part in dates):
                continue
            labels = labels or [f"Table {number}" for number in range(1, len(blocks) + 1)]
            for part, label in zip(stacked, ["", *labels], strict=True):
                part.insert(0, -1, label)
        names_of_block = names[starts[0] : starts[0] + width][:_MAX_SHOWN_NAMES]
        header_text = shorten(", ".join(filter(None, names_of_block)))
        blocks_text = f"{len(blocks)} tables side by side, each with {header_text}"
        reading.add_remark("side_by_side", f"{blocks_text}: read one below the other.")
        rows = pd.concat(stacked)
        is_filled = (rows[range(width)] != "").any(axis=1)
        return replace(table, cells=rows[is_filled].set_axis(range(rows.shape[1]), axis=1))
    return table


def _labels_above(cells: Sequence[str], starts: Sequence[int]) -> list[str] | None:
    """Return the label above each block; None if one has none, or has several."""
    ends = [*starts[1:], len(cells)]
    parts = [[*filter(None, cells[a:b])] for a, b in zip(starts, ends, strict=True)]
    labels = [part[0] for part in parts if len(part) == 1]
    return labels if len({*labels}) == len(starts) else None


def _starts_of_blocks(names: Sequence[str]) -> list[int]:
    """Return where each block of the same names begins, [] if there are not several."""
    first = next((i for i, name in enumerate(names) if name), len(names))
    starts = [i for i, name in enumerate(names) if name == names[first]] if names[first:] else []
    if len(starts) < 2 or is_numeric(names[first]) or is_written_date(names[first]):
        return []
    parts = [[*names[a:b]] for a, b in zip(starts, [*starts[1:], len(names)], strict=True)]
    filled = [[name for name in part if name] for part in parts]
    is_alike = all(part == filled[0] for part in filled) and len({*filled[0]}) == len(filled[0])
    return starts if is_alike and len(filled[0]) >= _MIN_BLOCK_COLUMNS else []


def _dates_of(blocks: Sequence[pd.DataFrame]) -> list[list[str]] | None:
    """Return the dates of each block, which one column has in all; None if there is none."""
    for number in range(blocks[0].shape[1]):
        columns = [block.iloc[:, number] for block in blocks]
        filled = [[cell for cell in column.tolist() if cell] for column in columns]
        if all(cells and is_mostly(cells, is_written_date) for cells in filled):
            return [[*filter(is_written_date, cells)] for cells in filled]
    return None
