"""The queue of jobs: who may wait for an engine process, and who is next.

A job waits for those before it. How long is computed from what recent jobs of their kinds took; one
that would wait too long is refused at once. Bounds on number and bytes hold memory, whatever the
jobs take. Plain bookkeeping: `supervisor.py` speaks with callers and engines.
"""

import heapq
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

from app.engine.jobs import Cost

Caller = TypeVar("Caller", bound=Hashable)

# A mean is that of recent jobs, exponentially weighted; the guess counts as some of them.
REMEMBERED, GUESSED = 16, 8
# A job counts as at most this many means: one that hung says little about the others.
OUTLIER = 4.0
# Expectations may turn out wrong. A job that would wait this many times the bound is refused after
# all.
PATIENCE = 2.0
# Jobs that yield leave the rest of the queue to the others. A batch has a place while it lasts, and
# another one for each of its parts.
YIELDING_SHARE = 0.25
FEWEST_YIELDING = 2


class Bounds(NamedTuple):
    """How much may run and wait.

    Attributes:
        seconds: The longest time that a job may be expected to wait.
        jobs: The number of jobs that run or wait.
        size: The bytes of the requests that they are from.
    """

    seconds: float
    jobs: int
    size: int


class Ask(NamedTuple):
    """What a caller says of its job: before it has read the request, and when the job is ready.

    Attributes:
        cost: What it is expected to take.
        size: The bytes of the request that it is from.
        deadline: When the caller gives up, by the monotonic clock.
        is_ready: Whether an engine may begin it.
    """

    cost: Cost
    size: int
    deadline: float
    is_ready: bool


class Verdict(NamedTuple):
    """Whether a job may wait, and how long a new job is expected to wait.

    An engine that begins the job says whose it is by ``supervisor_pid``.
    """

    may_wait: bool
    seconds: float
    supervisor_pid: int = 0


@dataclass
class _Entry:
    """A job from its first `Ask` to its end."""

    size: int
    costs: tuple[Cost, ...] = ()  # as its caller knew them, the last one the best
    deadline: float = 0.0
    begun: float = 0.0

    @property
    def yields(self) -> bool:
        return self.costs[-1].yields


class JobQueue(Generic[Caller]):
    """Jobs by their callers: reserved (the request is being read), ready, running.

    Args:
        engines: How many jobs run at the same time.
        bounds: How much may run and wait.
    """

    def __init__(self, engines: int, bounds: Bounds) -> None:
        self._engines = engines
        self._bounds = bounds
        self._means: dict[str, tuple[float, int]] = {}
        # In the order of arrival.
        self._reserved: dict[Caller, _Entry] = {}
        self._ready: dict[Caller, _Entry] = {}
        self._running: dict[int, _Entry] = {}

    def ask(self, caller: Caller, ask: Ask, now: float) -> Verdict:
        """Give or refuse the caller's job a place; a refused job has none."""
        known = self._reserved.pop(caller, None)
        has_room = known is not None or self._has_room(ask)
        entry = known or _Entry(ask.size)
        entry.costs += (ask.cost,)
        entry.deadline = ask.deadline
        # Those whose requests are still being read come later than a job that is ready.
        waiting = self._ready if known else self._ready | self._reserved
        ahead = (one for one in waiting.values() if ask.cost.yields or not one.yields)
        *_, seconds = self._starts(ahead, now)
        may_wait = has_room and seconds <= self._bounds.seconds
        if may_wait:
            (self._ready if ask.is_ready else self._reserved)[caller] = entry
        return Verdict(may_wait, seconds)

    def leave(self, caller: Caller) -> None:
        """Give back the place of a caller that has gone before its job began."""
        self._reserved.pop(caller, None)
        self._ready.pop(caller, None)

    def begin(self, engine: int, now: float) -> Caller | None:
        """Return the caller whose job ``engine`` runs next; None if no job is ready."""
        caller = next(iter(self._in_turn()), None)
        if caller is not None:
            entry = self._running[engine] = self._ready.pop(caller)
            entry.begun = now
        return caller

    def end(self, engine: int, now: float) -> None:
        """Learn what the job of ``engine``, if it has one, has taken."""
        if (entry := self._running.pop(engine, None)) is None:
            return
        for cost in entry.costs:
            mean, number = self._means.get(cost.kind, (cost.seconds, GUESSED))
            number = min(number + 1, REMEMBERED)
            taken = min(now - entry.begun, OUTLIER * mean)
            self._means[cost.kind] = mean + (taken - mean) / number, number

    def wait(self, now: float) -> float:
        """Return how many seconds a new job is expected to wait."""
        *_, seconds = self._starts((self._ready | self._reserved).values(), now)
        return seconds

    def in_vain(self, now: float) -> list[Caller]:
        """Return whose jobs would wait far too long after all, or past their deadlines."""
        longest = PATIENCE * self._bounds.seconds
        ready = self._in_turn()
        starts = zip(ready.items(), self._starts(ready.values(), now), strict=False)
        return [
            caller
            for (caller, entry), start in starts
            if start > longest or now + start + self._expected(entry) > entry.deadline
        ]

    def __len__(self) -> int:
        return len(self._reserved) + len(self._ready) + len(self._running)

    def _in_turn(self) -> dict[Caller, _Entry]:
        """Return the jobs that are ready, those that yield behind the others."""
        return dict(sorted(self._ready.items(), key=lambda item: item[1].yields))

    def _has_room(self, ask: Ask) -> bool:
        entries = [*self._reserved.values(), *self._ready.values(), *self._running.values()]
        share, fewest = 1.0, 0
        if ask.cost.yields:
            entries = [entry for entry in entries if entry.yields]
            share, fewest = YIELDING_SHARE, FEWEST_YIELDING
        held = sum(entry.size for entry in entries)
        most = max(share * self._bounds.jobs, fewest)
        has_places = len(self) < self._bounds.jobs and len(entries) < most
        return has_places and held + ask.size <= share * self._bounds.size

    def _starts(self, entries: Iterable[_Entry], now: float) -> Iterator[float]:
        """Yield when an engine is free for each of ``entries`` and for the next job after them.

        In seconds from now.
        """
        # A job that takes longer than expected is expected to take as much longer again.
        free = [abs(self._expected(one) + one.begun - now) for one in self._running.values()]
        free += [0.0] * (self._engines - len(free))
        heapq.heapify(free)
        for entry in entries:
            yield free[0]
            heapq.heapreplace(free, free[0] + self._expected(entry))
        yield free[0]

    def _expected(self, entry: _Entry) -> float:
        cost = entry.costs[-1]
        return self._means.get(cost.kind, (cost.seconds, GUESSED))[0]
