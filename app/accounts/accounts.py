"""Create accounts, set their tier, suspend, resume and delete them.

Every function takes a session whose transaction the caller commits, and raises ``AccountError``
with a one-sentence message. Every change has an actor and records an event of
`app.accounts.audit` in the same transaction.
"""

import datetime as dt
from dataclasses import dataclass
from typing import TypedDict

from sqlalchemy import delete, func, select, text, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from app.accounts.audit import Action, Actor, record
from app.accounts.errors import AccountError, NoSuchAccountError
from app.accounts.models import Account, ApiKey
from app.accounts.texts import LONGEST_NAME, clean_text
from app.database import Base
from app.database.clock import database_time
from app.limits.stores.windows import RateLimitWindows
from app.limits.tiers import TIERS, Allowance


class Lock(TypedDict, total=False):
    """How an account's row is locked; SQLite ignores it, as it has one writer at a time."""

    read: bool
    key_share: bool


TO_CHANGE: Lock = {"key_share": True}
"""Others that change the account wait; keys can still be created and used."""
TO_STOP: Lock = {}
"""Others that create something in the account wait too, and then see it suspended or deleted."""
TO_STAY: Lock = {"read": True, "key_share": True}
"""Others that suspend or delete the account wait."""


@dataclass(frozen=True)
class Deleted:
    """How much was deleted with an account."""

    keys: int
    monitors: int

    def __str__(self) -> str:
        """In words."""
        return " and ".join(
            f"{number} {noun}{'s' * (number != 1)}"
            for noun, number in (("key", self.keys), ("monitor", self.monitors))
        )


def find_account(session: Session, name: str, *, lock: Lock | None = None) -> Account:
    """Return the account called ``name``, locked until the end of the transaction if ``lock``.

    Raises:
        NoSuchAccountError: There is no such account.
    """
    query = select(Account).where(Account.name == name)
    if lock is not None:
        query = query.with_for_update(**lock).execution_options(populate_existing=True)
    account = session.scalar(query)
    if account is None:
        raise NoSuchAccountError(name)
    return account


def lock_account(session: Session, account_id: int, lock: Lock) -> Account:
    """Return the account with this id, locked until the end of the transaction.

    Raises:
        NoSuchAccountError: It has been deleted.
    """
    query = select(Account).where(Account.id == account_id).with_for_update(**lock)
    account = session.scalar(query.execution_options(populate_existing=True))
    if account is None:
        raise NoSuchAccountError(account_id)
    return account


def create_account(
    session: Session, actor: Actor, name: str, tier: str | None, custom: Allowance | None
) -> Account:
    """Create an account; the tier enterprise requires ``custom``, other tiers do not allow it.

    Raises:
        AccountError: The name is taken or invalid, or the tier or ``custom`` is wrong.
    """
    name = clean_text(name, "the account's name", LONGEST_NAME)
    if not name:
        raise AccountError("the account's name is empty; send a name")
    taken = f"the account {name!r} already exists; choose another name"
    if session.scalar(select(Account.id).where(Account.name == name)) is not None:
        raise AccountError(taken)
    account = Account(name=name)
    _apply_tier(account, tier, custom)
    session.add(account)
    try:
        session.flush()
    except IntegrityError:  # another transaction has created it in the meantime
        raise AccountError(taken) from None
    record(session, actor, Action.ACCOUNT_CREATED, account, detail=_tier_text(account))
    return account


def set_tier(
    session: Session, actor: Actor, name: str, tier: str | None, custom: Allowance | None
) -> Account:
    """Change an account's tier (None: no tier); counts of the current windows are kept.

    Raises:
        AccountError: There is no such account, or the tier or ``custom`` is wrong.
    """
    account = find_account(session, name, lock=TO_CHANGE)
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
        raise AccountError(f"unknown tier {tier!r}; send one of {', '.join(TIERS)}")
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


def suspend_account(session: Session, actor: Actor, name: str) -> Account:
    """Reject all keys of an account, end its sessions and stop the messages of its monitors.

    Raises:
        AccountError: There is no such account, or it is already suspended.
    """
    account = find_account(session, name, lock=TO_STOP)
    if account.suspended_at is not None:
        raise AccountError(f"the account {name!r} is already suspended")
    _set_suspended(session, account, database_time(session))
    _end_sessions(session, account)
    record(session, actor, Action.ACCOUNT_SUSPENDED, account)
    return account


def resume_account(session: Session, actor: Actor, name: str) -> Account:
    """Resume a suspended account; each key gets back the state it would otherwise have.

    Raises:
        AccountError: There is no such account, or it is not suspended.
    """
    account = find_account(session, name, lock=TO_STOP)
    if account.suspended_at is None:
        raise AccountError(f"the account {name!r} is not suspended")
    _set_suspended(session, account, None)
    record(session, actor, Action.ACCOUNT_RESUMED, account)
    return account


def _set_suspended(session: Session, account: Account, moment: dt.datetime | None) -> None:
    account.suspended_at = moment
    of_account = update(ApiKey).where(ApiKey.account_id == account.id)
    session.execute(of_account.values(suspended_at=moment))


def _end_sessions(session: Session, account: Account) -> None:
    """Sign out the account's members; their tables belong to a package that imports this one."""
    members, sessions = (Base.metadata.tables[name] for name in ("members", "sessions"))
    of_account = select(members.c.id).where(members.c.account_id == account.id)
    session.execute(delete(sessions).where(sessions.c.member_id.in_(of_account)))


def delete_account(session: Session, actor: Actor, name: str) -> Deleted:
    """Delete an account and everything in it; its events are kept, its name can be used again.

    Limit counters in a store other than this database expire within a day; their ids are never
    reused.

    Raises:
        NoSuchAccountError: There is no such account.
    """
    account = find_account(session, name, lock=TO_STOP)
    _take_the_time(session)
    deleted = what_goes_with(session, account)
    lineages = session.scalars(select(ApiKey.lineage).where(ApiKey.account_id == account.id))
    owners = [f"account:{account.id}", *(f"key:{lineage}" for lineage in lineages)]
    session.execute(delete(RateLimitWindows).where(RateLimitWindows.owner.in_(owners)))
    _wait_for_appends(session, account)
    for table in reversed(Base.metadata.sorted_tables):  # rows with foreign keys first
        if "account_id" in table.c:
            session.execute(delete(table).where(table.c.account_id == account.id))
    record(session, actor, Action.ACCOUNT_DELETED, account, detail=f"with {deleted}")
    session.execute(delete(Account).where(Account.id == account.id))
    return deleted


def _take_the_time(session: Session) -> None:
    """Lift the statement timeout: deleting a million rows of usage takes longer."""
    if session.connection().dialect.name == "postgresql":
        session.execute(text("SET LOCAL statement_timeout = 0"))


def what_goes_with(session: Session, account: Account) -> Deleted:
    """Return how much would be deleted with ``account``."""

    def count(name: str) -> int:
        table = Base.metadata.tables[name]
        of_account = table.c.account_id == account.id
        return session.scalars(select(func.count()).select_from(table).where(of_account)).one()

    return Deleted(count("api_keys"), count("monitors"))


def _wait_for_appends(session: Session, account: Account) -> None:
    """Lock the states of the account's monitors.

    An append locks a state and then its monitor; the reverse order would deadlock with it.
    The tables are found by name because they belong to a package that imports this one.
    """
    monitors, states = (Base.metadata.tables[name] for name in ("monitors", "monitor_states"))
    of_account = (
        select(states.c.monitor_id)
        .join(monitors, monitors.c.id == states.c.monitor_id)
        .where(monitors.c.account_id == account.id)
    )
    session.execute(of_account.with_for_update(of=states)).all()
