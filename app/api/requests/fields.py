"""Strict scalar fields: marshmallow's own accept ``"12"`` and ``True`` as numbers."""

import json
from enum import Enum
from typing import Any

from marshmallow import ValidationError, fields

from app.api.errors.nearest import did_you_mean
from app.api.errors.validation import describe_value
from app.core.text import TextError, clean_plain_text

_NOT_AN_INTEGER = "Must be a whole number, without quotes and without a fraction"
_NOT_A_NUMBER = "Must be a number, without quotes"
_NOT_A_STRING = "Must be a string"


class StrictInteger(fields.Integer):
    """A JSON number without a fraction; ``12.0`` is 12, as in JSON Schema."""

    default_error_messages = {"null": _NOT_AN_INTEGER}  # noqa: RUF012 - as the library declares it

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> int:
        if type(value) is int:
            return value
        if type(value) is float and value.is_integer():
            return int(value)
        raise ValidationError(_NOT_AN_INTEGER)


class StrictBoolean(fields.Boolean):
    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> bool:
        if not isinstance(value, bool):
            raise ValidationError("Must be true or false")
        return value


class StrictNumber(fields.Float):
    default_error_messages = {"null": _NOT_A_NUMBER}  # noqa: RUF012 - as the library declares it

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> float:
        if type(value) in (int, float):
            return float(value)
        raise ValidationError(_NOT_A_NUMBER)


class StrictString(fields.String):
    """Plain text of at most ``maxLength`` characters in the metadata, without an API key."""

    default_error_messages = {"null": _NOT_A_STRING, "invalid": _NOT_A_STRING}  # noqa: RUF012

    def __init__(self, *, metadata: dict[str, Any], **options: Any) -> None:
        super().__init__(metadata=metadata, **options)
        self.max_length: int = metadata["maxLength"]

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        text: str = super()._deserialize(value, attr, data, **kwargs)
        try:
            return clean_plain_text(text, f"the {attr}", self.max_length)
        except TextError as error:
            raise ValidationError(str(error)) from None


class StrictChoice(fields.String):
    """One string of a list; ``problem`` starts the issue of any other value.

    ``extra`` are accepted, too; messages list them last.
    """

    def __init__(
        self, choices: list[str], problem: str, *, extra: tuple[str, ...] = (), **kwargs: Any
    ) -> None:
        accepted = [*choices, *extra]
        super().__init__(metadata={"enum": accepted, **kwargs.pop("metadata", {})}, **kwargs)
        self.choices = choices
        self.extra = extra
        self.problem = problem
        self.remedy = f"send one of {', '.join(accepted)}"
        self.error_messages["null"] = self.issue_of(None)
        self.error_messages["required"] = f"missing: {self.remedy}"

    def issue_of(self, value: Any) -> str:
        """Return the issue of ``value``, which is not one of the choices."""
        described = describe_value(value)
        if not isinstance(value, (list, dict)):
            described = repr(described) if isinstance(value, str) else json.dumps(described)
        near = did_you_mean(value, self.choices) if isinstance(value, str) else ""
        return f"{self.problem}: {described} was sent; {near}{self.remedy}"

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> str:
        if not isinstance(value, str) or value not in (*self.choices, *self.extra):
            raise ValidationError(self.issue_of(value))
        return value


class EnumField(StrictChoice):
    """A member of an enum; null where ``allow_none`` permits it."""

    def __init__(self, kind: type[Enum], problem: str, **kwargs: Any) -> None:
        super().__init__([str(member.value) for member in kind], problem, **kwargs)
        self.kind = kind

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        return self.kind(super()._deserialize(value, attr, data, **kwargs))
