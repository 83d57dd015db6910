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
_KEY_PART = re.compile(rf"{_PREFIX}[0-9a-fA-F]+")
# Half of a key or more. A shorter part leaves more than 128 bits to guess, and may be an ordinary
# name, such as peak_2027013100.
_HALF_KEY = re.compile(rf"{_PREFIX}[0-9a-fA-F]{{24,}}")


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
    return _KEY_PART.sub(r"\1…", text)


def has_half_key(name: str) -> bool:
    """Return whether ``name`` contains a key, or at least half of one."""
    return _HALF_KEY.search(name) is not None


def redact_stored_names(text: str, shown_key: str | None = None) -> str:
    """Return ``text`` with each half key or more, except ``shown_key``, cut to its prefix.

    Releases that did not reject such names have stored some.
    """
    return _HALF_KEY.sub(lambda key: key[0] if key[0] == shown_key else f"{key[1]}…", text)
