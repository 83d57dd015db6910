"""Where the points of a fed monitor are from; what feeds monitors tells how to find it."""

from collections.abc import Callable
from dataclasses import dataclass

from app.core.database.statements import Transaction


@dataclass(frozen=True)
class Feed:
    """Where a fed monitor's points are from: the source, the query, and the series' labels."""

    source: str
    query: str
    labels: dict[str, str]

    @property
    def title(self) -> str:
        """What people know the series by: ``load: service=s3``."""
        pairs = ", ".join(f"{label}={value}" for label, value in self.labels.items())
        return f"{self.query}: {pairs}" if pairs else self.query


FindFeed = Callable[[Transaction, int], Feed | None]
"""Returns the feed of a monitor by its id."""

_finders: list[FindFeed] = []


def register_finder(find: FindFeed) -> None:
    """Let ``find`` say where the points of fed monitors are from."""
    _finders.append(find)


def find_feed(writes: Transaction, monitor_id: int) -> Feed | None:
    """Return where the points of a monitor are from, None if nothing knows."""
    found = (find(writes, monitor_id) for find in _finders)
    return next((feed for feed in found if feed), None)
