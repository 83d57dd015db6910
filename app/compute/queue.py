"""The queue of jobs: who may wait for an engine process, and who is next.

Engines are shared fairly between tenants: accounts, and the addresses of callers without a key.
How long a job waits is computed in that order, from what recent jobs of their kinds took; one that
would wait too long is refused immediately. Bounds on number and bytes hold memory, whatever the
jobs take; where all places are taken, whoever has the most gives one up. Jobs without a key come
last and never have the last engine. Plain bookkeeping: `supervisor.py` speaks with callers and
engines.
"""

import collections
import heapq
import itertools
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

from app.compute.capacity import (
    Allocation,
    QueueBounds,
    find_displaced,
    has_deferred_room,
    has_room,
)
from app.compute.fair_shares import FairShares
from app.compute.job_times import JobTimes
from app.compute.jobs import Cost, is_anonymous

Caller = TypeVar("Caller", bound=Hashable)

# Expectations may turn out wrong, and a tenant's only job waits for what others do. A job that
# would wait this many times the bound is refused after all.
MAX_WAIT_FACTOR = 2.0


class AdmissionRequest(NamedTuple):
    """A caller's message about its job: before it has read the request, and when the job is ready.

    Attributes:
        cost: What it is expected to take.
        size: The bytes of the request that it is from.
        deadline: When the caller gives up, by the monotonic clock.
        is_ready: Whether an engine may begin it.
        tenant: Who asks for it, as `app.compute.jobs` names tenants.
    """

    cost: Cost
    size: int
    deadline: float
    is_ready: bool
    tenant: str = ""


class AdmissionDecision(NamedTuple):
    """Whether a job may wait, and how long it is expected to wait.

    An engine that begins the job says whose it is by ``supervisor_pid``.
    """

    may_wait: bool
    seconds: float
    supervisor_pid: int = 0


@dataclass(eq=False)
class _Entry(Generic[Caller], Allocation):
    """A job from its first `AdmissionRequest` to its end."""

    caller: Caller
    costs: tuple[Cost, ...] = ()  # as its caller knew them, the last one the best
    deadline: float = 0.0
    begun: float = 0.0

    @property
    def is_low_priority(self) -> bool:
        return self.costs[-1].is_low_priority


class JobQueue(Generic[Caller]):
    """Jobs by their callers: reserved (the request is being read), ready, running.

    Args:
        engines: How many jobs run at the same time.
        bounds: How much may run and wait.
    """

    def __init__(self, engines: int, bounds: QueueBounds) -> None:
        self._engines = engines
        self._bounds = bounds
        self._times = JobTimes()
        # With a key, and without.
        self._shares = {False: FairShares(), True: FairShares()}
        # In the order of arrival.
        self._reserved: dict[Caller, _Entry[Caller]] = {}
        self._ready: dict[Caller, _Entry[Caller]] = {}
        self._running: dict[int, _Entry[Caller]] = {}
        self._displaced: list[_Entry[Caller]] = []

    def admit(self, caller: Caller, ask: AdmissionRequest, now: float) -> AdmissionDecision:
        """Admit the caller's job or refuse it."""
        known = self._reserved.pop(caller, None)
        entry = known or _Entry(ask.tenant, ask.size, caller=caller)
        entry.costs += (ask.cost,)
        entry.deadline = ask.deadline
        entry.is_deferred = ask.cost.is_low_priority or is_anonymous(ask.tenant)
        # Those whose requests are still being read come later than a job that is ready.
        waiting = [*self._ready.values(), *([] if known else self._reserved.values())]
        seconds = self._start(entry, waiting, now)
        is_only = all(one.tenant != entry.tenant for one in self._entries())
        longest = self._bounds.seconds * (MAX_WAIT_FACTOR if is_only else 1.0)
        may_wait = seconds <= longest and (known is not None or self._make_room(entry, now))
        if may_wait and ask.is_ready:
            self._advance_shares(entry.is_anonymous, now)
            if entry.tenant not in self._active_tenants():
                self._shares[entry.is_anonymous].activate(entry.tenant)
            self._ready[caller] = entry
        elif may_wait:
            self._reserved[caller] = entry
        return AdmissionDecision(may_wait, seconds)

    def pop_displaced(self, now: float) -> list[tuple[Caller, float]]:
        """Return whose ready jobs have given up their places since the last call.

        Each has the seconds that a new job of its tenant is expected to wait.
        """
        entries, self._displaced = self._displaced, []
        return [(one.caller, self._start(one, self._waiting(), now)) for one in entries]

    def release(self, caller: Caller) -> None:
        """Release the place of a caller that disconnected before its job began."""
        self._reserved.pop(caller, None)
        self._ready.pop(caller, None)

    def begin_job(self, engine: int, now: float) -> Caller | None:
        """Return the caller whose job ``engine`` runs next; None if none may begin."""
        entry = next((entry for entry, _ in self._schedule(self._ready.values(), now)), None)
        if entry is None:
            return None
        if entry.is_anonymous and not self._anonymous_engines_left():
            return None
        self._running[engine] = self._ready.pop(entry.caller)
        entry.begun = now
        return entry.caller

    def end_job(self, engine: int, now: float) -> None:
        """Learn what the job of ``engine``, if it has one, has taken."""
        if (entry := self._running.pop(engine, None)) is None:
            return
        seconds = now - entry.begun
        for cost in entry.costs:
            self._times.record(cost, seconds, is_anonymous=entry.is_anonymous)
        self._shares[entry.is_anonymous].charge(entry.tenant, seconds)
        self._advance_shares(entry.is_anonymous, now)

    def expected_wait_seconds(self, now: float) -> float:
        """Return how many seconds a new job would wait for all that wait with a key."""
        free = self._free_engines(now)
        for entry in self._waiting():
            if not entry.is_anonymous:
                heapq.heapreplace(free, (free[0][0] + self._expected_seconds(entry), False))
        return free[0][0]

    def find_overdue(self, now: float) -> list[tuple[Caller, float]]:
        """Return whose jobs would wait far too long after all, or past their deadlines.

        Each has the seconds that it would wait.
        """
        longest = MAX_WAIT_FACTOR * self._bounds.seconds
        return [
            (entry.caller, start)
            for entry, start in self._schedule(self._ready.values(), now)
            if start > longest or now + start + self._expected_seconds(entry) > entry.deadline
        ]

    def __len__(self) -> int:
        return len(self._reserved) + len(self._ready) + len(self._running)

    def _entries(self) -> list[_Entry[Caller]]:
        return [*self._running.values(), *self._waiting()]

    def _waiting(self) -> list[_Entry[Caller]]:
        return [*self._ready.values(), *self._reserved.values()]

    def _active_tenants(self) -> set[str]:
        """Return the tenants with jobs that are ready or run."""
        entries = itertools.chain(self._ready.values(), self._running.values())
        return {entry.tenant for entry in entries}

    def _make_room(self, new: _Entry[Caller], now: float) -> bool:
        """Return whether there is a place for a job, after others gave theirs up where needed."""
        entries = self._entries()
        if new.is_deferred and not has_deferred_room(new, entries, self._bounds):
            return False
        if has_room(new, entries, self._bounds):
            return True
        # Places of calls with many jobs are kept until the last one, and so is their memory.
        waiting = [entry for entry, _ in self._schedule(self._ready.values(), now)]
        waiting += [entry for entry in self._reserved.values() if not entry.is_deferred]
        found = find_displaced(new, entries, waiting, self._bounds)
        for entry in found or ():
            # A caller that still reads its request is refused by its next message.
            if self._reserved.pop(entry.caller, None) is None:
                self._displaced.append(self._ready.pop(entry.caller))
        return found is not None

    # Order and time

    def _start(self, entry: _Entry[Caller], others: list[_Entry[Caller]], now: float) -> float:
        """Return the seconds until an engine begins a job that is queued after ``others``."""
        schedule = self._schedule([*others, entry], now)
        return next(start for one, start in schedule if one is entry)

    def _schedule(
        self, entries: Iterable[_Entry[Caller]], now: float
    ) -> Iterator[tuple[_Entry[Caller], float]]:
        """Yield jobs in the order in which they begin, each with the seconds until then.

        Jobs of a tenant that yield are after its others.
        """
        lanes: dict[str, collections.deque[_Entry[Caller]]] = {}
        for entry in sorted(entries, key=lambda entry: entry.is_low_priority):
            lanes.setdefault(entry.tenant, collections.deque()).append(entry)
        times = self._virtual_times(lanes, now, are_jobs_done=True)
        order = itertools.count()
        turns = [(is_anonymous(one), times[one], next(order), one) for one in lanes]
        heapq.heapify(turns)
        free = self._free_engines(now)
        has_reached_anonymous = False
        while turns:
            without_key, time, _, tenant = turns[0]
            if without_key and not has_reached_anonymous:
                has_reached_anonymous = True
                free = self._engines_for_anonymous(free)
            entry, start = lanes[tenant].popleft(), free[0][0]
            yield entry, start
            expected = self._expected_seconds(entry)
            heapq.heapreplace(free, (start + expected, without_key))
            if lanes[tenant]:
                turn = (without_key, time + expected, next(order), tenant)
                heapq.heapreplace(turns, turn)
            else:
                heapq.heappop(turns)

    def _virtual_times(
        self, tenants: Iterable[str], now: float, *, are_jobs_done: bool = False
    ) -> dict[str, float]:
        """Return the virtual times of tenants, with what their running jobs take in all.

        Or, unless ``are_jobs_done``, with what these have taken so far.
        """
        active = self._active_tenants()
        times = {
            one: self._shares[is_anonymous(one)].virtual_time(one, is_active=one in active)
            for one in tenants
        }
        for entry in self._running.values():
            if entry.tenant in times:
                expected = self._expected_seconds(entry) if are_jobs_done else 0.0
                times[entry.tenant] += max(expected, now - entry.begun)
        return times

    def _advance_shares(self, without_key: bool, now: float) -> None:
        active = [one for one in self._active_tenants() if is_anonymous(one) == without_key]
        self._shares[without_key].advance(self._virtual_times(active, now))

    def _free_engines(self, now: float) -> list[tuple[float, bool]]:
        """Return when engines are free, in seconds, and which have a job without a key: a heap."""
        # A job that takes longer than expected is expected to take as much longer again.
        free = [
            (abs(self._expected_seconds(one) + one.begun - now), one.is_anonymous)
            for one in self._running.values()
        ]
        free += [(0.0, False)] * (self._engines - len(free))
        heapq.heapify(free)
        return free

    def _engines_for_anonymous(self, free: list[tuple[float, bool]]) -> list[tuple[float, bool]]:
        """Return the engines that jobs without a key may have, as a heap: all but one."""
        own = [one for one in free if one[1]]
        others = sorted(one for one in free if not one[1])
        found = own + others[: max(1, self._engines - 1) - len(own)]
        heapq.heapify(found)
        return found

    def _anonymous_engines_left(self) -> int:
        running = sum(entry.is_anonymous for entry in self._running.values())
        return max(1, self._engines - 1) - running

    def _expected_seconds(self, entry: _Entry[Caller]) -> float:
        return self._times.expected_seconds(entry.costs[-1], is_anonymous=entry.is_anonymous)
