"""The responses of TimeGPT, with its field names."""

from typing import Any

from marshmallow import Schema, fields

from app.api.dialects.timegpt.models import HORIZON, INPUT_SIZE, TIMEGPT_MODELS
from app.api.responses.fields import (
    ArrayField,
    integer_field,
    list_field,
    nested_field,
    numbers_field,
    string_field,
)

_COUNT = {"minimum": 0}


class _TableField(fields.Dict):
    """Arrays by name, which are not serialized: orjson writes those of numpy."""

    def __init__(self, description: str) -> None:
        super().__init__(
            keys=fields.String(),
            values=fields.List(fields.Float()),
            required=True,
            allow_none=True,
            metadata={"description": description},
        )

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> Any:
        return value


def _null_field(description: str) -> fields.Raw:
    return fields.Raw(required=True, metadata={"description": description, "enum": [None]})


_ZERO = integer_field("Nothing is counted in tokens.", enum=[0])
_SIZES = ArrayField(fields.Integer(metadata=_COUNT), "Entries of each series.")
_ANOMALY = ArrayField(fields.Boolean(), "Which values are anomalies.")
_CONTRIBUTIONS = ArrayField(
    fields.List(fields.Float()),
    "By how much each column of `X` moves each median, and at last what is forecast without "
    "them: together the median. Null unless it was asked for.",
    allow_none=True,
)


class _TokensSchema(Schema):
    input_tokens = _ZERO
    output_tokens = _ZERO
    finetune_tokens = _ZERO
    mean = numbers_field("The medians, series by series.")
    intervals = _TableField(
        "The bounds beside each median: `lo-80`, `hi-80` for each level; null without one."
    )


class TimeGptForecastSchema(_TokensSchema):
    """The response of v2/forecast: `h` entries for each series."""

    weights_x = _null_field("Columns have effects, not weights.")
    feature_contributions = _CONTRIBUTIONS


class TimeGptCrossValidationSchema(_TokensSchema):
    """The response of v2/cross_validation: the windows of each series, oldest first."""

    sizes = _SIZES
    idxs = ArrayField(fields.Integer(metadata=_COUNT), "Which place of `y` each entry forecasts.")
    feature_contributions = _CONTRIBUTIONS


class TimeGptDetectionSchema(_TokensSchema):
    """The response of v2/anomaly_detection: an entry for each value."""

    sizes = _SIZES
    anomaly = _ANOMALY
    weights_x = _null_field("Points are judged without columns.")


class TimeGptOnlineDetectionSchema(_TokensSchema):
    """The response of v2/online_anomaly_detection: an entry for each judged value."""

    sizes = _SIZES
    idxs = ArrayField(fields.Integer(metadata=_COUNT), "Which place of `y` each entry judges.")
    anomaly = _ANOMALY
    anomaly_score = numbers_field(
        "How far each value is from its median, in standard deviations of a normal distribution "
        "with this interval."
    )
    accumulated_anomaly_score = _null_field("Series are judged each by itself.")


class TimeGptKeySchema(Schema):
    detail = string_field("Confirms that the key is valid.")


class _LimitsSchema(Schema):
    input_size = integer_field("Values of a series that are used.", enum=[INPUT_SIZE])
    horizon = integer_field("Steps with calibrated intervals.", enum=[HORIZON])


class TimeGptModelSchema(Schema):
    detail = nested_field(_LimitsSchema)


class _WindowUsageSchema(Schema):
    usage = integer_field("Requests counted.", minimum=0)
    limit = integer_field("Requests allowed.", minimum=0)


class TimeGptUsageSchema(Schema):
    minute = nested_field(_WindowUsageSchema)
    hour = nested_field(_WindowUsageSchema)
    day = nested_field(_WindowUsageSchema)


class _ModelNameSchema(Schema):
    name = string_field(enum=list(TIMEGPT_MODELS))


class TimeGptModelsSchema(Schema):
    models = list_field(_ModelNameSchema)


class TimeGptFinetunedModelsSchema(Schema):
    finetuned_models = list_field(fields.Raw(), maxItems=0)
