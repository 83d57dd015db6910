"""The responses of Azure's Anomaly Detector, with its field names."""

from marshmallow import Schema, fields

from app.api.responses.fields import (
    ArrayField,
    boolean_field,
    integer_field,
    number_field,
    numbers_field,
)
from app.api.responses.json import Json

_PERIOD: Json = {
    "minimum": 0,
    "description": "The longest seasonal period detected, in steps; 0: none.",
}
_SEVERITY: Json = {"minimum": 0, "maximum": 1}
_UPPER = "Upper bound of the band minus the expected value: a point further above is an anomaly."
_LOWER = "Expected value minus the lower bound of the band: a point further below is an anomaly."


class EntireDetectionSchema(Schema):
    period = integer_field(**_PERIOD)
    expectedValues = numbers_field("The expected values.")
    upperMargins = numbers_field(_UPPER)
    lowerMargins = numbers_field(_LOWER)
    isAnomaly = ArrayField(fields.Boolean(), "Which points are anomalies.")
    isNegativeAnomaly = ArrayField(fields.Boolean(), "Which points are anomalies below the band.")
    isPositiveAnomaly = ArrayField(fields.Boolean(), "Which points are anomalies above the band.")


class EntireDetectionWithSeveritySchema(EntireDetectionSchema):
    severity = ArrayField(
        fields.Float(metadata=_SEVERITY),
        "0 to 1 for anomalies, higher for less probable ones; else 0.",
    )


class LastDetectionSchema(Schema):
    period = integer_field(**_PERIOD)
    suggestedWindow = integer_field("Number of points to send with the next one.", minimum=0)
    expectedValue = number_field("The expected value.")
    upperMargin = number_field(_UPPER)
    lowerMargin = number_field(_LOWER)
    isAnomaly = boolean_field("Whether the last point is an anomaly.")
    isNegativeAnomaly = boolean_field("Whether the last point is an anomaly below the band.")
    isPositiveAnomaly = boolean_field("Whether the last point is an anomaly above the band.")


class LastDetectionWithSeveritySchema(LastDetectionSchema):
    severity = number_field("0 to 1 for an anomaly, else 0.", **_SEVERITY)


class ChangePointDetectionSchema(Schema):
    period = integer_field(**_PERIOD)
    isChangePoint = ArrayField(fields.Boolean(), "Which points are the first of a new level.")
    confidenceScores = ArrayField(
        fields.Float(metadata=_SEVERITY), "1 minus the p-value for a change point, else 0."
    )
