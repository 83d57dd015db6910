"""How messages name and shorten what is in a table."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from app.tables.reading import Reading
from app.timeseries.words import truncate

T = TypeVar("T")
MAX_NAMED_ROWS = 5  # in a message
MAX_OFFERED_NAMES = 20  # in an error about a name that the table lacks
_MAX_SHOWN_LENGTH = 30


def shorten(cell: str) -> str:
    """Truncate a cell for a message."""
    return truncate(cell, _MAX_SHOWN_LENGTH)


def list_first(items: Sequence[T], count: int, write: Callable[[T], str], noun: str = "") -> str:
    """Return the first of some items as a list, and how many there are more."""
    more = f" and {len(items) - count:,} more{noun}" if len(items) > count else ""
    return ", ".join(map(write, items[:count])) + more


def list_rows(rows: Sequence[int], reading: Reading) -> str:
    """Return the labels of the first of some rows, and how many there are more."""
    return list_first(rows, MAX_NAMED_ROWS, reading.row_label)


def quote(name: str) -> str:
    """Return a name for a message: truncated, in quotation marks."""
    return f"“{shorten(name)}”"
