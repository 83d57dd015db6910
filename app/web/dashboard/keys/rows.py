"""Keys as shown on pages: with calls, callers and warnings; filter and order of their list."""

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import ColumnElement, select

from app.core.api_keys import redact_key_parts
from app.core.database.database_clock import database_time
from app.core.database.engine import read_session
from app.identity.accounts.models import Account, ApiKey, KeyState
from app.identity.accounts.permissions import Permission
from app.identity.usage import queries
from app.identity.usage.queries import Address, LastAddress
from app.web.dashboard.texts import relative_time

SPARK_DAYS = 30
_WORKING_STATES = (KeyState.ACTIVE, KeyState.ROTATED)
_EXPIRES_SOON = dt.timedelta(days=14)  # leaves two weekly releases to deploy a new key
_MIN_UNUSED_AGE = dt.timedelta(days=90)  # a key that was not used for a quarter is hardly needed
_MAX_ADMIN_KEY_ADDRESSES = 5  # an admin key should be on fewer machines
_PAGE_ROWS = 50
_MAX_SEARCH_LENGTH = 200
_FAR_FUTURE = dt.datetime.max.replace(tzinfo=dt.UTC)
_FAR_PAST = dt.datetime.min.replace(tzinfo=dt.UTC)

# The values of ``state`` in a query, with their titles.
STATE_TITLES: dict[str, str] = {"working": "Working", "warned": "With a warning", "all": "All"} | {
    state.value: state.value.capitalize() for state in KeyState
}


@dataclass(frozen=True)
class KeyRow:
    """A key as pages show it.

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
        return self.state in _WORKING_STATES

    @property
    def ends_at(self) -> dt.datetime | None:
        """When it ended or will end: revocation, expiry or end of grace period, the earliest."""
        ends = (self.record.revoked_at, self.record.ends_at)
        return min((end for end in ends if end is not None), default=None)


@dataclass(frozen=True)
class AccountKeys:
    """An account, those of its keys that were asked for, and the database's time."""

    account: Account
    rows: Sequence[KeyRow]
    now: dt.datetime


def fetch_account_keys(account_id: int, *conditions: ColumnElement[bool]) -> AccountKeys:
    """Return the keys of an account that meet all conditions."""
    with read_session() as session:
        account = session.get_one(Account, account_id)
        of_account = select(ApiKey).where(ApiKey.account_id == account_id, *conditions)
        records = session.scalars(of_account).all()
        now = database_time(session)
    calls = queries.fetch_sparklines(account_id, SPARK_DAYS)
    callers = queries.fetch_last_addresses(account_id)
    rows = [
        key_row(record, now, calls.get(record.id, []), callers.get(record.id)) for record in records
    ]
    return AccountKeys(account, rows, now)


def key_row(
    record: ApiKey,
    now: dt.datetime,
    calls: Sequence[int] = (),
    last_caller: LastAddress | None = None,
) -> KeyRow:
    state = record.state(now)
    warnings = tuple(_find_warnings(record, state, last_caller, now))
    return KeyRow(record, state, calls, last_caller, warnings)


def _find_warnings(
    record: ApiKey, state: KeyState, last_caller: LastAddress | None, now: dt.datetime
) -> list[str]:
    if state not in _WORKING_STATES:
        return []
    warnings = []
    # A rotated key is expected to end.
    expires_at = record.expires_at if state is KeyState.ACTIVE else None
    if expires_at is not None and expires_at - now <= _EXPIRES_SOON:
        warnings.append(f"expires {relative_time(expires_at, now)}")
    if now - (record.last_used_at or record.created_at) >= _MIN_UNUSED_AGE:
        warnings.append(f"not used for {_MIN_UNUSED_AGE.days} days")
    callers = last_caller.address_count if last_caller else 0
    if Permission.ADMIN in record.permissions and callers > _MAX_ADMIN_KEY_ADDRESSES:
        warnings.append(f"admin key used from {callers:,} addresses")
    return warnings


# The sort keys of the list, each with its default direction.
_ORDERS: dict[str, tuple[Callable[[KeyRow], Any], str]] = {
    "label": (lambda row: (row.record.label.casefold(), row.record.id), "asc"),
    "created": (lambda row: (row.record.created_at, row.record.id), "desc"),
    "expires": (lambda row: (row.ends_at or _FAR_FUTURE, row.record.id), "asc"),
    "used": (lambda row: (row.record.last_used_at or _FAR_PAST, row.record.id), "desc"),
    "calls": (lambda row: (row.recent_calls, row.record.id), "desc"),
}
_OPPOSITE_DIRECTIONS = {"asc": "desc", "desc": "asc"}


@dataclass(frozen=True)
class KeyListQuery:
    """The search, filter and order of a list; unknown values of a query are ignored."""

    search: str = ""
    state: str = "working"
    sort: str = "created"
    direction: str = "desc"
    page: int = 1

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> "KeyListQuery":
        """Return the listing that ``query`` selects; an API key in the search is redacted."""
        state, sort, page = query.get("state", ""), query.get("sort", ""), query.get("page", "")
        sort = sort if sort in _ORDERS else cls.sort
        direction = query.get("direction", "")
        return cls(
            redact_key_parts(query.get("search", "")[:_MAX_SEARCH_LENGTH].strip()).rstrip("…"),
            state if state in STATE_TITLES else cls.state,
            sort,
            direction if direction in _OPPOSITE_DIRECTIONS else _ORDERS[sort][1],
            max(1, int(page)) if page.isascii() and page.isdigit() and len(page) < 6 else 1,
        )

    def query(self, **changes: Any) -> dict[str, Any]:
        """Return the query of this list with ``changes``, without default values."""
        changed = replace(self, **changes)
        defaults = vars(KeyListQuery(direction=_ORDERS[changed.sort][1]))
        return {name: value for name, value in vars(changed).items() if value != defaults[name]}

    def sorted_by(self, sort: str) -> dict[str, Any]:
        """Return the query that sorts by ``sort``, in reverse if the list already does."""
        direction = _OPPOSITE_DIRECTIONS[self.direction] if sort == self.sort else _ORDERS[sort][1]
        return self.query(sort=sort, direction=direction, page=1)


@dataclass(frozen=True)
class KeyPage:
    """The rows of one page of a list; ``first`` is the index of the first one in all ``total``."""

    rows: Sequence[KeyRow]
    total: int
    page: int
    page_count: int
    first: int


def paginate_keys(rows: Sequence[KeyRow], listing: KeyListQuery) -> KeyPage:
    """Return the page of ``rows`` that ``listing`` selects, or the last page."""
    matching = [
        row for row in rows if _is_in_state(row, listing.state) and _is_match(row, listing.search)
    ]
    matching.sort(key=_ORDERS[listing.sort][0], reverse=listing.direction == "desc")
    page_count = max(1, -(-len(matching) // _PAGE_ROWS))
    page = min(listing.page, page_count)
    first = (page - 1) * _PAGE_ROWS
    return KeyPage(matching[first : first + _PAGE_ROWS], len(matching), page, page_count, first)


def _is_in_state(row: KeyRow, state: str) -> bool:
    if state == "working":
        return row.state in _WORKING_STATES
    return state == "all" or (bool(row.warnings) if state == "warned" else row.state == state)


def _is_match(row: KeyRow, search: str) -> bool:
    text = search.casefold()
    return text in row.record.label.casefold() or text in row.record.prefix
