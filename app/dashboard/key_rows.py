"""Keys as the pages show them: with their calls, their callers, and what to see to."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass

from app.accounts.models import ApiKey, KeyState
from app.accounts.permissions import Permission
from app.dashboard.times import distance
from app.usage.reading import Address, Addresses

SPARK_DAYS = 30
WORKING = (KeyState.ACTIVE, KeyState.ROTATED)
EXPIRES_SOON = dt.timedelta(days=14)  # time for two weekly releases to bring a new key out
UNUSED_FOR = dt.timedelta(days=90)  # a quarter: what nobody needed in it, nobody misses
MANY_ADDRESSES = 5  # more machines than hold what manages all other keys


@dataclass(frozen=True)
class KeyRow:
    """A key of a list.

    Attributes:
        record: What the database holds of it.
        state: Where it is in its life, now.
        calls: Calls of each of the last days, the last of which is today.
        callers: From where it is used; None: from nowhere that is known.
        warnings: What to see to, a short sentence each.
    """

    record: ApiKey
    state: KeyState
    calls: list[int]
    callers: Addresses | None
    warnings: tuple[str, ...]

    @property
    def last_caller(self) -> Address | None:
        """The address that used it last."""
        return self.callers.newest[0] if self.callers else None

    @property
    def recent_calls(self) -> int:
        """Its calls of all days of ``calls``."""
        return sum(self.calls)

    @property
    def works(self) -> bool:
        """Whether a call with it is accepted."""
        return self.state in WORKING

    @property
    def ends_at(self) -> dt.datetime | None:
        """When it ends by itself: its expiry, or the end of its grace period if that is earlier."""
        ends = [end for end in (self.record.expires_at, self.record.grace_ends_at) if end]
        return min(ends, default=None)


def key_row(
    record: ApiKey,
    now: dt.datetime,
    calls: Mapping[int, list[int]],
    callers: Mapping[int, Addresses],
) -> KeyRow:
    """Return ``record`` with what is its own of ``calls`` and ``callers``, both by key."""
    state = record.state(now)
    own_callers = callers.get(record.id)
    return KeyRow(
        record,
        state,
        calls.get(record.id, []),
        own_callers,
        tuple(_warnings(record, state, own_callers, now)),
    )


def _warnings(
    record: ApiKey, state: KeyState, callers: Addresses | None, now: dt.datetime
) -> list[str]:
    if state not in WORKING:
        return []
    found = []
    if record.expires_at is not None and record.expires_at - now <= EXPIRES_SOON:
        found.append(f"expires {distance(record.expires_at, now)}")
    if now - (record.last_used_at or record.created_at) >= UNUSED_FOR:
        found.append(f"not used for {UNUSED_FOR.days} days")
    if Permission.ADMIN in record.permissions and callers and callers.number > MANY_ADDRESSES:
        found.append(f"may manage keys, and is used from {callers.number:,} addresses")
    return found
