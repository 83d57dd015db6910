"""The body of POST /backtest and its response."""

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from marshmallow import Schema, ValidationError, fields, post_load, validate, validates_schema

from app.api.forecast.schemas import (
    FREQUENCY_FIELDS,
    PERIODS_KEYWORDS,
    ForecastRequest,
    ForecastRequestSchema,
)
from app.api.requests.fields import StrictChoice, StrictInteger
from app.api.requests.series import OneSeriesField, first_series, fit_spacing, series_of
from app.api.responses.fields import (
    ArrayField,
    boolean_field,
    integer_field,
    number_field,
    numbers_field,
    string_field,
    timestamp_field,
    timestamps_field,
)
from app.api.series.columns import INSUFFICIENT, WHOLE_COLUMN
from app.forecasting.backtest.windows import MAX_WINDOWS
from app.forecasting.model_ids import MIN_POINTS, MODEL_IDS, SEASONAL_NAIVE

DEFAULT_WINDOWS = 5
_MODELS = list(MODEL_IDS)
_NOT_MODEL_LIST = f"Must be an array of 1 to {len(_MODELS)} of {', '.join(_MODELS)}, each once"


@dataclass(frozen=True)
class BacktestRequest(ForecastRequest):
    """A valid request; ``timestamps`` are the strings that were sent."""

    timestamps: list[str]
    models: list[str]
    windows: int

    @property
    def equivalent_points(self) -> int:
        """The points for which all models and the default number of windows take the same time."""
        fraction = len(self.models) * self.windows / (len(_MODELS) * DEFAULT_WINDOWS)
        return round(len(self.series.values) * fraction)


class ModelsField(fields.List[Any]):
    def __init__(self) -> None:
        super().__init__(
            StrictChoice(_MODELS, "unknown model"),
            load_default=_MODELS,
            error_messages={"null": _NOT_MODEL_LIST},
            metadata={
                "minItems": 1,
                "maxItems": len(_MODELS),
                "uniqueItems": True,
                "description": "The models to compare, by default all.",
            },
        )

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        if not isinstance(value, list) or not value:
            raise ValidationError(_NOT_MODEL_LIST)
        if len(value) > len(_MODELS):
            raise ValidationError(f"{_NOT_MODEL_LIST}; {len(value)} were sent")
        names = super()._deserialize(value, attr, data, **kwargs)
        for index, name in enumerate(names):
            if name in names[:index]:
                raise ValidationError({index: [f"{name} is repeated: send each model once"]})
        return names


class BacktestRequestSchema(ForecastRequestSchema):
    remedies: ClassVar[Mapping[str, str]] = {}

    series = OneSeriesField()
    models = ModelsField()
    windows = StrictInteger(
        load_default=DEFAULT_WINDOWS,
        validate=validate.Range(1, MAX_WINDOWS, error=f"Must be between 1 and {MAX_WINDOWS}"),
        metadata={"description": "How many windows of `forecast_horizon` points are forecast."},
    )

    @validates_schema(skip_on_field_errors=False)
    def check_spacing(self, data: dict[str, Any], **_kwargs: Any) -> None:
        """The timestamps are one regular grid; nothing after it is forecast."""
        data["calendar"] = fit_spacing(data, FREQUENCY_FIELDS)

    @validates_schema(skip_on_field_errors=False)
    def check_points(self, data: dict[str, Any], **_kwargs: Any) -> None:
        """At least one window has enough points before it."""
        values, horizon = first_series(data).get("values"), data.get("forecast_horizon")
        if values is None or horizon is None or len(values) >= MIN_POINTS + horizon:
            return
        remedy = "send a longer history"
        if len(values) > MIN_POINTS:
            remedy += f", or a forecast_horizon of at most {len(values) - MIN_POINTS}"
        issue = (
            f"{INSUFFICIENT}: {len(values)} sent, at least {MIN_POINTS + horizon} needed: "
            f"{MIN_POINTS} and one window of {horizon}; {remedy}"
        )
        raise ValidationError({"series": {0: {"timestamps": {WHOLE_COLUMN: [issue]}}}})

    @post_load(pass_original=True)
    def make_request(
        self, data: dict[str, Any], sent: Mapping[str, Any], **_kwargs: Any
    ) -> BacktestRequest:
        return BacktestRequest(
            series=series_of(data, data["calendar"]),
            horizon=data["forecast_horizon"],
            confidence=data["confidence"],
            timestamps=sent["series"][0]["timestamps"],
            models=data["models"],
            windows=data["windows"],
        )


_measure_field = functools.partial(number_field, minimum=0)


def _scaled_measure_field(description: str) -> fields.Float:
    return number_field(
        f"{description}, in units of the error of the seasonal naive within the history; null "
        "where a history has none.",
        allow_none=True,
        minimum=0,
    )


class ScoredModelSchema(Schema):
    """How good one model was, over all windows; smaller is better, except for `coverage`."""

    model_id = string_field(enum=[*_MODELS, SEASONAL_NAIVE])
    rank = integer_field("By `mae`; 1 is the best.", minimum=1)
    mae = _measure_field("Mean absolute error of the median.")
    rmse = _measure_field("Root of the mean squared error of the median.")
    smape = _measure_field("Symmetric mean absolute percentage error of the median.", maximum=200)
    mase = _scaled_measure_field("Mean absolute scaled error: `mae`")
    coverage = _measure_field(
        "Share of the points that lie within the interval; `confidence` is what it should be.",
        maximum=1,
    )
    mean_width = _measure_field("Mean of `upper_bound` minus `lower_bound`.")
    msis = _scaled_measure_field("Mean scaled interval score: width and misses of the interval")
    seconds = _measure_field(
        "CPU time of the model in this backtest; the one number that differs from call to call."
    )


class BandSchema(Schema):
    median = numbers_field("Point forecasts.", **PERIODS_KEYWORDS)
    lower_bound = numbers_field("Lower bounds.", **PERIODS_KEYWORDS)
    upper_bound = numbers_field("Upper bounds.", **PERIODS_KEYWORDS)


class WindowSchema(Schema):
    cutoff = timestamp_field("Timestamp of the last point that the models had.")
    short_history = boolean_field(
        "Fewer than two seasons come before it, or 20 points where there is "
        "none: it does not count in the scores, unless all windows are short."
    )
    timestamps = timestamps_field("Timestamps of its points, as sent.", **PERIODS_KEYWORDS)
    actual = numbers_field("The values that were sent.", **PERIODS_KEYWORDS)
    forecasts = fields.Dict(
        keys=fields.String(),
        values=fields.Nested(BandSchema),
        required=True,
        metadata={"description": "By `model_id`, in the order of the request."},
    )


class BacktestResponseSchema(Schema):
    """The 200 body: models ranked, and their forecasts window by window."""

    models = ArrayField(
        fields.Nested(ScoredModelSchema),
        f"The models and `{SEASONAL_NAIVE}`, the best first.",
        minItems=2,
        maxItems=len(_MODELS) + 1,
    )
    best_model = string_field(
        "The best of the requested models: send it as `X-Model-Id`.", enum=_MODELS
    )
    windows = ArrayField(
        fields.Nested(WindowSchema),
        "Oldest first; they follow each other, and the last one ends with the series.",
        minItems=1,
        maxItems=MAX_WINDOWS,
    )
