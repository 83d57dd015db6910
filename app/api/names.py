"""The names that clients give to what they create, in paths and bodies."""

import re

from marshmallow import ValidationError, fields

from app.identity.accounts.errors import AccountError
from app.identity.accounts.texts import refuse_keys

LONGEST_NAME = 100
NAME = re.compile(r"\.*[a-z0-9_-][a-z0-9._-]*")
NAME_METADATA = {"pattern": f"^{NAME.pattern}$", "maxLength": LONGEST_NAME}


def is_name(name: str, longest: int = LONGEST_NAME) -> bool:
    """Return whether something may be called ``name``."""
    return len(name) <= longest and NAME.fullmatch(name) is not None


def check_new_name(name: str, noun: str, longest: int = LONGEST_NAME) -> None:
    """Check that a new ``noun`` may be called ``name``.

    Raises:
        marshmallow.ValidationError: It may not.
    """
    if not is_name(name, longest):
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
        refuse_keys(value, what)
    except AccountError as error:
        raise ValidationError(str(error)) from None


def name_field(noun: str, example: str, longest: int = LONGEST_NAME) -> fields.String:
    """Return the field for the name of a ``noun``, in a path."""
    described = {"description": f"Name of the {noun}.", "examples": [example]}
    metadata = NAME_METADATA | described | {"maxLength": longest}
    return fields.String(required=True, metadata=metadata)
