"""APIs of other vendors, served under their own paths: what their clients send and read.

A folder of `app/api/dialects` declares each, and the application registers them. Derived from the
declaration are the header of the key, the content types of a body, the form of errors, the
documents, and the locations of nginx.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from flask import Blueprint, Flask, current_app

from app.api.endpoints.endpoint import Endpoint
from app.api.errors.api_error import ApiError
from app.api.errors.error_schema import DialectErrorSchema
from app.api.examples.recorded import EXAMPLES, ErrorExample, Examples
from app.api.responses.json import Json

_DIALECTS_EXTENSION = "dialects"


@dataclass(frozen=True)
class Dialect:
    """The API of another vendor that this service also serves: what its clients send and expect.

    Attributes:
        name: One word, for the documents.
        prefix: What its paths start with, in lower case.
        blueprint: Its endpoints.
        error_code: The vendor's code of an error, in ``error.code``.
        error_message: The message in ``error``.
        error_head: The fields next to ``error``, from code and message.
        error_schema: The whole body of an error.
        examples: Its requests and responses.
        key_header: The header that carries the key; ``Authorization`` may carry it as well.
        media_types: The types of a body in addition to ``application/json``.
        has_number_codes: Whether its codes of errors are numbers and not strings.
        details_name: The field of the details in ``error``.
    """

    name: str
    prefix: str
    blueprint: Blueprint
    error_code: Callable[[ApiError], str | int]
    error_message: Callable[[ApiError], str]
    error_head: Callable[[str | int, str], Json]
    error_schema: type[DialectErrorSchema]
    examples: Examples
    key_header: str = "Authorization"
    media_types: tuple[str, ...] = ()
    has_number_codes: bool = False
    details_name: str = "details"


def register_dialects(app: Flask, dialects: Iterable[Dialect]) -> None:
    app.extensions[_DIALECTS_EXTENSION] = tuple(dialects)
    for dialect in dialects_of(app):
        app.register_blueprint(dialect.blueprint)


def dialects_of(app: Flask) -> tuple[Dialect, ...]:
    return app.extensions.get(_DIALECTS_EXTENSION, ())


def dialect_of(path: str) -> Dialect | None:
    """Return the dialect of a path of the current application; None: this service's API."""
    return find_dialect(path, dialects_of(current_app))


def find_dialect(path: str, dialects: Iterable[Dialect]) -> Dialect | None:
    """Return the dialect that serves a path; None: the API of this service.

    The path may start with several slashes, and have the prefix in any case or without the slash
    at its end: an unknown path of this form, too, gets errors of the dialect.
    """
    bare = f"/{path.lstrip('/')}/".lower()
    return next((dialect for dialect in dialects if bare.startswith(dialect.prefix)), None)


def dialect_endpoints(
    path: str, endpoints: Iterable[Endpoint], dialects: Iterable[Dialect]
) -> list[Endpoint]:
    """Return the endpoints of the dialect that serves ``path``, or those outside of dialects."""
    dialect = find_dialect(path, dialects)
    return [endpoint for endpoint in endpoints if find_dialect(endpoint.path, dialects) is dialect]


def error_examples(app: Flask) -> tuple[ErrorExample, ...]:
    """Return every error that a client of ``app`` may meet; errors of dialects come last."""
    return sum((dialect.examples.errors for dialect in dialects_of(app)), start=EXAMPLES.errors)
