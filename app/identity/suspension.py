"""Suspend and resume accounts; `app.ops.account_deletion` deletes them."""

import datetime as dt

from sqlalchemy import update
from sqlalchemy.orm import Session

from app.core.database.database_clock import database_time
from app.identity.accounts.accounts import UPDATE_LOCK, get_account
from app.identity.accounts.audit import Action, Actor, record_event
from app.identity.accounts.errors import AccountError
from app.identity.accounts.models import Account, ApiKey
from app.identity.members.sessions import end_account_sessions


def suspend_account(session: Session, actor: Actor, name: str) -> Account:
    """Reject all keys of an account, end its sessions and stop the messages of its monitors.

    Raise AccountError if there is no such account, or it is already suspended.
    """
    account = get_account(session, name, lock=UPDATE_LOCK)
    if account.suspended_at is not None:
        raise AccountError(f"the account {name!r} is already suspended")
    _set_suspended(session, account, database_time(session))
    end_account_sessions(session, account.id)
    record_event(session, actor, Action.ACCOUNT_SUSPENDED, account)
    return account


def resume_account(session: Session, actor: Actor, name: str) -> Account:
    """Resume a suspended account; each key gets back the state it would otherwise have.

    Raise AccountError if there is no such account, or it is not suspended.
    """
    account = get_account(session, name, lock=UPDATE_LOCK)
    if account.suspended_at is None:
        raise AccountError(f"the account {name!r} is not suspended")
    _set_suspended(session, account, None)
    record_event(session, actor, Action.ACCOUNT_RESUMED, account)
    return account


def _set_suspended(session: Session, account: Account, moment: dt.datetime | None) -> None:
    account.suspended_at = moment
    update_keys = update(ApiKey).where(ApiKey.account_id == account.id)
    session.execute(update_keys.values(suspended_at=moment))
