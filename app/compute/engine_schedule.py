"""Which engines a job may have, and when they will be free.

The last free engine runs neither jobs without a key nor long jobs of low priority, such as the
reading of a large table: these must not occupy all engines.
"""

from collections.abc import Collection, Iterable
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


def _are_anonymous(job: JobClass, other: JobClass) -> bool:
    """Return whether a running anonymous job keeps an anonymous one from the last engine."""
    return job.is_anonymous and other.is_anonymous


def _are_long(job: JobClass, other: JobClass) -> bool:
    """Return whether a running long job keeps a long one from the last engine.

    A long job with a key does not wait for a long anonymous one.
    """
    is_lower = other.is_anonymous and not job.is_anonymous
    return job.is_long and other.is_long and not is_lower


_LAST_ENGINE_RULES = (_are_anonymous, _are_long)


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
