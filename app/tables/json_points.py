"""Records of JSON that have a list of points each, as monitoring systems and charts have them."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from app.tables.dates.cells import is_date
from app.tables.json_records import is_all, json_cell, records_as_rows
from app.tables.table import check_size

_NAME_SEPARATOR = " · "
_SAMPLE = 20  # records that are searched for points
_MIN_DATED_PAIRS = 10  # of a list that is the series although its record has dates, too
# Fields that name a series on their own if they differ, the first one that does.
_NAME_FIELDS = ("name", "label", "title", "target", "scope", "tag_set", "group_tags")
_HEADER_FIELD = re.compile(r"col(?:umn)?s|columnnames|fields|header", re.IGNORECASE)


def rows_of_points(rows: list[list[Any]]) -> list[list[Any]]:
    """Return a row for each point if rows without a date have a list of dated points each.

    The points are objects, or lists such as ``[time, value]``, or of each list of a row the entries
    at the same position. The cells of a row that differ from those of others name its series.
    """
    header = rows[0]
    found = ((row, _columns_of_points(row)) for row in rows[1 : 1 + _SAMPLE])
    first, taken = next((pair for pair in found if pair[1]), (rows[1], []))
    if not taken:
        return rows
    records = [row for row in rows[1:] if all(isinstance(row[i], list) for i in taken)]
    others = [i for i in range(len(header)) if i not in taken]
    naming = _naming_columns(header, records, others)
    title = _NAME_SEPARATOR.join(header[i] for i in naming)
    names = [_name_of([row[i] for i in naming]) for row in records]
    column, *parallel = taken
    template = taken if parallel else first[column][0]
    check_size(sum(len(row[column]) for row in records), len(template) + 1)
    points = [
        (name, zip(*(row[i] for i in taken), strict=False) if parallel else row[column])
        for name, row in zip(names, records, strict=True)
    ]
    if isinstance(template, dict):
        title = f"{header[column]}.{title}" if title in template else title
        return records_as_rows([*_named_objects(points, title)])
    beside = [first[i] for i in others if _HEADER_FIELD.fullmatch(header[i])]
    parts = [header[i] for i in taken]
    return [
        [title, *(parts if parallel else _names_of_list(template, parts[0], beside))],
        *([name, *p] for name, of in points for p in of if isinstance(p, (list, tuple))),
    ]


def _named_objects(
    points: Iterable[tuple[str, Iterable[Any]]], title: str
) -> Iterator[dict[str, Any]]:
    for name, objects in points:
        for point in objects:
            if point and isinstance(point, dict):
                yield point | {title: name} if title else point


def _columns_of_points(row: list[Any]) -> list[int]:
    """Return the column of the only list of dated points, if no other cell is a date.

    Beside dates, such as those of the first and the last point, it is one of many pairs. Or return
    those of lists of one length, of which one has dates.
    """
    dated = [i for i, cell in enumerate(row) if isinstance(cell, list) and _has_dated_point(cell)]
    has_date = any(map(_is_date, row))
    if len(dated) != 1:
        return [] if dated or has_date else _parallel_columns(row)
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
    alike = [i for i, cell in lists.items() if len(cell) == length and not _is_nested(cell[0])]
    return alike if len(alike) > 1 else []


def _is_nested(value: Any) -> bool:
    return isinstance(value, (dict, list))


def _naming_columns(
    header: Sequence[str], rows: Sequence[list[Any]], columns: Sequence[int]
) -> list[int]:
    """Return the columns that name rows: one of names, or all whose cells differ."""
    differing = [i for i in columns if any(row[i] != rows[0][i] for row in rows[1:])]
    for field in _NAME_FIELDS:
        for i in differing:
            if header[i].casefold() == field and len({_name_of([row[i]]) for row in rows}) == len(
                rows
            ):
                return [i]
    texts = [i for i in differing if not isinstance(rows[0][i], (int, float, list))]
    count = len({_name_of([row[i] for i in differing]) for row in rows})
    is_enough = len({_name_of([row[i] for i in texts]) for row in rows}) == count
    return texts if is_enough else differing


def _name_of(cells: Sequence[Any]) -> str:
    parts = [
        " ".join(map(json_cell, cell)) if isinstance(cell, list) else json_cell(cell)
        for cell in cells
    ]
    return _NAME_SEPARATOR.join(parts)


def _is_pair(point: Any) -> bool:
    """Return whether a point is a time and a value, in any order."""
    return isinstance(point, list) and len(point) == 2 and sum(map(_is_date, point)) == 1


def _names_of_list(point: list[Any], field: str, beside: Sequence[Any]) -> list[str]:
    """Return the names of the parts of a point, perhaps those in a list beside the points.

    Those of a pair are the time and the value.
    """
    for names in beside:
        if isinstance(names, list) and len(names) == len(point) and is_all(names, str):
            return names
    if _is_pair(point):
        return ["time" if _is_date(part) else field for part in point]
    return [f"{field} {number}" for number in range(1, len(point) + 1)]


def _is_date(value: Any) -> bool:
    return is_date(json_cell(value))
