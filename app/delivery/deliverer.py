"""The deliverer: a process that sends messages as they become due.

Several may run, on any nodes. `app.core.fair_scheduler` decides whose message gets the next of
its slots.
"""

import asyncio
import collections
import contextlib
import datetime as dt
import functools
import logging
import signal
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from app.core.backoff import backoff_seconds
from app.core.database import utcnow
from app.core.database.engine import error_line
from app.core.fair_scheduler import Channel, FairScheduler, Host
from app.core.http.addresses import host_of
from app.delivery import delivery_queue
from app.delivery.delivery_queue import EndedAttempt, LeasedDelivery
from app.delivery.sender import AttemptResult, Sender

logger = logging.getLogger(__name__)

POLL_SECONDS = 1.0
_SWEEP_SECONDS = 600.0
# Pauses while the database is unavailable.
MIN_DATABASE_BACKOFF_SECONDS, MAX_DATABASE_BACKOFF_SECONDS = 1.0, 30.0
GATHER_SECONDS = 0.01  # so that one transaction handles several messages
_LOCKED_RETRY_SECONDS = 0.1  # before results are written to rows that were locked by others
FINAL_WRITE_ATTEMPTS = 3  # before the process ends
_DATABASE_THREADS = 3  # a thread for each kind of work


class PeriodicTask(NamedTuple):
    """Other work of the process: ``work`` is called in a thread every ``seconds``."""

    seconds: float
    work: Callable[[], object]


class Deliverer:
    """Sends the messages that are due in the database of ``engine``.

    Each of ``periodic_tasks`` runs in a thread. Some write messages that no request causes, such as
    messages about overdue points. ``clock`` returns the current time, timezone-aware.
    """

    def __init__(
        self,
        engine: Engine,
        sender: Sender,
        periodic_tasks: Sequence[PeriodicTask] = (),
        clock: Callable[[], dt.datetime] = utcnow,
    ) -> None:
        self._engine = engine
        self._sender = sender
        self._clock = clock
        self._periodic_tasks = periodic_tasks
        self._scheduler = FairScheduler()
        self._stopping = asyncio.Event()
        self._wake = asyncio.Event()  # set when attempts have ended or messages were found
        self._sending_count = 0
        self._ended: list[EndedAttempt] = []  # attempts whose results are not written yet
        self._attempts: set[asyncio.Task[None]] = set()
        self._failing: set[object] = set()  # kinds of work whose last run failed

    @property
    def is_stopping(self) -> bool:
        """Whether the process stops; safe to read from threads."""
        return self._stopping.is_set()

    async def run(self) -> None:
        """Run until `stop`, then until all attempts under way have ended and are recorded.

        Attempts that the database does not record are sent again when their lease expires.
        """
        threads = ThreadPoolExecutor(_DATABASE_THREADS + len(self._periodic_tasks))
        asyncio.get_running_loop().set_default_executor(threads)
        async with asyncio.TaskGroup() as loops:
            loops.create_task(self._send())
            loops.create_task(self._repeat(POLL_SECONDS, self._find_due))
            loops.create_task(self._repeat(_SWEEP_SECONDS, self._sweep))
            for task in self._periodic_tasks:
                loops.create_task(
                    self._repeat(task.seconds, functools.partial(asyncio.to_thread, task.work))
                )
        # The attempts left are in look-ups, which cannot be interrupted, or the database is down.
        for attempt in self._attempts:
            attempt.cancel()
        await self._sender.close()

    def stop(self) -> None:
        """Make `run` return."""
        self._stopping.set()
        self._wake.set()

    async def _repeat(self, every: float, work: Callable[[], Coroutine[Any, Any, object]]) -> None:
        """Run ``work`` every ``every`` seconds; back off while it fails."""
        failures = 0
        while not self._stopping.is_set():
            failures = 0 if await self._try_work(work) else failures + 1
            await self._wait(max(every, task_backoff_seconds(failures)) if failures else every)

    async def _wait(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._stopping.wait(), seconds)

    async def _try_work(self, work: Callable[[], Coroutine[Any, Any, object]]) -> bool:
        """Run ``work`` and log its error; return whether it succeeded."""
        try:
            await work()
        except SQLAlchemyError as error:
            self._log_database_state(work, error)
        except Exception:  # the worker must outlive the errors of its tasks
            logger.exception("unexpected error in the worker")
        else:
            self._log_database_state(work, None)
            return True
        return False

    def _log_database_state(self, work: object, error: SQLAlchemyError | None) -> None:
        """Log once for all kinds of work when the database fails, and when it has recovered."""
        failed_before = bool(self._failing)
        if error is None:
            self._failing.discard(work)
            if failed_before and not self._failing:
                logger.warning("the database is available again; the worker continues")
            return
        self._failing.add(work)
        if not failed_before:
            logger.error("the worker waits for the database: %s", error_line(error))

    async def _find_due(self) -> None:
        """Add the webhooks that have messages due to the scheduler."""
        after: int | None = 0
        while after is not None and not self._stopping.is_set():
            due, after = await asyncio.to_thread(
                delivery_queue.find_due_webhooks, self._engine, self._clock(), after
            )
            self._scheduler.add_channels(due, _loop_time())
            self._wake.set()

    async def _send(self) -> None:
        """Write results and send messages whenever woken, until all is sent and written."""
        failures = 0
        while not self._stopping.is_set() or self._sending_count or self._ended:
            await self._wake.wait()
            await asyncio.sleep(GATHER_SECONDS)
            self._wake.clear()
            if await self._try_work(self._write_and_lease):
                failures = 0
                continue
            failures += 1
            if not self._stopping.is_set():
                await self._wait(task_backoff_seconds(failures))
            elif failures < FINAL_WRITE_ATTEMPTS:
                await asyncio.sleep(MIN_DATABASE_BACKOFF_SECONDS)
            else:
                return  # unwritten messages are sent again when their lease expires
            self._wake.set()

    async def _write_and_lease(self) -> None:
        """Write the available results, lease messages for free slots, and start sending them."""
        ended = self._ended
        chosen = [] if self._stopping.is_set() else self._scheduler.choose(_loop_time())
        if not ended and not chosen:
            return
        slots: dict[int, list[tuple[Host, Channel]]] = collections.defaultdict(list)
        for host, channel in chosen:
            slots[channel.id].append((host, channel))
        slot_counts = {webhook_id: len(free) for webhook_id, free in slots.items()}
        self._ended = []
        try:
            locked_by_others, leased = await asyncio.to_thread(
                delivery_queue.write_and_lease, self._engine, ended, slot_counts, self._clock()
            )
        except BaseException:
            self._ended += ended
            raise
        else:
            self._ended += locked_by_others
            if locked_by_others:
                asyncio.get_running_loop().call_later(_LOCKED_RETRY_SECONDS, self._wake.set)
            for delivery in leased:
                host, _channel = slots[delivery.webhook_id].pop()
                self._start_attempt(host, delivery)
        finally:
            for unused in slots.values():
                for host, channel in unused:
                    self._scheduler.release_unused(host, channel, _loop_time())
        if chosen:
            self._wake.set()  # there may be more

    def _start_attempt(self, host: Host, leased: LeasedDelivery) -> None:
        self._sending_count += 1
        attempt = asyncio.create_task(self._attempt(host, leased))
        self._attempts.add(attempt)
        attempt.add_done_callback(self._attempts.discard)

    async def _attempt(self, host: Host, leased: LeasedDelivery) -> None:
        began = _loop_time()
        try:
            result = await self._sender.send(leased.message)
        except Exception:  # an error in one delivery must not stop the others
            logger.exception("unexpected error in the worker")
            result = AttemptResult("unexpected error in the service")
        seconds = _loop_time() - began
        fields = {
            "delivery_id": leased.delivery_id,
            "attempt": leased.attempt,
            "host": host_of(leased.message.url),
            "problem": result.problem,
            "milliseconds": round(seconds * 1000),
        }
        logger.info("webhook", extra={"fields": fields})
        self._ended.append((leased, result))
        self._sending_count -= 1
        self._wake.set()
        # A look-up that cannot be interrupted still occupies the slot.
        await self._sender.finish(leased.message)
        self._scheduler.record_result(
            host,
            has_succeeded=result.problem is None,
            is_unavailable=result.is_unavailable,
            seconds=seconds,
            now=_loop_time(),
        )
        self._wake.set()

    async def _sweep(self) -> None:
        while await asyncio.to_thread(delivery_queue.sweep_deliveries, self._engine, self._clock()):
            pass


def _loop_time() -> float:
    """Return the time by the monotonic clock that `FairScheduler` uses."""
    return asyncio.get_running_loop().time()


def task_backoff_seconds(failures: int) -> float:
    return backoff_seconds(failures, MIN_DATABASE_BACKOFF_SECONDS, MAX_DATABASE_BACKOFF_SECONDS)


def run_until_signalled(deliverer: Deliverer) -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, deliverer.stop)
        logger.info("worker started")
        await deliverer.run()
        logger.info("worker stopped")

    asyncio.run(main())
