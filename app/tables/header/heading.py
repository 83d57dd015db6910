"""Find the header of a table, the names of its columns, and the columns with values."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress, islice

import pandas as pd

from app.tables.dates.cells import is_date, is_written_date
from app.tables.dates.columns.date_columns import DateColumns
from app.tables.dates.columns.sample import find_header
from app.tables.errors import WrongAnswerError
from app.tables.numbers.parsing import is_numeric, without_missing
from app.tables.reading import Reading, cut_name
from app.tables.table import SAMPLE_CELLS, Table, is_mostly, sample_height
from app.tables.units.unit_letters import split_word

_MAX_TITLE_ROWS = 2
_MAX_ROWS_APART = 2  # those of a header
_MAX_ROWS_ABOVE = 1000  # the first row with data is searched for in this many rows
_METADATA = re.compile(r"[^\W\d]\s?[:：]\s?\S")
# Words before the name of a series, in a row above its values, as statistics offices write it.
_TITLE = re.compile(r"title|titel|titre|t[ií]tulo|titolo|series(?: name)?", re.IGNORECASE)


@dataclass(frozen=True)
class Heading:
    """The names of the columns, and the rows below them.

    Attributes:
        body: The rows below the header.
        written: The names of the columns in the header, "" for a column without one.
        row: The number of the header's last row in the file, 0 for no header.
        row_count: The number of rows of the header.
        title: The only line above the header, unless it is a value or a statement such as
            ``Currency: EUR``.
    """

    body: pd.DataFrame
    written: list[str]
    row: int
    row_count: int = 1
    title: str = ""

    @cached_property
    def names(self) -> list[str]:
        """Unique names of all columns."""
        names: dict[str, None] = {}
        for position, name in enumerate(self.written, 1):
            column_name = name or f"Column {position}"
            while column_name in names:
                column_name = f"{column_name} (column {position})"
            names[column_name] = None
        return [*names]


def split_header(table: Table, dates: DateColumns, row: int | None, reading: Reading) -> Heading:
    """Split a table into header and body; ``row`` is the number of the header, if it was answered.

    Raise WrongAnswerError if there is no such row.
    """
    cells = table.cells
    if row is not None:
        if (row and row not in cells.index) or row >= cells.index[-1]:
            issue = (
                f"there is no table below {reading.row_label(row)}; send 0 for one without a header"
            )
            raise WrongAnswerError("header", issue)
        header, body = cells[cells.index == row], cells[cells.index > row]
    else:
        start = _first_of_body(cells.iloc[:_MAX_ROWS_ABOVE], dates)
        above = cells.iloc[:start]
        header = _names_above(above)
        body = cells[cells.index > header.index[-1]] if len(header) else cells.iloc[start:]
        if header.empty:
            header = above[above[0].str.fullmatch(_TITLE)].iloc[:1]
    title = _find_title(cells[cells.index < header.index[0]]) if len(header) else ""
    last = int(header.index[-1]) if len(header) else 0
    return Heading(body, _join_names(header), last, len(header), title)


def _find_title(above: pd.DataFrame) -> str:
    filled = [[*filter(None, row)] for row in above.iloc[:_MAX_TITLE_ROWS].to_numpy().tolist()]
    titles = [row[0] for row in filled if len(row) == 1 and not _METADATA.search(row[0])]
    is_only = len(titles) == len(above) == 1 and not _is_value(titles[0])
    return cut_name(titles[0]) if is_only else ""


def names_in(rows: pd.DataFrame) -> list[str]:
    """Return the names of columns in the rows of a header."""
    return _join_names(_names_above(rows))


def _join_names(header: pd.DataFrame) -> list[str]:
    return [cut_name(" ".join(filter(None, column))) for column in header.to_numpy().T]


def _names_above(above: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with names, among the rows above the data.

    There are two if the upper row has groups or the lower row has units, three for both or for
    groups of groups, else one.
    """
    filled = (above != "").sum(axis=1)
    # In a table of two columns, pandas leaves the index without a name.
    is_wide = above.shape[1] > 2
    is_title = (filled < 2) & ((len(above) < 2 and is_wide) | (above[0] != ""))
    named_rows = above[~is_title]
    if len(named_rows) < 2 or _has_entries_below(named_rows):
        return named_rows.iloc[:1]
    rows = named_rows.iloc[-2:]
    upper, lower = rows.to_numpy().tolist()
    stated = [cell for cell in upper if _METADATA.search(cell)]  # such as Currency: EUR
    # Groups have one key, such as Store: A and Store: B, and at most one empty row below them.
    has_keys = stated and len({re.split("[:：]", cell)[0] for cell in stated}) == len(stated)
    line_breaks = max(cell.count("\n") for cell in upper)  # which the numbers of rows count
    if has_keys or rows.index[1] - rows.index[0] - line_breaks > _MAX_ROWS_APART:
        return rows.iloc[1:]
    printed = [cell for cell in upper if " " in cell and is_written_date(cell.split()[-1])]
    if any(map(_is_value, upper)) or len(printed) == 1:  # such as a period, a balance, a print date
        is_updated = any(map(is_written_date, lower))
        return _whole_names(named_rows.iloc[:-2]) if is_updated else rows.iloc[1:]
    if any(map(_is_value, lower)):  # such as totals
        return _names_above(above[above.index <= rows.index[0]])
    top = _groups_above(named_rows)
    groups = _spread_groups(upper, lower, top)
    if groups != upper and sum(map(bool, upper[1:])) <= 1:  # a title over all columns
        return rows.iloc[1:]
    header_rows = [groups, lower]
    if any(top):
        beneath = [name or group for group, name in zip(groups, lower, strict=True)]
        header_rows.insert(0, _spread_groups(top, beneath, [""] * len(top)))
    return pd.DataFrame(
        header_rows, named_rows.index[-len(header_rows) :], rows.columns, dtype=object
    )


def _has_entries_below(rows: pd.DataFrame) -> bool:
    """Return whether the first row has the most names, and numbered rows without dates follow it.

    The export of a device begins with such rows about its owner and its settings.
    """
    counts = (rows != "").sum(axis=1).tolist()
    first, *others = rows.to_numpy().tolist()
    return (
        counts[0] > max(counts[1:])
        and not any(map(_is_value, first))
        and all(is_numeric(row[0]) for row in others)
    )


def _whole_names(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the last row with a name for each of several columns of values, if there is one."""
    are_whole = (rows != "").all(axis=1)
    return rows[are_whole].iloc[-1:] if rows.shape[1] > 2 else rows.iloc[:0]


def _groups_above(rows: pd.DataFrame) -> list[str]:
    """Return the row right above the two of a header, if it belongs to it, else empty cells.

    It has groups of values, or the name of each column.
    """
    none = [""] * rows.shape[1]
    if len(rows) < 3 or rows.index[-3] + 1 != rows.index[-2]:
        return none
    top, *below = rows.iloc[-3:].to_numpy().tolist()
    is_whole = all(cell for cell, *others in zip(top, *below, strict=True) if any(others))
    is_beside = not top[0] or not any(row[0] for row in below)  # the names of rows, perhaps merged
    is_header = is_whole or (is_beside and sum(map(bool, top)) > 1)
    is_text = not any(_is_value(cell) or _METADATA.search(cell) for cell in top)
    return top if is_header and is_text else none


def _spread_groups(groups: Sequence[str], names: Sequence[str], above: Sequence[str]) -> list[str]:
    """Return the group of each name: one extends to the next in its row, or in the row above."""
    spread: list[str] = []
    last = ""
    for group, name, other in zip(groups, names, above, strict=True):
        last = group or (last if name and not other else "")
        spread.append(last if name else group)
    return spread


def _is_value(cell: str) -> bool:
    return is_numeric(cell) or is_date(cell) or is_numeric(split_word(cell)[0])


def _first_of_body(cells: pd.DataFrame, dates: DateColumns) -> int:
    """Return the position of the first row with a date and with values where others have them."""
    header = find_header(cells)
    joined = dates.join(cells).tolist()
    is_dated = [*map(dates.is_date, joined)]
    others = [column for column in cells if column not in dates.columns]
    rows = cells[others].to_numpy().tolist()
    below = compress(rows[header + 1 :], is_dated[header + 1 :])
    dated = [*islice(below, sample_height(len(others), SAMPLE_CELLS))]
    kept_columns = [
        i for i, column in enumerate(zip(*dated, strict=True)) if has_numbers([*column])
    ]
    for position, row in enumerate(rows):
        if header and position <= header and not any(is_numeric(row[i]) for i in kept_columns):
            continue
        has_digit = position >= header and any(map(str.isdigit, joined[position]))
        if is_dated[position] or (has_digit and any(map(is_numeric, row))):
            return position
    return 0


def has_numbers(cells: list[str]) -> bool:
    return is_mostly(without_missing(cells), is_numeric)
