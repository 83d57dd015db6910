"""The points of a series: an array of objects, read into two columns."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from marshmallow import Schema, ValidationError, fields

from app.api.dialects.azure_anomaly_detector.errors import BAD_ARGUMENT, MISSING, CodedIssue
from app.api.series.columns import (
    MISSING_ENTRY,
    NOT_A_NUMBER,
    VALUE_SCHEMA,
    item_problems,
    length_problems,
)
from app.timeseries.calendar.timestamps import INVALID_TIMESTAMP
from app.timeseries.types import MAX_MAGNITUDE, FloatArray

MIN_AZURE_POINTS = 12
_POINT_FIELDS = {"timestamp", "value"}
_NUMBERS = (int, float)
_NO_ARRAY = f"Must be an array of {MIN_AZURE_POINTS} points or more"
_EXAMPLE = '{"timestamp": "2024-01-31T00:00:00Z", "value": 1.5}'
_point_issue = partial(CodedIssue, BAD_ARGUMENT)
_NO_POINT = _point_issue(f"not a point: send an object such as {_EXAMPLE}")
_NO_VALUE = _point_issue(
    f"{MISSING_ENTRY}: send a value for every point; leave out points that have none"
)
_NO_NUMBER = _point_issue(f"{NOT_A_NUMBER}: send an integer or a float, without quotes")
_NO_TIMESTAMP = _point_issue(f"{INVALID_TIMESTAMP}: send a string such as 2024-01-31T00:00:00Z")
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
                "required": f"{MISSING}send an array of {MIN_AZURE_POINTS} points or more"
            },
            metadata={
                "minItems": MIN_AZURE_POINTS,
                "description": "Ordered by timestamp, without duplicates.",
            },
        )

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        if not isinstance(value, list):
            raise ValidationError(_NO_ARRAY)
        problems = length_problems(len(value), MIN_AZURE_POINTS)
        non_objects = [i for i, point in enumerate(value) if type(point) is not dict]
        problems |= item_problems(non_objects, lambda _index: _NO_POINT)
        if problems:
            raise ValidationError(problems)
        points = (
            value
            if value[0].keys() <= _POINT_FIELDS
            else [_with_lower_case_keys(point) for point in value]
        )
        return AzurePoints([point.get("timestamp") for point in points], _read_values(points))


def _with_lower_case_keys(point: Mapping[str, Any]) -> dict[str, Any]:
    """Return a point with lower-case names: Azure accepts ``Value`` too."""
    return {name.lower(): value for name, value in point.items()}


def _read_values(points: list[dict[str, Any]]) -> FloatArray:
    values = [point.get("value") for point in points]
    if not {*map(type, values)} <= {*_NUMBERS}:
        wrong = [index for index, value in enumerate(values) if type(value) not in _NUMBERS]
        _reject("value", wrong, lambda i: _NO_VALUE if values[i] is None else _NO_NUMBER)
    read = np.asarray(values, dtype=np.float64)
    too_large = np.flatnonzero(~(np.abs(read) <= MAX_MAGNITUDE))
    if too_large.size:
        _reject("value", too_large.tolist(), lambda _index: _TOO_LARGE)
    return read


def _reject(name: str, indices: Iterable[int], issue: Any) -> None:
    problems = item_problems(indices, issue)
    raise ValidationError({index: {name: issues} for index, issues in problems.items()})


def timestamps_of(points: AzurePoints) -> list[str]:
    """Return the timestamps of points; all must have one."""
    if {*map(type, points.timestamps)} != {str}:
        wrong = (
            i for i, timestamp in enumerate(points.timestamps) if not isinstance(timestamp, str)
        )
        _reject("timestamp", wrong, lambda _index: _NO_TIMESTAMP)
    return points.timestamps
