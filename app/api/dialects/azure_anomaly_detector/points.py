"""The points of a series: an array of objects, read into two columns."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, Never

import numpy as np
from marshmallow import Schema, ValidationError, fields

from app.api.dialects.azure_anomaly_detector.errors import BAD_ARGUMENT, MISSING_PREFIX, CodedIssue
from app.api.series.columns import (
    MISSING_ENTRY,
    NOT_A_NUMBER,
    VALUE_SCHEMA,
    item_messages,
    length_messages,
)
from app.timeseries.calendar.timestamps import INVALID_TIMESTAMP
from app.timeseries.types import MAX_MAGNITUDE, FloatArray

MIN_AZURE_POINTS = 12
_POINT_FIELDS = {"timestamp", "value"}
_NUMBER_TYPES = (int, float)
_NOT_POINTS = f"Must be an array of {MIN_AZURE_POINTS} points or more"
_EXAMPLE = '{"timestamp": "2024-01-31T00:00:00Z", "value": 1.5}'
_point_issue = partial(CodedIssue, BAD_ARGUMENT)
_NOT_A_POINT = _point_issue(f"not a point: send an object such as {_EXAMPLE}")
_MISSING_VALUE = _point_issue(
    f"{MISSING_ENTRY}: send a value for every point; leave out points that have none"
)
_NOT_A_NUMBER = _point_issue(f"{NOT_A_NUMBER}: send an integer or a float, without quotes")
_NOT_A_TIMESTAMP = _point_issue(f"{INVALID_TIMESTAMP}: send a string such as 2024-01-31T00:00:00Z")
_TOO_LARGE = f"magnitude above {MAX_MAGNITUDE:g}: send the series in larger units"


@dataclass(frozen=True)
class AzurePoints:
    """The columns of a series; ``timestamps`` are as sent, None where absent."""

    timestamps: list[Any]
    values: FloatArray


class TimeSeriesPointSchema(Schema):
    allows_others = True

    timestamp = fields.String(
        metadata={
            "description": "ISO 8601; may be absent where `granularity` is `none`.",
            "examples": ["2024-01-31T00:00:00Z"],
        }
    )
    value = fields.Float(required=True, metadata=VALUE_SCHEMA)


class PointsField(fields.List[Any]):
    """An array of points, bounded by the setting MAX_POINTS; loads into ``AzurePoints``."""

    max_points = None

    def __init__(self) -> None:
        super().__init__(
            fields.Nested(TimeSeriesPointSchema),
            required=True,
            error_messages={
                "required": f"{MISSING_PREFIX}send an array of {MIN_AZURE_POINTS} points or more"
            },
            metadata={
                "minItems": MIN_AZURE_POINTS,
                "description": "Ordered by timestamp, without duplicates.",
            },
        )

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        if not isinstance(value, list):
            raise ValidationError(_NOT_POINTS)
        messages = length_messages(len(value), MIN_AZURE_POINTS)
        non_objects = [i for i, point in enumerate(value) if type(point) is not dict]
        messages |= item_messages(non_objects, lambda _index: _NOT_A_POINT)
        if messages:
            raise ValidationError(messages)
        points = value
        if not value[0].keys() <= _POINT_FIELDS:  # Azure accepts ``Value`` too
            points = [{name.lower(): item for name, item in point.items()} for point in value]
        return AzurePoints([point.get("timestamp") for point in points], _parse_values(points))


def _parse_values(points: list[dict[str, Any]]) -> FloatArray:
    sent = [point.get("value") for point in points]
    if not {*map(type, sent)} <= {*_NUMBER_TYPES}:
        wrong = (index for index, value in enumerate(sent) if type(value) not in _NUMBER_TYPES)
        _reject_points(
            "value", wrong, lambda i: _MISSING_VALUE if sent[i] is None else _NOT_A_NUMBER
        )
    values = np.asarray(sent, dtype=np.float64)
    too_large = np.flatnonzero(~(np.abs(values) <= MAX_MAGNITUDE))
    if too_large.size:
        _reject_points("value", too_large.tolist(), lambda _index: _TOO_LARGE)
    return values


def timestamps_of(points: AzurePoints) -> list[str]:
    """Return the timestamps of points; all must have one."""
    if {*map(type, points.timestamps)} != {str}:
        wrong = (i for i, sent in enumerate(points.timestamps) if not isinstance(sent, str))
        _reject_points("timestamp", wrong, lambda _index: _NOT_A_TIMESTAMP)
    return points.timestamps


def _reject_points(field: str, indices: Iterable[int], issue: Callable[[int], str]) -> Never:
    messages = item_messages(indices, issue)
    raise ValidationError({index: {field: issues} for index, issues in messages.items()})
