"""Passwords: Argon2id with the parameters that OWASP recommends.

https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html#argon2id:
19 MiB of memory, 2 passes, 1 lane; 25 ms.
"""

import threading
import unicodedata

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from app.identity.members.errors import InvalidPasswordError
from app.timeseries.words import count_of

_MIN_PASSWORD_LENGTH, _MAX_PASSWORD_LENGTH = 12, 1024
_MIN_SCORE = 3  # on zxcvbn's scale from 0 to 4: 10^8 guesses or more
# Characters that zxcvbn scores; longer malicious passwords would take seconds.
_MAX_SCORED_LENGTH = 32
# Hashes that a process computes at the same time: sign-ins must not starve calls.
_MAX_CONCURRENT_HASHES = 2
# The hash of a random password: verified if there is no member, to take the same time.
DUMMY_HASH = (
    "$argon2id$v=19$m=19456,t=2,p=1$"
    "T2Yb1yiwwwMRCBaAQyF+LQ$0l8bfx01aMU8TVkU03o177KvjNI2QesLxl4Ryll4Zi8"
)

hasher = PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)
# Acquire it before computing a hash.
hash_semaphore = threading.BoundedSemaphore(_MAX_CONCURRENT_HASHES)


def hash_password(password: str, email: str) -> str:
    """Return the hash of a new password for the member with ``email``.

    Raise InvalidPasswordError if it is too short, too long or easy to guess.
    """
    if not _MIN_PASSWORD_LENGTH <= len(password) <= _MAX_PASSWORD_LENGTH:
        raise InvalidPasswordError(
            f"the password has {count_of(len(password), 'character')}; "
            f"choose one with {_MIN_PASSWORD_LENGTH} to {_MAX_PASSWORD_LENGTH:,}"
        )
    if password.strip().lower() == email:
        raise InvalidPasswordError("the password is the email address; choose another one")
    with hash_semaphore:
        _reject_weak(password, email)
        return hasher.hash(_normalize(password))


def _reject_weak(password: str, email: str) -> None:
    """Raise InvalidPasswordError for a password that is easy to guess."""
    from zxcvbn import zxcvbn  # noqa: PLC0415 - its lists take 14 MB; passwords are seldom set

    scored = zxcvbn(password[:_MAX_SCORED_LENGTH], user_inputs=[email, *email.split("@")])
    if scored["score"] < _MIN_SCORE:
        warning = scored["feedback"]["warning"].rstrip(".")
        reason = f" ({warning[:1].lower()}{warning[1:]})" if warning else ""
        raise InvalidPasswordError(
            f"the password is easy to guess{reason}; choose a few random words instead"
        )


def is_correct(password: str, password_hash: str | None) -> bool:
    """Return whether ``password`` has this hash; without a hash False, in the same time.

    The caller holds `hash_semaphore`.
    """
    if len(password) > _MAX_PASSWORD_LENGTH:
        password = ""  # no password is that long, and hashing it would take longer
    try:
        hasher.verify(password_hash or DUMMY_HASH, _normalize(password))
    except (VerificationError, InvalidHashError):
        return False
    return password_hash is not None


def rehash_if_outdated(password: str, password_hash: str | None) -> str | None:
    """Return a new hash of a correct password if the stored one has outdated parameters."""
    if password_hash is None or not hasher.check_needs_rehash(password_hash):
        return None
    with hash_semaphore:
        return hasher.hash(_normalize(password))


def _normalize(password: str) -> str:
    """Return the password independently of keyboard and system (NIST SP 800-63B, 5.1.1.2: NFKC)."""
    return unicodedata.normalize("NFKC", password)
