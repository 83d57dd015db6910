"""The polls of a worker: which queries it polls next, each in a thread.

`app.core.fair_scheduler` gives polls their slots, as it does for messages, so that servers that
do not respond cannot keep the query of another account waiting. Several workers may poll: the
lease of a query decides which one does.
"""

import contextvars
import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait

from app.core.fair_scheduler import Channel, FairScheduler, Host
from app.watching.context import WatchingContext
from app.watching.sources import leases
from app.watching.sources.leases import Lease
from app.watching.sources.poll_slots import PollSlot, PollSlots
from app.watching.sources.polling import poll_query

logger = logging.getLogger(__name__)

# Polls under way. An account has 7 of them at most, and 3 to servers that take a second or more;
# with more slots, more accounts with hanging servers find one. Each takes up to 8 MiB.
MAX_CONCURRENT_POLLS = 32


class Poller:
    """Polls the queries that are due; ``slots`` decides which of the polls under way compute."""

    def __init__(
        self, context: WatchingContext, slots: PollSlots, is_stopping: Callable[[], bool]
    ) -> None:
        self._context = context
        self._slots, self._is_stopping = slots, is_stopping
        self._lock = threading.Lock()  # guards changes of the scheduler and of the polls
        self._scheduler = FairScheduler(MAX_CONCURRENT_POLLS)
        self._under_way: set[int] = set()
        self._polls: set[Future[None]] = set()
        self._started_count = 0
        self._threads = ThreadPoolExecutor(MAX_CONCURRENT_POLLS, "poll")

    def start_due_polls(self) -> None:
        """Find the queries that are due, and start polls of them; raise what ended others."""
        due = leases.find_due_queries(MAX_CONCURRENT_POLLS)
        with self._lock:
            self._scheduler.add_channels(due, time.monotonic())
            ended = {poll for poll in self._polls if poll.done()}
            self._polls -= ended
        self._start()
        errors = [error for poll in ended if (error := poll.exception())]
        for error in errors[1:]:
            logger.error("a poll ended unexpectedly", exc_info=error)
        if errors:
            raise errors[0]

    def run_until_idle(self) -> int:
        """Poll queries as long as some are due; return the number of polls."""
        before = -1
        while before < self._started_count and not self._is_stopping():
            before = self._started_count
            self.start_due_polls()
            while under_way := self._running_polls():
                wait(under_way)
        return self._started_count

    def close(self) -> None:
        """Wait for the polls under way; they end soon when the worker stops."""
        self._threads.shutdown()

    def _running_polls(self) -> list[Future[None]]:
        with self._lock:
            return [poll for poll in self._polls if not poll.done()]

    def _start(self) -> None:
        """Start polls while there are slots and queries that are due."""
        while not self._is_stopping():
            with self._lock:
                chosen = self._scheduler.choose(time.monotonic())
            if not chosen:
                return
            try:
                while chosen:
                    self._start_one(*chosen[0])
                    del chosen[0]
            finally:
                with self._lock:
                    for host, query in chosen:
                        self._scheduler.release_unused(host, query, time.monotonic())

    def _start_one(self, host: Host, query: Channel) -> None:
        """Start a poll, or release its slot if the query is being polled."""
        with self._lock:
            is_polled = query.id in self._under_way
        lease = None if is_polled else leases.acquire_lease(query.id, must_be_due=True)
        with self._lock:
            if lease is None:
                self._scheduler.release_unused(host, query, time.monotonic())
                return
            self._under_way.add(query.id)
            self._started_count += 1
            run = contextvars.copy_context().run
            self._polls.add(self._threads.submit(run, self._poll, host, query, lease))

    def _poll(self, host: Host, query: Channel, lease: Lease) -> None:
        slot = PollSlot(self._slots, query.account_id, self._is_stopping)
        has_succeeded = False
        try:
            log_fields = poll_query(self._context, lease, slot)
            has_succeeded = log_fields.get("problem") is None
            logger.info("poll", extra={"fields": log_fields})
        finally:
            with self._lock:
                self._under_way.remove(query.id)
                self._scheduler.record_result(
                    host,
                    has_succeeded=has_succeeded,
                    is_unavailable=False,
                    seconds=slot.longest_wait_seconds,
                    now=time.monotonic(),
                )
        self._start()
