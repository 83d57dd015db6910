"""Filter and order of the list of keys, from the query string, without JavaScript."""

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from app.core.api_keys import redact_key_parts
from app.identity.accounts.models import KeyState
from app.web.dashboard.key_rows import WORKING_STATES, KeyRow

PAGE_ROWS = 50
_MAX_SEARCH_LENGTH = 200
_FAR_FUTURE = dt.datetime.max.replace(tzinfo=dt.UTC)
_FAR_PAST = dt.datetime.min.replace(tzinfo=dt.UTC)

# The values of ``state`` in a query, with their titles.
STATES: dict[str, str] = {"working": "Working", "warned": "With a warning", "all": "All"} | {
    state.value: state.value.capitalize() for state in KeyState
}
# The orders of keys.
_ORDERS: dict[str, Callable[[KeyRow], Any]] = {
    "label": lambda row: (row.record.label.casefold(), row.record.id),
    "created": lambda row: (row.record.created_at, row.record.id),
    "expires": lambda row: (row.ends_at or _FAR_FUTURE, row.record.id),
    "used": lambda row: (row.record.last_used_at or _FAR_PAST, row.record.id),
    "calls": lambda row: (row.recent_calls, row.record.id),
}
_ASCENDING_FIRST = ("label", "expires")  # orders that begin with the lowest value by default


@dataclass(frozen=True)
class KeyListQuery:
    """The search, filter and order of a list; unknown values of a query are ignored."""

    search: str = ""
    state: str = "working"
    sort: str = "created"
    is_descending: bool = True
    page: int = 1

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> "KeyListQuery":
        """Return the listing that ``query`` selects; a whole key is redacted."""
        state, sort, page = query.get("state", ""), query.get("sort", ""), query.get("page", "")
        sort = sort if sort in _ORDERS else cls.sort
        direction = query.get("direction", "")
        default = "asc" if sort in _ASCENDING_FIRST else "desc"
        return cls(
            redact_key_parts(query.get("search", "")[:_MAX_SEARCH_LENGTH].strip()).rstrip("…"),
            state if state in STATES else cls.state,
            sort,
            (direction if direction in ("asc", "desc") else default) == "desc",
            int(page) if page.isascii() and page.isdigit() and 0 < len(page) < 6 else 1,
        )

    def query(self, **changes: Any) -> dict[str, Any]:
        """Return the query of this list with ``changes``, without default values."""
        changed = replace(self, **changes)
        default = KeyListQuery(
            sort=changed.sort, is_descending=changed.sort not in _ASCENDING_FIRST
        )
        pairs = {
            "search": (changed.search, ""),
            "state": (changed.state, default.state),
            "sort": (changed.sort, KeyListQuery.sort),
            "direction": (changed.direction, default.direction),
            "page": (max(changed.page, 1), 1),
        }
        return {name: value for name, (value, common) in pairs.items() if value != common}

    def sorted_by(self, sort: str) -> dict[str, Any]:
        """Return the query that sorts by ``sort``; reversed if it does so already."""
        turned = not self.is_descending if sort == self.sort else sort not in _ASCENDING_FIRST
        return self.query(sort=sort, is_descending=turned, page=1)

    @property
    def direction(self) -> str:
        return "desc" if self.is_descending else "asc"


@dataclass(frozen=True)
class KeyPage:
    """The rows of one page of a list, and the total number of rows."""

    rows: Sequence[KeyRow]
    total: int
    page: int
    pages: int
    first: int


def find_keys(rows: Sequence[KeyRow], listing: KeyListQuery) -> KeyPage:
    """Return the page of ``rows`` that ``listing`` selects, or the last page."""
    matching = [
        row for row in rows if _is_in_state(row, listing.state) and _is_match(row, listing.search)
    ]
    matching.sort(key=_ORDERS[listing.sort], reverse=listing.is_descending)
    pages = max(1, -(-len(matching) // PAGE_ROWS))
    page = max(1, min(listing.page, pages))
    first = (page - 1) * PAGE_ROWS
    return KeyPage(matching[first : first + PAGE_ROWS], len(matching), page, pages, first)


def _is_in_state(row: KeyRow, state: str) -> bool:
    if state == "working":
        return row.state in WORKING_STATES
    return state == "all" or (bool(row.warnings) if state == "warned" else row.state == state)


def _is_match(row: KeyRow, search: str) -> bool:
    text = search.casefold()
    return text in row.record.label.casefold() or text in row.record.prefix
