"""Keys as shown on pages: with their calls, callers and warnings."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, select

from app.core.database.database_clock import database_time
from app.identity.accounts.models import Account, ApiKey, KeyState
from app.identity.accounts.permissions import Permission
from app.identity.accounts.transaction import read_only
from app.identity.usage import queries
from app.identity.usage.queries import Address, LastAddress
from app.web.dashboard.times import distance

SPARK_DAYS = 30
WORKING_STATES = (KeyState.ACTIVE, KeyState.ROTATED)
_EXPIRES_SOON = dt.timedelta(days=14)  # time to deploy a new key in two weekly releases
_UNUSED_FOR = dt.timedelta(days=90)  # a quarter: a key unused that long is probably not needed
_MANY_ADDRESSES = 5  # an admin key should be on fewer machines


@dataclass(frozen=True)
class KeyRow:
    """A key of a list.

    Attributes:
        record: Its row in the database.
        state: Its current state.
        calls: Calls on each of the last days, ending with today.
        last_caller: The address that used it last; None if unknown.
        warnings: What needs attention, one short sentence each.
        callers: The addresses that use it, only for the page of a key.
    """

    record: ApiKey
    state: KeyState
    calls: Sequence[int]
    last_caller: LastAddress | None
    warnings: tuple[str, ...]
    callers: Sequence[Address] = ()

    @property
    def recent_calls(self) -> int:
        return sum(self.calls)

    @property
    def is_working(self) -> bool:
        """Whether a call with it is accepted."""
        return self.state in WORKING_STATES

    @property
    def ends_at(self) -> dt.datetime | None:
        """When it ended or will end: revocation, expiry or end of grace period, the earliest."""
        ends = (self.record.revoked_at, self.record.ends_at)
        return min((end for end in ends if end is not None), default=None)


def fetch_key_rows(
    account_id: int, *conditions: ColumnElement[bool]
) -> tuple[Account, list[KeyRow], dt.datetime]:
    """Return the account, its keys of which all conditions are true, and the database's time."""
    with read_only() as session:
        account = session.get_one(Account, account_id)
        of_account = select(ApiKey).where(ApiKey.account_id == account_id, *conditions)
        records = session.scalars(of_account).all()
        now = database_time(session)
    calls = queries.fetch_sparklines(account_id, SPARK_DAYS)
    callers = queries.fetch_last_addresses(account_id)
    rows = [
        key_row(record, now, calls.get(record.id, []), callers.get(record.id)) for record in records
    ]
    return account, rows, now


def key_row(
    record: ApiKey,
    now: dt.datetime,
    calls: Sequence[int] = (),
    last_caller: LastAddress | None = None,
) -> KeyRow:
    state = record.state(now)
    warnings = tuple(_warnings(record, state, last_caller, now))
    return KeyRow(record, state, calls, last_caller, warnings)


def _warnings(
    record: ApiKey, state: KeyState, last_caller: LastAddress | None, now: dt.datetime
) -> list[str]:
    if state not in WORKING_STATES:
        return []
    warnings = []
    # A rotated key is expected to end.
    expires_at = record.expires_at if state is KeyState.ACTIVE else None
    if expires_at is not None and expires_at - now <= _EXPIRES_SOON:
        warnings.append(f"expires {distance(expires_at, now)}")
    if now - (record.last_used_at or record.created_at) >= _UNUSED_FOR:
        warnings.append(f"not used for {_UNUSED_FOR.days} days")
    callers = last_caller.address_count if last_caller else 0
    if Permission.ADMIN in record.permissions and callers > _MANY_ADDRESSES:
        warnings.append(f"admin key used from {callers:,} addresses")
    return warnings
