"""How views compute thousands of results in one call: in parts, behind everything else.

A part takes an engine about ``PART_SECONDS``, and yields to single jobs. A call has no more parts
under way than there are engines, so that calls share these; between parts it sees whether its
client still waits, and whether its time is over or clearly too short. Its place in the queue, taken
as it arrived, stays its own until the end: it bounds the calls whose bodies and results are held.
"""

import socket
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from flask import g, request

from app.api.current_settings import current_settings
from app.api.errors import ApiError
from app.api.jobs import current_engine, current_tenant, job_error
from app.api.request_log import RequestJob
from app.compute.errors import EngineBusyError, EngineFailedError, EngineMemoryError
from app.compute.jobs import Cost, Job
from app.core import instruments
from app.timeseries.types import FloatArray

# An estimate before this many seconds of work says little.
MIN_MEASURED_SECONDS = 1.0
# A call is refused if the rest would take this many times the time that is left, at its pace by the
# clock so far. Calls that share the engines slow it, and may end: the pace may double. The estimate
# is repeated after each part, so a call of 100 s is refused after 1 s, and one of 80 s after 20 s.
ESTIMATE_MARGIN = 2.0
MIN_REMAINING_SECONDS = 1.0  # left of these, for another part to begin
PART_SECONDS, FIRST_PART_SECONDS = 0.4, 0.1
MIN_PACE = 0.01
MAX_PAUSE_SECONDS = 1.0
CLIENT_LEFT = 499  # nginx's own, for its log: nobody reads the response

Arguments = Callable[[int, int], tuple[Any, ...]]


class OutOfTimeError(Exception):
    """The call takes too long; about ``share`` of it can be computed in ``seconds``."""

    def __init__(self, share: float, seconds: float) -> None:
        super().__init__(f"about {100 * share:.0f} % can be computed in {seconds:g} s")
        self.share = share


class _Parts:
    """The parts of a call: which items are next, how long they take, what has been computed.

    Used by several threads.
    """

    def __init__(self, guesses: FloatArray) -> None:
        self._guessed = np.concatenate([[0.0], np.cumsum(guesses)])  # seconds before each item
        self._next, self._done, self._items_done = 0, 0.0, 0
        self._pace, self._aim = 1.0, FIRST_PART_SECONDS  # seconds for a guessed one, and of a part
        self._measured_from: tuple[float, float] | None = None  # seconds and share at that moment
        self._lock = threading.Lock()
        self._results: dict[int, Any] = {}

    def next_part(self) -> tuple[int, int] | None:
        """Return the first item of the next part and the one behind its last, None at the end."""
        with self._lock:
            first = self._next
            if first == len(self._guessed) - 1:
                return None
            until = self._guessed[first] + self._aim / self._pace
            last = int(np.searchsorted(self._guessed, until, side="right")) - 1
            self._next = max(last, first + 1)
            return first, self._next

    def record_result(self, first: int, last: int, result: Any, seconds: float) -> None:
        """Keep the result of a part, and learn from its time how long others may be."""
        with self._lock:
            guessed = self._guessed[last] - self._guessed[first]
            self._results[first] = result
            self._done, self._items_done = self._done + guessed, self._items_done + last - first
            self._pace = (self._pace + max(seconds, MIN_PACE * guessed) / guessed) / 2
            self._aim = PART_SECONDS

    @property
    def share(self) -> float:
        """The share that has been computed."""
        return float(self._done / self._guessed[-1])

    def reachable_fraction(self, elapsed: float, seconds: float) -> float:
        """Return the share that can be computed in ``seconds``, ``elapsed`` of which are over.

        1 while it is not clear that less can be. The pace is measured from the end of the first
        part: that one also waits for the engines, and they load what they need.
        """
        with self._lock:
            share = self.share
            if self._measured_from is None:
                self._measured_from = elapsed, share
            before, share_before = self._measured_from
        measured = elapsed - before
        if measured < MIN_MEASURED_SECONDS or share == share_before:
            return 1.0
        pace = (share - share_before) / measured
        left = seconds - elapsed
        if (1 - share) / pace <= ESTIMATE_MARGIN * left:
            return 1.0
        return min(1.0, share + pace * left)

    def ordered_results(self) -> list[Any] | None:
        """Return all results in the order of their items, None if some are missing."""
        if self._items_done < len(self._guessed) - 1:
            return None
        return [self._results[first] for first in sorted(self._results)]


@dataclass
class _BatchRun:
    """A call under way: its threads compute parts until none is left, or the call is stopped."""

    job: Job
    arguments: Arguments
    parts: _Parts
    label: str
    seconds: float
    run: Callable[..., tuple[float, Any]]
    is_client_gone: Callable[[], bool]
    tenant: str
    started_at: float
    stop: threading.Event = field(default_factory=threading.Event)

    def remaining_seconds(self) -> float:
        return self.started_at + self.seconds - time.monotonic()

    def run_parts(self) -> None:
        """Compute parts until there are none; an error stops the other threads, too."""
        try:
            while not self.stop.is_set() and (part := self.parts.next_part()) is not None:
                self._run_part(*part)
        except (EngineFailedError, OutOfTimeError):
            self.stop.set()
            raise

    def _run_part(self, first: int, last: int) -> None:
        arguments = self.arguments(first, last)
        cost = Cost(self.label, PART_SECONDS, is_low_priority=True)
        while not self.stop.is_set():
            left = self.remaining_seconds()
            if left < MIN_REMAINING_SECONDS or self.is_client_gone():
                self.stop.set()
                return
            started = time.perf_counter()
            try:
                taken, result = self.run(
                    self.job, *arguments, cost=cost, seconds=left, tenant=self.tenant
                )
            except EngineBusyError as error:
                self.stop.wait(min(error.seconds, MAX_PAUSE_SECONDS))
                continue
            instruments.ENGINE_SECONDS.labels(self.label).observe(time.perf_counter() - started)
            self.parts.record_result(first, last, result, taken)
            elapsed = time.monotonic() - self.started_at
            reachable = self.parts.reachable_fraction(elapsed, self.seconds)
            if reachable < 1:
                raise OutOfTimeError(reachable, self.seconds)
            return


def run_batch(
    job: Job, arguments: Arguments, guesses: FloatArray, seconds: float, work: RequestJob
) -> list[Any]:
    """Return the results of a call's parts, in the order of their items.

    Args:
        job: What to do with a part; its function returns the seconds that it took, and a result.
        arguments: The function's arguments for the items from the first to before the second.
        guesses: How many seconds each item may take; that some take longer than others counts.
        seconds: The most that the call takes, from now.
        work: What the log and the metrics show of the call.

    Raises:
        ApiError: 422 when a part needs more memory than an engine may hold, 500 when the engine
            fails, 503 when it restarts, 499 when the client has left.
        OutOfTimeError: The call takes too long, or clearly would.
    """
    g.work = work
    label = f"{job.noun}-batch"
    instruments.BATCH_SERIES.labels(label).observe(work.series)
    parts, is_client_gone = _Parts(guesses), _client_disconnect_check()
    run = current_engine().run
    batch = _BatchRun(
        job,
        arguments,
        parts,
        label,
        seconds,
        run,
        is_client_gone,
        current_tenant(),
        started_at=time.monotonic(),
    )
    engines = min(current_settings().web_concurrency, len(guesses))
    with (
        instruments.ENGINE_IN_FLIGHT.track_inprogress(),
        ThreadPoolExecutor(engines) as threads,
    ):
        running = [threads.submit(batch.run_parts) for _ in range(engines)]
        try:
            for thread in running:
                thread.result()
        except EngineFailedError as error:
            # After the end of the time, its limit ended the part.
            if isinstance(error, EngineMemoryError) or batch.remaining_seconds() > 0:
                raise job_error(job, error, label) from None
        finally:
            batch.stop.set()
    if (results := parts.ordered_results()) is not None:
        return results
    if is_client_gone():
        raise ApiError(CLIENT_LEFT, "Client closed the connection", {"issue": "nobody waits"})
    raise OutOfTimeError(parts.share, seconds)


def _client_disconnect_check() -> Callable[[], bool]:
    """Return a check whether the client has closed its connection: gunicorn's socket shows it."""
    link: socket.socket | None = request.environ.get("gunicorn.socket")

    def is_gone() -> bool:
        if link is None:
            return False
        try:
            return not link.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
        except BlockingIOError:
            return False
        except OSError:
            return True

    return is_gone
