"""One error as developers see it: what provokes it, its answer, and how to get past it."""

import copy
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from app.api.examples.answers import REQUEST, Json
from app.api.statuses import ErrorCode, error_code

REMOVED = object()
"""What a change puts where a field or an entry is left out."""
Defect = tuple[str, str, Any]
"""Field, issue and provided value of one defect."""


class Answerer(StrEnum):
    """Who gives an answer."""

    SERVICE = "the service"
    SERVER = "the web server"
    NGINX = "nginx"


@dataclass(frozen=True)
class ErrorExample:
    """One error.

    ``changes`` maps places of ``REQUEST`` (``series[0].values[3]``) to what is sent there instead;
    ``headers`` are sent beside the usual ones; ``body`` is sent in place of that JSON.
    ``circumstance`` says what the request alone does not show. ``answer_headers`` are those headers
    of the answer that tell something of this error. ``by`` says who answers; nginx in front says
    the same as the web server.
    """

    name: str
    status: int
    when: str
    remedy: str
    message: str
    details: Json
    method: str = "POST"
    path: str = "/forecast"
    headers: Mapping[str, str] = field(default_factory=dict)
    changes: Mapping[str, Any] = field(default_factory=dict)
    body: str | None = None
    circumstance: str = ""
    answer_headers: Mapping[str, str] = field(default_factory=dict)
    by: Answerer = Answerer.SERVICE

    @property
    def code(self) -> ErrorCode:
        """Its ``error.code``."""
        return error_code(self.status)

    @property
    def answer(self) -> Json:
        """The body of its answer."""
        return {"error": {"code": self.code, "message": self.message, "details": self.details}}

    @property
    def request(self) -> Json:
        """The JSON that is sent, where ``body`` is None."""
        changed = copy.deepcopy(REQUEST)
        for place, value in self.changes.items():
            _change(changed, place, value)
        return changed


def parameter_error(
    name: str, when: str, remedy: str, *defects: Defect, **sent: Any
) -> ErrorExample:
    """Return the example of a 400 that lists ``defects``."""
    details = _details(defects)
    return ErrorExample(name, 400, when, remedy, "Invalid request parameters", details, **sent)


def data_error(
    name: str,
    when: str,
    remedy: str,
    *defects: Defect,
    changes: Mapping[str, Any] | None = None,
    circumstance: str = "",
) -> ErrorExample:
    """Return the example of a 422; places of ``defects`` and ``changes`` are in the series."""
    return ErrorExample(
        name,
        422,
        when,
        remedy,
        "Invalid time series data",
        _details([(f"series[0].{field}", *rest) for field, *rest in defects]),
        changes={f"series[0].{place}": value for place, value in (changes or {}).items()},
        circumstance=circumstance,
    )


def _details(defects: Any) -> Json:
    errors = [dict(zip(("field", "issue", "provided"), defect, strict=True)) for defect in defects]
    return {**errors[0], "errors": errors}


def _change(body: Json, place: str, value: Any) -> None:
    *holders, last = (
        int(step) if step.isdigit() else step for step in re.findall(r"[^.\[\]]+", place)
    )
    target: Any = body
    for step in holders:
        target = target[step]
    if value is REMOVED:
        del target[last]
    else:
        target[last] = value
