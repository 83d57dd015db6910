"""Schedule messages and polls fairly between accounts, and between their receivers.

A worker has slots for concurrent attempts. An account gets more of them only while at least
`FREE_SLOTS_PER_ATTEMPT` times as many are free (dynamic thresholds: Choudhury and Hahne 1998), so
that accounts with unresponsive receivers always leave slots for others. Half of the slots of an
account are reserved for receivers that respond quickly. Accounts, the receivers of an account, and
the channels of a receiver take turns.
"""

import collections
import heapq
import itertools
from collections.abc import Iterable
from dataclasses import dataclass, field

from app.core.http.addresses import receiver_of
from app.delivery.sender import AttemptResult

MAX_CONCURRENT_ATTEMPTS = 1_000
"""Each attempt to an unresponsive receiver takes 70 kB and a socket for ten seconds. A new account
still finds a slot next to 990 accounts with unresponsive receivers."""
FREE_SLOTS_PER_ATTEMPT = 4
MAX_ATTEMPTS_PER_RECEIVER = 16
MAX_ATTEMPTS_PER_ROUND = 50  # leased in one transaction
QUICK_SECONDS = 1.0
# The backoff of an unavailable receiver doubles each time, within these bounds.
MIN_BACKOFF_SECONDS, MAX_BACKOFF_SECONDS = 1.0, 30.0
MAX_KNOWN_RECEIVERS = 10_000


@dataclass(frozen=True)
class Channel:
    """A webhook with due messages, or a query whose poll is due; ``url`` is its receiver's."""

    id: int
    account_id: int
    url: str


@dataclass(eq=False)
class Receiver:
    """A host and port that an account sends to.

    ``channels`` may have due messages. At most ``limit`` attempts are ``under_way``: one at first,
    more with each success.
    """

    account_id: int
    name: str
    channels: dict[Channel, None] = field(default_factory=dict)
    under_way: int = 0
    limit: int = 1
    is_quick: bool = False
    backoff_seconds: float = 0.0
    backoff_until: float = 0.0


@dataclass(eq=False)
class _Account:
    """An account's attempts under way, and its ready receivers by ``is_quick``."""

    receivers: int = 0
    under_way: int = 0
    slow_under_way: int = 0
    ready: dict[bool, dict[Receiver, None]] = field(default_factory=lambda: {True: {}, False: {}})

    def next_receiver(self, free: int) -> Receiver | None:
        """Return the receiver whose turn it is; None if too few of the slots are ``free``."""
        may_start = {
            True: self.under_way * FREE_SLOTS_PER_ATTEMPT < free,
            # The last slots are reserved for receivers that are known to be quick.
            False: (self.slow_under_way + 1) * FREE_SLOTS_PER_ATTEMPT * 2 <= free
            and self.under_way * FREE_SLOTS_PER_ATTEMPT < free,
        }
        quick_first = 2 * self.slow_under_way >= self.under_way
        for is_quick in (quick_first, not quick_first):
            if may_start[is_quick] and self.ready[is_quick]:
                return next(iter(self.ready[is_quick]))
        return None


class FairScheduler:
    """The slots of a worker and their users. Times are seconds of a monotonic clock."""

    def __init__(self, slots: int = MAX_CONCURRENT_ATTEMPTS) -> None:
        self._free = slots
        self._accounts: dict[int, _Account] = {}
        self._receivers: dict[tuple[int, str], Receiver] = {}
        self._channels: dict[int, tuple[Channel, Receiver]] = {}
        # A heap, the first to be ready first.
        self._backing_off: list[tuple[float, int, Receiver]] = []
        self._numbers = itertools.count()

    def add_channels(self, channels: Iterable[Channel], now: float) -> None:
        for channel in channels:
            before = self._channels.get(channel.id)
            if before is not None and before[0] == channel:
                continue
            if before is not None:  # the URL has changed
                self._forget(*before, now)
            receiver = self._receiver(channel.account_id, receiver_of(channel.url))
            receiver.channels[channel] = None
            self._channels[channel.id] = channel, receiver
            self._update_ready(receiver, now)

    def choose(self, now: float) -> list[tuple[Receiver, Channel]]:
        """Assign up to `MAX_ATTEMPTS_PER_ROUND` slots, each for a message of its channel."""
        while self._backing_off and self._backing_off[0][0] <= now:
            *_, due = heapq.heappop(self._backing_off)
            if self._receivers.get((due.account_id, due.name)) is due:
                self._update_ready(due, now)
        chosen: list[tuple[Receiver, Channel]] = []
        waiting = collections.deque(
            key for key, account in self._accounts.items() if any(account.ready.values())
        )
        while waiting and len(chosen) < MAX_ATTEMPTS_PER_ROUND:
            key = waiting.popleft()
            account = self._accounts[key]
            receiver = account.next_receiver(self._free)
            if receiver is None:
                continue
            channel = next(iter(receiver.channels))
            chosen.append((receiver, channel))
            self._count(receiver, 1)
            # All three go to the end of their queues.
            receiver.channels[channel] = receiver.channels.pop(channel)
            account.ready[receiver.is_quick].pop(receiver)
            self._update_ready(receiver, now)
            self._accounts[key] = self._accounts.pop(key)
            waiting.append(key)
        return chosen

    def release_unused(self, receiver: Receiver, channel: Channel, now: float) -> None:
        """Free a slot whose channel had no message; ignore the channel until it is added again."""
        self._count(receiver, -1)
        self._forget(channel, receiver, now)

    def record_result(
        self, receiver: Receiver, result: AttemptResult, seconds: float, now: float
    ) -> None:
        """Free the slot of an attempt that took ``seconds``, and adapt the receiver's limits."""
        self._count(receiver, -1)
        is_quick = seconds < QUICK_SECONDS and not result.is_unavailable
        if is_quick != receiver.is_quick:
            receiver.is_quick = is_quick
            account = self._accounts[receiver.account_id]
            account.slow_under_way += receiver.under_way * (-1 if is_quick else 1)
        if result.problem is None:
            receiver.limit = min(receiver.limit + 1, MAX_ATTEMPTS_PER_RECEIVER)
            receiver.backoff_seconds = 0.0
        elif not result.is_unavailable:
            receiver.limit = max(receiver.limit // 2, 1)
        else:
            receiver.limit = 1
            if now >= receiver.backoff_until:  # once for several concurrent attempts
                self._back_off(receiver, now)
        self._update_ready(receiver, now)

    def _back_off(self, receiver: Receiver, now: float) -> None:
        longer = max(2 * receiver.backoff_seconds, MIN_BACKOFF_SECONDS)
        receiver.backoff_seconds = min(longer, MAX_BACKOFF_SECONDS)
        receiver.backoff_until = now + receiver.backoff_seconds
        heapq.heappush(self._backing_off, (receiver.backoff_until, next(self._numbers), receiver))

    def _receiver(self, account_id: int, name: str) -> Receiver:
        if (account_id, name) not in self._receivers:
            self._accounts.setdefault(account_id, _Account()).receivers += 1
            self._receivers[account_id, name] = Receiver(account_id, name)
        return self._receivers[account_id, name]

    def _count(self, receiver: Receiver, number: int) -> None:
        account = self._accounts[receiver.account_id]
        self._free -= number
        receiver.under_way += number
        account.under_way += number
        if not receiver.is_quick:
            account.slow_under_way += number

    def _forget(self, channel: Channel, receiver: Receiver, now: float) -> None:
        """Ignore ``channel`` until it is added again."""
        receiver.channels.pop(channel, None)
        if self._channels.get(channel.id) == (channel, receiver):
            del self._channels[channel.id]
        self._update_ready(receiver, now)

    def _update_ready(self, receiver: Receiver, now: float) -> None:
        """Update whether a receiver is ready; drop it if it is idle."""
        account = self._accounts[receiver.account_id]
        is_waiting = bool(receiver.channels) and receiver.under_way < receiver.limit
        is_ready = is_waiting and receiver.backoff_until <= now
        for is_quick, ready in account.ready.items():
            if is_ready and is_quick == receiver.is_quick:
                ready.setdefault(receiver)  # the receiver keeps its turn
            else:
                ready.pop(receiver, None)
        is_idle = not receiver.channels and not receiver.under_way and receiver.backoff_until <= now
        if is_idle and not (receiver.is_quick and len(self._receivers) <= MAX_KNOWN_RECEIVERS):
            del self._receivers[receiver.account_id, receiver.name]
            account.receivers -= 1
            if not account.receivers:
                del self._accounts[receiver.account_id]
