"""The error body as schemas; `app/api/errors/error_response.py` writes it."""

from marshmallow import Schema, fields, validate

from app.api.errors.problems import MAX_ERRORS
from app.api.errors.statuses import ErrorCode
from app.api.responses.choices import ChoiceSchema
from app.identity.accounts.permissions import Permission

PROVIDED_DESCRIPTION = "What was sent there, cut if it is long; null where it was missing."


class DefectSchema(Schema):
    """One defect of a request."""

    field = fields.String(
        required=True,
        metadata={
            "description": "Where it is: a path into the body, or the name of a header.",
            "examples": ["series[0].values[17]"],
        },
    )
    issue = fields.String(
        required=True,
        metadata={"description": "What is wrong there, and what to send instead."},
    )
    provided = fields.Raw(required=True, metadata={"description": PROVIDED_DESCRIPTION})
    choices = fields.List(
        fields.Nested(ChoiceSchema),
        metadata={
            "description": "422 of a table that leaves something open: the values that `field`, a "
            "parameter of the query, may have, the likeliest first; empty: any."
        },
    )


class ErrorDetailsSchema(Schema):
    """What is known of an error, by its status; other keys may be added."""

    allows_others = True

    issue = fields.String(
        metadata={
            "description": "What is wrong, and what to send instead. A missing permission (403) "
            "and a limit (429) have the fields below instead."
        }
    )
    field = fields.String(metadata={"description": "400, 422: where the first defect is."})
    provided = fields.Raw(metadata={"description": f"400, 422: {PROVIDED_DESCRIPTION}"})
    row = fields.Integer(
        metadata={"description": "422 of a file: the row or line at fault.", "minimum": 1}
    )
    column = fields.Integer(
        metadata={"description": "422 of a file: the column at fault.", "minimum": 1}
    )
    errors = fields.List(
        fields.Nested(DefectSchema),
        metadata={
            "description": "400, 422: every defect, the first one included.",
            "minItems": 1,
            "maxItems": MAX_ERRORS,
        },
    )
    limit = fields.Integer(
        metadata={"description": "429: the limit that was used up.", "examples": [100]}
    )
    reset_time = fields.String(
        metadata={
            "description": "429: when its window ends, in UTC.",
            "format": "date-time",
            "examples": ["2026-01-01T00:01:00Z"],
        }
    )
    required = fields.List(
        fields.Enum(Permission, by_value=True, metadata={"type": "string"}),
        metadata={"description": "403: permissions that the endpoint needs."},
    )
    granted = fields.List(
        fields.Enum(Permission, by_value=True, metadata={"type": "string"}),
        metadata={"description": "403: permissions that the key has."},
    )


class ErrorBodySchema(Schema):
    """What went wrong."""

    code = fields.String(
        required=True,
        validate=validate.OneOf(list(map(str, ErrorCode))),
        metadata={"description": "Depends only on the status."},
    )
    message = fields.String(
        required=True, metadata={"description": "For people to read; it may change."}
    )
    details = fields.Nested(ErrorDetailsSchema)


class ErrorSchema(Schema):
    """The body of every response that is not 2xx."""

    error = fields.Nested(ErrorBodySchema, required=True)


class DialectErrorDetailsSchema(ErrorDetailsSchema):
    """What is known of an error under the paths of another API."""

    code = fields.String(
        required=True,
        validate=validate.OneOf(list(map(str, ErrorCode))),
        metadata={"description": "The code that the service has elsewhere in `error.code`."},
    )


class DialectErrorBodySchema(ErrorBodySchema):
    """What went wrong, under the paths of another API."""

    code = fields.String(
        required=True,
        metadata={"description": "The code that clients of that API know."},
    )
    details = fields.Nested(DialectErrorDetailsSchema, required=True)


class DialectErrorSchema(ErrorSchema):
    """The error body under the paths of another API, which may add fields at its top."""

    error = fields.Nested(DialectErrorBodySchema, required=True)
