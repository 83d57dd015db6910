"""What an admin does with accounts and keys. Each function is one whole change or none.

Everything takes a session and raises ``AccountError`` with one clear sentence; the command line
prints it.
"""

import datetime as dt
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.accounts.models import DEFAULT_ACCOUNT, Account, ApiKey, KeyState
from app.accounts.permissions import Permission
from app.accounts.secrets import display_prefix, generate_key, hash_key
from app.database import utcnow
from app.limits.tiers import TIERS, Allowance

LONGEST_NAME = 100
LONGEST_LABEL = 200


class AccountError(Exception):
    """An account or key cannot be changed as asked; the text says why and what to do."""


@dataclass(frozen=True)
class MintedKey:
    """A new key: the record, and the key itself, which exists nowhere else."""

    record: ApiKey
    key: str


def find_account(session: Session, name: str) -> Account:
    """Return the account called ``name``; raise AccountError when there is none."""
    account = session.scalar(select(Account).where(Account.name == name))
    if account is None:
        raise AccountError(f"there is no account {name!r}; `flask accounts list` shows them all")
    return account


def create_account(
    session: Session, name: str, tier: str | None, custom: Allowance | None
) -> Account:
    """Create an account; ``custom`` is for the tier enterprise alone, which needs it."""
    name = _clean_text(name, "the account's name", LONGEST_NAME)
    if not name:
        raise AccountError("an account needs a name")
    if session.scalar(select(Account.id).where(Account.name == name)) is not None:
        raise AccountError(f"there is an account {name!r} already; choose another name")
    account = Account(name=name)
    _apply_tier(account, tier, custom)
    session.add(account)
    session.flush()
    return account


def set_tier(session: Session, name: str, tier: str | None, custom: Allowance | None) -> Account:
    """Change an account's tier (None: no tier); its counts of the running windows stay."""
    account = find_account(session, name)
    _apply_tier(account, tier, custom)
    session.flush()
    return account


def _apply_tier(account: Account, tier: str | None, custom: Allowance | None) -> None:
    if tier is not None and tier not in TIERS:
        raise AccountError(f"unknown tier {tier!r}; there are {', '.join(TIERS)}")
    needs_custom = tier is not None and TIERS[tier] is None
    if needs_custom and custom is None:
        raise AccountError(
            f"the tier {tier} needs its own three limits: "
            "give --per-minute, --per-hour and --per-day"
        )
    if not needs_custom and custom is not None:
        raise AccountError("only the tier enterprise takes --per-minute, --per-hour and --per-day")
    account.tier = tier
    account.per_minute = custom.per_minute if custom else None
    account.per_hour = custom.per_hour if custom else None
    account.per_day = custom.per_day if custom else None


def create_key(
    session: Session,
    permissions: frozenset[Permission],
    *,
    account_name: str = DEFAULT_ACCOUNT,
    label: str = "",
    expires_at: dt.datetime | None = None,
) -> MintedKey:
    """Mint a key for an account; the key is in the answer and nowhere else."""
    account = find_account(session, account_name)
    if expires_at is not None and expires_at <= utcnow():
        raise AccountError("the expiry is in the past; a key must expire in the future")
    label = _clean_text(label, "the label", LONGEST_LABEL)
    return _mint(
        session,
        ApiKey(account=account, permissions=permissions, label=label, expires_at=expires_at),
    )


def _mint(session: Session, record: ApiKey) -> MintedKey:
    key = generate_key()
    record.prefix = display_prefix(key)
    record.key_hash = hash_key(key)
    session.add(record)
    session.flush()
    return MintedKey(record, key)


def find_key(session: Session, key_id: int, *, to_change: bool = False) -> ApiKey:
    """Return the key with the number ``key_id``; raise AccountError when there is none.

    ``to_change`` makes others that want to change it wait until this transaction has ended.
    """
    record = session.get(ApiKey, key_id, with_for_update=to_change, populate_existing=to_change)
    if record is None:
        raise AccountError(f"there is no key {key_id}; `flask keys list` shows them all")
    return record


def rotate_key(session: Session, key_id: int, grace: dt.timedelta) -> MintedKey:
    """Replace a key by a successor of the same account, permissions, label and expiry.

    The old key works until ``grace`` is over.
    """
    old = find_key(session, key_id, to_change=True)
    now = utcnow()
    state = old.state(now)
    if state is not KeyState.ACTIVE:
        raise AccountError(f"key {key_id} is {state}; only an active key can be rotated")
    minted = _mint(
        session,
        ApiKey(
            account=old.account,
            lineage=old.lineage,
            permissions=old.permissions,
            label=old.label,
            expires_at=old.expires_at,
        ),
    )
    old.successor_id = minted.record.id
    old.grace_ends_at = now + grace
    session.flush()
    return minted


def revoke_key(session: Session, key_id: int) -> ApiKey:
    """End a key at once, its grace period included."""
    record = find_key(session, key_id, to_change=True)
    if record.revoked_at is not None:
        raise AccountError(f"key {key_id} is revoked already")
    record.revoked_at = utcnow()
    session.flush()
    return record


def _clean_text(text: str, what: str, longest: int) -> str:
    text = text.strip()
    if len(text) > longest:
        raise AccountError(f"{what} has {len(text)} characters; at most {longest} are allowed")
    if not text.isprintable():
        raise AccountError(f"{what} holds control characters; send plain text")
    return text
