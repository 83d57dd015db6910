"""Errors as Azure's Anomaly Detector reports them.

Codes are from its `AnomalyDetectorErrorCodes`; other statuses have their number as code, as
in Azure's gateway.
"""

from collections.abc import Mapping
from typing import Any, Self

from app.api.errors.api_error import ApiError
from app.api.errors.error_schema import DialectErrorSchema
from app.api.responses.fields import string_field
from app.api.responses.json import Json

MODEL_ARGUMENT, BAD_ARGUMENT = "InvalidModelArgument", "BadArgument"
_INVALID_JSON = "InvalidJsonFormat"
_INVALID_FIELD_CODES = {
    "series": "InvalidSeries",
    "granularity": "InvalidGranularity",
    "customInterval": "InvalidCustomInterval",
    "period": "InvalidPeriod",
    "imputeMode": "InvalidImputeMode",
    "imputeFixedValue": "InvalidImputeFixedValue",
    "sensitivity": MODEL_ARGUMENT,
    "maxAnomalyRatio": MODEL_ARGUMENT,
    "threshold": MODEL_ARGUMENT,
    "stableTrendWindow": MODEL_ARGUMENT,
}
# The start of the issue of a missing field: of an error, marshmallow passes on only the text.
MISSING_PREFIX = "missing: "
_MISSING_FIELD_CODES = {"series": "RequiredSeries", "granularity": "RequiredGranularity"}


class CodedIssue(str):
    """An issue whose error code does not follow from its field."""

    __slots__ = ("code",)
    code: str

    def __new__(cls, code: str, issue: str) -> Self:
        coded_issue = super().__new__(cls, issue)
        coded_issue.code = code
        return coded_issue


class AzureErrorSchema(DialectErrorSchema):
    """The body of an error: Azure's clients read the fields at the top."""

    code = string_field("The `code` of `error`.", examples=["InvalidSeries"])
    message = string_field("The `message` of `error`.")


def error_code(error: ApiError) -> str:
    if error.status != 400:
        return str(error.status)
    details: Mapping[str, Any] = error.details or {}
    if "field" not in details:
        return _INVALID_JSON
    if isinstance(details["issue"], CodedIssue):
        return details["issue"].code
    codes = (
        _MISSING_FIELD_CODES
        if details["issue"].startswith(MISSING_PREFIX)
        else _INVALID_FIELD_CODES
    )
    return codes.get(details["field"].partition("[")[0], BAD_ARGUMENT)


def error_head(code: str | int, message: str) -> Json:
    return {"code": code, "message": message}
