"""Generate and recognise keys: ``ak_`` and 64 random hexadecimal characters.

Only the SHA-256 of a key is kept. A key holds 256 random bits, so a plain hash cannot be reversed
by guessing, and one indexed look-up by hash authenticates: no comparison depends on the secret.
"""

import hashlib
import re
import secrets

KEY_PATTERN = re.compile(r"ak_[0-9a-f]{64}")
DISPLAY_CHARACTERS = 11
_MORE_THAN_MAY_BE_SHOWN = re.compile(rf"(ak_[0-9a-fA-F]{{{DISPLAY_CHARACTERS - 3}}})[0-9a-fA-F]+")


def generate_key() -> str:
    """Return a new key."""
    return "ak_" + secrets.token_hex(32)


def hash_key(key: str) -> str:
    """Return the SHA-256 of ``key`` as 64 hexadecimal characters."""
    return hashlib.sha256(key.encode("ascii")).hexdigest()


def display_prefix(key: str) -> str:
    """Return the first characters of ``key``: enough to tell keys apart, useless for a call."""
    return key[:DISPLAY_CHARACTERS]


def is_well_formed(key: str) -> bool:
    """Return whether ``key`` has the form of a key."""
    return KEY_PATTERN.fullmatch(key) is not None


def redact_keys(text: str) -> str:
    """Return ``text`` with every key in it cut to its display prefix."""
    return _MORE_THAN_MAY_BE_SHOWN.sub(r"\1…", text)
