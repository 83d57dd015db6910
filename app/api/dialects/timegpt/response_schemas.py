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
    """Arrays by name, sent as the engine returns them."""

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


def _contributions_field() -> ArrayField:
    return ArrayField(
        fields.List(fields.Float()),
        "By how much each column of `X` moves each median, and at last what is forecast without "
        "them: together the median. Null unless it was asked for.",
        allow_none=True,
    )


def _zero_field() -> fields.Integer:
    return integer_field("Nothing is counted in tokens.", enum=[0])


class _TokensSchema(Schema):
    input_tokens = _zero_field()
    output_tokens = _zero_field()
    finetune_tokens = _zero_field()
    mean = numbers_field("The medians, series by series.")
    intervals = _TableField(
        "The bounds beside each median: `lo-80`, `hi-80` for each level; null without one."
    )


class TimeGptForecastSchema(_TokensSchema):
    """The response of v2/forecast: `h` entries for each series."""

    weights_x = _null_field("Columns have effects, not weights.")
    feature_contributions = _contributions_field()


class TimeGptCrossValidationSchema(_TokensSchema):
    """The response of v2/cross_validation: the windows of each series, oldest first."""

    sizes = ArrayField(fields.Integer(metadata=_COUNT), "Entries of each series.")
    idxs = ArrayField(fields.Integer(metadata=_COUNT), "Which place of `y` each entry forecasts.")
    feature_contributions = _contributions_field()


class TimeGptDetectionSchema(_TokensSchema):
    """The response of v2/anomaly_detection: an entry for each value."""

    sizes = ArrayField(fields.Integer(metadata=_COUNT), "Entries of each series.")
    anomaly = ArrayField(fields.Boolean(), "Which values are anomalies.")
    weights_x = _null_field("Points are judged without columns.")


class TimeGptOnlineDetectionSchema(_TokensSchema):
    """The response of v2/online_anomaly_detection: an entry for each judged value."""

    sizes = ArrayField(fields.Integer(metadata=_COUNT), "Entries of each series.")
    idxs = ArrayField(fields.Integer(metadata=_COUNT), "Which place of `y` each entry judges.")
    anomaly = ArrayField(fields.Boolean(), "Which values are anomalies.")
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


class _UsedSchema(Schema):
    usage = integer_field("Requests counted.", minimum=0)
    limit = integer_field("Requests allowed.", minimum=0)


class TimeGptUsageSchema(Schema):
    minute = nested_field(_UsedSchema)
    hour = nested_field(_UsedSchema)
    day = nested_field(_UsedSchema)


class _NameSchema(Schema):
    name = string_field(enum=list(TIMEGPT_MODELS))


class TimeGptModelsSchema(Schema):
    models = list_field(_NameSchema)


class TimeGptFinetunedModelsSchema(Schema):
    finetuned_models = list_field(fields.Raw(), maxItems=0)
