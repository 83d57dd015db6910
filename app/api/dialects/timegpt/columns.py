"""The columns of a call: ``X`` for the steps of the series, ``X_future`` for the steps after them.

The SDK sends the columns that are known ahead first. Categories are numbered in their order.
"""

from typing import Any

import numpy as np
from marshmallow import ValidationError, fields

from app.api.dialects.timegpt import bounds
from app.api.dialects.timegpt.fields import field_metadata
from app.api.dialects.timegpt.requests import SentColumns
from app.api.requests.batch_body import NUMBER_TYPES, number_array
from app.timeseries.types import MAX_MAGNITUDE, FloatArray, IntArray
from app.timeseries.words import count_of

_NOT_COLUMNS = "Must be an array of columns, each an array of numbers"
_NOT_INDICES = "Must be an array of whole numbers, the indices of columns with categories"
_NOT_A_CATEGORY = "Must be text, a number, true, false or null"
_TEXT_REMEDY = "send numbers, or name the column in categorical_exog_list"

Column = list[Any] | FloatArray


class ColumnsField(fields.List[Any]):
    """Columns; loads a list of arrays and lists, None for null or an empty array."""

    def __init__(self, description: str) -> None:
        column = fields.List(fields.Raw())
        metadata = field_metadata(description, maxItems=bounds.MAX_COLUMNS)
        super().__init__(column, allow_none=True, load_default=None, metadata=metadata)

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        if not isinstance(value, list) or not all(
            isinstance(column, (list, np.ndarray)) for column in value
        ):
            raise ValidationError(_NOT_COLUMNS)
        if len(value) > bounds.MAX_COLUMNS:
            raise ValidationError(f"{len(value)} columns, at most {bounds.MAX_COLUMNS}; send fewer")
        return value or None


class ColumnIndicesField(fields.List[Any]):
    """Indices of columns; loads a list."""

    def __init__(self, description: str) -> None:
        index = fields.Integer(metadata={"minimum": 0})
        metadata = field_metadata(description, maxItems=bounds.MAX_COLUMNS)
        super().__init__(index, allow_none=True, load_default=None, metadata=metadata)

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        is_list = isinstance(value, list) and len(value) <= bounds.MAX_COLUMNS
        if not is_list or not all(type(index) is int and index >= 0 for index in value):
            raise ValidationError(_NOT_INDICES)
        return value


def check_columns(series: dict[str, Any], horizon: int | None) -> None:
    """Check the number, the lengths and the values of the columns, and make them arrays.

    ``horizon`` is the number of steps after each series that ``X_future`` covers, None if it is not
    used. Raise ValidationError by the name of the field and the index of the column.
    """
    past = series.get("X") or []
    future = (series.get("X_future") or []) if horizon is not None else []
    categories = set(series.get("categorical_exog") or ())
    if len(future) > len(past):
        excess = count_of(len(future), "column")
        problem = f"{excess}, but X has {len(past)}; send their past values in X too"
        raise ValidationError({"X_future": [problem]})
    if not categories <= set(range(len(past))):
        problem = f"{_NOT_INDICES} of X, of which there are {len(past)}"
        raise ValidationError({"categorical_exog": [problem]})
    points, count = len(series["y"]), len(series["sizes"])
    future_length = (horizon or 0) * count
    numbers = points * (1 + len(past)) + future_length * len(future)
    if past and numbers > bounds.MAX_POINTS:
        remedy = bounds.partitions_remedy(numbers, bounds.MAX_POINTS)
        problem = f"{numbers:,} values with those of y, at most {bounds.MAX_POINTS:,}; {remedy}"
        raise ValidationError({"X": [problem]})
    codes: dict[int, dict[Any, int]] = {index: {} for index in categories}
    for name, columns, length in (("X", past, points), ("X_future", future, future_length)):
        for index, column in enumerate(columns):
            try:
                columns[index] = _parse_column(column, length, codes.get(index))
            except ValidationError as error:
                raise ValidationError({name: {index: error.messages}}) from None


def _parse_column(column: Column, length: int, codes: dict[Any, int] | None) -> FloatArray:
    """Return a column as numbers, NaN for null; ``codes`` are the numbers of its categories."""
    if len(column) != length:
        raise ValidationError(
            f"has {count_of(len(column), 'value')}, {length:,} are needed: one for each step"
        )
    if codes is not None:
        return _category_codes(column, codes)
    if isinstance(column, list):
        items = [int(value) if isinstance(value, bool) else value for value in column]
        numbers = number_array(items)
        if numbers is None:
            other = next(i for i, value in enumerate(items) if type(value) not in NUMBER_TYPES)
            raise ValidationError(f"has no number at {other}; {_TEXT_REMEDY}")
    else:
        numbers = column
    if (large := np.flatnonzero(np.abs(numbers) > MAX_MAGNITUDE)).size:
        problem = f"magnitude above {MAX_MAGNITUDE:g} at {large[0]}: send it in larger units"
        raise ValidationError(problem)
    return numbers


def _category_codes(column: Column, codes: dict[Any, int]) -> FloatArray:
    items = column if isinstance(column, list) else column.tolist()
    if not all(item is None or isinstance(item, (str, int, float)) for item in items):
        raise ValidationError(_NOT_A_CATEGORY)
    names = [_category_key(item) for item in items]
    return np.array([codes.setdefault(name, len(codes)) for name in names], dtype=np.float64)


def _category_key(item: str | float | None) -> str | float | None:
    """Return a key that is equal for equal values only: 1, true and "1" are three categories."""
    if isinstance(item, bool):
        return f"{item}"
    if isinstance(item, str):
        return f'"{item}"'
    return None if item is None or np.isnan(item) else float(item)


def columns_ahead(series: dict[str, Any], horizon: int) -> SentColumns | None:
    """Return the columns of ``X_future``, each after its past, for forecasts after each series."""
    future = series.get("X_future")
    if not future:
        return None
    past = np.vstack(series["X"][: len(future)])
    sizes = series["sizes"]
    values = np.empty((len(future), past.shape[1] + horizon * len(sizes)))
    is_ahead = np.zeros(values.shape[1], dtype=bool)
    ends = np.cumsum(sizes + horizon)
    is_ahead[(ends[:, None] - np.arange(horizon, 0, -1)).ravel()] = True
    values[:, ~is_ahead] = past
    values[:, is_ahead] = np.vstack(future)
    return _sent_columns(series, values, np.arange(len(future)), horizon)


def columns_of_windows(series: dict[str, Any], unknown: list[int] | None) -> SentColumns | None:
    """Return the columns of ``X`` except those ``unknown`` ahead, for windows within the series."""
    past = series.get("X") or []
    indices = np.setdiff1d(np.arange(len(past)), unknown or [])
    if not indices.size:
        return None
    return _sent_columns(series, np.vstack([past[index] for index in indices]), indices, 0)


def _sent_columns(
    series: dict[str, Any], values: FloatArray, indices: IntArray, steps_ahead: int
) -> SentColumns:
    is_category = np.isin(indices, series.get("categorical_exog") or [])
    return SentColumns(values, is_category, indices, steps_ahead)
