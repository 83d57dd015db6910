"""Limit failed sign-ins by address and by member, to ten per minute each.

An attempt is counted before its password is checked, and uncounted if it succeeds: so at most ten
concurrent attempts are checked, on all processes and nodes. The counters are in the limit store.
"""

from app.identity.limits.budget import Budget, BudgetState, WindowState
from app.identity.limits.fallback import CountersWithFallback
from app.identity.members.emails import normalize_email
from app.identity.members.tokens import hash_token
from app.timeseries.seconds import MINUTE_SECONDS

MAX_FAILURES_PER_MINUTE = 10


class TooManyFailuresError(Exception):
    """Too many sign-ins from this address or for this member have failed."""

    def __init__(self, window: WindowState, now: float) -> None:
        super().__init__("too many failed sign-ins")
        self.window, self.now = window, now


class SignInThrottle:
    """The counters of an attempt from ``network`` to sign in as ``email``.

    Unknown email addresses count too: a limit must not reveal who is a member.
    """

    def __init__(self, counters: CountersWithFallback, network: str, email: str) -> None:
        member = hash_token(normalize_email(email))
        windows = ((MINUTE_SECONDS, MAX_FAILURES_PER_MINUTE),)
        self._counters = counters
        self._budgets = (
            Budget(f"sign-in-address:{network}", windows),
            Budget(f"sign-in-member:{member}", windows),
        )
        self._audit_budget = Budget(f"sign-in-audited:{member}", ((MINUTE_SECONDS, 1),))
        self._acquired: list[tuple[Budget, BudgetState]] = []

    def count_attempt(self) -> None:
        """Count an attempt as failed; at the limit, raise TooManyFailuresError instead."""
        for budget in self._budgets:
            state = self._counters.acquire(budget)
            if state.rejected_by is not None:
                self.release()
                raise TooManyFailuresError(state.rejected_by, state.now)
            self._acquired.append((budget, state))

    def release(self) -> None:
        """Uncount the attempt, which has succeeded."""
        while self._acquired:
            self._counters.release(*self._acquired.pop())

    def claim_audit_record(self) -> bool:
        """Claim the one record per minute of this member's failures; False if it is taken."""
        return self._counters.acquire(self._audit_budget).rejected_by is None
