"""Generate and recognize keys: ``ak_`` and 64 random hexadecimal characters.

Only the SHA-256 of a key is kept. A key holds 256 random bits, so a plain hash cannot be reversed
by guessing, and one indexed look-up by hash authenticates: no comparison depends on the secret.
"""

import hashlib
import re
import secrets

_KEY_PATTERN = re.compile(r"ak_[0-9a-f]{64}")
_DISPLAY_PREFIX_LENGTH = 11
_PREFIX = rf"(ak_[0-9a-fA-F]{{{_DISPLAY_PREFIX_LENGTH - 3}}})"
_BEYOND_DISPLAY_PREFIX = re.compile(rf"{_PREFIX}[0-9a-fA-F]+")
# Half a key or more: half of one leaves 128 bits to guess, and peak_2027013100 is an ordinary name.
_LIKE_A_KEY = re.compile(rf"{_PREFIX}[0-9a-fA-F]{{24,}}")


def generate_key() -> str:
    return "ak_" + secrets.token_hex(32)


def hash_key(key: str) -> str:
    """Return the SHA-256 of ``key`` as 64 hexadecimal characters."""
    return hashlib.sha256(key.encode("ascii")).hexdigest()


def display_prefix(key: str) -> str:
    """Return the first characters of ``key``: enough to distinguish keys, too few for a call."""
    return key[:_DISPLAY_PREFIX_LENGTH]


def is_well_formed(key: str) -> bool:
    return _KEY_PATTERN.fullmatch(key) is not None


def redact_key_parts(text: str) -> str:
    """Return ``text`` with every key in it, or part of one, cut to its display prefix."""
    return _BEYOND_DISPLAY_PREFIX.sub(r"\1…", text)


def has_key_part(name: str) -> bool:
    """Return whether ``name`` contains a key, or at least half of one."""
    return _LIKE_A_KEY.search(name) is not None


def redact_stored_names(text: str, shown_key: str | None = None) -> str:
    """Return ``text`` with all that looks like a key, except ``shown_key``, cut to its prefix.

    For names that were stored before such names were refused.
    """
    return _LIKE_A_KEY.sub(lambda key: key[0] if key[0] == shown_key else f"{key[1]}…", text)
