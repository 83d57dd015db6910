"""The responses of Azure's Anomaly Detector, with its field names."""

from marshmallow import Schema, fields

from app.api.fields import ArrayField


def _number(description: str) -> fields.Float:
    return fields.Float(required=True, metadata={"description": description})


def _flag(description: str) -> fields.Boolean:
    return fields.Boolean(required=True, metadata={"description": description})


PERIOD = {"minimum": 0, "description": "The longest seasonal period detected, in steps; 0: none."}
SEVERITY = {"minimum": 0, "maximum": 1}
UPPER = "Upper bound of the band minus the expected value: a point further above is an anomaly."
LOWER = "Expected value minus the lower bound of the band: a point further below is an anomaly."


class EntireDetectionSchema(Schema):
    """The response of entire, v1.0: one entry per point."""

    period = fields.Integer(required=True, metadata=PERIOD)
    expectedValues = ArrayField(fields.Float(), "The expected values.")
    upperMargins = ArrayField(fields.Float(), UPPER)
    lowerMargins = ArrayField(fields.Float(), LOWER)
    isAnomaly = ArrayField(fields.Boolean(), "Which points are anomalies.")
    isNegativeAnomaly = ArrayField(fields.Boolean(), "Which points are anomalies below the band.")
    isPositiveAnomaly = ArrayField(fields.Boolean(), "Which points are anomalies above the band.")


class EntireDetectionWithSeveritySchema(EntireDetectionSchema):
    """The response of entire, v1.1."""

    severity = ArrayField(
        fields.Float(metadata=SEVERITY),
        "0 to 1 for anomalies, higher for less probable ones; else 0.",
    )


class LastDetectionSchema(Schema):
    """The response of last, v1.0."""

    period = fields.Integer(required=True, metadata=PERIOD)
    suggestedWindow = fields.Integer(
        required=True,
        metadata={"minimum": 0, "description": "Number of points to send with the next one."},
    )
    expectedValue = _number("The expected value.")
    upperMargin = _number(UPPER)
    lowerMargin = _number(LOWER)
    isAnomaly = _flag("Whether the last point is an anomaly.")
    isNegativeAnomaly = _flag("Whether the last point is an anomaly below the band.")
    isPositiveAnomaly = _flag("Whether the last point is an anomaly above the band.")


class LastDetectionWithSeveritySchema(LastDetectionSchema):
    """The response of last, v1.1."""

    severity = fields.Float(
        required=True,
        metadata=SEVERITY | {"description": "0 to 1 for an anomaly, else 0."},
    )


class ChangePointDetectionSchema(Schema):
    """The response of changepoint: one entry per point."""

    period = fields.Integer(required=True, metadata=PERIOD)
    isChangePoint = ArrayField(fields.Boolean(), "Which points are the first of a new level.")
    confidenceScores = ArrayField(
        fields.Float(metadata=SEVERITY), "1 minus the p-value for a change point, else 0."
    )
