"""The request bodies of TimeGPT, with its field names; unknown fields are ignored."""

from typing import Any

import numpy as np
from marshmallow import ValidationError, fields, post_load, pre_load, validates_schema

from app.anomalies.results import MIN_FALSE_ALARM_RATE
from app.api.dialects.timegpt import bounds
from app.api.dialects.timegpt.columns import (
    ColumnIndicesField,
    check_columns,
    columns_ahead,
    columns_of_windows,
)
from app.api.dialects.timegpt.fields import (
    NOT_A_LEVEL,
    UNKNOWN_TIME,
    LevelField,
    ModelParametersField,
    TimeGptFrequencyField,
    UnsupportedField,
    bounded_integer_field,
    field_metadata,
    model_field,
)
from app.api.dialects.timegpt.frequencies import ParsedFrequency
from app.api.dialects.timegpt.models import TIMEGPT_MODELS
from app.api.dialects.timegpt.requests import (
    SentColumns,
    TimeGptCrossValidationRequest,
    TimeGptDetectionRequest,
    TimeGptForecastRequest,
    TimeGptOnlineDetectionRequest,
)
from app.api.dialects.timegpt.series_schema import NOT_SERIES, AnyFieldsSchema, TimeGptSeriesSchema
from app.api.requests.fields import StrictBoolean, StrictChoice
from app.forecasting.jobs.windows import WindowOptions

_MAX_CONFIDENCE = 0.99
_DEFAULT_LEVEL = 99


class _CallSchema(AnyFieldsSchema):
    """The fields that all bodies share."""

    series = fields.Nested(
        TimeGptSeriesSchema,
        required=True,
        error_messages={"required": NOT_SERIES, "null": NOT_SERIES},
        metadata={"is_data": True},
    )
    model = model_field()
    freq = TimeGptFrequencyField()
    multivariate = UnsupportedField([False], "each series is forecast by itself; leave it out")
    finetune_steps = UnsupportedField(
        [0], "every call fits its models to the series that it sends; leave out finetune_steps"
    )
    finetuned_model_id = UnsupportedField([], "there are no fine-tuned models; leave it out")
    model_parameters = ModelParametersField()
    hist_exog = ColumnIndicesField(
        "Which columns of `X` are not known ahead: these have no effect."
    )
    feature_contributions = StrictBoolean(
        load_default=False,
        metadata=field_metadata("Return by how much each column moves the forecasts."),
    )

    @validates_schema(skip_on_field_errors=True)
    def check_series_columns(self, data: dict[str, Any], **_kwargs: Any) -> None:
        try:
            check_columns(data["series"], self.steps_ahead(data))
        except ValidationError as error:
            raise ValidationError({"series": error.messages}) from None

    def steps_ahead(self, _data: dict[str, Any]) -> int | None:
        return None

    def columns(self, data: dict[str, Any]) -> SentColumns | None:
        """Return the columns that are known ahead, cut at the end of the series."""
        return columns_of_windows(data["series"], data["hist_exog"])

    def common_arguments(self, data: dict[str, Any]) -> dict[str, Any]:
        frequency: ParsedFrequency = data["freq"]
        sizes, started_at = data["series"]["sizes"], data["series"]["start_datetime"]
        is_known = started_at is not None and len(started_at) == len(sizes)
        levels: dict[str, float] = data["level"] or {}
        confidences = tuple(min(level, _MAX_CONFIDENCE) for level in levels.values())
        return {
            "values": data["series"]["y"],
            "sizes": sizes,
            "times": started_at if is_known else np.full(len(sizes), UNKNOWN_TIME),
            "options": WindowOptions(
                frequency.frequency,
                frequency.periods,
                TIMEGPT_MODELS[data["model"]],
                confidences,
                frequency.step_seconds,
                data["model_parameters"],
            ),
            "level_labels": tuple(levels),
            "columns": self.columns(data),
            "sent_columns": len(data["series"]["X"] or ()),
            "needs_contributions": data["feature_contributions"],
        }


_LEVEL_BOUNDS = {"minimum": 0, "exclusiveMaximum": 100}
_HORIZON = "Steps to forecast; intervals are calibrated for up to 100."


class _LevelsSchema(_CallSchema):
    level = LevelField(
        load_default=None,
        allow_none=True,
        metadata=field_metadata(
            "Prediction intervals in percent; above 99 they are those of 99. They are named as "
            "the numbers are written: `lo-80`, `hi-99.5`.",
            type=["number", "array"],
            items={"type": "number", **_LEVEL_BOUNDS},
            maxItems=bounds.MAX_LEVELS,
            **_LEVEL_BOUNDS,
        ),
    )


class TimeGptForecastRequestSchema(_LevelsSchema):
    h = bounded_integer_field(bounds.MAX_STEPS, _HORIZON, required=True)

    def steps_ahead(self, data: dict[str, Any]) -> int | None:
        return int(data["h"])

    def columns(self, data: dict[str, Any]) -> SentColumns | None:
        """Return the columns that are known ahead, with the steps after the series."""
        return columns_ahead(data["series"], data["h"])

    @post_load
    def make_request(self, data: dict[str, Any], **_kwargs: Any) -> TimeGptForecastRequest:
        return TimeGptForecastRequest(**self.common_arguments(data), horizon=data["h"])


class TimeGptCrossValidationRequestSchema(_LevelsSchema):
    h = bounded_integer_field(bounds.MAX_STEPS, _HORIZON, required=True)
    n_windows = bounded_integer_field(bounds.MAX_WINDOWS, "Windows of each series.", load_default=1)
    step_size = bounded_integer_field(
        bounds.MAX_POINTS,
        "Points between the starts of windows; null: `h`.",
        load_default=None,
        allow_none=True,
    )
    full_history = StrictBoolean(
        load_default=False,
        metadata=field_metadata(
            "Forecast nearly all of each series in a few windows; `h`, `n_windows` and "
            "`step_size` have no effect then."
        ),
    )

    @pre_load
    def ignore_placeholders(self, sent: dict[str, Any], **_kwargs: Any) -> dict[str, Any]:
        """Replace the numbers that the SDK makes up for ``full_history`` with valid ones."""
        valid = dict.fromkeys(("h", "n_windows", "step_size"), 1)
        return sent | valid if sent.get("full_history") is True else sent

    @post_load
    def make_request(self, data: dict[str, Any], **_kwargs: Any) -> TimeGptCrossValidationRequest:
        return TimeGptCrossValidationRequest(
            **self.common_arguments(data),
            horizon=data["h"],
            window_count=data["n_windows"],
            step_size=data["step_size"] or data["h"],
            has_full_history=data["full_history"],
        )


class _OneLevelSchema(_CallSchema):
    level = LevelField(
        load_default={f"{_DEFAULT_LEVEL}": _DEFAULT_LEVEL / 100},
        error_messages={"null": NOT_A_LEVEL},
        metadata=field_metadata(
            "Points outside this interval, in percent, are anomalies.",
            type="number",
            default=_DEFAULT_LEVEL,
            **_LEVEL_BOUNDS,
        ),
    )

    @validates_schema(skip_on_field_errors=True)
    def check_level(self, data: dict[str, Any], **_kwargs: Any) -> None:
        if len(data["level"]) != 1:
            raise ValidationError("Must be one number, such as 99", "level")


class TimeGptDetectionRequestSchema(_OneLevelSchema):
    @post_load
    def make_request(self, data: dict[str, Any], **_kwargs: Any) -> TimeGptDetectionRequest:
        (confidence,) = data["level"].values()
        return TimeGptDetectionRequest(
            **self.common_arguments(data),
            false_alarm_rate=max(1 - confidence, MIN_FALSE_ALARM_RATE),
        )


class TimeGptOnlineDetectionRequestSchema(_OneLevelSchema):
    h = bounded_integer_field(bounds.MAX_STEPS, "Steps of each forecast.", required=True)
    detection_size = bounded_integer_field(
        bounds.MAX_DETECTION_SIZE, "Points to judge at the end of each series.", required=True
    )
    step_size = bounded_integer_field(
        bounds.MAX_POINTS,
        "Points between forecasts, at most `h`; null: `h`.",
        load_default=None,
        allow_none=True,
    )
    threshold_method = StrictChoice(
        ["univariate"],
        "each series is judged by itself",
        load_default="univariate",
        metadata=field_metadata("How scores become anomalies."),
    )

    @post_load
    def make_request(self, data: dict[str, Any], **_kwargs: Any) -> TimeGptOnlineDetectionRequest:
        step = min(data["step_size"] or data["h"], data["h"])
        return TimeGptOnlineDetectionRequest(
            **self.common_arguments(data), detection_size=data["detection_size"], step_size=step
        )
