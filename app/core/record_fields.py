"""Fields of records with descriptions, from which schemas, documents and forms are derived."""

import dataclasses
import re
from typing import Any

MAX_NAME_LENGTH = 100
MAX_EMAIL_LENGTH = 254  # the longest path in RFC 5321
MAX_ADDRESS_LENGTH = 45  # an IPv6 address that embeds an IPv4 address
_NAME_PATTERN = re.compile(r"\.*[a-z0-9_-][a-z0-9._-]*")
# JSON Schema keywords for the name of something that an account owns.
_PATTERN = f"^{_NAME_PATTERN.pattern}$"
NAME_METADATA: dict[str, Any] = {"pattern": _PATTERN, "maxLength": MAX_NAME_LENGTH}

# The ``format`` of a timestamp of a series, with or without an offset.
TIMESTAMP_FORMAT = "timestamp"


def is_valid_name(name: str, max_length: int = MAX_NAME_LENGTH) -> bool:
    """Return whether something that an account owns may have this name."""
    return len(name) <= max_length and _NAME_PATTERN.fullmatch(name) is not None


def described_field(
    description: str = "",
    *,
    default: Any = dataclasses.MISSING,
    default_factory: Any = dataclasses.MISSING,
    **keywords: Any,
) -> Any:
    """Return a dataclass field that clients see as part of a resource.

    ``description`` is Markdown; for a number it includes the unit. ``keywords`` are from JSON
    Schema (``minimum``, ``maximum``, ``examples``, ``enum``) and four of our own: ``issue`` is the
    error for a value out of bounds, or the start of the error for one that is not in an enum;
    ``is_inlined`` replaces this field by the fields of its record; ``label`` and ``hint`` are texts
    of its input in a form, which has no input without a label.
    """
    metadata = {"description": description, **keywords}
    return dataclasses.field(default=default, default_factory=default_factory, metadata=metadata)
