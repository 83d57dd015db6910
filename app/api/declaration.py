"""What an endpoint is, and which ones the application has.

`endpoint.py` declares them at their views. What is declared, everything else derives: who needs a
key and which permission, what counts against limits and as use, how the request is read and
checked, the list in a 404, the operation in `/openapi.json`, the statuses on `/docs/errors`, and
nginx's locations.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from flask import Flask, current_app, request
from marshmallow import Schema

from app.accounts.permissions import Permission
from app.api.series.schemas import OneSeriesField

Json = dict[str, Any]

EXTENSION = "endpoints"
EVERY_KEYED = {401, 403, 429, 500, 503}  # 403 and 503 also for plain HTTP and for maintenance
EVERY_BODY = {400, 413, 415}


@dataclass(frozen=True)
class Tag:
    """A group of endpoints in the documents."""

    name: str
    description: str


@dataclass(frozen=True)
class Example:
    """A good request, None where there is no body, and its response."""

    summary: str
    response: Json
    request: Json | None = None


@dataclass(frozen=True)
class Endpoint:
    """What is declared of an endpoint.

    Attributes:
        method: HTTP method.
        path: The rule of its path.
        operation_id: Its name for programs that read the OpenAPI document.
        tag: Its group in the documents.
        summary: One line, the first of the view's docstring.
        description: Markdown for the documents.
        response: Schema of the 200 body, which what the view returns is dumped by.
        response_description: What the 200 body is.
        response_headers: Headers of the 200 response beside the standard ones, as OpenAPI has them.
        example: A good request and its response.
        permission: What the key needs; None: any valid key will do.
        counted: Whether a call takes one request of the caller's limits.
        computes: Whether it waits for an engine process.
        body: Schema of the JSON body; None: there is none.
        headers: Schema of the headers that the view reads. A field's ``alias`` in its metadata is
            an older name of the header, which counts when the header is absent.
        other_errors: Statuses that it may give beside those that follow from the rest.
    """

    method: str
    path: str
    operation_id: str
    tag: Tag
    summary: str
    description: str
    response: Schema
    response_description: str
    response_headers: Mapping[str, Json]
    example: Example | None
    permission: Permission | None
    counted: bool
    computes: bool
    body: Schema | None
    headers: Schema | None
    other_errors: frozenset[int]

    def __str__(self) -> str:
        return f"{self.method} {self.path}"

    @property
    def errors(self) -> list[int]:
        """The statuses other than 200 that it may give, ascending."""
        found = EVERY_KEYED | self.other_errors
        if self.body is not None:
            found |= EVERY_BODY
            if isinstance(self.body.fields.get("series"), OneSeriesField):
                found |= {422}
        return sorted(found)


def add_endpoint(app: Flask, name: str, declared: Endpoint) -> None:
    """Note that ``app`` has an endpoint, by Flask's name of it."""
    app.extensions.setdefault(EXTENSION, {})[name] = declared


def endpoints_of(app: Flask) -> dict[str, Endpoint]:
    """Return the endpoints of ``app`` by Flask's name of them, in the order of declaration."""
    found: dict[str, Endpoint] = app.extensions.get(EXTENSION, {})
    return found


def current_endpoint() -> Endpoint | None:
    """Return the endpoint that the current request asks for, None where it is none."""
    return endpoints_of(current_app).get(request.endpoint or "")
