"""The declaration of an endpoint, and the endpoints of the application.

`app/api/serving/decorator.py` declares them at their views. Everything else derives from the
declaration: permission, limits and usage, how the request is read and checked, the list in a 404,
the operation in `/openapi.json`, the statuses on `/docs/errors`, and nginx's locations.
"""

import functools
import re
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import NamedTuple

from flask import Flask, current_app, request
from marshmallow import Schema

from app.api.examples import Example
from app.api.requests.query import StrictQuerySchema
from app.api.responses.json import Json
from app.api.series.columns import data_paths
from app.compute.jobs import Job
from app.identity.accounts.permissions import Permission

_ENDPOINTS_EXTENSION = "endpoints"
_KEYED_ERRORS = {401, 403, 429, 500, 503}  # 403 and 503 also for plain HTTP and for maintenance
_BODY_ERRORS = {413, 415}
READ_METHODS = ("GET", "HEAD")
_DONE: Mapping[int, str] = {200: "Done."}
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


class SentFile(NamedTuple):
    content: bytes
    media_type: str


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
        successes: The statuses other than errors and their meanings, the default first.
        response: Schema of their body, which dumps what the view returns; None: no body.
        text_type: Media type of a body that is text, which the view returns; empty: it is JSON.
        response_file_types: Media types of a body that is a file, which the view returns as a
            ``SentFile``; ``response`` describes its JSON, if that is one of them.
        response_headers: Headers of the response beside the standard ones, as OpenAPI has them.
        example: A valid request and its response.
        is_public: Whether no key is needed while the pages are public. Then a request without one
            counts against its address like those for pages, a file as one for each 64 KiB.
        is_counted: Whether a call takes one request of the caller's limits.
        computes: The job for which its requests wait for an engine process; None: none do, or few.
        body: Schema of the JSON body; None: no body.
        batch: The bounds of a call of thousands of series; None: the usual bounds.
        time_limit_seconds: The time limit of a call for many series; 0: that of one job.
        body_file_types: Media types of a body that is a file, whose bytes the view gets; the one
            that fits any file comes last.
        variables: Schema of the variables of the path, a field each; None: no variables.
        query: Schema of the query's parameters; None: the query is ignored.
        headers: Schema of the headers that the view reads. A field's ``alias`` in its metadata is
            an older name of the header, read when the header is absent.
        other_errors: Statuses that it may respond with, beyond those that follow from the rest.
        tool: The name by which agents call it (`app/api/dialects/mcp`); empty: they do not.
        is_relay: Whether its requests are requests to other endpoints, as which they count, wait
            and are shown.
        bodiless_statuses: The ``successes`` that have no body though others have.
    """

    method: str
    path: str
    _: KW_ONLY
    permission: Permission | None
    tag: Tag
    description: str
    operation_id: str = ""
    summary: str = ""
    successes: Mapping[int, str] = field(default_factory=lambda: _DONE)
    response: Schema | None = None
    text_type: str = ""
    response_file_types: tuple[str, ...] = ()
    response_headers: Mapping[str, Json] = field(default_factory=dict)
    example: Example | None = None
    is_public: bool = False
    is_counted: bool = True
    computes: Job | None = None
    body: Schema | None = None
    batch: BatchBounds | None = None
    time_limit_seconds: float = 0
    body_file_types: tuple[str, ...] = ()
    variables: Schema | None = None
    query: StrictQuerySchema | None = None
    headers: Schema | None = None
    other_errors: frozenset[int] = frozenset()
    tool: str = ""
    is_relay: bool = False
    bodiless_statuses: frozenset[int] = frozenset()

    def __post_init__(self) -> None:
        named = set(PATH_VARIABLE.findall(self.path))
        declared = set(self.variables.fields) if self.variables else set()
        if named != declared:
            raise ValueError(f"{self} has the variables {named}, declared are {declared}")
        if self.successes is _DONE and not (self.response or self.text_type):
            raise ValueError(f"{self} has no response: declare its successes, such as 204")

    def __str__(self) -> str:
        return self.name

    @functools.cached_property
    def name(self) -> str:
        """Its method and path as people write them: ``GET /monitors/{name}``."""
        return f"{self.method} {self.openapi_path}"

    @property
    def openapi_path(self) -> str:
        """Its path as OpenAPI and people write it."""
        return openapi_path(self.path)

    @property
    def path_pattern(self) -> str:
        """Its path as a regular expression, in which a variable is one segment."""
        return "[^/]+".join(map(re.escape, PATH_VARIABLE.split(self.path)[::2]))

    @property
    def error_statuses(self) -> list[int]:
        """The statuses of errors that it may respond with, ascending."""
        statuses = _KEYED_ERRORS | self.other_errors
        if any((self.variables, self.query, self.headers, self.body)):
            statuses |= {400}
        if self.body is not None or self.body_file_types:
            statuses |= _BODY_ERRORS
        if self.body_file_types or self.computes or (self.body and data_paths(self.body)):
            statuses |= {422}
        return sorted(statuses)


def add_endpoint(app: Flask, name: str, endpoint: Endpoint) -> None:
    """Register an endpoint of ``app``; ``name`` is Flask's."""
    app.extensions.setdefault(_ENDPOINTS_EXTENSION, {})[name] = endpoint


def endpoints_of(app: Flask) -> dict[str, Endpoint]:
    """Return the endpoints of ``app`` by Flask's names, in the order of declaration."""
    return app.extensions.get(_ENDPOINTS_EXTENSION, {})


def current_endpoint() -> Endpoint | None:
    return endpoints_of(current_app).get(request.endpoint or "")
