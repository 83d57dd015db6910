"""Join sections of one file below each other, with the same columns, as a long table."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pandas as pd

from app.tables.dates.cells import is_date, is_yearless
from app.tables.messages import list_first, quote
from app.tables.numbers.parsing import is_numeric
from app.tables.reading import Reading
from app.tables.table import SAMPLE_CELLS, Table, is_mostly

_MAX_TITLES_TRIED = 30
_MAX_COLUMNS_TRIED = 20
_MAX_SECTIONS = 500  # a file may repeat one row
# Sections share this fraction of the dates of the shorter one; pages of one table share none.
_MIN_SHARED_DATE_FRACTION = 0.5
_MAX_SHOWN_NAMES = 4


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
