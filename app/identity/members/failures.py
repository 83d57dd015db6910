"""Failed sign-ins, counted by address and by member, at most ten per minute each.

An attempt is counted before its password is checked, and taken back if it was no failure: among
attempts at the same time, on any process or node, no more than ten are checked. The counters are in
the limit store.
"""

from typing import Protocol

from app.identity.limits.budget import Budget, BudgetState, WindowState
from app.identity.limits.tiers import MINUTE
from app.identity.members.emails import normalize_email
from app.identity.members.tokens import hash_token

MAX_FAILURES_PER_MINUTE = 10


class FailureCounters(Protocol):
    """The counters of `app.identity.limits`."""

    def acquire(self, budget: Budget) -> BudgetState:
        """Count one, unless the limit is reached."""

    def release(self, budget: Budget, taken: BudgetState) -> None:
        """Uncount one."""


class TooManyFailuresError(Exception):
    """Too many sign-ins from this address or for this member have failed; ``wait`` in seconds."""

    def __init__(self, window: WindowState, now: float) -> None:
        super().__init__("too many failed sign-ins")
        self.window, self.now = window, now


class Failures:
    """The counters of an attempt from ``network`` to sign in as ``email``.

    Unknown email addresses count too: a limit must not reveal who is a member.
    """

    def __init__(self, counters: FailureCounters, network: str, email: str) -> None:
        member = hash_token(normalize_email(email))
        windows = ((MINUTE, MAX_FAILURES_PER_MINUTE),)
        self._counters = counters
        self._budgets = (
            Budget(f"sign-in-address:{network}", windows),
            Budget(f"sign-in-member:{member}", windows),
        )
        self._noted = Budget(f"sign-in-noted:{member}", ((MINUTE, 1),))
        self._taken: list[tuple[Budget, BudgetState]] = []

    def record(self) -> None:
        """Count an attempt as failed; raise TooManyFailuresError, and count none, at the limit."""
        for budget in self._budgets:
            state = self._counters.acquire(budget)
            if state.refused_by is not None:
                self.withdraw()
                raise TooManyFailuresError(state.refused_by, state.now)
            self._taken.append((budget, state))

    def withdraw(self) -> None:
        """Uncount the attempt: it has not failed."""
        while self._taken:
            self._counters.release(*self._taken.pop())

    def is_first_this_minute(self) -> bool:
        """Return, once a minute, that no other failure of the member was noted in it."""
        return self._counters.acquire(self._noted).refused_by is None
