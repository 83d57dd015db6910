"""Records of JSON that have a list of points each, as monitoring systems and charts have them."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from app.tables.dates.cells import is_date
from app.tables.json.records import is_list_of, json_cell, records_as_rows
from app.tables.table import NAME_SEPARATOR, check_size

_SAMPLE_RECORDS = 20  # records that are searched for points
_MIN_DATED_PAIRS = 10  # of a list that is read although its record has dates, too
# Fields that may name series: the first one that differs between records does.
_NAME_FIELDS = ("name", "label", "title", "target", "scope", "tag_set", "group_tags")
# Fields with the names of columns, such as dimensionHeaders.
_HEADER_FIELD = re.compile(r"(?:col(?:umn)?s|names|fields|headers?|schema)$", re.IGNORECASE)


def rows_of_points(rows: list[list[Any]]) -> list[list[Any]]:
    """Return a row for each point, if each row has a list of dated points and no date of its own.

    A point is an object, a list such as ``[time, value]``, or the entries at one position of
    several lists. The cells in which the rows differ name their series.
    """
    header = rows[0]
    samples = ((row, _columns_of_points(row)) for row in rows[1 : 1 + _SAMPLE_RECORDS])
    first, columns = next((pair for pair in samples if pair[1]), (rows[1], []))
    if not columns:
        return rows
    records = [row for row in rows[1:] if all(isinstance(row[i], list) for i in columns)]
    others = [i for i in range(len(header)) if i not in columns]
    name_columns = _naming_columns(header, records, others)
    title = NAME_SEPARATOR.join(header[i] for i in name_columns)
    names = _names_of(records, name_columns)
    column, *parallel = columns
    template = columns if parallel else first[column][0]
    check_size(sum(len(row[column]) for row in records), len(template) + 1)
    if parallel:
        lists = (zip(*(row[i] for i in columns), strict=False) for row in records)
        pairs = zip(names, lists, strict=True)
        head = [title, *(header[i] for i in columns)]
        return [head, *([name, *point] for name, points in pairs for point in points)]
    pairs = zip(names, (row[column] for row in records), strict=True)
    if isinstance(template, dict):
        title = f"{header[column]}.{title}" if title in template else title
        return records_as_rows([*_named_objects(pairs, title)])
    headers = [first[i] for i in others if _HEADER_FIELD.search(header[i])]
    head = [title, *_names_of_list(template, header[column], headers)]
    return [head, *([name, *p] for name, points in pairs for p in points if isinstance(p, list))]


def tables_below_names(content: dict[str, Any]) -> dict[str, list[list[Any]]]:
    """Return the tables in an object that has the names of their columns next to them; {} for none.

    The names come first. A row is a list, or an object of lists, as of dimensions and of metrics.
    The index of pandas, if it is one of dates, is a column, too.
    """
    names = [name for field, part in content.items() for name in _column_names(field, part)]
    tables = {
        field: [names, *map(_cells_of, rows)]
        for field, rows in content.items()
        if names and isinstance(rows, list) and rows and len(_cells_of(rows[0])) == len(names)
    }
    index = content.get("index")
    if isinstance(index, list) and index and _is_date(index[0]):
        for field, table in tables.items():
            if len(index) == len(table) - 1:
                dates = ["date", *index]
                tables[field] = [[date, *row] for date, row in zip(dates, table, strict=True)]
    return tables


def _column_names(field: str, part: Any) -> list[str]:
    if not _HEADER_FIELD.search(field):
        return []
    if isinstance(part, dict):
        return [name for inner, names in part.items() for name in _column_names(inner, names)]
    names = map(_column_name, part) if isinstance(part, list) else ()
    return [name for name in names if name]


def _column_name(part: Any) -> str:
    if isinstance(part, dict):
        return next((str(part[field]) for field in ("name", "label", "id") if part.get(field)), "")
    return _label_of(part)


def _cells_of(row: Any) -> list[Any]:
    parts = [row] if isinstance(row, list) else [*row.values()] if isinstance(row, dict) else []
    if not parts or not is_list_of(parts, list):
        return []
    return [
        next(iter(cell.values()), None) if isinstance(cell, dict) else cell
        for part in parts
        for cell in part
    ]


def columns_beside_times(content: dict[str, Any]) -> dict[str, list[Any]]:
    """Return the columns of an object of times and lists of values for them; {} for none.

    The lists are in one field, or one of them is in each record of it. Records name the series.
    """
    plain = {field: part for field, part in content.items() if isinstance(part, list) and part}
    times = [field for field, part in plain.items() if all(_is_date(part[i]) for i in (0, -1))]
    if len(times) != 1:
        return {}
    count = len(plain[times[0]])
    records = next((part for part in plain.values() if is_list_of(part, dict)), [])
    lists = next((part for part in plain.values() if is_list_of(part, list)), [])
    if not lists:
        of_records = [
            [part for part in record.values() if isinstance(part, list) and len(part) == count]
            for record in records
        ]
        lists = [parts[0] for parts in of_records if len(parts) == 1]
    if not lists or any(len(part) != count for part in lists):
        return {}
    check_size(count, len(lists) + 1)
    names = _names_of_records(records) if len(records) == len(lists) else []
    numbers = [f"value {number}" for number in range(1, len(lists) + 1)]
    return {times[0]: plain[times[0]], **dict(zip(names or numbers, lists, strict=True))}


def _names_of_records(records: list[dict[str, Any]]) -> list[str]:
    """Return a different name for each of some records; [] if they have none."""
    header, *rows = records_as_rows(records)
    columns = [
        i for i, cell in enumerate(rows[0]) if isinstance(cell, str) or header[i] in _NAME_FIELDS
    ]
    names = _names_of(rows, _naming_columns(header, rows, columns) or columns[:1])
    return names if len({*names} - {""}) == len(rows) else []


def _named_objects(
    pairs: Iterable[tuple[str, Iterable[Any]]], title: str
) -> Iterator[dict[str, Any]]:
    for name, objects in pairs:
        for point in objects:
            if point and isinstance(point, dict):
                yield point | {title: name} if title else point


def _columns_of_points(row: list[Any]) -> list[int]:
    """Return the column of the only list of dated points, if no other cell is a date.

    Beside dates, such as of the first and the last point, the list must have many pairs. Or return
    the columns of lists of one length, many beside dates, if one of them has dates.
    """
    dated = [i for i, cell in enumerate(row) if isinstance(cell, list) and _has_dated_point(cell)]
    has_date = any(map(_is_date, row))
    if len(dated) != 1:
        parallel = [] if dated else _parallel_columns(row)
        is_long = bool(parallel) and len(row[parallel[0]]) >= _MIN_DATED_PAIRS
        return parallel if is_long or not has_date else []
    points = row[dated[0]]
    is_long = len(points) >= _MIN_DATED_PAIRS and _is_pair(points[0])
    return dated if is_long or not has_date else []


def _has_dated_point(points: list[Any]) -> bool:
    point = points[0] if points else None
    parts = point.values() if isinstance(point, dict) else point if isinstance(point, list) else ()
    return any(map(_is_date, parts))


def _parallel_columns(row: list[Any]) -> list[int]:
    lists = {i: cell for i, cell in enumerate(row) if isinstance(cell, list) and cell}
    dated = [cell for cell in lists.values() if _is_date(cell[0])]
    if len(dated) != 1:
        return []
    length = len(dated[0])
    columns = [
        i
        for i, cell in lists.items()
        if len(cell) == length and not isinstance(cell[0], (dict, list))
    ]
    return columns if len(columns) > 1 else []


def _naming_columns(
    header: Sequence[str], rows: Sequence[list[Any]], columns: Sequence[int]
) -> list[int]:
    """Return the columns that name rows: one of names, or all whose cells differ."""
    differing = [i for i in columns if any(row[i] != rows[0][i] for row in rows[1:])]
    fields = {header[i].casefold(): i for i in differing}
    name_fields = [[fields[field]] for field in _NAME_FIELDS if field in fields]
    texts = [i for i in differing if not isinstance(rows[0][i], (int, float, list))]
    count = len({*_names_of(rows, differing)})
    for candidate in (*name_fields, texts):
        if len({*_names_of(rows, candidate)}) == count:
            return candidate
    return differing


def _names_of(rows: Iterable[list[Any]], columns: Sequence[int]) -> list[str]:
    return [NAME_SEPARATOR.join(_label_of(row[i]) for i in columns) for row in rows]


def _label_of(value: Any) -> str:
    return " ".join(map(json_cell, value)) if isinstance(value, list) else json_cell(value)


def _names_of_list(point: list[Any], field: str, headers: Sequence[Any]) -> list[str]:
    """Return the names of the parts of a point, from a list next to the points if there is one.

    Without names, the parts of a pair are a time and a value.
    """
    for names in headers:
        if isinstance(names, list) and len(names) == len(point) and is_list_of(names, str):
            return names
    if _is_pair(point):
        return ["time" if _is_date(part) else field for part in point]
    return [f"{field} {number}" for number in range(1, len(point) + 1)]


def _is_pair(point: Any) -> bool:
    return isinstance(point, list) and len(point) == 2 and sum(map(_is_date, point)) == 1


def _is_date(value: Any) -> bool:
    return is_date(json_cell(value))
