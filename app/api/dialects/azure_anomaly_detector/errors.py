"""Errors as Azure's Anomaly Detector reports them.

Codes are from its `AnomalyDetectorErrorCodes`; other statuses have their number as code, as
in Azure's gateway.
"""

from collections.abc import Mapping
from typing import Any

from app.api.errors.api_error import ApiError
from app.api.errors.error_schema import DialectErrorSchema
from app.api.responses.fields import string_field
from app.api.responses.json import Json
from app.api.series.columns import INSUFFICIENT, MISSING_ENTRY, NOT_A_NUMBER
from app.timeseries.calendar.timestamps import INVALID_TIMESTAMP

_MODEL_ARGUMENT = "InvalidModelArgument"
# The code for an invalid field.
_CODES = {
    "series": "InvalidSeries",
    "granularity": "InvalidGranularity",
    "customInterval": "InvalidCustomInterval",
    "period": "InvalidPeriod",
    "imputeMode": "InvalidImputeMode",
    "imputeFixedValue": "InvalidImputeFixedValue",
    "sensitivity": _MODEL_ARGUMENT,
    "maxAnomalyRatio": _MODEL_ARGUMENT,
    "threshold": _MODEL_ARGUMENT,
    "stableTrendWindow": _MODEL_ARGUMENT,
}
MISSING = "missing: "
# The code for a missing field: its issue starts with ``MISSING``.
_REQUIRED = {"series": "RequiredSeries", "granularity": "RequiredGranularity"}
NOT_A_POINT = "not a point"
# How issues start that concern a malformed point, whatever the rest of the series is.
_MALFORMED = (MISSING_ENTRY, NOT_A_NUMBER, NOT_A_POINT, INVALID_TIMESTAMP)
_NO_JSON, _OTHER = "InvalidJsonFormat", "BadArgument"


class AzureErrorSchema(DialectErrorSchema):
    """The body of an error: Azure's clients read the fields at the top."""

    code = string_field("The `code` of `error`.", examples=["InvalidSeries"])
    message = string_field("The `message` of `error`.")


def error_code(error: ApiError) -> str:
    if error.status != 400:
        return str(error.status)
    details: Mapping[str, Any] = error.details or {}
    if "field" not in details:
        return _NO_JSON
    name, _, entry = details["field"].partition("[")
    issue: str = details["issue"]
    if issue.startswith(MISSING):
        return _REQUIRED.get(name, _OTHER)
    if entry and issue.startswith(_MALFORMED):
        return _OTHER
    if name == "period" and issue.startswith(INSUFFICIENT):
        return _MODEL_ARGUMENT
    return _CODES.get(name, _OTHER)


def error_head(code: str | int, message: str) -> Json:
    return {"code": code, "message": message}
