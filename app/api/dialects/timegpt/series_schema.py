"""The series of a request of TimeGPT, with its field names; unknown fields are ignored."""

from typing import Any

import numpy as np
from marshmallow import EXCLUDE, Schema, ValidationError, fields, validates_schema

from app.api.dialects.timegpt import bounds
from app.api.dialects.timegpt.columns import ColumnIndicesField, ColumnsField
from app.api.dialects.timegpt.fields import (
    NOT_NUMBERS,
    NOT_SIZES,
    SizesField,
    StartTimesField,
    TimeGptValuesField,
)
from app.api.series.columns import item_messages
from app.timeseries.types import MAX_MAGNITUDE
from app.timeseries.words import count_of

NOT_SERIES = "Must be an object with y and sizes"


class AnyFieldsSchema(Schema):
    allows_others = True

    class Meta:
        unknown = EXCLUDE


class TimeGptSeriesSchema(AnyFieldsSchema):
    """The series of a call, concatenated."""

    error_messages = {"type": NOT_SERIES}  # noqa: RUF012 - as the library declares it

    y = TimeGptValuesField(
        fields.Float(
            allow_none=True, metadata={"minimum": -MAX_MAGNITUDE, "maximum": MAX_MAGNITUDE}
        ),
        required=True,
        error_messages={"required": f"missing: {NOT_NUMBERS}", "null": NOT_NUMBERS},
        metadata={
            "minItems": 1,
            "maxItems": bounds.MAX_POINTS,
            "description": "Oldest first. Gaps of null are filled linearly; those at the end are "
            "forecast over. Only the last 10,000 before a forecast are used.",
        },
    )
    sizes = SizesField(
        fields.Integer(metadata={"minimum": 1, "maximum": bounds.MAX_POINTS}),
        required=True,
        error_messages={"required": f"missing: {NOT_SIZES}", "null": NOT_SIZES},
        metadata={
            "minItems": 1,
            "maxItems": bounds.MAX_SERIES,
            "description": "The length of each series, in the order of `y`.",
        },
    )
    start_datetime = StartTimesField()
    X = ColumnsField(
        "Columns, each with a value for each one of `y`; null where one is missing. Those that are "
        "known ahead are used if they have helped to forecast; they come first."
    )
    X_future = ColumnsField(
        "The first columns of `X` for the `h` steps after each series, one series behind the other."
    )
    categorical_exog = ColumnIndicesField("Which columns of `X` have categories.")

    @validates_schema(skip_on_field_errors=True)
    def check_sizes(self, data: dict[str, Any], **_kwargs: Any) -> None:
        """Check that the sizes cut ``y`` into series that have a value each."""
        values, sizes = data["y"], data["sizes"]
        if sizes.sum() != len(values):
            issue = (
                f"the sum is {sizes.sum():,}, but y has {count_of(len(values), 'value')}; send all"
            )
            raise ValidationError(issue, "sizes")
        values_before = np.concatenate([[0], np.cumsum(np.isfinite(values))])
        value_counts = np.diff(values_before[np.concatenate([[0], np.cumsum(sizes)])])
        if (empty := np.flatnonzero(value_counts == 0)).size:
            issue = "has no value, only null; leave this series out"
            raise ValidationError({"sizes": item_messages(empty.tolist(), lambda _index: issue)})
