"""The base of the schemas that read requests."""

import itertools
import json
from collections.abc import Mapping
from typing import Any, ClassVar

from marshmallow import EXCLUDE, Schema, ValidationError, fields, post_load, validates_schema

from app.api.errors.nearest import did_you_mean
from app.api.errors.validation import MAX_ERRORS, UnknownFieldIssue

KNOWN_FIELDS = "; known are "  # the last part of the issue of an unknown field


class StrictSchema(Schema):
    """Rejects unknown fields, in the order sent and no more than an error lists.

    Marshmallow's error lists them in the order of a set, which differs between processes, and
    takes seconds for a body that is full of them.
    """

    field_noun = "field"  # the word for a field in messages

    # What to send instead, by names that clients try although they are not fields here.
    remedies: ClassVar[Mapping[str, str]] = {}

    # The message of the 422 for its fields, if problems with any of them are data errors.
    data_message = ""

    # The class that a request is loaded into, if it has these fields.
    record: ClassVar[type[Any] | None] = None

    class Meta:
        unknown = EXCLUDE

    @validates_schema(pass_original=True, skip_on_field_errors=False)
    def reject_unknown(
        self, _data: dict[str, Any], sent: Mapping[str, Any], **_kwargs: Any
    ) -> None:
        unknown = (name for name in sent if name not in self.fields)
        problems = {
            name: [self._unknown_issue(name, sent)]
            for name in itertools.islice(unknown, MAX_ERRORS)
        }
        if problems:
            raise ValidationError(problems)

    def on_bind_field(self, field_name: str, field_obj: fields.Field[Any]) -> None:
        """Say what to send for a missing field or null, unless the field says it itself."""
        remedy = f"send {field_obj.data_key or field_name}"
        for example in field_obj.metadata.get("examples", ())[:1]:
            text = example if isinstance(example, str) else json.dumps(example, ensure_ascii=False)
            remedy += f", such as {text}"
        remedy = remedy.replace("{", "{{").replace("}", "}}")  # marshmallow formats its messages
        for kind, problem in (("required", "missing"), ("null", "null was sent")):
            if field_obj.error_messages[kind] == fields.Field.default_error_messages[kind]:
                field_obj.error_messages[kind] = f"{problem}: {remedy}"

    @post_load
    def load_record(self, data: dict[str, Any], **_kwargs: Any) -> Any:
        return self.record(**data) if self.record else data

    def _unknown_issue(self, name: str, sent: Mapping[str, Any]) -> str:
        """Return the issue of an unknown name; fields that were sent as well are not suggested."""
        near = did_you_mean(name, (other for other in self.fields if other not in sent))
        remedy = self.remedies.get(name) or f"{near}remove it or check its spelling"
        names_text = KNOWN_FIELDS + ", ".join(self.fields)
        return UnknownFieldIssue(f"unknown {self.field_noun}: {remedy}{names_text}")
