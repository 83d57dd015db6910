"""Email addresses, as they are stored and compared."""

import re

from app.accounts.audit import LONGEST_EMAIL
from app.members.errors import MemberError

PLAIN = re.compile(r"[^@\s]+@[^@\s]+", re.ASCII)


def normalize(email: str) -> str:
    """Return an address as members are found by it: without blanks around, in lower case."""
    return email.strip().lower()


def checked(email: str) -> str:
    """Return the address of a new member, normalized.

    Whether anybody reads what is sent there is for who invites to know: nothing is sent.

    Raises:
        MemberError: It is no address, or longer than any can be.
    """
    email = normalize(email)
    if len(email) > LONGEST_EMAIL:
        raise MemberError(f"the address has {len(email)} characters; at most {LONGEST_EMAIL} fit")
    if not PLAIN.fullmatch(email) or not (email.isascii() and email.isprintable()):
        raise MemberError("this is no email address; send one like ada@example.com")
    return email
