"""Read a dataset of JSON-stat, the format of statistics offices, as a long table."""

import math
from itertools import product
from typing import Any

from app.tables.dates.cells import is_date
from app.tables.errors import UnreadableTableError
from app.tables.table import NAME_SEPARATOR

MAX_VALUES = 500_000  # with missing ones: each makes three cells
_MAX_NAME_LENGTH = 300  # characters of a label, and of the labels of a value together


def is_json_stat(content: dict[str, Any]) -> bool:
    """Return whether an object is a dataset of JSON-stat 2.0 with all of its values."""
    sizes, names = content.get("size"), content.get("id")
    dimensions, values = content.get("dimension"), content.get("value")
    return (
        isinstance(sizes, list)
        and isinstance(names, list)
        and isinstance(dimensions, dict)
        and isinstance(values, (list, dict))
        and len(sizes) == len(names) > 0
        and all(isinstance(size, int) and size > 0 for size in sizes)
        and all(isinstance(name, str) for name in names)
        and [len(_category_labels(dimensions.get(name))) for name in names] == sizes
        and (isinstance(values, dict) or len(values) == math.prod(sizes))
    )


def json_stat_rows(content: dict[str, Any]) -> list[list[Any]]:
    """Return a row for each value, the header first: its date, the names, the value.

    Years and their months or quarters may be two dimensions. The labels of all others are one name;
    a dimension with one label says what all values are.
    """
    dimensions = {name: _category_labels(content["dimension"][name]) for name in content["id"]}
    values = content["value"]
    count = math.prod(map(len, dimensions.values()))
    if count > MAX_VALUES:
        issue = f"the dataset has {count:,} values: send at most {MAX_VALUES:,}"
        raise UnreadableTableError(issue, is_too_large=True)
    if isinstance(values, dict):
        values = [values.get(str(position)) for position in range(count)]
    time = next((name for name, labels in dimensions.items() if all(map(is_date, labels))), None)
    times = [time, _part_of_year(dimensions, time)] if time else []
    keys = [name for name, labels in dimensions.items() if name not in times and len(labels) > 1]
    of_all = [labels[0] for name, labels in dimensions.items() if name not in (*times, *keys)]
    titles = [str(content["dimension"][name].get("label") or name) for name in keys]
    rows = [["date", NAME_SEPARATOR.join(titles), " ".join(of_all) or "value"]]
    names: dict[tuple[str, ...], str] = {}  # the values of one series share its name
    for labels, value in zip(product(*dimensions.values()), values, strict=True):
        of_value = dict(zip(dimensions, labels, strict=True))
        parts = tuple(of_value[name] for name in keys)
        name = names.setdefault(parts, NAME_SEPARATOR.join(parts)[:_MAX_NAME_LENGTH])
        date = " ".join(of_value[part] for part in times if part)
        rows.append([date, name, value])
    return rows if keys else [[date, value] for date, _, value in rows]


def _part_of_year(dimensions: dict[str, list[str]], time: str) -> str | None:
    """Return the dimension whose labels are dates after a year, such as January, if one is."""
    year = dimensions[time][0]
    others = (name for name in dimensions if name != time and len(dimensions[name]) > 1)
    for name in others:
        has_date = any(map(is_date, dimensions[name]))
        if not has_date and all(is_date(f"{year} {label}") for label in dimensions[name]):
            return name
    return None


def _category_labels(dimension: Any) -> list[str]:
    """Return the label of each category of a dimension: its code, if only that is a date."""
    category = dimension.get("category") if isinstance(dimension, dict) else None
    if not isinstance(category, dict):
        return []
    index, labels = category.get("index"), category.get("label")
    labels = labels if isinstance(labels, dict) else {}
    codes = [*labels] if index is None else index
    if isinstance(codes, dict):
        codes = sorted(codes, key=lambda code: str(codes[code]).zfill(9))
    if not isinstance(codes, list) or not all(isinstance(code, str) for code in codes):
        return []
    are_dates = bool(codes) and all(map(is_date, codes))
    texts = [str(labels.get(code, code))[:_MAX_NAME_LENGTH] for code in codes]
    return codes if are_dates and not all(map(is_date, texts)) else texts
