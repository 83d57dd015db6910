"""Which engines a job may have, and when they will be free.

The last free engine runs neither jobs without a key nor long jobs of low priority, such as the
reading of a large table: these must not occupy all engines.
"""

from collections.abc import Callable, Collection, Iterable
from typing import NamedTuple

MAX_LAST_ENGINE_SECONDS = 1.0  # a job of low priority is long if it is expected to take longer


class JobClass(NamedTuple):
    """What decides which engines a job may have."""

    is_anonymous: bool = False
    is_long: bool = False

    def can_begin(self, running: Collection["JobClass"], engines: int) -> bool:
        """Return whether a free engine can begin it with the ``running`` jobs of ``engines``."""
        return all(
            sum(keeps(self, other) for other in running) < _max_engines(engines)
            for keeps in _LAST_ENGINE_RULES
        )


# Whether a running job of the second class keeps a job of the first from the last engine. No job
# with a key waits for one without.
_LAST_ENGINE_RULES: tuple[Callable[[JobClass, JobClass], bool], ...] = (
    lambda job, other: job.is_anonymous and other.is_anonymous,
    lambda job, other: job.is_long and other.is_long and job.is_anonymous >= other.is_anonymous,
)


def _max_engines(engines: int) -> int:
    return max(1, engines - 1)


class EngineSchedule:
    """When each engine will be free, in seconds from now, after the jobs that it is assigned.

    ``running`` are the running jobs, each with the seconds that it will still take.
    """

    def __init__(self, engines: int, running: Iterable[tuple[float, JobClass]]) -> None:
        self._max_engines = _max_engines(engines)
        self._free_at = [*running]
        self._free_at += [(0.0, JobClass())] * (engines - len(self._free_at))

    @property
    def wait_seconds(self) -> float:
        """The seconds until the first engine is free."""
        return min(self._free_at)[0]

    def assign(self, job: JobClass, seconds: float) -> float:
        """Return when the next job begins, which takes ``seconds``; anonymous ones come last."""
        first = engine = min(self._free_at)
        for keeps in _LAST_ENGINE_RULES:
            busy = [
                other for other in self._free_at if other[0] > first[0] and keeps(job, other[1])
            ]
            if len(busy) >= self._max_engines:
                engine = max(engine, min(busy))
        self._free_at[self._free_at.index(engine)] = engine[0] + seconds, job
        return engine[0]
