"""Validate email addresses, and normalize them for storage and comparison."""

import re

from app.core.record_fields import MAX_EMAIL_LENGTH
from app.identity.accounts.texts import reject_keys
from app.identity.members.errors import MemberError

_EMAIL_PATTERN = re.compile(r"[^@\s]+@[^@\s]+", re.ASCII)


def normalize_email(email: str) -> str:
    """Return an address in its canonical form: stripped and in lower case."""
    return email.strip().lower()


def validate_email(email: str) -> str:
    """Return the address of a new member, normalized.

    The address is not verified: the service sends no email. Raise MemberError if it is not an
    address or too long, KeyLikeNameError if it contains an API key.
    """
    email = normalize_email(email)
    if len(email) > MAX_EMAIL_LENGTH:
        raise MemberError(
            f"the address has {len(email)} characters; at most {MAX_EMAIL_LENGTH} are allowed"
        )
    if not _EMAIL_PATTERN.fullmatch(email) or not (email.isascii() and email.isprintable()):
        raise MemberError("not an email address; send one like ada@example.com")
    reject_keys(email, "the address")
    return email
