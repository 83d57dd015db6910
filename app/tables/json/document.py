"""Read JSON as a table: records, columns, rows, JSON-stat, or an object that holds one of these."""

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

import orjson

from app.tables.dates.cells import is_date
from app.tables.errors import UnreadableTableError
from app.tables.json.json_stat import is_json_stat, json_stat_rows
from app.tables.json.points import columns_beside_times, rows_of_points, tables_below_names
from app.tables.json.records import (
    MAX_JSON_DEPTH,
    dated_records,
    indexed_columns,
    is_by_date,
    is_list_of,
    is_numbered,
    join_records,
    json_cell,
    records_as_rows,
    unnested_records,
)
from app.tables.messages import list_first, quote
from app.tables.numbers.digits import DIGITS_AS_ZEROS
from app.tables.reading import Reading
from app.tables.table import Table, check_size, frame_of_rows

MAX_JSON_VALUES = 1_200_000  # as many as elements of a workbook: about 150 MB
_MAX_PARTS = 20  # elements of a list that are searched for a table
_MIN_OTHER_ROWS = 10  # of another table that a remark names; shorter ones may describe columns
_MAX_OTHERS = 5  # tables that a remark names
_SAMPLE_ROWS = 10  # with the header, which are searched for lists
_JSON_START = re.compile(r"\s*(?:\[\s*[\[{]|\{\s*\")")
_REMEDY = 'send records such as [{"date": "2024-01-31", "sales": 112}]'


def is_json(text: str) -> bool:
    """Return whether a text seems to be JSON of records, columns or rows."""
    return _JSON_START.match(text[:1000]) is not None


class _FoundTable(NamedTuple):
    """Rows or records, or a dataset.

    Attributes:
        row_count: The number of rows, 0 if there is no table.
        names: The names of the fields that have them.
        others: The names of further tables.
    """

    row_count: int
    content: Any = None
    names: tuple[str, ...] = ()
    others: tuple[str, ...] = ()


def read_json(text: str, reading: Reading) -> Table:
    """Return the longest table in a text that seems to be JSON.

    Raise UnreadableTableError if it is not JSON, has no table, or exceeds a bound.
    """
    count = sum(map(text.count, ",[{"))
    if count > MAX_JSON_VALUES:
        raise UnreadableTableError(
            f"the JSON has {count:,} values: send at most {MAX_JSON_VALUES:,}, or the table as CSV",
            is_too_large=True,
        )
    try:
        content = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        content = _json_lines(text, error)
    table = _find_table(content)
    rows = _rows_of_table(table.content) if table.row_count else []
    if not any(rows):
        raise UnreadableTableError(f"this JSON has no table: {_REMEDY}", 1, 1)
    _report_tables(table, reading)
    if nested := _lists_in(rows):
        names = list_first(nested, _MAX_OTHERS, quote)
        remark = f"Left out the lists in the rows: {names}. Send their entries as rows."
        reading.add_remark("other_tables", remark)
    return Table(frame_of_rows({n: [*map(json_cell, row)] for n, row in enumerate(rows, 1)}))


def _report_tables(table: _FoundTable, reading: Reading) -> None:
    names_text = list_first(table.names, _MAX_OTHERS, quote)
    if len(table.names) > 1:
        text = f"Lists of the same columns are read as one table: {names_text}."
        reading.add_remark("sections", text)
    if table.others:
        others = list_first(table.others, _MAX_OTHERS, quote)
        text = f"Only {names_text} is read; left out: {others}. Send another one on its own."
        reading.add_remark("other_tables", text)


def _json_lines(text: str, error: orjson.JSONDecodeError) -> list[Any]:
    """Return a record for each line of a text; ``error`` says why it is not JSON as a whole."""
    records: list[Any] = []
    for number, line in enumerate(text.splitlines(), 1):
        try:
            if line.strip():
                records.append(orjson.loads(line))
        except orjson.JSONDecodeError as line_error:
            row, fault = (number, line_error) if records else (error.lineno, error)
            raise UnreadableTableError(
                f"line {row}, column {fault.colno} is not valid JSON ({fault.msg}): "
                "send null for a missing value, or the table as CSV",
                row,
            ) from None
    return records


def _find_table(content: Any, depth: int = 0) -> _FoundTable:
    """Return the longest table, joined with tables of the same columns and form of dates.

    Only its rows are made: each of thousands of tables could have the maximum number of cells.
    """
    if isinstance(content, list):
        return _find_in_list(content, depth)
    if not isinstance(content, dict) or depth == MAX_JSON_DEPTH:
        return _FoundTable(0)
    if is_json_stat(content):
        return _FoundTable(1 + len(content["value"]), content)
    if tables := tables_below_names(content):
        return _join_tables(tables.items())
    rows = _rows_of_columns(content)
    return _FoundTable(len(rows), rows) if rows else _find_in_object(content, depth)


def _find_in_list(content: list[Any], depth: int) -> _FoundTable:
    is_mixed = any(isinstance(part, list) for part in content) and not is_list_of(content, list)
    if is_mixed and depth < MAX_JSON_DEPTH:  # such as a page's number before its records
        tables = (_find_table(part, depth + 1) for part in content[:_MAX_PARTS])
        return max(tables, key=lambda table: table.row_count, default=_FoundTable(0))
    if is_list_of(content, list) and all(is_list_of(part, dict) for part in content):
        content = join_records(content)
    are_rows = is_list_of(content, dict) or is_list_of(content, list)
    return _FoundTable(len(content) if are_rows else 0, content)


def _find_in_object(content: dict[str, Any], depth: int) -> _FoundTable:
    if is_numbered(content):
        return _find_in_list([*content.values()], depth)
    longest, longest_name = _FoundTable(0), ""
    forms: dict[str, tuple[Any, ...]] = {}
    others: dict[str, _FoundTable] = {}
    for name, part in content.items():
        table = _find_table(part, depth + 1)
        table = table._replace(names=table.names or (name,))
        forms[name] = _dated_columns(table.content)
        others[name] = table._replace(content=None)
        if table.row_count > longest.row_count:
            longest, longest_name = table, name
    if not longest.row_count:
        rows = dated_records(content) if is_by_date(content) else []
        return _FoundTable(len(rows), rows)
    columns = forms[longest_name]
    parts = [name for name in forms if columns and forms[name] == columns]
    min_rows = min(_MIN_OTHER_ROWS, longest.row_count / 2)
    if len(parts) > 1:
        tables = ((name, _find_table(content[name], depth + 1).content) for name in parts)
        longest = _join_tables(tables)._replace(others=longest.others)
    left_out = (table for name, table in others.items() if name not in (longest_name, *parts))
    names = (name for table in left_out if table.row_count >= min_rows for name in table.names)
    return longest._replace(others=(*longest.others, *names))


def _join_tables(tables: Iterable[tuple[str, list[Any]]]) -> _FoundTable:
    """Join tables of the same columns; if there are several, a column has their names.

    A header of rows is that of the first table.
    """
    parts: dict[str, list[Any]] = {}
    for name, table in tables:
        parts[name] = table
        check_size(sum(map(len, parts.values())), len(table[0]) + 1)
    first = next(iter(parts.values()))
    joined: list[Any]
    if len(parts) == 1:
        joined = first
    elif is_list_of(first, dict):
        label = next(label for label in ("series", "table", "") if label not in first[0])
        joined = [{label: name, **record} for name, part in parts.items() for record in part]
    else:
        header = [] if any(is_date(json_cell(cell)) for cell in first[0]) else first[0]
        joined = [["series", *header]] if header else []
        for name, part in parts.items():
            joined += [[name, *row] for row in part[bool(header) :]]
    return _FoundTable(len(joined), joined, (*parts,))


def _dated_columns(content: Any) -> tuple[Any, ...]:
    """Return the columns of records or rows, and the forms of their first dates; () for none.

    Records and rows never have the same: they cannot be joined.
    """
    if is_list_of(content or [], dict):
        header, first = [*content[0]], [*content[0].values()]
    elif is_list_of(content or [], list):
        header = [] if any(is_date(json_cell(cell)) for cell in content[0]) else content[0]
        first = content[1] if header and len(content) > 1 else content[0]
    else:
        return ()
    cells = map(json_cell, first)
    forms = [(n, cell.translate(DIGITS_AS_ZEROS)) for n, cell in enumerate(cells) if is_date(cell)]
    return (type(content[0]), len(first), *map(json_cell, header), *forms) if forms else ()


def _rows_of_table(content: Any) -> list[list[Any]]:
    """Return the rows of a table with the names first."""
    if is_list_of(content, dict):
        return _rows_of_records(content)
    return content if isinstance(content, list) else json_stat_rows(content)


def _rows_of_records(records: list[dict[str, Any]], depth: int = 1) -> list[list[Any]]:
    rows = records_as_rows(records)
    pointed = rows_of_points(rows)
    inner = unnested_records(records) if pointed is rows and depth < MAX_JSON_DEPTH else []
    return _rows_of_records(inner, depth + 1) if inner else pointed


def _rows_of_columns(content: dict[str, Any]) -> list[list[Any]]:
    """Return the rows of an object of columns: several of one length, with times, or by date."""
    columns = {name: cells for name, cells in content.items() if _is_column(cells)}
    if not len({len(cells) for cells in columns.values()}) == 1 < len(columns):
        columns = columns_beside_times(content) or indexed_columns(content)
    return [[*columns], *map(list, zip(*columns.values(), strict=True))] if columns else []


def _is_column(content: Any) -> bool:
    return (
        isinstance(content, list)
        and content != []
        and not any(isinstance(cell, (dict, list)) for cell in content)
    )


def _lists_in(rows: list[list[Any]]) -> list[str]:
    sample = rows[1:_SAMPLE_ROWS]
    columns = {i for row in sample for i, cell in enumerate(row) if cell and isinstance(cell, list)}
    return [str(name) for i, name in enumerate(rows[0]) if i in columns]
