"""Read JSON as a table: records, columns, rows, JSON-stat, or an object that holds one of these."""

import re
from typing import Any, NamedTuple

import orjson
import pandas as pd

from app.tables.json_points import columns_beside_times, rows_below_names, rows_of_points
from app.tables.json_records import (
    MAX_DEPTH,
    dated_records,
    indexed_columns,
    is_all,
    is_by_date,
    joined_records,
    json_cell,
    records_as_rows,
    unnested_records,
)
from app.tables.json_stat import is_stat, stat_rows
from app.tables.results import NotATableError, Reading
from app.tables.table import MAX_COLUMNS, Table, check_size, quote

MAX_JSON_VALUES = 1_200_000  # as many as elements of a workbook: about 150 MB
_MAX_PARTS = 20  # elements of a list that are searched for a table
_MIN_OTHER_ROWS = 10  # of another table that is named: shorter ones may describe columns
_MAX_OTHERS = 5  # that are named
_JSON_START = re.compile(r"\s*(?:\[\s*[\[{]|\{\s*\")")
_REMEDY = 'send records such as [{"date": "2024-01-31", "sales": 112}]'


def is_json(text: str) -> bool:
    """Return whether a text seems to be JSON of records, columns or rows."""
    return _JSON_START.match(text[:1000]) is not None


class _FoundTable(NamedTuple):
    """``rows``: how many, 0 if there is no table; ``others``: names of further tables."""

    rows: int
    content: Any = None
    name: str = ""
    others: tuple[str, ...] = ()


def read_json(text: str, reading: Reading) -> Table | None:
    """Return the longest table in a text; None if it is not JSON.

    Raises:
        NotATableError: There is no table in the JSON, or it exceeds a bound.
    """
    count = sum(map(text.count, ",[{"))
    if count > MAX_JSON_VALUES:
        raise NotATableError(
            f"the JSON has {count:,} values: send at most {MAX_JSON_VALUES:,}, or the table as CSV",
            is_too_large=True,
        )
    try:
        content = orjson.loads(text)
    except orjson.JSONDecodeError:
        content = _json_lines(text)
    if content is None:
        return None
    table = _find_table(content)
    if not table.rows:
        raise NotATableError(f"this JSON has no table: {_REMEDY}", 1, 1)
    if table.others:
        others = ", ".join(f"{quote(name)}" for name in table.others[:_MAX_OTHERS])
        issue = (
            f"Only {quote(table.name)} is read; left out: {others}. Send another one on its own."
        )
        reading.add_remark("other_tables", issue)
    rows = _rows(table.content)
    if nested := _lists_in(rows):
        names = ", ".join(f"{quote(name)}" for name in nested[:_MAX_OTHERS])
        issue = f"Left out the lists in the rows: {names}. Send their entries as rows."
        reading.add_remark("other_tables", issue)
    width = max(map(len, rows))
    if width > MAX_COLUMNS:
        raise NotATableError(f"a record has {width:,} fields: send at most {MAX_COLUMNS:,}", 1)
    check_size(len(rows), width)
    cells = [[*map(json_cell, row), *[""] * (width - len(row))] for row in rows]
    return Table(pd.DataFrame(cells, index=range(1, len(cells) + 1), dtype=object), row_noun="row")


def _json_lines(text: str) -> list[Any] | None:
    try:
        return [orjson.loads(line) for line in text.splitlines() if line.strip()]
    except orjson.JSONDecodeError:
        return None


def _find_table(content: Any, depth: int = 0) -> _FoundTable:
    """Return the longest table.

    Only the rows of that one are made: each of thousands could have as many cells as a table may.
    """
    if isinstance(content, list):
        return _find_in_list(content, depth)
    if not isinstance(content, dict) or depth == MAX_DEPTH:
        return _FoundTable(0)
    if is_stat(content):
        return _FoundTable(1 + len(content["value"]), content)
    if rows := rows_below_names(content):
        return _FoundTable(len(rows), content)
    if columns := _columns(content):
        return _FoundTable(1 + len(next(iter(columns.values()))), content)
    return _find_in_object(content, depth)


def _find_in_list(content: list[Any], depth: int) -> _FoundTable:
    is_mixed = any(isinstance(part, list) for part in content) and not is_all(content, list)
    if is_mixed and depth < MAX_DEPTH:  # such as a page's number before its records
        tables = (_find_table(part, depth + 1) for part in content[:_MAX_PARTS])
        return max(tables, key=lambda table: table.rows, default=_FoundTable(0))
    if is_all(content, list) and all(is_all(part, dict) for part in content):
        content = joined_records(content)
    are_rows = is_all(content, dict) or is_all(content, list)
    return _FoundTable(len(content) if are_rows else 0, content)


def _find_in_object(content: dict[str, Any], depth: int) -> _FoundTable:
    longest = _FoundTable(0)
    others = list[str]()
    for name, part in content.items():
        table = _find_table(part, depth + 1)
        table = table._replace(name=table.name or name)
        longest, shorter = (table, longest) if table.rows > longest.rows else (longest, table)
        if shorter.rows >= _MIN_OTHER_ROWS:
            others.append(shorter.name)
    if not longest.rows and is_by_date(content):
        return _FoundTable(1 + len(content), content)
    return longest._replace(others=(*longest.others, *others))


def _rows(content: Any) -> list[list[Any]]:
    """Return the rows of a table with the names first; [] if it is none."""
    if isinstance(content, list):
        if is_all(content, dict):
            return _rows_of_records(content)
        return content if is_all(content, list) else []
    if is_stat(content):
        return stat_rows(content)
    if rows := rows_below_names(content):
        return rows
    columns = _columns(content)
    if not columns:
        return records_as_rows(dated_records(content))
    return [[*columns], *map(list, zip(*columns.values(), strict=True))]


def _rows_of_records(records: list[dict[str, Any]], depth: int = 1) -> list[list[Any]]:
    rows = records_as_rows(records)
    pointed = rows_of_points(rows)
    inner = unnested_records(records) if pointed is rows and depth < MAX_DEPTH else []
    return _rows_of_records(inner, depth + 1) if inner else pointed


def _columns(content: dict[str, Any]) -> dict[str, list[Any]]:
    """Return the columns of an object: several of one length, series beside times, or by date."""
    columns = {name: cells for name, cells in content.items() if _is_column(cells)}
    is_table = len({len(cells) for cells in columns.values()}) == 1 < len(columns)
    return columns if is_table else columns_beside_times(content) or indexed_columns(content)


def _is_column(content: Any) -> bool:
    return isinstance(content, list) and not any(isinstance(cell, (dict, list)) for cell in content)


def _lists_in(rows: list[list[Any]]) -> list[str]:
    """Return the names of columns that have lists of values in the first rows."""
    sample = rows[1:_MIN_OTHER_ROWS]
    columns = {i for row in sample for i, cell in enumerate(row) if cell and isinstance(cell, list)}
    return [str(name) for i, name in enumerate(rows[0]) if i in columns]
