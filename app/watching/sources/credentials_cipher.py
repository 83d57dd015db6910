"""Credentials at rest: encrypted in the database, with keys that only the environment has."""

import json
from collections.abc import Sequence

from cryptography.fernet import Fernet, InvalidToken, MultiFernet

from app.watching.sources.source_records import (
    Authorization,
    NoSecretsKeyError,
    UnreadableCredentialsError,
)


def encrypt(authorization: Authorization, keys: Sequence[str]) -> str:
    """Encrypt with the first of ``keys``; raise NoSecretsKeyError if there is none."""
    if not keys:
        raise NoSecretsKeyError
    return _fernet(keys).encrypt(json.dumps(vars(authorization)).encode()).decode()


def decrypt(sealed: str, keys: Sequence[str]) -> Authorization:
    """Decrypt with one of ``keys``; raise UnreadableCredentialsError if none of them fits."""
    try:
        return Authorization(**json.loads(_fernet(keys).decrypt(sealed)))
    except (InvalidToken, ValueError):
        raise UnreadableCredentialsError from None


def reencrypt(sealed: str, keys: Sequence[str]) -> str:
    """Decrypt with one of ``keys``, and encrypt with the first; raise as `decrypt` does."""
    return encrypt(decrypt(sealed, keys), keys)


def _fernet(keys: Sequence[str]) -> MultiFernet:
    return MultiFernet([Fernet(key) for key in keys])
