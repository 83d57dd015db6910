"""Strict scalar fields: marshmallow's own accept ``"12"`` and ``True`` where JSON has no number."""

from typing import Any

from marshmallow import ValidationError, fields


class StrictWhole(fields.Integer):
    """A JSON number without a fraction; ``12.0`` is 12, as in JSON Schema."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> int:
        if type(value) is int:
            return value
        if type(value) is float and value.is_integer():
            return int(value)
        raise ValidationError("Must be a whole number, without quotes and without a fraction")


class StrictNumber(fields.Float):
    """A JSON number."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> float:
        if type(value) in (int, float):
            return float(value)
        raise ValidationError("Must be a number, without quotes")


class StrictChoice(fields.String):
    """One text of a list; ``problem`` opens the issue of any other value."""

    def __init__(self, choices: list[str], problem: str, **kwargs: Any) -> None:
        metadata = {"enum": choices, **kwargs.pop("metadata", {})}
        super().__init__(metadata=metadata, **kwargs)
        self.choices = choices
        self.issue = f"{problem}: Must be one of {', '.join(choices)}"

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> str:
        if not isinstance(value, str) or value not in self.choices:
            raise ValidationError(self.issue)
        return value
