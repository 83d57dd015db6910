"""What failed calls have in common, why, and what to do: from the examples of `/docs/errors`."""

import re
from dataclasses import dataclass

from app.api.examples import ERROR_EXAMPLES, ErrorExample, Origin
from app.api.statuses import STATUSES
from app.usage.reading import Failure

INDEX = re.compile(r"\[\d+\]")
USUAL_PATH = "/forecast"
"""The endpoint whose errors the others share, so that most examples are sent to it."""


@dataclass(frozen=True)
class Explained:
    """Calls that failed alike; ``causes`` may each be why, the likeliest first."""

    failure: Failure
    when: str
    causes: tuple[ErrorExample, ...]


def explain(failure: Failure) -> Explained:
    """Return ``failure`` with what may be its causes."""
    status = STATUSES.get(failure.status)
    return Explained(failure, status.when if status else "", tuple(_causes(failure)))


def _causes(failure: Failure) -> list[ErrorExample]:
    method, _, path = failure.endpoint.partition(" ")
    own = re.compile(re.sub(r"\{\w+\}", "[^/]+", path) + r"(\?.*)?")
    near = f"/{path.split('/')[1]}"

    def distance(example: ErrorExample) -> int:
        if example.method == method and own.fullmatch(example.path):
            return 0
        return 1 if example.path.startswith(near) else 2

    possible = [
        example
        for example in ERROR_EXAMPLES
        if example.status == failure.status
        and example.by == Origin.SERVICE
        and example.path.startswith((near, USUAL_PATH))
        and "Authorization" not in example.headers  # a call that is counted had its key
    ]
    at_field = [example for example in possible if _field(example) == failure.field]
    return sorted(at_field or possible, key=distance)


def _field(example: ErrorExample) -> str:
    details = example.response.get("error", {}).get("details") or {}
    return INDEX.sub("", details.get("field") or "")
