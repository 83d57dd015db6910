"""Fields of records that say what they are: schemas, documents and forms are derived from them."""

import dataclasses
import re
from typing import Any

MAX_NAME_LENGTH = 100
NAME_PATTERN = re.compile(r"\.*[a-z0-9_-][a-z0-9._-]*")
NAME: dict[str, Any] = {"pattern": f"^{NAME_PATTERN.pattern}$", "maxLength": MAX_NAME_LENGTH}
"""The keywords of a field for a name that an account gives to something of its own."""

TIMESTAMP = "timestamp"
"""The ``format`` of a string in the time of a series, with its offset or without one."""


def is_valid_name(name: str, max_length: int = MAX_NAME_LENGTH) -> bool:
    """Return whether something of an account may be called ``name``."""
    return len(name) <= max_length and NAME_PATTERN.fullmatch(name) is not None


def described(
    description: str = "",
    *,
    default: Any = dataclasses.MISSING,
    default_factory: Any = dataclasses.MISSING,
    **keywords: Any,
) -> Any:
    """Return a field of a dataclass that is part of a resource, as clients see it.

    ``description`` is Markdown for people; with a number it says its unit. ``keywords`` are those
    of JSON Schema: ``minimum``, ``maximum``, ``examples``, ``enum``. Four are our own: ``issue`` is
    the error for a value out of bounds, or the first words of the error for one that is not in an
    enum, ``is_inlined`` puts the fields of a record in the place of this one, and ``label`` and
    ``hint`` are the texts at the input of a form.
    """
    metadata = {"description": description, **keywords}
    if default_factory is not dataclasses.MISSING:
        return dataclasses.field(default_factory=default_factory, metadata=metadata)
    return dataclasses.field(default=default, metadata=metadata)
