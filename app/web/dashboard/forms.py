"""Forms of pages: the input, and the errors of each field."""

import datetime as dt
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from marshmallow import EXCLUDE, Schema, ValidationError, fields, missing
from marshmallow.validate import OneOf
from werkzeug.datastructures import MultiDict

from app.core.database import utcnow
from app.identity.accounts.texts import parse_duration
from app.web.dashboard.filters import sentence

FormValues = dict[str, Any]

CUSTOM_DAY = "date"  # the choice of a day in place of a preset
_LAST_SECOND = dt.time(23, 59, 59)


@dataclass(frozen=True)
class Form:
    typed: FormValues
    errors: dict[str, str] = field(default_factory=dict)

    def first_error(self) -> str | None:
        """Return the first field with an error, which gets the focus."""
        return next(iter(self.errors), None)


def read_form(schema: Schema, form: MultiDict[str, str]) -> tuple[FormValues, Form]:
    """Return the values of ``form``, none if one is invalid, and the form with its errors."""
    typed: FormValues = {
        name: form.getlist(name) if isinstance(schema_field, fields.List) else form[name]
        for name, schema_field in schema.fields.items()
        if name in form
    }
    try:
        return schema.load(typed), Form(typed)
    except ValidationError as error:
        messages: Mapping[str, Any] = error.messages_dict
        order = [name for name in schema.fields if name in messages]
        return {}, Form(typed, {name: first_message(messages[name]) for name in order})


def read_texts(form: MultiDict[str, str], names: Iterable[str]) -> FormValues:
    """Return the texts of a form by field, without the space around them; empty if missing."""
    return {name: form.get(name, "").strip() for name in names}


def load_body(schema: Schema, body: FormValues) -> tuple[Any, dict[str, str]]:
    """Return what ``schema`` loads, None if it rejects it, and the first problem of each field.

    Problems are sentences, in the order of the fields. Problems of a nested record are by
    the names of its fields.
    """
    try:
        return schema.load(body), {}
    except ValidationError as error:
        errors: Mapping[str, Any] = error.messages_dict
    problems: dict[str, Any] = {}
    for name in schema.fields:
        tree: Any = errors.get(name, {})
        has_names = isinstance(tree, dict) and all(isinstance(key, str) for key in tree)
        problems |= tree if has_names else {name: tree}
    return None, {name: sentence(first_message(tree)) for name, tree in problems.items()}


def to_number(text: str) -> Any:
    """Return a typed number; other text as it is, which its field rejects."""
    try:
        value = float(text)
    except ValueError:
        return text
    if not math.isfinite(value):
        return text
    return int(value) if value.is_integer() else value


@dataclass(frozen=True)
class DayOrPreset:
    """Two fields of a form: the choice of a duration, and a day, for the choice ``CUSTOM_DAY``.

    ``none`` is the choice of no end. Messages say that ``effect`` lasts until the end of the day.
    """

    choice: str
    day: str
    none: str
    effect: str

    def check(self, values: FormValues) -> None:
        """Raise marshmallow.ValidationError if a day is chosen, and is invalid or in the past."""
        if values.get(self.choice) == CUSTOM_DAY and self._end_of_day(values) <= utcnow():
            raise ValidationError("This day is in the past; choose a later one.", self.day)

    def end(self, values: FormValues, now: dt.datetime) -> dt.datetime | None:
        chosen = values[self.choice]
        if chosen == CUSTOM_DAY:
            return self._end_of_day(values)
        return None if chosen == self.none else now + parse_duration(chosen)

    def _end_of_day(self, values: FormValues) -> dt.datetime:
        try:
            day = dt.date.fromisoformat(values.get(self.day, "").strip())
        except ValueError:
            issue = (
                f"Choose a day, such as 2027-01-31; {self.effect} until the end of that day in UTC."
            )
            raise ValidationError(issue, self.day) from None
        return dt.datetime.combine(day, _LAST_SECOND, dt.UTC)


def first_message(message: Any) -> str:
    """Return the first of marshmallow's messages for a field."""
    while not isinstance(message, str):
        message = next(iter(message.values())) if isinstance(message, dict) else message[0]
    return message


class FormSchema(Schema):
    """The fields of a form; others, such as the CSRF token, are ignored."""

    class Meta:
        unknown = EXCLUDE


def choice_field(choices: Iterable[str], default: Any = missing) -> fields.String:
    return fields.String(
        load_default=default, validate=OneOf([*choices], error="Choose one from the list.")
    )
