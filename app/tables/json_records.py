"""Records of JSON as rows: with objects in them, with a list of points in each, or by date."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

from app.tables.dates.cells import is_date
from app.tables.numbers import stored_number
from app.tables.results import NotATableError
from app.tables.table import MAX_COLUMNS, check_size

MAX_DEPTH = 3  # levels of nested objects
_MAX_OBJECT_NAME_LENGTH = 200  # characters of the name of an object in a record
_SAMPLE = 20  # names of an object that are looked at for dates
_NAME_SEPARATOR = " · "


def is_all(content: list[Any], kind: type) -> bool:
    return bool(content) and all(isinstance(item, kind) for item in content)


def is_by_date(content: dict[str, Any]) -> bool:
    """Return whether the names in an object are dates, and none has a list."""
    first = [*islice(content.items(), _SAMPLE)]
    are_dated = len(first) > 1 and all(is_date(name) for name, _ in first)
    return are_dated and not any(isinstance(value, list) for value in content.values())


def dated_records(content: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a record for each date of an object that ``is_by_date``."""
    return [
        {"date": name, **(value if isinstance(value, dict) else {"value": value})}
        for name, value in content.items()
    ]


def rows_of_points(rows: list[list[Any]]) -> list[list[Any]]:
    """Return a row for each point if rows without a date have a list of dated points each.

    The points are objects, or lists such as ``[time, value]``. The cells of a row that differ from
    those of others name the series of its points.
    """
    header, first, *_ = rows
    column = _column_of_points(first)
    if column is None:
        return rows
    field = header[column]
    template = first[column][0]
    others = (i for i in range(len(header)) if i != column)
    differing = [i for i in others if any(row[i] != first[i] for row in rows[1:])]
    title = _NAME_SEPARATOR.join(header[i] for i in differing)
    named = [
        (_NAME_SEPARATOR.join(json_cell(row[i]) for i in differing), row[column])
        for row in rows[1:]
        if isinstance(row[column], list)
    ]
    check_size(sum(len(points) for _, points in named), len(template) + 1)
    if isinstance(template, dict):
        title = f"{field}.{title}" if title in template else title
        records = []
        for name, points in named:
            for point in filter(None, points):
                if isinstance(point, dict):
                    records.append(point | {title: name} if title else point)
        return records_as_rows(records)
    names = _names_of_list(template, field)
    return [
        [title, *names],
        *([name, *point] for name, points in named for point in points if isinstance(point, list)),
    ]


def _column_of_points(row: list[Any]) -> int | None:
    """Return the column of a list of dated points, if it is the only list and the only dates."""
    lists = [i for i, cell in enumerate(row) if isinstance(cell, list) and cell]
    if len(lists) != 1 or any(map(_is_date, row)):
        return None
    point = row[lists[0]][0]
    parts = point.values() if isinstance(point, dict) else point if isinstance(point, list) else ()
    return lists[0] if any(map(_is_date, parts)) else None


def _names_of_list(point: list[Any], field: str) -> list[str]:
    """Return the names of the parts of a point; those of a pair are the time and the value."""
    are_times = [*map(_is_date, point)]
    if len(point) == 2 and sum(are_times) == 1:
        return ["time" if is_time else field for is_time in are_times]
    return [f"{field} {number}" for number in range(1, len(point) + 1)]


def _is_date(value: Any) -> bool:
    return is_date(json_cell(value))


def records_as_rows(records: list[dict[str, Any]]) -> list[list[Any]]:
    """Return records as rows; a field that only some have is empty in others."""
    columns: dict[str, int] = {}
    for record in records:
        for name, _ in _fields(record):
            columns.setdefault(name, len(columns))
            if len(columns) > MAX_COLUMNS:
                raise NotATableError(
                    f"the records have more than {MAX_COLUMNS:,} fields: send fewer"
                )
    check_size(len(records), len(columns))
    rows: list[list[Any]] = [[*columns]]
    for record in records:
        row = [None] * len(columns)
        for name, value in _fields(record):
            row[columns[name]] = value
        rows.append(row)
    return rows


def _fields(record: dict[str, Any], prefix: str = "", depth: int = 1) -> Iterator[tuple[str, Any]]:
    """Yield the fields of a record; those of objects in it are named after these, too."""
    for name, value in record.items():
        if isinstance(value, dict) and depth < MAX_DEPTH:
            # It is repeated in the name of each of them.
            if len(name) > _MAX_OBJECT_NAME_LENGTH:
                most = f"send at most {_MAX_OBJECT_NAME_LENGTH} characters"
                raise NotATableError(f"an object has a name of {len(name):,} characters: {most}")
            yield from _fields(value, f"{prefix}{name}.", depth + 1)
        else:
            yield prefix + name, value


def json_cell(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, (int, float)):
        return stored_number(value)
    return value.strip().replace("\x00", "") if isinstance(value, str) else ""
