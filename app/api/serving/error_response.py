"""The response to an ``ApiError``, in the shape of the dialect of its path."""

from flask import Response, request

from app.api.endpoints.dialect import Dialect, dialect_of
from app.api.errors.api_error import ApiError
from app.api.errors.statuses import error_code
from app.api.request_state import request_state
from app.api.responses.json import Json, json_response
from app.core.api_keys import redact_key_parts


def error_response(error: ApiError) -> Response:
    request_state().field_at_fault = error.field
    dialect = dialect_of(request.path)
    body = _own_error_body(error) if dialect is None else _dialect_error_body(dialect, error)
    response = json_response(body, error.status)
    # A key that was sent in the path or the body by mistake is not repeated.
    response.set_data(redact_key_parts(response.get_data(as_text=True)))
    response.headers.update(error.headers)
    return response


def _own_error_body(error: ApiError) -> Json:
    body: Json = {"code": error_code(error.status), "message": error.message}
    if error.details is not None:
        body["details"] = error.details
    return {"error": body}


def _dialect_error_body(dialect: Dialect, error: ApiError) -> Json:
    code, message = dialect.error_code(error), dialect.error_message(error)
    details = {"code": error_code(error.status), **(error.details or {})}
    body = {"code": code, "message": message, dialect.details_name: details}
    return {**dialect.error_head(code, message), "error": body}
