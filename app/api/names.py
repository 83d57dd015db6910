"""The names that clients give to what they create, in paths and bodies."""

import re

from marshmallow import ValidationError, fields

from app.identity.accounts.errors import AccountError
from app.identity.accounts.texts import reject_keys

MAX_NAME_LENGTH = 100
NAME_PATTERN = re.compile(r"\.*[a-z0-9_-][a-z0-9._-]*")
NAME_METADATA = {"pattern": f"^{NAME_PATTERN.pattern}$", "maxLength": MAX_NAME_LENGTH}


def is_valid_name(name: str, longest: int = MAX_NAME_LENGTH) -> bool:
    """Return whether something may be called ``name``."""
    return len(name) <= longest and NAME_PATTERN.fullmatch(name) is not None


def check_new_name(name: str, noun: str, longest: int = MAX_NAME_LENGTH) -> None:
    """Check that a new ``noun`` may be called ``name``.

    Raises:
        marshmallow.ValidationError: It may not.
    """
    if not is_valid_name(name, longest):
        raise ValidationError(
            f"not a valid {noun} name: send 1 to {longest} of a-z, 0-9, hyphens, underscores "
            "and dots, and not dots alone"
        )
    refuse_keys_in(name, "the name")


def refuse_keys_in(value: str, what: str) -> None:
    """Refuse a value that contains an API key, which others would see; ``what`` says what it is.

    Raises:
        marshmallow.ValidationError: It contains one.
    """
    try:
        reject_keys(value, what)
    except AccountError as error:
        raise ValidationError(str(error)) from None


def name_field(noun: str, example: str, longest: int = MAX_NAME_LENGTH) -> fields.String:
    """Return the field for the name of a ``noun``, in a path."""
    described = {"description": f"Name of the {noun}.", "examples": [example]}
    metadata = NAME_METADATA | described | {"maxLength": longest}
    return fields.String(required=True, metadata=metadata)
