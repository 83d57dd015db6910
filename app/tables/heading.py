"""Find the header of a table, the names of its columns, and those with values."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from app.tables.dates.columns import DateColumns
from app.tables.numbers import is_missing, is_numeric
from app.tables.results import WrongAnswerError
from app.tables.table import Table, cut_name

SAMPLE, _SAMPLE_CELLS, _MIN_SAMPLE = 200, 100_000, 20
_MAX_ROWS_ABOVE = 1000  # rows that are searched for the first one with data
_LIKELY_NAMES = re.compile(
    "^(?:y|values?|sales|revenue|demand|amount|quantity|qty|count|close|price|load|consumption|turnover"
    "|wert|werte|umsatz|menge|betrag|anzahl|absatz|preis"
    r"|valeurs?|ventes?|montant|prix|valor|valores|ventas?|importe|precio)\b",
    re.IGNORECASE,
)
_COUNTER = re.compile(r"(?:unnamed.*|index|idx|id|no\.?|nr\.?|#|row)", re.IGNORECASE)


@dataclass(frozen=True)
class Heading:
    """``body``: the rows below the header; ``written``: the names of the columns in it, "" where
    one has none; ``row``: its number, 0 for no header."""

    body: pd.DataFrame
    written: list[str]
    row: int

    @cached_property
    def names(self) -> list[str]:
        """Unique names of all columns."""
        names: dict[str, None] = {}
        for position, name in enumerate(self.written, 1):
            named = name or f"Column {position}"
            while named in names:
                named = f"{named} (column {position})"
            names[named] = None
        return [*names]


_FEW_COLUMNS = 3  # that probably have different meanings


def split_header(table: Table, dates: DateColumns, row: int | None) -> Heading:
    """Split a table into header and body; ``row`` is the number of the header, if it was answered.

    Raises:
        WrongAnswerError: There is no such row.
    """
    cells = table.cells
    if row is not None:
        if (row and row not in cells.index) or row >= cells.index[-1]:
            issue = (
                f"there is no table below {table.row_label(row)}; send 0 for one without a header"
            )
            raise WrongAnswerError("header", issue)
        header, body = cells[cells.index == row], cells[cells.index > row]
    else:
        start = _first_of_body(cells.iloc[:_MAX_ROWS_ABOVE], dates)
        above = cells.iloc[:start]
        # A title is one cell; two rows of names, such as a name and its unit, are one header.
        filled = (above != "").sum(axis=1)
        is_title = (filled < 2) & ((start < 2) | (above[0] != ""))
        header, body = above[~is_title].iloc[-2:], cells.iloc[start:]
    names = [cut_name(" ".join(filter(None, column))) for column in header.to_numpy().T]
    return Heading(body, names, int(header.index[-1]) if len(header) else 0)


def _first_of_body(cells: pd.DataFrame, dates: DateColumns) -> int:
    others = [column for column in cells if column not in dates.columns]
    for position, (date, row) in enumerate(
        zip(dates.join(cells), cells[others].to_numpy(), strict=True)
    ):
        has_digit = any(map(str.isdigit, date))
        if dates.is_date(date) or (has_digit and any(map(is_numeric, row))):
            return position
    return 0


def value_columns(heading: Heading, taken: Iterable[int]) -> list[int]:
    """Return the columns of numbers, except ``taken`` and those that number the rows."""
    width = max(heading.body.shape[1], 1)
    limit = max(_MIN_SAMPLE, min(SAMPLE, _SAMPLE_CELLS // width))
    rows = heading.body.iloc[:: max(1, -(-len(heading.body) // limit))]
    sample = dict(zip(rows, rows.to_numpy().T.tolist(), strict=True))
    free = [column for column in sample if column not in taken]
    found = [column for column in free if _has_numbers(sample[column])]
    values = [c for c in found if not _is_counter(heading.written[c], c, sample[c])]
    return values or found


def likely_column(names: Iterable[str]) -> int:
    """Return the index of the column of values that is most likely wanted, by its name.

    Without a telling name it is the last of a few columns, or the first of many.
    """
    names = list(names)
    named = (position for position, name in enumerate(names) if _LIKELY_NAMES.match(name))
    return next(named, len(names) - 1 if len(names) <= _FEW_COLUMNS else 0)


def _has_numbers(cells: list[str]) -> bool:
    filled = [cell for cell in cells if not is_missing(cell)]
    return bool(filled) and 2 * sum(map(is_numeric, filled)) > len(filled)


def _is_counter(name: str, column: int, cells: list[str]) -> bool:
    if not (_COUNTER.fullmatch(name) if name else column == 0 and len(cells) > 2):
        return False
    steps = pd.to_numeric(pd.Series(cells), errors="coerce").diff().iloc[1:]
    return len(steps) > 0 and steps.iloc[0] > 0 and bool((steps == steps.iloc[0]).all())
