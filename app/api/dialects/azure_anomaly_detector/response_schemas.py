"""The responses of Azure's Anomaly Detector, with its field names."""

from marshmallow import Schema, fields

from app.api.requests.fields import ArrayField


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
    expectedValues = ArrayField(fields.Float(), "The expected values.")  # noqa: N815
    upperMargins = ArrayField(fields.Float(), UPPER)  # noqa: N815
    lowerMargins = ArrayField(fields.Float(), LOWER)  # noqa: N815
    isAnomaly = ArrayField(fields.Boolean(), "Which points are anomalies.")  # noqa: N815
    isNegativeAnomaly = ArrayField(fields.Boolean(), "Which points are anomalies below the band.")  # noqa: N815
    isPositiveAnomaly = ArrayField(fields.Boolean(), "Which points are anomalies above the band.")  # noqa: N815


class EntireDetectionWithSeveritySchema(EntireDetectionSchema):
    """The response of entire, v1.1."""

    severity = ArrayField(
        fields.Float(metadata=SEVERITY),
        "0 to 1 for anomalies, higher for less probable ones; else 0.",
    )


class LastDetectionSchema(Schema):
    """The response of last, v1.0."""

    period = fields.Integer(required=True, metadata=PERIOD)
    suggestedWindow = fields.Integer(  # noqa: N815
        required=True,
        metadata={"minimum": 0, "description": "Number of points to send with the next one."},
    )
    expectedValue = _number("The expected value.")  # noqa: N815
    upperMargin = _number(UPPER)  # noqa: N815
    lowerMargin = _number(LOWER)  # noqa: N815
    isAnomaly = _flag("Whether the last point is an anomaly.")  # noqa: N815
    isNegativeAnomaly = _flag("Whether the last point is an anomaly below the band.")  # noqa: N815
    isPositiveAnomaly = _flag("Whether the last point is an anomaly above the band.")  # noqa: N815


class LastDetectionWithSeveritySchema(LastDetectionSchema):
    """The response of last, v1.1."""

    severity = fields.Float(
        required=True,
        metadata=SEVERITY | {"description": "0 to 1 for an anomaly, else 0."},
    )


class ChangePointDetectionSchema(Schema):
    """The response of changepoint: one entry per point."""

    period = fields.Integer(required=True, metadata=PERIOD)
    isChangePoint = ArrayField(  # noqa: N815
        fields.Boolean(), "Which points are the first of a new level."
    )
    confidenceScores = ArrayField(  # noqa: N815
        fields.Float(metadata=SEVERITY), "1 minus the p-value for a change point, else 0."
    )
