"""Delete an account, and everything that any package stores for it."""

from dataclasses import dataclass

from sqlalchemy import delete, func, select, text
from sqlalchemy.orm import Session

from app.identity.accounts.accounts import UPDATE_LOCK, get_account
from app.identity.accounts.audit import Action, Actor, record_event
from app.identity.accounts.models import Account, ApiKey
from app.identity.limits.budget import account_owners
from app.identity.limits.stores.windows import RateLimitWindows
from app.ops.all_models import Base
from app.timeseries.words import count_of
from app.watching.models.monitors import MonitorRow, MonitorState


@dataclass(frozen=True)
class DeletedCounts:
    keys: int
    monitors: int

    def __str__(self) -> str:
        return f"{count_of(self.keys, 'key')} and {count_of(self.monitors, 'monitor')}"


def delete_account(session: Session, actor: Actor, name: str) -> DeletedCounts:
    """Delete an account and everything in it, except audit events; its name can be used again.

    Limit counters in a store other than this database expire within a day; their ids are never
    reused. Raise NoSuchAccountError if there is no such account.
    """
    account = get_account(session, name, lock=UPDATE_LOCK)
    if session.connection().dialect.name == "postgresql":  # a million rows of usage take long
        session.execute(text("SET LOCAL statement_timeout = 0"))
    deleted = count_dependents(session, account)
    lineages = session.scalars(select(ApiKey.lineage).where(ApiKey.account_id == account.id))
    owners = account_owners(account.id, lineages)
    session.execute(delete(RateLimitWindows).where(RateLimitWindows.owner.in_(owners)))
    _lock_monitor_states(session, account)
    for table in reversed(Base.metadata.sorted_tables):  # rows with foreign keys first
        if "account_id" in table.c:
            session.execute(delete(table).where(table.c.account_id == account.id))
    record_event(session, actor, Action.ACCOUNT_DELETED, account, detail=f"with {deleted}")
    session.execute(delete(Account).where(Account.id == account.id))
    return deleted


def count_dependents(session: Session, account: Account) -> DeletedCounts:
    def count(model: type[ApiKey | MonitorRow]) -> int:
        is_account = model.account_id == account.id
        return session.scalars(select(func.count()).select_from(model).where(is_account)).one()

    return DeletedCounts(count(ApiKey), count(MonitorRow))


def _lock_monitor_states(session: Session, account: Account) -> None:
    """Lock the monitors' states first, in the order of appends, so that neither deadlocks."""
    states = (
        select(MonitorState.monitor_id)
        .join(MonitorRow, MonitorRow.id == MonitorState.monitor_id)
        .where(MonitorRow.account_id == account.id)
    )
    session.execute(states.with_for_update(of=MonitorState)).all()
