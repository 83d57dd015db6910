"""The error body as schemas; `app/api/serving/error_response.py` writes it."""

from marshmallow import Schema, fields, validate

from app.api.errors.statuses import ErrorCode
from app.api.errors.validation import MAX_ERRORS
from app.api.responses.fields import (
    integer_field,
    list_field,
    nested_field,
    permissions_field,
    string_field,
)

_PROVIDED_DESCRIPTION = "What was sent there, cut if it is long; null where it was missing."


class ChoiceSchema(Schema):
    """A choice that a response offers to a question."""

    value = string_field("What to send.")
    meaning = string_field("What it means.")
    example = string_field("What it makes of something in the table.")


class DefectSchema(Schema):
    field = string_field(
        "Where it is: a path into the body, or the name of a header.",
        examples=["series[0].values[17]"],
    )
    issue = string_field("What is wrong there, and what to send instead.")
    provided = fields.Raw(required=True, metadata={"description": _PROVIDED_DESCRIPTION})
    question = string_field(
        "422 of a table that leaves something open: the issue without what to send, for clients "
        "that ask a person.",
        required=False,
    )
    choices = list_field(
        ChoiceSchema,
        "422 of a table that leaves something open: the values that `field`, a "
        "parameter of the query, may have, the likeliest first; empty: any.",
        required=False,
    )


class ErrorDetailsSchema(Schema):
    """What is known of an error, by its status; other keys may be added."""

    allows_others = True

    issue = string_field(
        "What is wrong, and what to send instead. A missing permission (403) "
        "and a limit (429) have the fields below instead.",
        required=False,
    )
    field = string_field("400, 422: where the first defect is.", required=False)
    provided = fields.Raw(metadata={"description": f"400, 422: {_PROVIDED_DESCRIPTION}"})
    row = integer_field("422 of a file: the row or line at fault.", required=False, minimum=1)
    column = integer_field("422 of a file: the column at fault.", required=False, minimum=1)
    errors = list_field(
        DefectSchema,
        "400, 422: every defect, the first one included.",
        required=False,
        minItems=1,
        maxItems=MAX_ERRORS,
    )
    limit = integer_field("429: the limit that was used up.", required=False, examples=[100])
    reset_time = string_field(
        "429: when its window ends, in UTC.",
        required=False,
        format="date-time",
        examples=["2026-01-01T00:01:00Z"],
    )
    required = permissions_field("403: permissions that the endpoint needs.", required=False)
    granted = permissions_field("403: permissions that the key has.", required=False)


class ErrorBodySchema(Schema):
    code = string_field(
        "Depends only on the status.", validate=validate.OneOf(list(map(str, ErrorCode)))
    )
    message = string_field("For people to read; it may change.")
    details = fields.Nested(ErrorDetailsSchema)


class ErrorSchema(Schema):
    """The body of every response that is not 2xx."""

    error = nested_field(ErrorBodySchema)


class DialectErrorDetailsSchema(ErrorDetailsSchema):
    code = string_field(
        "The code that the service has elsewhere in `error.code`.",
        validate=validate.OneOf(list(map(str, ErrorCode))),
    )


class DialectErrorBodySchema(ErrorBodySchema):
    code = string_field("The code that clients of that API know.")
    details = nested_field(DialectErrorDetailsSchema)


class DialectErrorSchema(ErrorSchema):
    """The error body under the paths of another API, which may add fields at its top."""

    error = nested_field(DialectErrorBodySchema)
