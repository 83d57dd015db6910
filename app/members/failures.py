"""Failed sign-ins, counted by address and by member, at most ten per minute each.

Only failures count. They are kept in the limit store, so all nodes share them.
"""

from typing import Protocol

from app.limits.budget import Budget, Reading, WindowState
from app.limits.tiers import MINUTE
from app.members.emails import normalize
from app.members.tokens import hash_token

MOST_A_MINUTE = 10


class Counters(Protocol):
    """The counters of `app.limits`."""

    def take(self, budget: Budget) -> Reading:
        """Count one, unless the limit is reached."""

    def read(self, budget: Budget) -> Reading:
        """Look."""


class TooManyFailuresError(Exception):
    """Too many sign-ins from this address or for this member have failed; ``wait`` in seconds."""

    def __init__(self, window: WindowState, now: float) -> None:
        super().__init__("too many failed sign-ins")
        self.window, self.now = window, now


class Failures:
    """The counters of a failed attempt from ``network`` to sign in as ``email``.

    Unknown email addresses count too: a limit must not reveal who is a member.
    """

    def __init__(self, counters: Counters, network: str, email: str) -> None:
        windows = ((MINUTE, MOST_A_MINUTE),)
        self._counters = counters
        self._budgets = (
            Budget(f"sign-in-address:{network}", windows),
            Budget(f"sign-in-member:{hash_token(normalize(email))}", windows),
        )

    def refuse_if_too_many(self) -> None:
        """Raise TooManyFailuresError if the limit is reached."""
        for budget in self._budgets:
            reading = self._counters.read(budget)
            if reading.tightest.remaining == 0:
                raise TooManyFailuresError(reading.tightest, reading.now)

    def count(self) -> bool:
        """Count a failure; return whether it is the member's first in the current minute."""
        _of_address, of_member = [self._counters.take(budget) for budget in self._budgets]
        return of_member.refused_by is None and of_member.tightest.used == 1
