"""Suspend, resume and delete accounts, with everything that belongs to them.

Every function takes a session whose transaction the caller commits, raises ``AccountError`` with a
one-sentence message, and records an event of `app.identity.accounts.audit`.
"""

import datetime as dt
from dataclasses import dataclass

from sqlalchemy import delete, func, select, text, update
from sqlalchemy.orm import Session

from app.core.database import Base
from app.core.database.clock import database_time
from app.delivery import models as _webhooks  # noqa: F401
from app.identity.accounts.accounts import TO_STOP, find_account
from app.identity.accounts.audit import Action, Actor, record
from app.identity.accounts.errors import AccountError
from app.identity.accounts.models import Account, ApiKey
from app.identity.limits.stores.windows import RateLimitWindows
from app.identity.members.sessions import end_all_in
from app.identity.usage import models as _usage  # noqa: F401
from app.watching.monitors.models import MonitorRow, MonitorState

# Their tables are deleted from too.
from app.watching.sources import models as _sources  # noqa: F401


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


def suspend_account(session: Session, actor: Actor, name: str) -> Account:
    """Reject all keys of an account, end its sessions and stop the messages of its monitors.

    Raises:
        AccountError: There is no such account, or it is already suspended.
    """
    account = find_account(session, name, lock=TO_STOP)
    if account.suspended_at is not None:
        raise AccountError(f"the account {name!r} is already suspended")
    _set_suspended(session, account, database_time(session))
    end_all_in(session, account.id)
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

    def count(model: type[ApiKey | MonitorRow]) -> int:
        of_account = model.account_id == account.id
        return session.scalars(select(func.count()).select_from(model).where(of_account)).one()

    return Deleted(count(ApiKey), count(MonitorRow))


def _wait_for_appends(session: Session, account: Account) -> None:
    """Lock the states of the account's monitors.

    An append locks a state and then its monitor; the reverse order would deadlock with it.
    """
    of_account = (
        select(MonitorState.monitor_id)
        .join(MonitorRow, MonitorRow.id == MonitorState.monitor_id)
        .where(MonitorRow.account_id == account.id)
    )
    session.execute(of_account.with_for_update(of=MonitorState)).all()
