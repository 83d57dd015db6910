"""The names that clients give to what they create, in paths and bodies."""

from marshmallow import ValidationError

from app.core.record_fields import is_valid_name
from app.identity.accounts.errors import AccountError
from app.identity.accounts.texts import reject_keys


def check_new_name(name: str, noun: str, max_length: int) -> None:
    """Raise marshmallow.ValidationError unless a new ``noun`` may be called ``name``."""
    if not is_valid_name(name, max_length):
        raise ValidationError(
            f"not a valid {noun} name: send 1 to {max_length} of a-z, 0-9, hyphens, underscores "
            "and dots, and not only dots"
        )
    reject_keys_in(name, "the name")


def reject_keys_in(value: str, noun: str) -> None:
    """Raise marshmallow.ValidationError if a value has an API key, which others would see.

    ``noun`` names the value in the message.
    """
    try:
        reject_keys(value, noun)
    except AccountError as error:
        raise ValidationError(str(error)) from None
