"""The body of POST /anomalies and its response."""

from dataclasses import dataclass
from typing import Any

from marshmallow import Schema, fields, post_load, validates_schema

from app.anomalies.results import EVENT_DIRECTIONS, EventKind
from app.api.anomalies.jobs import Detect
from app.api.endpoints.record_schemas import request_fields
from app.api.requests.fields import EnumField
from app.api.requests.series import (
    FrequencyField,
    OneSeriesField,
    TimeSeriesSchema,
    fit_spacing,
    series_of,
)
from app.api.requests.strict_schema import StrictSchema
from app.api.responses.fields import (
    ArrayField,
    number_field,
    numbers_field,
    string_field,
    timestamp_field,
    timestamps_field,
)
from app.api.responses.json import Json
from app.api.series.columns import TimestampsField, ValuesField
from app.timeseries.series import Series
from app.watching.monitors.settings.monitor_settings import DetectorSettings

MIN_JUDGED_POINTS = 20  # `POST /anomalies` asks for more than the detector's 12
SEVERITY_KEYWORDS: Json = {"minimum": 0, "maximum": 100}
PROBABILITY_KEYWORDS: Json = {"minimum": 0, "maximum": 1}


@dataclass(frozen=True, kw_only=True)
class DetectionRequest(DetectorSettings):
    """A valid request; ``timestamps`` are the strings as sent."""

    series: Series
    timestamps: list[str]
    detect: Detect


class AnomaliesTimeSeriesSchema(TimeSeriesSchema):
    timestamps = TimestampsField(MIN_JUDGED_POINTS)
    values = ValuesField(MIN_JUDGED_POINTS)


class AnomaliesRequestSchema(StrictSchema):
    series = OneSeriesField(AnomaliesTimeSeriesSchema)
    data_frequency = FrequencyField()
    detect = EnumField(
        Detect,
        "unknown choice",
        load_default=Detect.ALL,
        metadata={
            "description": "`all` judges every point against all the others, `last` only the last "
            "point, against its forecast from the points before."
        },
    )

    class Meta(StrictSchema.Meta):
        include = request_fields(DetectorSettings)

    @validates_schema(skip_on_field_errors=False)
    def check_spacing(self, data: dict[str, Any], **_kwargs: Any) -> None:
        data["calendar"] = fit_spacing(data)

    @post_load(pass_original=True)
    def make_request(self, data: dict[str, Any], sent: Any, **_kwargs: Any) -> DetectionRequest:
        return DetectionRequest(
            series=series_of(data, data["calendar"]),
            timestamps=sent["series"][0]["timestamps"],
            detect=data["detect"],
            false_alarm_rate=data["false_alarm_rate"],
            direction=data["direction"],
        )


class EventSchema(Schema):
    """One incident of one or more points."""

    start = timestamp_field("Timestamp of the first point.")
    end = timestamp_field("Timestamp of the last point.")
    kind = string_field(
        "`spike` and `dip`: a short deviation above or below the expected "
        "value; `burst`: a longer group of deviations; `level_shift`: the start of a new "
        "level; `flat`: a run of one value in a series that normally varies.",
        enum=list(EventKind),
    )
    direction = string_field(enum=[*EVENT_DIRECTIONS])
    peak_timestamp = timestamp_field("Timestamp of the most extreme point.")
    severity = number_field(**SEVERITY_KEYWORDS)


class ChangePointSchema(Schema):
    """A lasting change of the level."""

    timestamp = timestamp_field("Timestamp of the first point of the new level.")
    before = number_field("The level before.")
    after = number_field("The level after.")
    p_value = number_field(
        "Probability of a change this large in a series without a change point.",
        **PROBABILITY_KEYWORDS,
    )


class AnomaliesResponseSchema(Schema):
    """The 200 body: parallel arrays with one entry per judged point, events and change points."""

    timestamps = timestamps_field("Timestamps of the judged points, as sent.")
    is_anomaly = ArrayField(
        fields.Boolean(),
        "True exactly where the value lies outside the band on a side selected by `direction`.",
    )
    expected = numbers_field(
        "Expected values, from nearby points and the season; with `detect` `last`, the forecast."
    )
    lower_bound = numbers_field("Lower bounds of the band.")
    upper_bound = numbers_field("Upper bounds of the band.")
    p_value = ArrayField(
        fields.Float(metadata=PROBABILITY_KEYWORDS),
        "Probability that a point of a clean series lies this far out; below `false_alarm_rate` "
        "exactly where `is_anomaly` is true.",
    )
    severity = ArrayField(
        fields.Float(metadata=SEVERITY_KEYWORDS),
        "The less probable the point, the higher: 31 at a probability of 0.001, 50 at 2.5e-6, 75 "
        "at 6e-12. Beyond all other values a probability is taken for larger than `p_value`, as "
        "nothing shows how far noise goes; it continues to fall where `p_value` has stopped.",
    )
    events = ArrayField(fields.Nested(EventSchema), "Oldest first; events do not overlap.")
    change_points = ArrayField(
        fields.Nested(ChangePointSchema), "Oldest first; empty with `detect` `last`."
    )
    periods = ArrayField(
        fields.Integer(metadata={"minimum": 2}),
        "Detected seasonal periods in steps, shortest first.",
    )
