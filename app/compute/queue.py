"""The queue of jobs: which may wait for an engine process, and which is next.

Engines are shared fairly between tenants: accounts, and the addresses of callers without a key. The
expected wait of a job follows from that order and from the times of recent jobs; a job that would
wait too long is rejected immediately. Bounds on the number of jobs and their bytes limit memory; if
the queue is full, the tenant that holds the most loses a slot. Jobs without a key come last. This
is pure bookkeeping: `supervisor.py` communicates with callers and engines.
"""

import collections
import heapq
import itertools
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

from app.compute.capacity import Allocation, QueueBounds, find_evicted, has_deferred_room, has_room
from app.compute.engine_schedule import MAX_LAST_ENGINE_SECONDS, EngineSchedule, JobClass
from app.compute.fair_shares import FairShares
from app.compute.job_times import JobTimes
from app.compute.jobs import Cost, is_anonymous_tenant

Caller = TypeVar("Caller", bound=Hashable)

# A waiting job is rejected after all if its expected wait exceeds the bound by this factor, since
# the estimate may have been wrong. A tenant's only job is admitted up to this factor already.
_MAX_WAIT_FACTOR = 2.0


class AdmissionRequest(NamedTuple):
    """A caller's message about its job, before it reads the request and when the job is ready.

    ``deadline``: when the caller gives up, by the monotonic clock. ``is_ready``: an engine may
    begin the job.
    """

    cost: Cost
    size_bytes: int
    deadline: float
    is_ready: bool
    tenant: str


class AdmissionDecision(NamedTuple):
    """Whether a job may wait, and its expected wait in ``wait_seconds``.

    An engine that begins the job sends its ``supervisor_pid``.
    """

    may_wait: bool
    wait_seconds: float
    supervisor_pid: int = 0


class Admission(NamedTuple, Generic[Caller]):
    """A decision, and the callers whose ready jobs were evicted in favour of the admitted one.

    Each is paired with the expected wait of a new job of its tenant in seconds.
    """

    decision: AdmissionDecision
    evicted: list[tuple[Caller, float]]


@dataclass(eq=False)
class _Entry(Generic[Caller], Allocation):
    """A job from its first `AdmissionRequest` to its end."""

    caller: Caller
    costs: tuple[Cost, ...] = ()  # one estimate per request of the caller; the last one is the best
    deadline: float = 0.0
    started_at: float = 0.0

    @property
    def is_low_priority(self) -> bool:
        return self.costs[-1].is_low_priority


class JobQueue(Generic[Caller]):
    """Jobs by their callers: reserved (the request is being read), ready, running."""

    def __init__(self, engines: int, bounds: QueueBounds) -> None:
        self._engines = engines
        self._bounds = bounds
        self._times = JobTimes(engines)
        self._shares, self._anonymous_shares = FairShares(), FairShares()
        # In the order of arrival.
        self._reserved: dict[Caller, _Entry[Caller]] = {}
        self._ready: dict[Caller, _Entry[Caller]] = {}
        self._running: dict[int, _Entry[Caller]] = {}

    def admit(self, caller: Caller, request: AdmissionRequest, now: float) -> Admission[Caller]:
        """Decide whether a caller's job may wait, first as a reservation, then as a ready job.

        A rejected caller loses its reservation. To make room, other tenants may lose jobs.
        """
        reserved = self._reserved.pop(caller, None)
        entry = reserved or _Entry(request.tenant, request.size_bytes, caller=caller)
        entry.costs += (request.cost,)
        entry.deadline = request.deadline
        entry.is_deferred = request.cost.is_low_priority or is_anonymous_tenant(request.tenant)
        # A ready job is scheduled before those whose requests are still being read.
        waiting = [*self._ready.values(), *([] if reserved else self._reserved.values())]
        seconds = self._expected_wait(entry, waiting, now)
        is_only = all(other.tenant != entry.tenant for other in self._entries())
        max_seconds = self._bounds.max_wait_seconds * (_MAX_WAIT_FACTOR if is_only else 1.0)
        evicted: list[_Entry[Caller]] | None = []
        if seconds > max_seconds:
            evicted = None
        elif reserved is None:
            evicted = self._make_room(entry, now)
        if evicted is None:
            return Admission(AdmissionDecision(False, seconds), [])
        if request.is_ready:
            self._advance_shares(entry.tenant, now)
            if entry.tenant not in self._active_tenants():
                self._shares_of(entry.tenant).activate(entry.tenant)
            self._ready[caller] = entry
        else:
            self._reserved[caller] = entry
        waiting = self._waiting_entries()
        waits = [(other.caller, self._expected_wait(other, waiting, now)) for other in evicted]
        return Admission(AdmissionDecision(True, seconds), waits)

    def release(self, caller: Caller) -> None:
        """Release the slot of a caller that disconnected before its job began."""
        self._reserved.pop(caller, None)
        self._ready.pop(caller, None)

    def begin_job(self, engine: int, now: float) -> Caller | None:
        """Return the caller whose job ``engine`` runs next; None if none may begin."""
        running = [self._job_class(entry) for entry in self._running.values()]
        entries = (entry for entry, _ in self._schedule(self._ready.values(), now))
        startable = (
            entry for entry in entries if self._job_class(entry).can_begin(running, self._engines)
        )
        if (entry := next(startable, None)) is None:
            return None
        self._running[engine] = self._ready.pop(entry.caller)
        entry.started_at = now
        return entry.caller

    def end_job(self, engine: int, now: float, cpu_seconds: float | None = None) -> None:
        """Record the time of the job of ``engine``, if it has one.

        ``cpu_seconds`` is what the job used of it; None if the engine ended with its job.
        """
        if (entry := self._running.pop(engine, None)) is None:
            return
        seconds = now - entry.started_at
        if cpu_seconds is None:
            cpu_seconds = seconds
        else:
            self._times.record_contention(seconds, cpu_seconds, now)
        for cost in entry.costs:
            self._times.record(cost, seconds, cpu_seconds, is_anonymous=entry.is_anonymous)
        self._shares_of(entry.tenant).charge(entry.tenant, seconds)
        self._advance_shares(entry.tenant, now)

    def expected_wait_seconds(self, now: float) -> float:
        """Return how many seconds a new job would wait for all waiting jobs with a key."""
        engines = self._engine_schedule(now)
        for entry in self._waiting_entries():
            if not entry.is_anonymous:
                engines.assign(self._job_class(entry), self._expected_seconds(entry))
        return engines.wait_seconds

    def find_overdue(self, now: float) -> list[tuple[Caller, float]]:
        """Return the callers whose jobs would wait far too long, or past their deadlines.

        Each is paired with the seconds that its job would wait.
        """
        max_seconds = _MAX_WAIT_FACTOR * self._bounds.max_wait_seconds
        return [
            (entry.caller, start)
            for entry, start in self._schedule(self._ready.values(), now)
            if start > max_seconds or now + start + self._expected_seconds(entry) > entry.deadline
        ]

    def __len__(self) -> int:
        return len(self._reserved) + len(self._ready) + len(self._running)

    def _entries(self) -> list[_Entry[Caller]]:
        return [*self._running.values(), *self._waiting_entries()]

    def _waiting_entries(self) -> list[_Entry[Caller]]:
        return [*self._ready.values(), *self._reserved.values()]

    def _active_tenants(self) -> set[str]:
        entries = itertools.chain(self._ready.values(), self._running.values())
        return {entry.tenant for entry in entries}

    def _make_room(self, new: _Entry[Caller], now: float) -> list[_Entry[Caller]] | None:
        """Return the ready jobs evicted in favour of a new one; None if there is no room for it."""
        entries = self._entries()
        if new.is_deferred and not has_deferred_room(new, entries, self._bounds):
            return None
        if has_room(new, entries, self._bounds):
            return []
        # Batches keep their slots, as they hold their memory until their last job.
        waiting = [entry for entry, _ in self._schedule(self._ready.values(), now)]
        waiting += [entry for entry in self._reserved.values() if not entry.is_deferred]
        evicted = find_evicted(new, entries, waiting, self._bounds)
        if evicted is None:
            return None
        # A caller that still reads its request is not notified: its next message is admitted or
        # rejected like a new caller's.
        ready = [entry for entry in evicted if entry.caller in self._ready]
        for entry in evicted:
            self.release(entry.caller)
        return ready

    def _expected_wait(
        self, entry: _Entry[Caller], others: list[_Entry[Caller]], now: float
    ) -> float:
        """Return the seconds until an engine begins a job that is queued after ``others``."""
        schedule = self._schedule([*others, entry], now)
        return next(start for scheduled, start in schedule if scheduled is entry)

    def _schedule(
        self, entries: Iterable[_Entry[Caller]], now: float
    ) -> Iterator[tuple[_Entry[Caller], float]]:
        """Yield jobs in the order in which they begin, each with the seconds until then.

        A tenant's jobs of low priority come after its others.
        """
        lanes: dict[str, collections.deque[_Entry[Caller]]] = {}
        for entry in sorted(entries, key=lambda entry: entry.is_low_priority):
            lanes.setdefault(entry.tenant, collections.deque()).append(entry)
        times = self._virtual_times(lanes, now, are_jobs_done=True)
        order = itertools.count()
        turns = [
            (is_anonymous_tenant(tenant), times[tenant], next(order), tenant) for tenant in lanes
        ]
        heapq.heapify(turns)
        engines = self._engine_schedule(now)
        while turns:
            is_anonymous, time, _, tenant = turns[0]
            entry = lanes[tenant].popleft()
            expected = self._expected_seconds(entry)
            yield entry, engines.assign(self._job_class(entry), expected)
            if lanes[tenant]:
                heapq.heapreplace(turns, (is_anonymous, time + expected, next(order), tenant))
            else:
                heapq.heappop(turns)

    def _virtual_times(
        self, tenants: Iterable[str], now: float, *, are_jobs_done: bool = False
    ) -> dict[str, float]:
        """Return the virtual times of tenants, including the time that running jobs have used.

        With ``are_jobs_done``, include all the time that these are expected to use.
        """
        active = self._active_tenants()
        times = {
            tenant: self._shares_of(tenant).virtual_time(tenant, is_active=tenant in active)
            for tenant in tenants
        }
        for entry in self._running.values():
            if entry.tenant in times:
                expected = self._expected_seconds(entry) if are_jobs_done else 0.0
                times[entry.tenant] += max(expected, now - entry.started_at)
        return times

    def _advance_shares(self, tenant: str, now: float) -> None:
        """Advance the shares of a tenant and of those that it shares the engines with."""
        shares = self._shares_of(tenant)
        active = [other for other in self._active_tenants() if self._shares_of(other) is shares]
        shares.advance(self._virtual_times(active, now))

    def _shares_of(self, tenant: str) -> FairShares:
        return self._anonymous_shares if is_anonymous_tenant(tenant) else self._shares

    def _engine_schedule(self, now: float) -> EngineSchedule:
        # A job that is some seconds past its expected end is expected to take as many again.
        running = [
            (abs(self._expected_seconds(job) + job.started_at - now), self._job_class(job))
            for job in self._running.values()
        ]
        return EngineSchedule(self._engines, running)

    def _job_class(self, entry: _Entry[Caller]) -> JobClass:
        is_long = self._expected_seconds(entry) > MAX_LAST_ENGINE_SECONDS
        return JobClass(entry.is_anonymous, entry.is_low_priority and is_long)

    def _expected_seconds(self, entry: _Entry[Caller]) -> float:
        return self._times.expected_seconds(entry.costs[-1], is_anonymous=entry.is_anonymous)
