"""The two columns of a series, read as arrays, without a Python loop over the points.

Messages are by the index of their entry, ``ValidationError({17: ["…"]})``; those of the whole
column are under ``WHOLE_COLUMN``.
"""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from marshmallow import Schema, ValidationError, fields

from app.api.service import current_settings
from app.forecasting.model_ids import MIN_POINTS
from app.timeseries.calendar.defects import MAX_DEFECTS, SeriesDefects
from app.timeseries.calendar.timestamps import (
    INVALID_TIMESTAMP,
    TIMESTAMP_PATTERN,
    ParsedTimestamps,
    TimestampErrors,
    parse_timestamps,
)
from app.timeseries.types import MAX_MAGNITUDE, BoolArray, FloatArray

WHOLE_COLUMN = "_schema"
# No `format`: JSON Schema's date-time is RFC 3339's, which requires an offset.
TIMESTAMP_SCHEMA = {
    "description": "ISO 8601: `YYYY-MM-DDTHH:MM:SS`, with an offset (`Z`, `+02:00`) or without.",
    "pattern": TIMESTAMP_PATTERN,
    "examples": ["2024-01-31T00:00:00", "2024-01-31T00:00:00Z"],
}
# The starts of issues, by which dialects choose their own error codes.
INSUFFICIENT = "insufficient data points"
MISSING_ENTRY = "missing entry"
NOT_A_NUMBER = "not a number"
VALUE_SCHEMA = {"minimum": -MAX_MAGNITUDE, "maximum": MAX_MAGNITUDE}

Path = tuple[str | int, ...]
ColumnMessages = dict[str | int, list[str]]


class ColumnField(fields.List[Any]):
    """A column of a series: an array of ``min_points`` to ``max_points`` items.

    Where ``max_points`` is None the setting MAX_POINTS bounds it.
    """

    item_issue = ""
    remedy = ""
    item_types: tuple[type, ...] = ()
    parse_items: Callable[[list[Any]], Any]  # returns the column of items of ``item_types``

    def __init__(
        self, item: fields.Field[Any], min_points: int, max_points: int | None, description: str
    ) -> None:
        metadata = {"minItems": min_points, "description": description}
        metadata |= {} if max_points is None else {"maxItems": max_points}
        super().__init__(item, required=True, metadata=metadata)
        self.min_points = min_points
        self.max_points = max_points
        many = "items or more" if max_points is None else f"to {max_points} items"
        self.not_an_array = f"Must be an array of {min_points} {many}"
        self.error_messages["null"] = self.not_an_array
        self.error_messages["required"] = f"missing: send an array of {min_points} {many}"

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        if not isinstance(value, list):
            raise ValidationError(self.not_an_array)
        messages = length_messages(len(value), self.min_points, self.max_points)
        if not messages and set(map(type, value)) <= set(self.item_types):
            return self.parse_items(value)
        wrong = (index for index, item in enumerate(value) if type(item) not in self.item_types)
        messages |= item_messages(wrong, lambda index: self._item_issue(value[index]))
        messages |= self._value_messages(value)
        raise ValidationError(dict(sorted(messages.items(), key=_sort_key)))

    def _value_messages(self, items: list[Any]) -> ColumnMessages:
        """Return the messages of the items that have a valid type."""
        typed = [index for index, item in enumerate(items) if type(item) in self.item_types]
        try:
            if typed:
                self.parse_items([items[index] for index in typed])
        except ValidationError as error:
            return {
                typed[entry] if isinstance(entry, int) else entry: issues
                for entry, issues in error.messages_dict.items()
            }
        return {}

    def _item_issue(self, item: Any) -> str:
        if item is None:
            return f"{MISSING_ENTRY}: null is not a value; {self.remedy}"
        return f"{self.item_issue}: {self.remedy}"


class TimestampsField(ColumnField):
    """Timestamps as strings; loads ``ParsedTimestamps``."""

    item_issue = INVALID_TIMESTAMP
    remedy = "send a string such as 2024-01-31T00:00:00"
    item_types = (str,)

    def __init__(self, min_points: int = MIN_POINTS, max_points: int | None = None) -> None:
        super().__init__(
            fields.String(metadata=TIMESTAMP_SCHEMA),
            min_points,
            max_points,
            "Chronological, one regular step apart, none missing; all with the same offset (`Z`, "
            "`+02:00`) or none.",
        )

    def parse_items(self, items: list[Any]) -> ParsedTimestamps:
        """Return the seconds and the common offset of ``items``."""
        try:
            return parse_timestamps(items)
        except TimestampErrors as error:
            raise ValidationError(defect_messages(error)) from None


class ValuesField(ColumnField):
    """Values as numbers; loads an array of floats."""

    item_issue = NOT_A_NUMBER
    remedy = "send an integer or a float, without quotes"
    item_types = (int, float)

    def __init__(self, min_points: int = MIN_POINTS, max_points: int | None = None) -> None:
        description = "As many as timestamps, none missing."
        super().__init__(fields.Float(metadata=VALUE_SCHEMA), min_points, max_points, description)

    def parse_items(self, items: list[Any]) -> FloatArray:
        """Return ``items`` as floats; only their size is checked, as JSON has no infinity."""
        values = np.asarray(items, dtype=np.float64)
        reject_large_values(~(np.abs(values) <= MAX_MAGNITUDE))
        return values


def data_paths(schema: Schema) -> list[Path]:
    """Return the paths in what ``schema`` loads whose defects are data errors.

    These are the columns of a series, fields whose metadata have ``is_data``, and all fields of a
    schema with ``data_message``.
    """
    paths: list[Path] = []
    are_all_data = bool(getattr(schema, "data_message", ""))
    for name, field in schema.fields.items():
        key = field.data_key or name
        if are_all_data or isinstance(field, ColumnField) or field.metadata.get("is_data"):
            paths.append((key,))
        elif isinstance(field, fields.List) and isinstance(field.inner, fields.Nested):
            paths += [(key, 0, *path) for path in data_paths(field.inner.schema)]
    return paths


def defect_messages(error: SeriesDefects) -> ColumnMessages:
    """Return the engine's defects of a series as messages of a column."""
    return {defect.entry: [defect.issue] for defect in error.defects}


def item_messages(indices: Iterable[int], issue: Callable[[int], str]) -> ColumnMessages:
    """Return the messages of the first ``MAX_DEFECTS`` of ``indices``."""
    return {index: [issue(index)] for index, _ in zip(indices, range(MAX_DEFECTS), strict=False)}


def reject_large_values(is_large: BoolArray) -> None:
    """Raise ValidationError for values that are too large, if any."""
    if is_large.any():
        issue = f"magnitude above {MAX_MAGNITUDE:g}: send the series in larger units"
        large = np.flatnonzero(is_large).tolist()
        raise ValidationError(item_messages(large, lambda _index: issue))


def length_messages(length: int, min_points: int, max_points: int | None = None) -> ColumnMessages:
    """Return the message of a number of points, by default bounded by MAX_POINTS."""
    limit = max_points or current_settings().max_points
    more, fewer = "send a longer history", "send the most recent ones"
    if max_points is not None:
        more, fewer = "send more", "send the rest in further requests"
    issue = ""
    if length < min_points:
        issue = f"{INSUFFICIENT}: {length} sent, at least {min_points} needed; {more}"
    elif length > limit:
        issue = f"too many data points: {length} sent, at most {limit} allowed; {fewer}"
    return {WHOLE_COLUMN: [issue]} if issue else {}


def _sort_key(message: tuple[str | int, list[str]]) -> int:
    """Return a key that puts the message of the whole column first, then sorts by index."""
    return message[0] if isinstance(message[0], int) else -1
