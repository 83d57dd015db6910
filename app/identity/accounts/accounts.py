"""Find, lock and create accounts, and set their tier; see also `app.identity.suspension`."""

from dataclasses import astuple
from typing import TypedDict

from sqlalchemy import ColumnElement, Connection, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from app.core.record_fields import MAX_NAME_LENGTH
from app.identity.accounts.audit import Action, Actor, record_event
from app.identity.accounts.errors import AccountError, CustomLimitsError, NoSuchAccountError
from app.identity.accounts.models import Account
from app.identity.accounts.texts import clean_text
from app.identity.limits.tiers import TIERS, Allowance, read_custom_limits


class RowLock(TypedDict, total=False):
    """Options of ``FOR UPDATE``; SQLite ignores them, as it has one writer at a time."""

    read: bool
    key_share: bool


# Blocks other changes of the account; keys can still be created and used.
NO_KEY_UPDATE_LOCK: RowLock = {"key_share": True}
# Also blocks the creation of anything in the account until it is suspended or deleted.
UPDATE_LOCK: RowLock = {}
# Blocks suspension and deletion of the account.
KEY_SHARE_LOCK: RowLock = {"read": True, "key_share": True}


def get_account(session: Session, name: str, *, lock: RowLock | None = None) -> Account:
    """Return the account called ``name``, locked until the end of the transaction if ``lock``.

    Raise NoSuchAccountError if there is none.
    """
    return _get_one(session, Account.name == name, name, lock)


def lock_account(session: Session, account_id: int, lock: RowLock) -> Account:
    """Return the account with this id, locked until the end of the transaction.

    Raise NoSuchAccountError if it has been deleted.
    """
    return _get_one(session, Account.id == account_id, account_id, lock)


def _get_one(
    session: Session, condition: ColumnElement[bool], identifier: int | str, lock: RowLock | None
) -> Account:
    query = select(Account).where(condition)
    if lock is not None:
        query = query.with_for_update(**lock).execution_options(populate_existing=True)
    account = session.scalar(query)
    if account is None:
        raise NoSuchAccountError(identifier)
    return account


def lock_account_row(connection: Connection, account_id: int) -> None:
    """Lock an account, so that its new rows in other tables are created one at a time.

    Like its deletion, this locks the account before its rows in other tables.
    """
    query = select(Account.id).where(Account.id == account_id)
    connection.execute(query.with_for_update(**NO_KEY_UPDATE_LOCK))


def create_account(
    session: Session, actor: Actor, name: str, tier: str | None, custom: Allowance | None
) -> Account:
    """Create an account; the tier enterprise requires ``custom``, other tiers do not allow it.

    Raise AccountError if the name is taken or invalid, or the tier or ``custom`` is wrong.
    """
    name = clean_text(name, "the account's name", MAX_NAME_LENGTH)
    if not name:
        raise AccountError("the account's name is empty; send a name")
    problem = f"the account {name!r} already exists; choose another name"
    if session.scalar(select(Account.id).where(Account.name == name)) is not None:
        raise AccountError(problem)
    account = Account(name=name)
    _apply_tier(account, tier, custom)
    session.add(account)
    try:
        session.flush()
    except IntegrityError:  # another transaction has created it in the meantime
        raise AccountError(problem) from None
    record_event(session, actor, Action.ACCOUNT_CREATED, account, detail=tier_text(account))
    return account


def set_tier(
    session: Session, actor: Actor, name: str, tier: str | None, custom: Allowance | None
) -> Account:
    """Change an account's tier (None: no tier); counts of the current windows are kept.

    Raise AccountError if there is no such account, or the tier or ``custom`` is wrong.
    """
    account = get_account(session, name, lock=NO_KEY_UPDATE_LOCK)
    before = tier_text(account)
    _apply_tier(account, tier, custom)
    session.flush()
    after = tier_text(account)
    if after != before:
        record_event(
            session, actor, Action.TIER_CHANGED, account, detail=f"from {before} to {after}"
        )
    return account


def tier_text(account: Account) -> str:
    """Return the tier of an account in words, with the limits of its own: ``tier basic``."""
    if account.tier is None:
        return "no tier"
    custom = read_custom_limits(account)
    return f"tier {account.tier}" + (" {}/{}/{}".format(*astuple(custom)) if custom else "")


def _apply_tier(account: Account, tier: str | None, custom: Allowance | None) -> None:
    if tier is not None and tier not in TIERS:
        raise AccountError(f"unknown tier {tier!r}; send one of {', '.join(TIERS)}")
    needs_custom = tier is not None and TIERS[tier] is None
    if needs_custom and custom is None:
        raise CustomLimitsError(f"the tier {tier} needs its own limits per minute, hour and day")
    if not needs_custom and custom is not None:
        raise CustomLimitsError(
            "only the tier enterprise has its own limits per minute, hour and day"
        )
    account.tier = tier
    account.per_minute = custom.per_minute if custom else None
    account.per_hour = custom.per_hour if custom else None
    account.per_day = custom.per_day if custom else None
