"""One error as developers see it: what provokes it, its answer, and how to get past it."""

import copy
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from app.api.errors import ErrorCode, error_code
from app.api.examples.answers import REQUEST, Json

STATUS_MEANINGS: dict[int, str] = {
    400: "The body is no JSON object, or a parameter is wrong.",
    401: "The key is missing, malformed, unknown, expired or revoked.",
    403: "The key lacks a permission, or the request came over plain HTTP.",
    404: "There is no such path.",
    405: "The path does not take this method.",
    413: "The body is too large.",
    415: "The body is not `application/json`, or it is compressed.",
    422: "Something is wrong with the timestamps or the values.",
    429: "A limit is used up.",
    500: "The service failed.",
    503: "The service is busy.",
}
"""When a status is answered."""
REMOVED = object()
"""What a change puts where a field or an entry is left out."""
Defect = tuple[str, str, Any]
"""Field, issue and provided value of one defect."""


@dataclass(frozen=True)
class ErrorExample:
    """One error.

    ``changes`` maps places of ``REQUEST`` (``series[0].values[3]``) to what is sent there instead;
    ``headers`` are sent beside the usual ones; ``body`` is sent in place of that JSON.
    ``circumstance`` says what the request alone does not show. ``answer_headers`` are those headers
    of the answer that tell something of this error.
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
