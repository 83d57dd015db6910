"""Random tokens of sessions, links and sign-ins. Only their SHA-256 is stored.

A token holds 256 random bits, so a plain hash cannot be reversed by guessing, and one indexed
look-up by hash finds it: no comparison depends on the secret.
"""

import hashlib
import secrets

_TOKEN_BYTES = 32


def new_token() -> str:
    """Return a new token: 43 characters that are safe in a URL or a cookie."""
    return secrets.token_urlsafe(_TOKEN_BYTES)


def hash_token(token: str) -> str:
    """Return the SHA-256 of ``token``, any string, as 64 hexadecimal characters."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()
