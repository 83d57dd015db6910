"""Keys as the pages show them: with their calls, their callers, and what to see to."""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.accounts.models import ApiKey, KeyState
from app.accounts.permissions import Permission
from app.dashboard.times import distance
from app.usage.reading import Address, LastAddress

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
        last_caller: The address that used it last; None: none is known.
        warnings: What to see to, a short sentence each.
        callers: From where it is used, where the page of a key asks for that.
    """

    record: ApiKey
    state: KeyState
    calls: list[int]
    last_caller: LastAddress | None
    warnings: tuple[str, ...]
    callers: list[Address]

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
        """When it ended or will: revoked, expired, or at the end of its grace period, the first."""
        ends = (self.record.revoked_at, self.record.ends_at)
        return min((end for end in ends if end is not None), default=None)


def key_row(
    record: ApiKey,
    now: dt.datetime,
    calls: Mapping[int, list[int]],
    last_callers: Mapping[int, LastAddress],
    callers: Sequence[Address] = (),
) -> KeyRow:
    """Return ``record`` with what is its own of ``calls`` and ``last_callers``, both by key."""
    state = record.state(now)
    last_caller = last_callers.get(record.id)
    warnings = tuple(_warnings(record, state, last_caller, now))
    return KeyRow(record, state, calls.get(record.id, []), last_caller, warnings, list(callers))


def _warnings(
    record: ApiKey, state: KeyState, last_caller: LastAddress | None, now: dt.datetime
) -> list[str]:
    if state not in WORKING:
        return []
    found = []
    # A key that was rotated is meant to end.
    expires_at = record.expires_at if state is KeyState.ACTIVE else None
    if expires_at is not None and expires_at - now <= EXPIRES_SOON:
        found.append(f"expires {distance(expires_at, now)}")
    if now - (record.last_used_at or record.created_at) >= UNUSED_FOR:
        found.append(f"not used for {UNUSED_FOR.days} days")
    callers = last_caller.number if last_caller else 0
    if Permission.ADMIN in record.permissions and callers > MANY_ADDRESSES:
        found.append(f"admin key, used from {callers:,} addresses")
    return found
