"""Join the sheets of a workbook that has one of the same columns for each year."""

import re
from collections.abc import Mapping

import pandas as pd

from app.tables.reading import Reading
from app.tables.table import Table, check_size

_YEAR = "Year"  # the name of the column that is added
_YEAR_WORD = re.compile(r"(?:19|20)\d{2}|2100", re.ASCII)


def find_yearly_sheets(
    tables: Mapping[str, Table], names: tuple[str, ...]
) -> dict[str, tuple[str, int]]:
    """Return the sheet of each year and its row of names, if all have the columns ``names``.

    The names of the sheets differ in the year only, such as Sales 2024 and Sales 2025. {} for
    other workbooks.
    """
    sheets: dict[str, tuple[str, int]] = {}
    others = set()
    for name, table in tables.items():
        words = name.split()
        years = [word for word in words if _YEAR_WORD.fullmatch(word)]
        header = _find_row(table, names)
        if len(years) != 1 or header is None:
            return {}
        others.add(" ".join(word for word in words if word not in years))
        sheets[years[0]] = (name, header)
    is_yearly = len(sheets) == len(tables) > 1 and len(others) == 1
    return dict(sorted(sheets.items())) if is_yearly else {}


def _find_row(table: Table, names: tuple[str, ...]) -> int | None:
    rows = zip(table.cells.index, table.cells.to_numpy().tolist(), strict=True)
    return next((number for number, row in rows if tuple(filter(None, row)) == names), None)


def join_yearly_sheets(cells: Mapping[str, pd.DataFrame], reading: Reading) -> Table:
    """Return the cells of each year as one table, which has the year before each row.

    The first row of each has the names of the columns. Rows are counted on from sheet to sheet.
    """
    first = next(iter(cells.values()))
    parts = [pd.DataFrame([[_YEAR, *first.iloc[0]]])]
    for year, of_year in cells.items():
        rows = of_year.iloc[1:].to_numpy().tolist()
        parts.append(pd.DataFrame([[year, *row] for row in rows]))
    joined = pd.concat(parts).fillna("")
    check_size(*joined.shape)
    text = f"The sheets of {', '.join(cells)} are read as one table, whose rows are counted on."
    reading.add_remark("sections", text)
    return Table(joined.set_axis(range(1, len(joined) + 1)))
