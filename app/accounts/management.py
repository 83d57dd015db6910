"""What an admin does with accounts and keys. Each function is one whole change or none.

Everything takes a session of `app.accounts.transaction` and raises ``AccountError`` with one clear
sentence. Every change is by an actor, and leaves its event of `app.accounts.audit` in the same
transaction.
"""

import datetime as dt
from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from app.accounts.audit import Action, Actor, record
from app.accounts.models import DEFAULT_ACCOUNT, Account, ApiKey, KeyState
from app.accounts.permissions import Permission, sorted_permissions
from app.accounts.secrets import display_prefix, generate_key, hash_key
from app.database import iso_string
from app.database.clock import database_time
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


@dataclass(frozen=True)
class Usage:
    """How often and when last something was used."""

    count: int
    last_used_at: dt.datetime | None


def find_account(session: Session, name: str, *, to_change: bool = False) -> Account:
    """Return the account called ``name``; raise AccountError when there is none.

    ``to_change`` makes others that want to change it wait until this transaction has ended.
    """
    query = select(Account).where(Account.name == name)
    if to_change:
        query = query.with_for_update(key_share=True).execution_options(populate_existing=True)
    account = session.scalar(query)
    if account is None:
        raise AccountError(f"there is no account {name!r}; `flask accounts list` shows them all")
    return account


def create_account(
    session: Session, actor: Actor, name: str, tier: str | None, custom: Allowance | None
) -> Account:
    """Create an account; ``custom`` is for the tier enterprise alone, which needs it.

    Raises:
        AccountError: The name, the tier or ``custom`` cannot be had.
    """
    name = _clean_text(name, "the account's name", LONGEST_NAME)
    if not name:
        raise AccountError("an account needs a name")
    taken = f"there is an account {name!r} already; choose another name"
    if session.scalar(select(Account.id).where(Account.name == name)) is not None:
        raise AccountError(taken)
    account = Account(name=name)
    _apply_tier(account, tier, custom)
    session.add(account)
    try:
        session.flush()
    except IntegrityError:  # somebody else has created it since
        raise AccountError(taken) from None
    record(session, actor, Action.ACCOUNT_CREATED, account, detail=_tier_text(account))
    return account


def set_tier(
    session: Session, actor: Actor, name: str, tier: str | None, custom: Allowance | None
) -> Account:
    """Change an account's tier (None: no tier); its counts of the running windows stay.

    Raises:
        AccountError: There is no such account, or the tier or ``custom`` cannot be had.
    """
    account = find_account(session, name, to_change=True)
    before = _tier_text(account)
    _apply_tier(account, tier, custom)
    session.flush()
    after = _tier_text(account)
    if after != before:
        record(session, actor, Action.TIER_CHANGED, account, detail=f"from {before} to {after}")
    return account


def _tier_text(account: Account) -> str:
    if account.tier is None:
        return "no tier"
    custom = (account.per_minute, account.per_hour, account.per_day)
    return f"tier {account.tier}" + ("" if None in custom else " {}/{}/{}".format(*custom))


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
    actor: Actor,
    permissions: frozenset[Permission],
    *,
    account_name: str = DEFAULT_ACCOUNT,
    label: str = "",
    expires_at: dt.datetime | None = None,
) -> MintedKey:
    """Mint a key for an account; the key is in the answer and nowhere else.

    Raises:
        AccountError: There is no such account, the expiry is past or the label cannot be stored.
    """
    account = find_account(session, account_name)
    if expires_at is not None and expires_at <= database_time(session):
        raise AccountError("the expiry is in the past; a key must expire in the future")
    label = _clean_text(label, "the label", LONGEST_LABEL)
    new = ApiKey(account=account, permissions=permissions, label=label, expires_at=expires_at)
    minted = _mint(session, new)
    _record_creation(session, actor, new)
    return minted


def _mint(session: Session, new: ApiKey) -> MintedKey:
    key = generate_key()
    new.prefix = display_prefix(key)
    new.key_hash = hash_key(key)
    session.add(new)
    session.flush()
    return MintedKey(new, key)


def _record_creation(session: Session, actor: Actor, created: ApiKey, detail: str = "") -> None:
    """Record what a new key may do and until when; ``detail`` says where it comes from."""
    granted = ",".join(sorted_permissions(created.permissions))
    until = f"until {iso_string(created.expires_at)}" if created.expires_at else "without expiry"
    record(
        session, actor, Action.KEY_CREATED, created.account, created, f"{granted} {until}{detail}"
    )


def find_key(session: Session, key_id: int, *, to_change: bool = False) -> ApiKey:
    """Return the key with the id ``key_id``; raise AccountError when there is none.

    ``to_change`` makes others that want to change it wait until this transaction has ended.
    """
    found = session.get(ApiKey, key_id, with_for_update=to_change, populate_existing=to_change)
    if found is None:
        raise AccountError(f"there is no key {key_id}; `flask keys list` shows them all")
    return found


def shared_usage(session: Session) -> dict[str, Usage]:
    """Return by lineage what a key and all that it was rotated into were used, all together."""
    query = select(
        ApiKey.lineage, func.sum(ApiKey.usage_count), func.max(ApiKey.last_used_at)
    ).group_by(ApiKey.lineage)
    return {lineage: Usage(int(count), last) for lineage, count, last in session.execute(query)}


def rotate_key(session: Session, actor: Actor, key_id: int, grace: dt.timedelta) -> MintedKey:
    """Replace a key by a successor of the same account, permissions, label and expiry.

    The old key works until ``grace``, which is not negative, is over.

    Raises:
        AccountError: There is no such key, or it is not active.
    """
    if grace < dt.timedelta(0):
        raise AccountError("the grace period is negative; 0h ends the old key at once")
    old = find_key(session, key_id, to_change=True)
    now = database_time(session)
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
    successor = f"into key {minted.record.id}, works until {iso_string(old.grace_ends_at)}"
    record(session, actor, Action.KEY_ROTATED, old.account, old, successor)
    _record_creation(session, actor, minted.record, f", for key {key_id}")
    return minted


def revoke_key(session: Session, actor: Actor, key_id: int) -> ApiKey:
    """End a key at once, its grace period included.

    Raises:
        AccountError: There is no such key, or it is revoked.
    """
    ended = find_key(session, key_id, to_change=True)
    if ended.revoked_at is not None:
        raise AccountError(f"key {key_id} is revoked already")
    now = database_time(session)
    before = ended.state(now)
    ended.revoked_at = now
    session.flush()
    record(session, actor, Action.KEY_REVOKED, ended.account, ended, f"was {before}")
    return ended


def _clean_text(text: str, what: str, longest: int) -> str:
    text = text.strip()
    if len(text) > longest:
        raise AccountError(f"{what} has {len(text)} characters; at most {longest} are allowed")
    if not text.isprintable():
        raise AccountError(f"{what} holds control characters; send plain text")
    return text
