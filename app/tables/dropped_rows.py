"""Which rows are left out of all series, and why."""

import re
from collections.abc import Sequence

import numpy as np

from app.tables.dates.rows import DatedRows
from app.tables.heading import Heading
from app.tables.numbers import is_missing
from app.tables.results import Reading
from app.tables.table import Table, shorten
from app.timeseries.types import BoolArray, FloatArray

MAX_NAMED_ROWS = 5
_TOTAL = re.compile(
    "(?:(?:grand |sub-?)?totals?|sum|average|mean|summe|gesamt|insgesamt|mittelwert"
    r"|somme|moyenne|suma|promedio)\b",
    re.IGNORECASE,
)
_EXPECTED_CODES = ("total", "note")


def list_rows(table: Table, rows: Sequence[int]) -> str:
    """Return the first of some rows in words."""
    more = f" and {len(rows) - MAX_NAMED_ROWS:,} more" if len(rows) > MAX_NAMED_ROWS else ""
    return ", ".join(table.at(row) for row in rows[:MAX_NAMED_ROWS]) + more


def has_usable_date(dated: DatedRows) -> BoolArray:
    """Return which rows have a date that counts."""
    return ~np.isnat(dated.times) & ~dated.is_coarse


def report_rows(
    table: Table,
    heading: Heading,
    dated: DatedRows,
    values: dict[int, FloatArray],
    reading: Reading,
) -> None:
    """Say which rows and cells are left out; ``values`` are those of all rows, by column."""
    found: list[tuple[int, str, str]] = []
    has_date = has_usable_date(dated)
    body, lines, given = heading.body, heading.body.index, dated.given.tolist()
    cells = body.to_numpy()
    last = int(np.flatnonzero(has_date)[-1]) if has_date.any() else -1
    has_number = np.any([~np.isnan(column) for column in values.values()], axis=0)
    for place in np.flatnonzero(~has_date).tolist():
        line, is_date = int(lines[place]), not np.isnat(dated.times[place])
        if not is_date and any(map(_TOTAL.match, cells[place].tolist())):
            found.append((line, "total", "a total"))
        elif not is_date and place > last and not has_number[place]:
            found.append((line, "note", "a note"))
        elif is_date:
            why = f"“{shorten(given[place])}” is a longer period than the other dates: a total?"
            found.append((line, "longer_period", why))
        elif given[place]:
            found.append((line, "not_a_date", f"“{shorten(given[place])}” is not a date"))
        else:
            found.append((line, "no_date", "no date"))
    empty: set[int] = set()
    for column, numbers in values.items():
        where = f" in “{heading.names[column]}”" if len(values) > 1 else ""
        for place in np.flatnonzero(has_date & np.isnan(numbers)).tolist():
            cell, line = cells[place, column], int(lines[place])
            if is_missing(cell):
                empty.add(line)
            else:
                found.append((line, "not_a_number", f"“{shorten(cell)}” is not a number{where}"))
    _report(table, sorted(found), reading)
    if empty:
        rows = sorted(empty)
        reading.add_remark("no_value", f"No value: {list_rows(table, rows)}.", rows)


def _report(table: Table, found: Sequence[tuple[int, str, str]], reading: Reading) -> None:
    expected = [one for one in found if one[1] in _EXPECTED_CODES]
    wrong = [one for one in found if one[1] not in _EXPECTED_CODES]
    for each in (wrong, expected):
        for line, code, why in each[:MAX_NAMED_ROWS]:
            reading.add_remark(code, f"Left out {table.at(line)}: {why}.", [line])
    if more := [line for line, _, _ in wrong[MAX_NAMED_ROWS:]]:
        reading.add_remark("left_out", f"Left out as well: {list_rows(table, more)}.", more)
    if more := [line for line, _, _ in expected[MAX_NAMED_ROWS:]]:
        reading.add_remark("note", f"{len(more):,} more totals and notes left out.", more)
