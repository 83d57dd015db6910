"""Example requests and recorded responses. Documents show them; tests send and compare them.

Limits in them are those of the default settings.
"""

import copy
import json
import re
from dataclasses import dataclass, field
from enum import StrEnum
from importlib.resources import files
from typing import Any

from app.api.errors.statuses import ErrorCode, error_code
from app.api.responses.json import Json

# The response of an example until ``make examples`` has recorded it.
_UNRECORDED_RESPONSE: Json = {"status": 400, "body": {}}


class Origin(StrEnum):
    SERVICE = "the service"
    NGINX = "nginx"


@dataclass(frozen=True)
class Example:
    """A valid request (None without a body, a string for a file) and its response."""

    summary: str
    response: Json
    request: Json | str | None = None


@dataclass(frozen=True)
class ErrorExample:
    """An error in the documents: its cause, its response and its remedy.

    Attributes:
        source: The examples that it is one of.
        name: A short name, for links.
        when: The cause, in one sentence.
        remedy: What to do.
        circumstance: The part of the cause that is not in the request; empty if there is none.
        base: The valid request that is changed, by its name in `requests.json`.
        changes: The changed values, by their path: ``series[0].values[3]``.
        removed: The paths that are left out.
        body: The body that is sent instead of that JSON, if any.
        headers: Headers in addition to the usual ones.
    """

    source: "Examples" = field(repr=False, compare=False)
    name: str
    when: str
    remedy: str
    circumstance: str = ""
    method: str = "POST"
    path: str = "/forecast"
    headers: dict[str, str] = field(default_factory=dict)
    base: str = "forecast"
    changes: Json = field(default_factory=dict)
    removed: tuple[str, ...] = ()
    body: str | None = None
    by: str = Origin.SERVICE

    @property
    def request(self) -> Json:
        """The JSON that is sent, where ``body`` is None."""
        changed: Json = copy.deepcopy(self.source.requests[self.base])
        for path, value in self.changes.items():
            parent, key = _resolve_parent(changed, path)
            parent[key] = value
        for path in self.removed:
            parent, key = _resolve_parent(changed, path)
            del parent[key]
        return changed

    @property
    def status(self) -> int:
        return self._recorded["status"]

    @property
    def code(self) -> ErrorCode:
        return error_code(self.status)

    @property
    def response(self) -> Json:
        return self._recorded["body"]

    @property
    def response_headers(self) -> dict[str, str]:
        """The headers of the response that explain this error."""
        return self._recorded.get("headers", {})

    @property
    def _recorded(self) -> Json:
        return self.source.responses["errors"].get(self.name, _UNRECORDED_RESPONSE)


def _resolve_parent(body: Json, path: str) -> tuple[Any, str | int]:
    """Return the object or array that contains the value at ``path``, and its key there."""
    *outer_keys, key = (
        int(step) if step.isdigit() else step for step in re.findall(r"[^.\[\]]+", path)
    )
    parent: Any = body
    for outer_key in outer_keys:
        parent = parent[outer_key]
    return parent, key


class Examples:
    """The examples in a package: `requests.json` is written by hand, the rest by ``make examples``.

    The responses are recorded in ``file``; ``errors`` are requests that get an error.
    """

    def __init__(self, package: str) -> None:
        self.file = files(package) / "responses.json"
        self.requests: Json = json.loads((files(package) / "requests.json").read_text("utf-8"))
        errors = self.requests.pop("errors")
        self.responses: Json = json.loads(self.file.read_text("utf-8"))
        self.errors = tuple(ErrorExample(self, **error) for error in errors)

    def success(self, name: str, summary: str, response: str = "") -> Example:
        """Return the request ``name``, if any, and its response: ``response``, or its own.

        Numbers are rounded; secrets, times and events of a replay are made up.
        """
        return Example(summary, self.responses[response or name], self.requests.get(name))


# The examples of the service's own endpoints, with every error that a client may meet there.
EXAMPLES = Examples(__package__)

MODEL: str = EXAMPLES.requests["model"]
REQUEST: Json = EXAMPLES.requests["forecast"]


def responder_names(status: int) -> str:
    """Return who responds with a status: ``the service or nginx``."""
    origins = {example.by for example in EXAMPLES.errors if example.status == status}
    return " or ".join(origin for origin in Origin if origin in origins) or Origin.SERVICE
