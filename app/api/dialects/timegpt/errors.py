"""Errors as Nixtla's SDK shows them: it raises ``ApiError`` with the status and the whole body.

It sends 408, 409, 429 and 502 to 504 again, five times; a call that would fail again gets 422.
"""

from app.api.errors.api_error import ApiError, defect_error
from app.api.errors.error_schema import DialectErrorSchema
from app.api.responses.fields import string_field
from app.api.responses.json import Json


class TimeGptErrorSchema(DialectErrorSchema):
    """The body of an error: the SDK reads the field at the top."""

    detail = string_field("What is wrong, where, and what to send or set instead.")


def error_code(error: ApiError) -> str:
    """Return the status: TimeGPT has no codes of its own."""
    return str(error.status)


def error_head(_code: str | int, message: str) -> Json:
    return {"detail": message}


def invalid_field_error(field: str, issue: str) -> ApiError:
    """Return the 422 for an invalid field, found after the request was loaded."""
    return defect_error(422, "Invalid request", field, issue)
