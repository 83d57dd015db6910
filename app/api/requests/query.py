"""The query of a request, read as strictly as a body.

Parameters are strings, each sent once unless declared otherwise; unknown ones are rejected.
"""

import re
from typing import Any

from marshmallow import ValidationError, fields, validates_schema
from werkzeug.datastructures import MultiDict

from app.api.requests.strict_schema import StrictSchema

_QUERY_INTEGER_ISSUE = "Must be a whole number, in digits"
_QUERY_NUMBER_ISSUE = "Must be a number, such as 0.95"
_MAX_DIGITS = 18  # before and after the decimal point
MAX_INTEGER = 10**_MAX_DIGITS - 1
# Python also reads 1_000 and ٣, which are not JSON numbers.
_INTEGER_PATTERN = re.compile(f"-?[0-9]{{1,{_MAX_DIGITS}}}")
_NUMBER_PATTERN = re.compile(rf"-?[0-9]{{1,{_MAX_DIGITS}}}(\.[0-9]{{1,{_MAX_DIGITS}}})?")


class StrictQuerySchema(StrictSchema):
    """The base of the schemas that read queries."""

    field_noun = "parameter"

    @validates_schema(pass_original=True, skip_on_field_errors=False)
    def reject_repeated(
        self, _data: dict[str, Any], sent: MultiDict[str, str], **_kwargs: Any
    ) -> None:
        problems = {
            name: [f"sent {len(values)} times: send it once"]
            for name, values in sent.lists()
            if len(values) > 1
            and name in self.fields
            and not isinstance(self.fields[name], RepeatedParameter)
        }
        if problems:
            raise ValidationError(problems)


class RepeatedParameter(fields.List[Any]):
    """A parameter that may be sent several times; loads a list."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> list[Any]:
        return super()._deserialize(data.getlist(attr), attr, data, **kwargs)


class IntegerParameter(fields.Integer):
    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> int:
        digits = value.removeprefix("-")
        if len(digits) > _MAX_DIGITS and digits.isascii() and digits.isdecimal():
            raise ValidationError(f"Must have at most {_MAX_DIGITS} digits")
        if _INTEGER_PATTERN.fullmatch(value) is None:
            raise ValidationError(_QUERY_INTEGER_ISSUE)
        return int(value)


class BooleanParameter(fields.Boolean):
    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> bool:
        if value not in ("true", "false"):
            raise ValidationError("Must be true or false")
        return bool(value == "true")


class NumberParameter(fields.Float):
    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> float:
        if _NUMBER_PATTERN.fullmatch(value) is None:
            raise ValidationError(_QUERY_NUMBER_ISSUE)
        return float(value)
