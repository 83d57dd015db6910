"""The declaration of an endpoint, and the endpoints of the application.

`app/api/serving/decorator.py` declares them at their views. Everything else derives from the
declaration: permission, limits and usage, how the request is read and checked, the list in a 404,
the operation in `/openapi.json`, the statuses on `/docs/errors`, and nginx's locations.
"""

import functools
import re
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from enum import Enum
from typing import Any, TypedDict

from flask import Flask, current_app, request
from marshmallow import Schema

from app.api.examples.recorded import Example
from app.api.requests.query import StrictQuerySchema
from app.api.responses.json import Json
from app.api.series.columns import data_paths
from app.compute.jobs import Job
from app.identity.accounts.permissions import Permission

_ENDPOINTS_EXTENSION = "endpoints"
_KEYED_ERRORS = {401, 403, 429, 500, 503}  # 403 and 503 also for plain HTTP and for maintenance
_BODY_ERRORS = {413, 415}
READ_METHODS = ("GET", "HEAD")
PATH_VARIABLE = re.compile("<(?:[^:>]+:)?([^>]+)>")


def openapi_path(path: str) -> str:
    """Return a path as OpenAPI and people write it: ``/monitors/{name}``."""
    return PATH_VARIABLE.sub(r"{\1}", path)


@dataclass(frozen=True)
class Tag:
    name: str
    description: str


@dataclass(frozen=True)
class BatchBounds:
    """The bounds of a call for thousands of series; its JSON body may be compressed by zstd.

    ``max_sent_bytes`` applies instead of MAX_BODY_BYTES. ``max_memory_bytes`` is for its values
    while they are parsed; ``remedy`` says what to send instead of a larger one.
    """

    max_sent_bytes: int
    max_unpacked_bytes: int
    max_memory_bytes: int
    remedy: str


@dataclass(frozen=True)
class BatchBody:
    """A JSON body for thousands of series."""

    schema: Schema
    bounds: BatchBounds


@dataclass(frozen=True)
class FileBody:
    """A body that is a file, whose bytes the view gets; the type that fits any file comes last."""

    media_types: tuple[str, ...]


@dataclass(frozen=True)
class Success:
    """A response other than an error.

    Attributes:
        meaning: A sentence for the documents.
        schema: Schema of its JSON, which dumps what the view returns; None: it has none.
        headers: Its headers in addition to the standard ones, as OpenAPI has them.
        media_types: The media types of which the view's ``Result`` has one; empty: JSON only.
    """

    meaning: str
    schema: Schema | None = None
    headers: Mapping[str, Json] = field(default_factory=dict)
    media_types: tuple[str, ...] = ()


@dataclass(frozen=True)
class Result:
    """The result of a view that also sets the headers, the status or the media type.

    Attributes:
        content: What the schema of the ``Success`` dumps.
        headers: Headers in addition to the standard ones.
        status: The status; 0: the first of ``Endpoint.successes``.
        media_type: The media type of content that is bytes; empty: it is dumped as JSON.
    """

    content: Any
    headers: Mapping[str, str] = field(default_factory=dict)
    status: int = 0
    media_type: str = ""


class CallCost(Enum):
    """What a call counts as in the caller's limits."""

    REQUEST = "one request, or as many as the view counts"
    NOTHING = "nothing"
    READING = "a request for a page for each 64 KiB of its file, in the account's own budget"
    RELAYED = "what the endpoint takes that the view passes the request to"


@dataclass(frozen=True)
class Endpoint:
    """The declaration of an endpoint.

    Attributes:
        method: HTTP method.
        path: The rule of its path, as Flask has it: ``/monitors/<name>``.
        permission: The permission that the key needs; None: any valid key.
        tag: Its group in the documents.
        description: Markdown for the documents.
        operation_id: Its name for programs that read the OpenAPI document; empty: the view's.
        summary: One line for the documents; empty: the first line of the view's docstring.
        successes: The responses other than errors by status, the default first.
        example: A valid request and its response.
        is_public: Whether no key is needed while the pages are public. Requests without a key
            count against the page budget of their address; a file counts once per 64 KiB.
        cost: What a call counts as in the caller's limits.
        computes: The job for which its requests wait for an engine process before their body is
            read; None: they do not, even if the view runs a job for some.
        time_limit_seconds: The time limit of a call for many series; 0: that of one job.
        body: Schema of the JSON body, or what else the body is; None: no body.
        variables: Schema of the variables of the path, a field each; None: no variables.
        query: Schema of the query's parameters; None: the query is ignored.
        headers: Schema of the headers that the view reads. A field's ``alias`` in its metadata is
            an older name of the header, read when the header is absent.
        other_errors: Statuses that it may respond with, beyond those that follow from the rest.
        tool: The name by which agents call it (`app/api/dialects/mcp`); empty: they do not.
    """

    method: str
    path: str
    _: KW_ONLY
    permission: Permission | None
    tag: Tag
    description: str
    successes: Mapping[int, Success]
    operation_id: str = ""
    summary: str = ""
    example: Example | None = None
    is_public: bool = False
    cost: CallCost = CallCost.REQUEST
    computes: Job | None = None
    time_limit_seconds: float = 0
    body: Schema | BatchBody | FileBody | None = None
    variables: Schema | None = None
    query: StrictQuerySchema | None = None
    headers: Schema | None = None
    other_errors: frozenset[int] = frozenset()
    tool: str = ""

    def __post_init__(self) -> None:
        path_names = set(PATH_VARIABLE.findall(self.path))
        field_names = set(self.variables.fields) if self.variables else set()
        if path_names != field_names:
            raise ValueError(f"{self} has the variables {path_names}, declared are {field_names}")

    def __str__(self) -> str:
        return self.name

    @functools.cached_property
    def name(self) -> str:
        """Its method and path as people write them: ``GET /monitors/{name}``."""
        return f"{self.method} {openapi_path(self.path)}"

    @property
    def path_pattern(self) -> str:
        """Its path as a regular expression, in which a variable is one segment."""
        return "[^/]+".join(map(re.escape, PATH_VARIABLE.split(self.path)[::2]))

    @property
    def json_schema(self) -> Schema | None:
        """The schema of its JSON body, None if it has none."""
        if isinstance(self.body, BatchBody):
            return self.body.schema
        return None if isinstance(self.body, FileBody) else self.body

    @property
    def has_series(self) -> bool:
        """Whether it takes series in its JSON body."""
        return self.json_schema is not None and "series" in self.json_schema.fields

    @property
    def has_pages(self) -> bool:
        """Whether it returns a page of a list."""
        return self.query is not None and "limit" in self.query.fields

    @property
    def is_body_optional(self) -> bool:
        """Whether no field of its JSON body is required: without a body it is ``{}``."""
        schema = self.json_schema
        return schema is not None and not any(part.required for part in schema.fields.values())

    @property
    def batch(self) -> BatchBounds | None:
        """The bounds of its body if that is for thousands of series."""
        return self.body.bounds if isinstance(self.body, BatchBody) else None

    @property
    def error_statuses(self) -> list[int]:
        """The statuses of errors that it may respond with, ascending."""
        statuses = _KEYED_ERRORS | self.other_errors
        schema, has_file = self.json_schema, isinstance(self.body, FileBody)
        if any((self.variables, self.query, self.headers, schema)):
            statuses |= {400}
        if self.body is not None:
            statuses |= _BODY_ERRORS
        if has_file or self.computes or (schema and data_paths(schema)):
            statuses |= {422}
        return sorted(statuses)


class EndpointOptions(TypedDict, total=False):
    """The fields of an `Endpoint` that each endpoint of a resource may set."""

    description: str
    successes: Mapping[int, Success]
    summary: str
    example: Example
    computes: Job
    body: Schema
    variables: Schema | None
    query: StrictQuerySchema
    headers: Schema
    tool: str


def add_endpoint(app: Flask, name: str, endpoint: Endpoint) -> None:
    """Register an endpoint of ``app``; ``name`` is Flask's."""
    app.extensions.setdefault(_ENDPOINTS_EXTENSION, {})[name] = endpoint


def endpoints_of(app: Flask) -> dict[str, Endpoint]:
    """Return the endpoints of ``app`` by Flask's names, in the order of declaration."""
    return app.extensions.get(_ENDPOINTS_EXTENSION, {})


def current_endpoint() -> Endpoint | None:
    return endpoints_of(current_app).get(request.endpoint or "")
