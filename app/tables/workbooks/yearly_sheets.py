"""Join the sheets of a workbook that has one of the same columns for each year."""

from collections.abc import Mapping

import pandas as pd

from app.tables.results import Reading
from app.tables.table import Table, check_size

_YEAR = "Year"  # the name of the column that is added
_MIN_YEAR, _MAX_YEAR = "1900", "2100"


def find_yearly_sheets(tables: Mapping[str, Table], names: tuple[str, ...]) -> dict[str, Table]:
    """Return the body of each table, which has ``names`` above it, by its year; {} for others.

    The names of the sheets differ in the year only, such as Sales 2024 and Sales 2025.
    """
    bodies: dict[str, Table] = {}
    others = set()
    for name, table in tables.items():
        words = name.split()
        years = [word for word in words if _is_year(word)]
        body = _below(table, names)
        if len(years) != 1 or body is None:
            return {}
        others.add(" ".join(word for word in words if word not in years))
        bodies[years[0]] = body
    is_yearly = len(bodies) == len(tables) > 1 and len(others) == 1
    return dict(sorted(bodies.items())) if is_yearly else {}


def _is_year(word: str) -> bool:
    return len(word) == 4 and word.isdecimal() and _MIN_YEAR <= word <= _MAX_YEAR


def _below(table: Table, names: tuple[str, ...]) -> Table | None:
    """Return the rows from the one of ``names`` on; None if there is none."""
    rows = (tuple(filter(None, row)) for row in table.cells.to_numpy().tolist())
    start = next((i for i, row in enumerate(rows) if row == names), None)
    return None if start is None else Table(table.cells.iloc[start:], row_noun=table.row_noun)


def join_yearly_sheets(bodies: Mapping[str, Table], reading: Reading) -> Table:
    """Return the sheets one below the other, the year before each row; rows are counted on."""
    first = next(iter(bodies.values()))
    parts = [pd.DataFrame([[_YEAR, *first.cells.iloc[0]]])]
    for year, table in bodies.items():
        part = table.cells.iloc[1:]
        parts.append(pd.DataFrame([[year, *row] for row in part.to_numpy().tolist()]))
    cells = pd.concat(parts).fillna("")
    check_size(*cells.shape)
    years = ", ".join(bodies)
    reading.add_remark(
        "sections", f"The sheets of {years} are read as one table, whose rows are counted on."
    )
    return Table(cells.set_axis(range(1, len(cells) + 1)), row_noun=first.row_noun)
