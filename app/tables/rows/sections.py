"""Join tables of one file, with the same columns below or beside each other, as a long table."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, pairwise
from typing import NamedTuple

import numpy as np
import pandas as pd

from app.tables.dates.cells import is_date, is_written_date, is_yearless
from app.tables.messages import list_first, quote, shorten
from app.tables.numbers.parsing import is_numeric
from app.tables.reading import Reading
from app.tables.table import SAMPLE_CELLS, Table, is_mostly

_MAX_TITLES_TRIED = 30
_MAX_COLUMNS_TRIED = 20
_MAX_SECTIONS = 500  # a file may repeat one row
# Sections share this fraction of the dates of the shorter one; pages of one table share none.
_MIN_SHARED_DATE_FRACTION = 0.5
_MAX_SHOWN_NAMES = 4
_MAX_ROWS_TRIED = 20
_MIN_BLOCK_COLUMNS = 2  # a column of dates and one of values


class _SectionName(NamedTuple):
    """``Queue: Sales`` has the title Queue, and ``Sales`` has none."""

    title: str
    name: str


def join_sections(table: Table, reading: Reading) -> Table:
    """Return the table with the names of its sections in a first column, and report that.

    Several sections must have the same header and the same dates. The name of a section is in the
    row above its header, perhaps after a title in the first cell.
    """
    cells = table.cells.to_numpy()
    for position, (above, row) in enumerate(pairwise(cells[:_MAX_TITLES_TRIED].tolist()), 1):
        if not (_section_name(above) and _can_be_header(row)):
            continue
        headers = np.flatnonzero(cells[:, 0] == row[0])
        headers = headers[np.asarray((cells[headers] == row).all(axis=1), dtype=bool)]
        if headers[0] != position or not 2 <= len(headers) <= _MAX_SECTIONS:
            continue
        ends = [*(headers[1:] - 1).tolist(), len(cells)]
        if names := _names_above(cells, headers, ends):
            return _write_section_names(table, headers, ends, names, reading)
    return table


def _names_above(cells: np.ndarray, headers: np.ndarray, ends: Sequence[int]) -> list[_SectionName]:
    """Return the names above ``headers``; [] if one has none, all are equal, or dates differ."""
    names = [name for header in headers if (name := _section_name(cells[header - 1].tolist()))]
    if len(names) < len(headers) or len({*names}) < 2:
        return []
    other = next(number for number, name in enumerate(names) if name != names[0])
    first_body, other_body = (cells[headers[i] + 1 : ends[i]] for i in (0, other))
    return names if _share_dates(first_body, other_body) else []


def _can_be_header(row: Sequence[str]) -> bool:
    are_names = not any(is_numeric(cell) and not is_date(cell) for cell in row)
    return are_names and sum(map(bool, row)) > 1


def _section_name(row: Sequence[str]) -> _SectionName | None:
    filled = [cell for cell in row if cell]
    if not 1 <= len(filled) <= 2 or any(is_numeric(cell) or is_date(cell) for cell in filled):
        return None
    if not filled[0][0].isalnum():  # such as the prompt of a print
        return None
    title, mark, name = filled[0].partition(":")
    if len(filled) == 2:
        return _SectionName(title, filled[1])
    return _SectionName(title, name.strip()) if mark and name else _SectionName("", filled[0])


def _share_dates(first: np.ndarray, other: np.ndarray) -> bool:
    """Return whether a column has dates, also without a year, and most of them in both."""
    for column in range(min(first.shape[1], _MAX_COLUMNS_TRIED)):
        sample = first[:SAMPLE_CELLS, column].tolist()
        if is_mostly(sample, is_date) or is_mostly(sample, is_yearless):
            dates, others = ({*body[:, column].tolist()} for body in (first, other))
            return len(dates & others) >= _MIN_SHARED_DATE_FRACTION * min(len(dates), len(others))
    return False


def _write_section_names(
    table: Table,
    headers: np.ndarray,
    ends: Sequence[int],
    names: Sequence[_SectionName],
    reading: Reading,
) -> Table:
    title = names[0].title if len({name.title for name in names}) == 1 else ""
    column = np.full(len(table.cells), "", dtype=object)
    column[headers[0]] = title
    is_kept = np.arange(len(column)) < headers[0] - 1
    is_kept[headers[0]] = True
    for header, end, name in zip(headers.tolist(), ends, names, strict=True):
        column[header + 1 : end] = name.name if title else ": ".join(filter(None, name))
        is_kept[header + 1 : end] = True
    distinct_names = [name.name for name in dict.fromkeys(names)]
    names_text = list_first(distinct_names, _MAX_SHOWN_NAMES, quote)
    reading.add_remark("sections", f"Sections with the same columns are series: {names_text}.")
    cells = pd.concat([pd.Series(column, index=table.cells.index), table.cells], axis=1)
    return replace(table, cells=cells.set_axis(range(cells.shape[1]), axis=1)[is_kept])


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
        header = table.cells.iloc[[position], starts[0] : starts[0] + width]
        stacked = [part.set_axis(range(width), axis=1) for part in (header, *blocks)]
        if len({*chain(*dates)}) < sum(len({*part}) for part in dates):
            labels = _labels_above(top[position - 1] if position else [], starts)
            if labels is None and all(part == dates[0] for part in dates):
                continue
            labels = labels or [f"Table {number}" for number in range(1, len(blocks) + 1)]
            for part, label in zip(stacked, ["", *labels], strict=True):
                part.insert(0, -1, label)
        header = ", ".join(filter(None, names[starts[0] : starts[0] + width][:_MAX_SHOWN_NAMES]))
        blocks_text = f"{len(blocks)} tables side by side, each with {shorten(header)}"
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
