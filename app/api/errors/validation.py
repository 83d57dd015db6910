"""Make the details of a 400 or 422 from marshmallow's messages.

Marshmallow reports defects as a tree; here the tree becomes a list of (field path, issue, provided
value). A defect in the columns of the series, or in other fields declared as data, is a data error
(422); any other is a bad parameter (400), which wins when both occur.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from marshmallow import Schema, ValidationError, fields

from app.api.errors.api_error import INVALID_PARAMETERS, INVALID_SERIES, ApiError
from app.api.series.columns import WHOLE_COLUMN, Path, data_paths
from app.timeseries.words import truncate

MAX_ERRORS = 20
_MAX_PROVIDED_LENGTH = 200

Tree = dict[str | int, Any] | list[str]
InvalidPart = tuple[Schema, Tree, Mapping[str, Any]]


class UnknownFieldIssue(str):
    """The issue of a field that the schema does not have; a client may give it any name."""

    __slots__ = ()


@dataclass(frozen=True)
class FieldDefect:
    """What is wrong with a field, and the value sent; ``is_in_data``: whether it is a data error.

    The path has keys and indices from the body down.
    """

    schema: Schema
    path: Path
    issue: str
    provided: Any
    is_in_data: bool

    @property
    def declared_path(self) -> str:
        """The path without indices, as far as the schema declares it: never what a client sent."""
        inside: Any = self.schema
        names: list[str] = []
        for step in self.path:
            if isinstance(inside, fields.List):
                inside = inside.inner
            if isinstance(step, int):
                continue
            if isinstance(inside, fields.Nested):
                inside = inside.schema
            items = inside.fields.items() if isinstance(inside, Schema) else ()
            inside = next(
                (field for name, field in items if step == (field.data_key or name)), None
            )
            if inside is None:
                break
            names.append(step)
        return ".".join(names)

    def as_details(self) -> dict[str, Any]:
        field = "".join(
            f"[{step}]" if isinstance(step, int) else f".{step}" for step in self.path
        ).removeprefix(".")
        return {
            "field": truncate(field, _MAX_PROVIDED_LENGTH),
            "issue": self.issue,
            "provided": None if self._is_secret else describe_value(self.provided),
        }

    @property
    def _is_secret(self) -> bool:
        """Whether the value must not be shown, not even to its sender: responses may be logged."""
        field = self.schema.fields.get(str(self.path[0])) if self.path else None
        return field is not None and bool(field.metadata.get("writeOnly"))


def load_all(parts: Sequence[tuple[Schema, Mapping[str, Any]]]) -> list[Any]:
    """Load each value by its schema; raise ApiError, 400 or 422, with all defects of all parts."""
    loaded: list[Any] = []
    invalid_parts: list[InvalidPart] = []
    for schema, sent in parts:
        try:
            loaded.append(schema.load(sent))
        except ValidationError as error:
            invalid_parts.append((schema, cast(Tree, error.messages), sent))
    if invalid_parts:
        raise validation_error(invalid_parts)
    return loaded


def validation_error(invalid_parts: Iterable[InvalidPart], *, may_be_data: bool = True) -> ApiError:
    """Return the 400 or 422 for ``invalid_parts``: each a schema, its messages and the value sent.

    It is 400 in any case without ``may_be_data``.
    """
    defects = []
    for schema, tree, sent in invalid_parts:
        columns = data_paths(schema) if may_be_data else ()
        for path, issue, provided in _flatten_tree(tree, sent, ()):
            is_in_data = any(path[: len(column)] == column for column in columns)
            defects.append(FieldDefect(schema, path, issue, provided, is_in_data))
    defects.sort(key=lambda defect: defect.is_in_data)
    errors = [defect.as_details() for defect in defects[:MAX_ERRORS]]
    status, message = INVALID_PARAMETERS
    if defects[0].is_in_data:
        status, message = INVALID_SERIES
        message = getattr(defects[0].schema, "data_message", "") or message
    details = {**errors[0], "errors": errors}
    return ApiError(status, message, details=details, field=defects[0].declared_path)


def field_error(
    schema: Schema, field: str, issue: str, provided: Any = None, *, may_be_data: bool = True
) -> ApiError:
    """Return the error for one field of ``schema`` that its own checks cannot find."""
    return validation_error(
        [(schema, {field: [issue]}, {field: provided})], may_be_data=may_be_data
    )


def describe_value(provided: Any) -> Any:
    """Return a value as shown in an error: short ones as they are, others cut or described."""
    if isinstance(provided, (list, np.ndarray)):
        return f"array of {_count_text(len(provided), 'item')}"
    if isinstance(provided, dict):
        return f"object with {_count_text(len(provided), 'field')}"
    return truncate(provided, _MAX_PROVIDED_LENGTH) if isinstance(provided, str) else provided


def _count_text(number: int, noun: str) -> str:
    """Return a count without the separators of `count_of`, as in the issue shown with it."""
    return f"{number} {noun}" + "s" * (number != 1)


def _flatten_tree(tree: Tree, sent: Any, path: Path) -> Iterator[tuple[Path, str, Any]]:
    """Yield the path, the issue and the value sent of each defect in a tree."""
    if isinstance(tree, list):
        yield from ((path, issue, sent) for issue in tree)
        return
    # Defects of an object come before defects of its parts; only the first are listed.
    for step, branch in sorted(tree.items(), key=lambda item: item[0] != WHOLE_COLUMN):
        if step == WHOLE_COLUMN and not _is_unknown_field(branch):
            yield from _flatten_tree(branch, sent, path)
        elif isinstance(step, int):
            item = sent[step] if isinstance(sent, (list, np.ndarray)) and step < len(sent) else None
            yield from _flatten_tree(branch, item, (*path, step))
        else:
            item = sent.get(step) if isinstance(sent, dict) else None
            yield from _flatten_tree(branch, item, (*path, step))


def _is_unknown_field(branch: Tree) -> bool:
    """Return whether a client sent a field with the name `WHOLE_COLUMN`."""
    return isinstance(branch, list) and isinstance(branch[0], UnknownFieldIssue)
