"""The base of the schemas that read requests."""

import itertools
from collections.abc import Mapping
from typing import Any

from marshmallow import EXCLUDE, Schema, ValidationError, validates_schema

from app.api.problems import MAX_ERRORS, UNKNOWN


class StrictSchema(Schema):
    """Refuses unknown fields, in the order in which they were sent and no more than are listed.

    Marshmallow's own refusal has them in the order of a set, which differs between processes, and
    takes seconds for a body that is full of them.
    """

    known_as = "field"
    """What one of its fields is to those who send it."""

    class Meta:
        """Unknown fields are refused below."""

        unknown = EXCLUDE

    @validates_schema(pass_original=True, skip_on_field_errors=False)
    def refuse_unknown(
        self, _data: dict[str, Any], sent: Mapping[str, Any], **_kwargs: Any
    ) -> None:
        """Every field is one of the schema's."""
        unknown = (name for name in sent if name not in self.fields)
        known = ", ".join(self.fields)
        issue = f"{UNKNOWN} {self.known_as}: remove it or check its spelling; known are {known}"
        problems = {name: [issue] for name in itertools.islice(unknown, MAX_ERRORS)}
        if problems:
            raise ValidationError(problems)
