"""Read JSON as a table: records, columns, rows, or an object that holds one of these."""

import re
from collections.abc import Iterator
from typing import Any

import orjson
import pandas as pd

from app.tables.numbers import StoredNumber
from app.tables.results import NotATableError
from app.tables.table import MAX_COLUMNS, Table, check_size

MAX_JSON_VALUES = 1_200_000  # as a workbook may have elements: about 150 MB
_MAX_DEPTH = 3  # of records, or of objects in records
_START = re.compile(r"\s*(?:\[\s*[\[{]|\{\s*\")")
_REMEDY = 'send records such as [{"date": "2024-01-31", "sales": 112}]'


def is_json(text: str) -> bool:
    """Return whether a text seems to be JSON of records, columns or rows."""
    return _START.match(text[:1000]) is not None


def read_json(text: str) -> Table | None:
    """Return the table in a text; None if it is not JSON.

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
    rows = _find_rows(content, 0)
    if not rows:
        raise NotATableError(f"this JSON has no table: {_REMEDY}", 1, 1)
    width = max(map(len, rows))
    if width > MAX_COLUMNS:
        raise NotATableError(f"a record has {width:,} fields: send at most {MAX_COLUMNS:,}", 1)
    check_size(len(rows), width)
    cells = [[*map(_cell, row), *[""] * (width - len(row))] for row in rows]
    return Table(pd.DataFrame(cells, index=range(1, len(cells) + 1), dtype=object), row_noun="row")


def _json_lines(text: str) -> list[Any] | None:
    try:
        return [orjson.loads(line) for line in text.splitlines() if line.strip()]
    except orjson.JSONDecodeError:
        return None


def _find_rows(content: Any, depth: int) -> list[list[Any]]:
    """Return the rows of a table with the names first; [] if there are none."""
    if isinstance(content, list):
        if content and all(isinstance(row, dict) for row in content):
            return _records(content)
        is_rows = bool(content) and all(isinstance(row, list) for row in content)
        return content if is_rows else []
    if not isinstance(content, dict) or depth == _MAX_DEPTH:
        return []
    names, rows = content.get("columns"), content.get("data")
    if isinstance(names, list) and isinstance(rows, list):  # as pandas writes "split"
        return [names, *_find_rows(rows, depth)]
    columns = {name: cells for name, cells in content.items() if _is_column(cells)}
    if len({len(cells) for cells in columns.values()}) == 1 and len(columns) > 1:
        return [[*columns], *map(list, zip(*columns.values(), strict=True))]
    return max((_find_rows(part, depth + 1) for part in content.values()), key=len, default=[])


def _is_column(content: Any) -> bool:
    return isinstance(content, list) and not any(isinstance(cell, (dict, list)) for cell in content)


def _records(records: list[dict[str, Any]]) -> list[list[Any]]:
    """Return records as rows; a field that only some have is empty in others."""
    flat = [dict(_fields(record)) for record in records]
    names = {name: None for record in flat for name in record}
    if len(names) > MAX_COLUMNS:
        raise NotATableError(
            f"the records have {len(names):,} fields: send at most {MAX_COLUMNS:,}"
        )
    check_size(len(flat), len(names))
    return [[*names], *([record.get(name) for name in names] for record in flat)]


def _fields(record: dict[str, Any], prefix: str = "", depth: int = 1) -> Iterator[tuple[str, Any]]:
    for name, value in record.items():
        if isinstance(value, dict) and depth < _MAX_DEPTH:
            yield from _fields(value, f"{prefix}{name}.", depth + 1)
        else:
            yield prefix + name, value


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, (int, float)):
        is_whole = isinstance(value, float) and value.is_integer() and abs(value) < 1e15
        return StoredNumber(int(value) if is_whole else value)
    return value.strip().replace("\x00", "") if isinstance(value, str) else ""
