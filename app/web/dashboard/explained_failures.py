"""Causes of failed calls and what to do, from the examples of `/docs/errors`."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from flask import current_app

from app.api.endpoints.dialect import dialect_of, error_examples
from app.api.errors.statuses import STATUSES
from app.api.examples.recorded import ErrorExample, Origin
from app.identity.usage.queries import Failure

_INDEX = re.compile(r"\[\d+\]")
# The endpoint of most examples, including errors that other endpoints share.
_SHARED_PATH = "/forecast"
_BODY_METHODS = ("POST", "PUT", "PATCH")  # methods whose requests have a body
_BODY_STATUSES = (400, 413, 415, 422)
_ENGINE_ERRORS = ("forecast-took-too-long", "too-many-waiting", "engines-restarted")
# Statuses that have causes beyond the examples: the only example that fits may be wrong.
_UNCERTAIN_STATUSES = (400, 422)


@dataclass(frozen=True)
class ExplainedFailure:
    """Calls that failed in the same way; ``causes`` are possible causes, likeliest first."""

    failure: Failure
    status_meaning: str
    causes: tuple[ErrorExample, ...]

    @property
    def is_certain(self) -> bool:
        """Whether the only cause that fits is certain."""
        return len(self.causes) == 1 and self.failure.status not in _UNCERTAIN_STATUSES


@dataclass(frozen=True)
class FailureGroup:
    """Failures with the same explanation, the most frequent one first.

    ``explained`` is the first of them with the possible causes of all.
    """

    members: tuple[ExplainedFailure, ...]
    explained: ExplainedFailure

    @property
    def calls(self) -> int:
        return sum(member.failure.calls for member in self.members)


def explain_all(failures: Iterable[Failure]) -> list[FailureGroup]:
    """Return the failures with their possible causes, grouped by these."""
    groups: dict[tuple[Any, ...], list[ExplainedFailure]] = {}
    for explained in map(explain_failure, failures):
        explanation = explained.causes[0].name if explained.is_certain else explained.status_meaning
        key = (explained.failure.status, explained.is_certain, explanation)
        groups.setdefault(key, []).append(explained)
    merged = []
    for members in groups.values():
        causes = {cause.name: cause for member in members for cause in member.causes}
        with_all_causes = replace(members[0], causes=tuple(causes.values()))
        merged.append(FailureGroup(tuple(members), with_all_causes))
    return sorted(merged, key=lambda group: -group.calls)


def explain_failure(failure: Failure) -> ExplainedFailure:
    return ExplainedFailure(
        failure, STATUSES.get(failure.status, ""), tuple(_possible_causes(failure))
    )


def _possible_causes(failure: Failure) -> list[ErrorExample]:
    method, _, path = failure.endpoint.partition(" ")
    pattern = re.compile(re.sub(r"\{\w+\}", "[^/]+", path) + r"(\?.*)?")

    def distance(example: ErrorExample) -> int | None:
        """Return how unlike an example's request is to these calls; None if it does not fit."""
        if example.method == method and pattern.fullmatch(example.path):
            return 0
        have_bodies = method in _BODY_METHODS and example.method in _BODY_METHODS
        if example.path.startswith(f"/{path.split('/')[1]}/"):
            return 1 if _can_cause_nearby(example, path, have_bodies) else None
        is_shared = example.path == _SHARED_PATH and _is_shared(example, path, have_bodies)
        return 2 if is_shared else None

    possible = [
        (near, example)
        for example in error_examples(current_app)
        if example.status == failure.status
        and example.by == Origin.SERVICE
        and "Authorization" not in example.headers  # a counted call had a valid key
        and _field_at_fault(example) == failure.field
        and (near := distance(example)) is not None
    ]
    return [example for _near, example in sorted(possible, key=lambda pair: pair[0])]


def _can_cause_nearby(example: ErrorExample, path: str, have_bodies: bool) -> bool:
    if example.status == 404:
        return "{" in path  # the path names something that may not exist
    return have_bodies and bool(_field_at_fault(example) or example.status != 400)


def _is_shared(example: ErrorExample, path: str, have_bodies: bool) -> bool:
    if _field_at_fault(example) and dialect_of(path) is not None:
        return False  # the fields with the same name mean something else
    if example.name in _ENGINE_ERRORS:
        return have_bodies and not path.startswith("/keys")
    return have_bodies or example.status not in _BODY_STATUSES


def _field_at_fault(example: ErrorExample) -> str:
    details = example.response.get("error", {}).get("details") or {}
    return _INDEX.sub("", details.get("field") or "")
