"""Which engines a job may have, and when they will be free.

The last engine is neither for jobs without a key nor for long ones of low priority, such as the
reading of a large table: until one of these ended, nobody would have an engine.
"""

import heapq
from collections.abc import Collection, Iterable
from typing import NamedTuple

# A job of low priority that is expected to take more is long. Others may wait as long for each of
# their jobs.
MAX_LAST_ENGINE_SECONDS = 1.0


class JobClass(NamedTuple):
    """What decides which engines a job may have."""

    is_anonymous: bool = False
    is_long: bool = False

    def may_begin(self, running: Collection["JobClass"], engines: int) -> bool:
        """Return whether a free engine may begin it, of ``engines`` with these running jobs."""
        anonymous = sum(other.is_anonymous for other in running) if self.is_anonymous else 0
        long = sum(map(self.waits_for_end_of, running))
        return max(anonymous, long) < _max_engines(engines)

    def waits_for_end_of(self, other: "JobClass") -> bool:
        """Return whether it may not begin beside another one in all engines but the last."""
        # No job with a key waits for one without.
        return self.is_long and other.is_long and self.is_anonymous >= other.is_anonymous


def _max_engines(engines: int) -> int:
    return max(1, engines - 1)


class EngineSchedule:
    """When each engine will be free, in seconds from now, after the jobs that it is assigned.

    Args:
        engines: The number of engines.
        running: The running jobs, each with the seconds that it will still take.
    """

    def __init__(self, engines: int, running: Iterable[tuple[float, JobClass]]) -> None:
        self._max_engines = _max_engines(engines)
        self._free = [*running]
        self._free += [(0.0, JobClass())] * (engines - len(self._free))
        heapq.heapify(self._free)
        self._is_for_anonymous = False

    @property
    def wait_seconds(self) -> float:
        """The seconds until the first engine is free."""
        return self._free[0][0]

    def assign(self, job: JobClass, seconds: float) -> float:
        """Return when the next job begins, which takes ``seconds``; anonymous ones come last."""
        if job.is_anonymous and not self._is_for_anonymous:
            self._leave_last_engine()
        start = self.wait_seconds
        longs = [
            engine for engine in self._free if engine[0] > start and job.waits_for_end_of(engine[1])
        ]
        if len(longs) < self._max_engines:
            heapq.heapreplace(self._free, (start + seconds, job))
            return start
        start, _ = engine = min(longs)
        self._free[self._free.index(engine)] = start + seconds, job
        heapq.heapify(self._free)
        return start

    def _leave_last_engine(self) -> None:
        self._is_for_anonymous = True
        own = [engine for engine in self._free if engine[1].is_anonymous]
        others = sorted(engine for engine in self._free if not engine[1].is_anonymous)
        self._free = own + others[: self._max_engines - len(own)]
        heapq.heapify(self._free)
