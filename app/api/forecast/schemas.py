"""The body of POST /forecast and its answer (specification 2.1 to 2.3)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from marshmallow import Schema, ValidationError, fields, post_load, validate, validates_schema

from app.api.fields import StrictChoice, StrictNumber, StrictWhole
from app.api.forecast.columns import (
    COLUMN,
    MIN_POINTS,
    TIMESTAMP,
    TimestampsField,
    ValuesField,
    defect_problems,
)
from app.api.strict_schema import StrictSchema
from app.forecasting.calendar.fit import (
    BeyondCalendarError,
    Calendar,
    CalendarErrors,
    fit_calendar,
)
from app.forecasting.calendar.frequency import Frequency
from app.forecasting.series import MODEL_IDS, Series

MAX_HORIZON = 100
NO_SERIES = "Must be an array of exactly 1 series"
ONE_SERIES = "send an array of one object with timestamps and values"
FREQUENCY_NAMES = [str(frequency) for frequency in Frequency]
PERIODS = {"minItems": 1, "maxItems": MAX_HORIZON}


@dataclass(frozen=True)
class ForecastOrder:
    """A valid request: what is to be forecast, how far, how sure."""

    series: Series
    horizon: int
    confidence: float


class TimeSeriesSchema(StrictSchema):
    """One series: two columns of equal length."""

    timestamps = TimestampsField(
        required=True,
        metadata={
            "minItems": MIN_POINTS,
            "description": "Chronological, one regular step apart, none missing; all with the "
            "same offset (`Z`, `+02:00`) or none.",
        },
    )
    values = ValuesField(
        required=True,
        metadata={"minItems": MIN_POINTS, "description": "As many as timestamps, none missing."},
    )

    @validates_schema(pass_original=True, skip_on_field_errors=False)
    def check_lengths(self, _data: dict[str, Any], sent: Mapping[str, Any], **_kwargs: Any) -> None:
        """The two columns are parallel, whatever else may be wrong with them."""
        timestamps, values = sent.get("timestamps"), sent.get("values")
        if not isinstance(timestamps, list) or not isinstance(values, list):
            return
        if len(timestamps) != len(values):
            issue = (
                f"arrays must have equal length: {len(timestamps)} timestamps, "
                f"{len(values)} values; send one value for each timestamp"
            )
            raise ValidationError({"values": {COLUMN: [issue]}})


class OneSeriesField(fields.List[Any]):
    """An array that holds exactly one series."""

    default_error_messages = {  # noqa: RUF012 - as the library declares it
        "null": NO_SERIES,
        "required": f"missing: {ONE_SERIES}",
    }

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> list[Any]:
        if not isinstance(value, list):
            raise ValidationError(NO_SERIES)
        if len(value) != 1:
            remedy = "send one request for each" if value else ONE_SERIES
            issue = f"Must hold exactly 1 series, not {len(value)}; {remedy}"
            raise ValidationError(issue)
        if not isinstance(value[0], dict):
            raise ValidationError({0: ["Must be an object with timestamps and values"]})
        series: list[Any] = super()._deserialize(value, attr, data, **kwargs)
        return series


class ForecastRequestSchema(StrictSchema):
    """The body of POST /forecast; loads into a ``ForecastOrder``."""

    series = OneSeriesField(
        fields.Nested(TimeSeriesSchema),
        required=True,
        metadata={"minItems": 1, "maxItems": 1, "description": "Exactly one series."},
    )
    forecast_horizon = StrictWhole(
        required=True,
        validate=validate.Range(1, MAX_HORIZON, error=f"Must be between 1 and {MAX_HORIZON}"),
        error_messages={"required": f"missing: send a whole number from 1 to {MAX_HORIZON}"},
        metadata={"description": "Number of future periods to predict.", "examples": [12]},
    )
    data_frequency = StrictChoice(
        FREQUENCY_NAMES,
        "invalid frequency",
        required=True,
        metadata={"description": "Unit of the step between timestamps."},
    )
    forecast_frequency = StrictChoice(
        FREQUENCY_NAMES,
        "invalid frequency",
        required=True,
        metadata={"description": "Must equal `data_frequency`."},
    )
    confidence = StrictNumber(
        load_default=0.95,
        validate=validate.Range(0.1, 0.99, error="Must be between 0.1 and 0.99"),
        metadata={"description": "Confidence level of the prediction interval."},
    )

    @validates_schema(skip_on_field_errors=False)
    def check_frequencies(self, data: dict[str, Any], **_kwargs: Any) -> None:
        """The forecast goes on in the frequency of the data."""
        wanted, given = data.get("forecast_frequency"), data.get("data_frequency")
        if wanted and given and wanted != given:
            issue = f"invalid frequency: Must equal data_frequency, which is {given}"
            raise ValidationError({"forecast_frequency": [issue]})

    @validates_schema(skip_on_field_errors=False)
    def check_spacing(self, data: dict[str, Any], **_kwargs: Any) -> None:
        """The timestamps are one regular grid, and the calendar does not end within the horizon."""
        column = next(iter(data.get("series") or ()), None) or {}
        timestamps, frequency = column.get("timestamps"), data.get("data_frequency")
        if timestamps is None or frequency is None:
            return
        try:
            calendar = fit_calendar(timestamps.times, Frequency(frequency), timestamps.suffix)
        except CalendarErrors as error:
            problems = defect_problems(error)
            raise ValidationError({"series": {0: {"timestamps": problems}}}) from None
        data["calendar"] = calendar
        _check_future(calendar, data.get("forecast_horizon", 1))

    @post_load
    def make_order(self, data: dict[str, Any], **_kwargs: Any) -> ForecastOrder:
        """Return the valid request as an order."""
        column = data["series"][0]
        return ForecastOrder(
            series=Series(column["values"], data["calendar"], column["timestamps"].suffix),
            horizon=data["forecast_horizon"],
            confidence=data["confidence"],
        )


def _check_future(calendar: Calendar, horizon: int) -> None:
    try:
        calendar.future(horizon)
    except BeyondCalendarError as error:
        remedy = (
            f"send a forecast_horizon of at most {error.possible}"
            if error.possible
            else "the series ends too late for any forecast; send earlier timestamps"
        )
        issue = f"the forecast would pass the year 9999: {remedy}"
        raise ValidationError({"forecast_horizon": [issue]}) from None


class ModelHeaderSchema(Schema):
    """The header that picks the model."""

    model_id = StrictChoice(
        list(MODEL_IDS),
        "unknown model",
        data_key="X-Model-Id",
        load_default=next(iter(MODEL_IDS)),
        metadata={
            "alias": "X-Model-Selector",
            "description": "The model that shall answer.\n\n"
            + "\n".join(f"- `{name}`: {role}" for name, role in MODEL_IDS.items()),
        },
    )


class AnswerField(fields.List[Any]):
    """An array of the engine's answer: it stands in the body as the engine gives it."""

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> Any:
        return value


class ForecastResponseSchema(Schema):
    """The 200 body of POST /forecast: four parallel arrays, one entry a future period."""

    forecast_timestamps = AnswerField(
        fields.String(metadata=TIMESTAMP),
        required=True,
        attribute="timestamps",
        metadata=PERIODS
        | {"description": "Timestamps of the forecast periods, in the form that was sent."},
    )
    lower_bound = AnswerField(
        fields.Float(),
        required=True,
        attribute="lower",
        metadata=PERIODS | {"description": "Lower bounds of the prediction interval."},
    )
    median = AnswerField(
        fields.Float(), required=True, metadata=PERIODS | {"description": "Point forecasts."}
    )
    upper_bound = AnswerField(
        fields.Float(),
        required=True,
        attribute="upper",
        metadata=PERIODS | {"description": "Upper bounds of the prediction interval."},
    )
