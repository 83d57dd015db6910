"""Schedule attempts fairly between accounts, and between the hosts of each.

A worker has slots for concurrent attempts. An account gets more of them only while at least
`_FREE_SLOTS_PER_ATTEMPT` times as many are free (dynamic thresholds: Choudhury and Hahne 1998), so
that accounts with unresponsive hosts always leave slots for others. Half of the slots of an
account are reserved for hosts that respond quickly. Accounts, the hosts of an account, and
the channels of a host take turns.
"""

import collections
import heapq
import itertools
from collections.abc import Iterable
from dataclasses import dataclass, field

from app.core.backoff import backoff_seconds
from app.core.http.addresses import host_and_port

# Each attempt to an unresponsive host takes 70 kB and a socket for ten seconds. A new account still
# finds a slot next to 990 accounts with unresponsive hosts.
MAX_CONCURRENT_ATTEMPTS = 1_000
_FREE_SLOTS_PER_ATTEMPT = 4
MAX_ATTEMPTS_PER_HOST = 16
MAX_ATTEMPTS_PER_ROUND = 50  # leased in one transaction
QUICK_SECONDS = 1.0  # a host responds quickly whose last attempt took less
# The backoff of an unavailable host doubles each time, within these bounds.
MIN_BACKOFF_SECONDS, MAX_BACKOFF_SECONDS = 1.0, 30.0
MAX_KNOWN_HOSTS = 10_000


@dataclass(frozen=True)
class Channel:
    """What an account has due attempts for, one after the other; its host is in ``url``."""

    id: int
    account_id: int
    url: str


@dataclass(eq=False)
class Host:
    """A host and port of an account's channels.

    ``channels`` may have due attempts. At most ``limit`` attempts are active: one at first, more
    after each success.
    """

    account_id: int
    name: str
    channels: dict[Channel, None] = field(default_factory=dict)
    active_attempts: int = 0
    limit: int = 1
    is_quick: bool = False
    failures: int = 0
    backoff_until: float = 0.0


@dataclass(eq=False)
class _Account:
    """An account: the number of its hosts, its attempts, and the hosts that can get another one."""

    host_count: int = 0
    active_attempts: int = 0
    active_slow_attempts: int = 0
    ready_quick: dict[Host, None] = field(default_factory=dict)
    ready_slow: dict[Host, None] = field(default_factory=dict)

    @property
    def has_ready_hosts(self) -> bool:
        return bool(self.ready_quick or self.ready_slow)

    def next_host(self, free_slots: int) -> Host | None:
        """Return the host whose turn it is; None if there are too few ``free_slots``."""
        if self.active_attempts * _FREE_SLOTS_PER_ATTEMPT >= free_slots:
            return None
        quick, slow = self.ready_quick, self.ready_slow
        # The last slots are reserved for hosts that are known to be quick.
        if (self.active_slow_attempts + 1) * _FREE_SLOTS_PER_ATTEMPT * 2 > free_slots:
            slow = {}
        is_quick_first = 2 * self.active_slow_attempts >= self.active_attempts
        first, second = (quick, slow) if is_quick_first else (slow, quick)
        return next(iter(first or second), None)


class FairScheduler:
    """The slots of a worker and their users. Times are seconds of a monotonic clock."""

    def __init__(self, slots: int = MAX_CONCURRENT_ATTEMPTS) -> None:
        self._free_slots = slots
        self._accounts: dict[int, _Account] = {}
        self._hosts: dict[tuple[int, str], Host] = {}
        self._channels: dict[int, tuple[Channel, Host]] = {}
        # A heap, the first to be ready first.
        self._backing_off: list[tuple[float, int, Host]] = []
        self._numbers = itertools.count()

    def add_channels(self, channels: Iterable[Channel], now: float) -> None:
        for channel in channels:
            before = self._channels.get(channel.id)
            if before is not None and before[0] == channel:
                continue
            if before is not None:  # the URL has changed
                self._remove_channel(*before, now)
            host = self._host(channel.account_id, host_and_port(channel.url))
            host.channels[channel] = None
            self._channels[channel.id] = channel, host
            self._update_ready(host, now)

    def choose(self, now: float) -> list[tuple[Host, Channel]]:
        """Assign up to `MAX_ATTEMPTS_PER_ROUND` slots, each for an attempt of its channel."""
        while self._backing_off and self._backing_off[0][0] <= now:
            *_, due = heapq.heappop(self._backing_off)
            if self._hosts.get((due.account_id, due.name)) is due:
                self._update_ready(due, now)
        chosen: list[tuple[Host, Channel]] = []
        waiting = collections.deque(
            key for key, account in self._accounts.items() if account.has_ready_hosts
        )
        while waiting and len(chosen) < MAX_ATTEMPTS_PER_ROUND:
            key = waiting.popleft()
            account = self._accounts[key]
            host = account.next_host(self._free_slots)
            if host is None:
                continue
            channel = next(iter(host.channels))
            chosen.append((host, channel))
            self._count_attempts(host, 1)
            # All three go to the end of their queues.
            host.channels[channel] = host.channels.pop(channel)
            account.ready_quick.pop(host, None)
            account.ready_slow.pop(host, None)
            self._update_ready(host, now)
            self._accounts[key] = self._accounts.pop(key)
            waiting.append(key)
        return chosen

    def release_unused(self, host: Host, channel: Channel, now: float) -> None:
        """Free a slot whose channel had none due; ignore the channel until it is added again."""
        self._count_attempts(host, -1)
        self._remove_channel(channel, host, now)

    def record_result(
        self, host: Host, *, has_succeeded: bool, is_unavailable: bool, seconds: float, now: float
    ) -> None:
        """Free the slot of an attempt that took ``seconds``, and adapt the host's limits.

        ``is_unavailable``: other attempts would not have succeeded either.
        """
        self._count_attempts(host, -1)
        is_quick = seconds < QUICK_SECONDS and not is_unavailable
        if is_quick != host.is_quick:
            host.is_quick = is_quick
            account = self._accounts[host.account_id]
            account.active_slow_attempts += host.active_attempts * (-1 if is_quick else 1)
        if has_succeeded:
            host.limit = min(host.limit + 1, MAX_ATTEMPTS_PER_HOST)
            host.failures = 0
        elif not is_unavailable:
            host.limit = max(host.limit // 2, 1)
        else:
            host.limit = 1
            if now >= host.backoff_until:  # once for several concurrent attempts
                self._back_off(host, now)
        self._update_ready(host, now)

    def _back_off(self, host: Host, now: float) -> None:
        host.failures += 1
        pause = backoff_seconds(host.failures, MIN_BACKOFF_SECONDS, MAX_BACKOFF_SECONDS)
        host.backoff_until = now + pause
        heapq.heappush(self._backing_off, (host.backoff_until, next(self._numbers), host))

    def _host(self, account_id: int, name: str) -> Host:
        if (account_id, name) not in self._hosts:
            self._accounts.setdefault(account_id, _Account()).host_count += 1
            self._hosts[account_id, name] = Host(account_id, name)
        return self._hosts[account_id, name]

    def _count_attempts(self, host: Host, change: int) -> None:
        account = self._accounts[host.account_id]
        self._free_slots -= change
        host.active_attempts += change
        account.active_attempts += change
        if not host.is_quick:
            account.active_slow_attempts += change

    def _remove_channel(self, channel: Channel, host: Host, now: float) -> None:
        host.channels.pop(channel, None)
        if self._channels.get(channel.id) == (channel, host):
            del self._channels[channel.id]
        self._update_ready(host, now)

    def _update_ready(self, host: Host, now: float) -> None:
        account = self._accounts[host.account_id]
        is_waiting = bool(host.channels) and host.active_attempts < host.limit
        is_ready = is_waiting and host.backoff_until <= now
        ready, other = account.ready_quick, account.ready_slow
        if not host.is_quick:
            ready, other = other, ready
        other.pop(host, None)
        if is_ready:
            ready.setdefault(host)  # the host keeps its turn
        else:
            ready.pop(host, None)
        is_idle = not host.channels and not host.active_attempts and host.backoff_until <= now
        if is_idle and not (host.is_quick and len(self._hosts) <= MAX_KNOWN_HOSTS):
            del self._hosts[host.account_id, host.name]
            account.host_count -= 1
            if not account.host_count:
                del self._accounts[host.account_id]
