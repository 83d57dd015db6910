"""Create, change, rotate and revoke keys for an operator, a key or a member.

``account_id`` restricts a function to the keys of that account. ``max_permissions`` are those of
the caller: a new key cannot have others.
"""

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy.orm import Session

from app.core.api_keys import display_prefix, generate_key, hash_key, redact_key_parts
from app.core.database import iso_string
from app.core.database.database_clock import database_time
from app.core.unchanged import UNCHANGED, Unchanged
from app.identity.accounts.accounts import KEY_SHARE_LOCK, lock_account
from app.identity.accounts.audit import Action, Actor, record_event
from app.identity.accounts.errors import (
    AccountError,
    AlreadyRevokedError,
    ExpiryError,
    KeyStateError,
    NoSuchKeyError,
    NotGrantableError,
    SuspendedAccountError,
)
from app.identity.accounts.models import ApiKey, KeyState
from app.identity.accounts.permissions import Permission, sorted_permissions
from app.identity.accounts.texts import MAX_LABEL_LENGTH, clean_text, expiry_text

MAX_GRACE_PERIOD = dt.timedelta(days=90)  # for a longer time, create a second key


@dataclass(frozen=True)
class CreatedKey:
    """A new key: the record, and the key itself, which exists nowhere else."""

    record: ApiKey
    key: str


def get_key(
    session: Session, key_id: int, account_id: int | None = None, *, for_update: bool = False
) -> ApiKey:
    """Return the key with the id ``key_id``; with ``for_update``, lock its row.

    Raise NoSuchKeyError if there is none.
    """
    key = session.get(ApiKey, key_id, with_for_update=for_update, populate_existing=for_update)
    if key is None or account_id not in (None, key.account_id):
        raise NoSuchKeyError(key_id)
    return key


def create_key(
    session: Session,
    actor: Actor,
    account_id: int,
    permissions: frozenset[Permission],
    *,
    label: str = "",
    expires_at: dt.datetime | None = None,
    max_permissions: frozenset[Permission] | None = None,
) -> CreatedKey:
    """Create a key for an account; the key itself is stored nowhere.

    Raise AccountError if there is no such account or it is suspended, the expiry is in the past,
    the label is invalid, or the key would have permissions outside ``max_permissions``.
    """
    _check_grant(permissions, max_permissions)
    owner = lock_account(session, account_id, KEY_SHARE_LOCK)
    if owner.suspended_at is not None:
        raise SuspendedAccountError(owner.name)
    _check_expiry(expires_at, database_time(session))
    label = clean_text(label, "the label", MAX_LABEL_LENGTH)
    new = ApiKey(account=owner, permissions=permissions, label=label, expires_at=expires_at)
    created = _insert_key(session, new)
    _record_creation(session, actor, new)
    return created


def change_key(
    session: Session,
    actor: Actor,
    key_id: int,
    *,
    label: str | Unchanged = UNCHANGED,
    expires_at: dt.datetime | Unchanged | None = UNCHANGED,
    account_id: int | None = None,
) -> ApiKey:
    """Change a key's label and expiry (None: never); an equal value is not a change.

    Raise AccountError if there is no such key, the label is invalid, the new expiry is in the past,
    or the key has expired or is revoked, or was rotated and ends before the new expiry.
    """
    key = get_key(session, key_id, account_id, for_update=True)
    if label is not UNCHANGED:
        _change_label(session, actor, key, clean_text(label, "the label", MAX_LABEL_LENGTH))
    if expires_at is not UNCHANGED:
        _change_expiry(session, actor, key, expires_at)
    session.flush()
    return key


def _change_label(session: Session, actor: Actor, key: ApiKey, label: str) -> None:
    if label != key.label:
        # The label may be a key pasted by mistake, which must not be in the audit trail.
        change = redact_key_parts(f'from "{key.label}" to "{label}"')
        key.label = label
        record_event(session, actor, Action.LABEL_CHANGED, key.account, key, change)


def _change_expiry(
    session: Session, actor: Actor, key: ApiKey, expires_at: dt.datetime | None
) -> None:
    now = database_time(session)
    state = key.state(now)
    if state in (KeyState.REVOKED, KeyState.EXPIRED):
        raise KeyStateError(f"key {key.id} is {state}, so its expiry cannot be changed")
    grace_end = key.grace_ends_at
    if grace_end is not None and (expires_at is None or expires_at > grace_end):
        end = iso_string(grace_end)
        raise ExpiryError(f"a rotated key works until {end} at most; send an earlier time")
    _check_expiry(expires_at, now)
    if expires_at != key.expires_at:
        change = f"from {expiry_text(key.expires_at)} to {expiry_text(expires_at)}"
        key.expires_at = expires_at
        record_event(session, actor, Action.EXPIRY_CHANGED, key.account, key, change)


def _check_expiry(expires_at: dt.datetime | None, now: dt.datetime) -> None:
    if expires_at is not None and expires_at <= now:
        raise ExpiryError("the expiry is in the past; send a time in the future")


def rotate_key(
    session: Session,
    actor: Actor,
    key_id: int,
    grace: dt.timedelta,
    *,
    account_id: int | None = None,
    max_permissions: frozenset[Permission] | None = None,
) -> CreatedKey:
    """Replace a key with a successor that has the same account, permissions, label and expiry.

    The old key works until ``grace`` has passed. Raise AccountError if there is no such key, it is
    not active, it has permissions outside ``max_permissions``, or ``grace`` is negative or longer
    than `MAX_GRACE_PERIOD`.
    """
    if grace < dt.timedelta(0):
        raise AccountError("the grace period is negative; send 0h to end the old key immediately")
    if grace > MAX_GRACE_PERIOD:
        raise AccountError(f"the grace period is too long; send at most {MAX_GRACE_PERIOD.days}d")
    # The account before the key: the order in which suspending an account locks them.
    account = get_key(session, key_id, account_id).account
    lock_account(session, account.id, KEY_SHARE_LOCK)
    old = get_key(session, key_id, account_id, for_update=True)
    _check_grant(old.permissions, max_permissions)
    now = database_time(session)
    state = old.state(now)
    if state is not KeyState.ACTIVE:
        raise KeyStateError(f"key {key_id} is {state}; only an active key can be rotated")
    created = _insert_key(
        session,
        ApiKey(
            account=account,
            lineage=old.lineage,
            permissions=old.permissions,
            label=old.label,
            expires_at=old.expires_at,
        ),
    )
    old.successor_id = created.record.id
    old.grace_ends_at = now + grace
    session.flush()
    successor = f"into key {created.record.id}, works {expiry_text(old.ends_at)}"
    record_event(session, actor, Action.KEY_ROTATED, account, old, successor)
    _record_creation(session, actor, created.record, f", for key {key_id}")
    return created


def _record_creation(session: Session, actor: Actor, created: ApiKey, detail: str = "") -> None:
    """Record the permissions and expiry of a new key, and ``detail`` about its origin."""
    granted = ",".join(sorted_permissions(created.permissions))
    record_event(
        session,
        actor,
        Action.KEY_CREATED,
        created.account,
        created,
        f"{granted} {expiry_text(created.expires_at)}{detail}",
    )


def _insert_key(session: Session, new: ApiKey) -> CreatedKey:
    key = generate_key()
    new.prefix = display_prefix(key)
    new.key_hash = hash_key(key)
    session.add(new)
    session.flush()
    return CreatedKey(new, key)


def _check_grant(requested: Iterable[Permission], allowed: frozenset[Permission] | None) -> None:
    if allowed is not None and not allowed.issuperset(requested):
        raise NotGrantableError(requested, allowed)


def revoke_key(
    session: Session, actor: Actor, key_id: int, *, account_id: int | None = None
) -> ApiKey:
    """Revoke a key immediately, even during its grace period.

    Raise NoSuchKeyError if there is no such key, AlreadyRevokedError if it is already revoked.
    """
    key = get_key(session, key_id, account_id, for_update=True)
    if key.revoked_at is not None:
        raise AlreadyRevokedError(f"key {key_id} is already revoked")
    now = database_time(session)
    before = key.state(now)
    key.revoked_at = now
    session.flush()
    record_event(session, actor, Action.KEY_REVOKED, key.account, key, f"was {before}")
    return key
