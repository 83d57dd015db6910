"""Records of JSON as rows: with objects in them, or by date."""

import re
from collections.abc import Iterator
from itertools import chain, islice
from typing import Any

from app.tables.dates.cells import is_date
from app.tables.errors import UnreadableTableError
from app.tables.numbers.parsing import is_numeric, stored_number
from app.tables.table import MAX_COLUMNS, NAME_SEPARATOR, check_size

_DOTNET_DATE = re.compile(r"/Date\((\d{1,15})(?:[+-]\d{4})?\)/", re.ASCII)  # also of SAP
MAX_JSON_DEPTH = 3  # levels of nested objects
_MAX_OBJECT_NAME_LENGTH = 200  # characters of the name of an object in a record
_MAX_LABELS = 5  # fields of the first record that may name the series of its list
_SAMPLE_NAMES = 20  # names of an object that are looked at for dates


def is_list_of(content: list[Any], kind: type) -> bool:
    return bool(content) and all(isinstance(item, kind) for item in content)


def is_by_date(content: dict[str, Any]) -> bool:
    """Return whether the names in an object are dates, and none has a list.

    An empty list is how PHP writes an empty object.
    """
    first = [*islice(content.items(), _SAMPLE_NAMES)]
    are_dated = len(first) > 1 and all(is_date(name) for name, _ in first)
    return are_dated and not any(isinstance(value, list) and value for value in content.values())


def is_numbered(content: dict[str, Any]) -> bool:
    """Return whether the names in an object number its records, as pandas writes an index."""
    records = [*content.values()]
    are_plain = is_list_of(records, dict) and not any(map(_is_nested, records[0].values()))
    return are_plain and all(map(str.isdecimal, content)) and not is_by_date(content)


def indexed_columns(content: dict[str, Any]) -> dict[str, list[Any]]:
    """Return the columns of an object of objects by date or row number, as of pandas; {} for none.

    Objects by date may lack some dates.
    """
    nested_parts = {name: part for name, part in content.items() if _is_nested(part)}
    parts = [part for part in nested_parts.values() if isinstance(part, dict) and part]
    if len(parts) < 2 or len(parts) < len(nested_parts):
        return {}
    are_dated = all(map(is_by_date, parts))
    first = [*parts[0]]
    are_numbered = all(part.keys() == parts[0].keys() for part in parts) and all(
        name.isdecimal() for name in first[:_SAMPLE_NAMES]
    )
    if not (are_dated or are_numbered) or any(_is_nested(part[next(iter(part))]) for part in parts):
        return {}
    names = [*dict.fromkeys(chain.from_iterable(parts))]
    check_size(len(names), len(parts) + 1)
    columns = {name: [part.get(key) for key in names] for name, part in nested_parts.items()}
    return {"date": names, **columns} if are_dated else columns


def dated_records(content: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a record for each date of an object that ``is_by_date``."""
    return [
        {
            "date": name,
            **(value if isinstance(value, dict) else {"value": value} if value != [] else {}),
        }
        for name, value in content.items()
    ]


def records_as_rows(records: list[dict[str, Any]]) -> list[list[Any]]:
    """Return records as rows; a field that only some have is empty in others."""
    columns: dict[str, int] = {}
    for record in records:
        for name, _ in _fields_of(record):
            columns.setdefault(name, len(columns))
            if len(columns) > MAX_COLUMNS:
                raise UnreadableTableError(
                    f"the records have more than {MAX_COLUMNS:,} fields: send fewer"
                )
    check_size(len(records), len(columns))
    rows: list[list[Any]] = [[*columns]]
    for record in records:
        row = [None] * len(columns)
        for name, value in _fields_of(record):
            row[columns[name]] = value
        rows.append(row)
    return rows


def join_records(lists: list[list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """Return the records of several lists: the labels of the first of a list count for all."""
    check_size(sum(map(len, lists)), _MAX_LABELS)
    records: list[dict[str, Any]] = []
    for part in lists:
        labelled = (field for field in part[0].items() if _is_label(field[1]))
        labels = dict(islice(labelled, _MAX_LABELS))
        records += [labels | record for record in part]
    return records


def _is_label(value: Any) -> bool:
    return isinstance(value, str) and not is_numeric(value) and not is_date(value)


def unnested_records(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the records in the lists of records, with the other fields of these; [] for none.

    Records that have a date and a number themselves are rows, whatever is in their lists.
    """
    sample = records[:_SAMPLE_NAMES]
    lists = {name for record in sample for name in record if _is_list_of_records(record[name])}
    cells = [json_cell(value) for record in sample for _, value in _fields_of(record)]
    if len(lists) != 1 or (any(map(is_date, cells)) and any(map(is_numeric, cells))):
        return []
    [name] = lists
    nested = [record for record in records if _is_list_of_records(record.get(name))]
    check_size(sum(len(record[name]) for record in nested), max(map(len, nested)))
    return [_with_fields_of(record, name, inner) for record in nested for inner in record[name]]


def _with_fields_of(record: dict[str, Any], name: str, inner: dict[str, Any]) -> dict[str, Any]:
    """Return a record with the fields of its parent, the record whose list it is in.

    A list of words, such as the keys of a group, becomes one name.
    """
    is_grouped = sum(isinstance(value, list) for value in inner.values()) == 1
    joined = {field: value for field, value in record.items() if field != name}
    for field, value in inner.items():
        is_name = is_grouped and isinstance(value, list) and is_list_of(value, str)
        unique = f"{name}.{field}" if field in joined else field
        joined[unique] = NAME_SEPARATOR.join(value) if is_name else value
    return joined


def _fields_of(
    record: dict[str, Any], prefix: str = "", depth: int = 1
) -> Iterator[tuple[str, Any]]:
    """Yield the fields of a record; a field of an object in it is named after both.

    A list of only an object of lists is that object.
    """
    for name, content in record.items():
        is_wrapped = _is_list_of_records(content) and len(content) == 1
        value = content[0] if is_wrapped and is_list_of([*content[0].values()], list) else content
        if isinstance(value, dict) and depth < MAX_JSON_DEPTH:
            # The name is repeated in the names of all its fields.
            if len(name) > _MAX_OBJECT_NAME_LENGTH:
                remedy = f"send at most {_MAX_OBJECT_NAME_LENGTH} characters"
                raise UnreadableTableError(
                    f"an object has a name of {len(name):,} characters: {remedy}"
                )
            yield from _fields_of(value, f"{prefix}{name}.", depth + 1)
        else:
            yield prefix + name, value


def _is_list_of_records(value: Any) -> bool:
    return isinstance(value, list) and is_list_of(value, dict)


def json_cell(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, (int, float)):
        return stored_number(value)
    if not isinstance(value, str):
        return ""
    milliseconds = _DOTNET_DATE.fullmatch(value)
    return milliseconds[1] if milliseconds else value.strip().replace("\x00", "")


def _is_nested(value: Any) -> bool:
    return isinstance(value, (dict, list))
