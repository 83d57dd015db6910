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
    """Return ``authorization`` encrypted with the first of ``keys``.

    Raises:
        NoSecretsKeyError: There is no key.
    """
    if not keys:
        raise NoSecretsKeyError
    return _fernet(keys).encrypt(json.dumps(vars(authorization)).encode()).decode()


def decrypt(sealed: str, keys: Sequence[str]) -> Authorization:
    """Decrypt what was encrypted with one of ``keys``.

    Raises:
        UnreadableCredentialsError: It was encrypted with none of them.
    """
    try:
        return Authorization(**json.loads(_fernet(keys).decrypt(sealed)))
    except (InvalidToken, ValueError):
        raise UnreadableCredentialsError from None


def reencrypt(sealed: str, keys: Sequence[str]) -> str:
    """Encrypt again, with the first, what was encrypted with one of ``keys``.

    Raises:
        UnreadableCredentialsError: It was encrypted with none of them.
    """
    return encrypt(decrypt(sealed, keys), keys)


def _fernet(keys: Sequence[str]) -> MultiFernet:
    return MultiFernet([Fernet(key) for key in keys])
