"""The deliverer: a process that sends messages as they become due.

Several may run, on any nodes. Each sends at most `MOST_AT_ONCE` messages at the same time, and at
most `MOST_TO_A_HOST` of them to one host, so that a slow host does not block the others.
"""

import asyncio
import collections
import contextlib
import datetime as dt
import functools
import logging
import signal
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol

from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from app.database import utcnow
from app.webhooks import queue
from app.webhooks.addresses import host_of
from app.webhooks.queue import Candidate, Taken
from app.webhooks.sender import Message, Result

logger = logging.getLogger(__name__)

MOST_AT_ONCE = 20
MOST_TO_A_HOST = 3
LOOK_SECONDS = 1.0
OVERDUE_SECONDS = 5.0
SWEEP_SECONDS = 600.0
LONGEST_PAUSE_SECONDS = 30.0  # between attempts while the database is unavailable
WRITE_PAUSES = (0.0, 1.0, 5.0)  # before each attempt to write a result, within the lease
# Threads may be stuck in a resolver that does not respond and cannot be interrupted: there are
# several times as many as messages in flight, so that database work still gets one.
THREADS = 4 * MOST_AT_ONCE

NO_URL = Result("the monitor no longer has a webhook_url", final=True)


class Sends(Protocol):
    """The interface of `app.webhooks.sender.Sender`."""

    async def send(self, message: Message) -> Result:
        """Send ``message`` once and return the result."""


class Deliverer:
    """Sends the messages that are due in the database of ``engine``.

    ``note_overdue`` writes events of monitors whose points are overdue; it is called every few
    seconds. ``clock`` returns the current time, timezone-aware.
    """

    def __init__(
        self,
        engine: Engine,
        sender: Sends,
        note_overdue: Callable[[], object],
        clock: Callable[[], dt.datetime] = utcnow,
    ) -> None:
        self._engine = engine
        self._sender = sender
        self._note_overdue = note_overdue
        self._clock = clock
        self._stopping = asyncio.Event()
        self._failing: set[object] = (
            set()
        )  # the kinds of work for which the database fails at the moment
        self._under_way: dict[asyncio.Task[None], str] = {}

    async def run(self) -> None:
        """Run until `stop`, then wait for messages in flight."""
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(THREADS))
        async with asyncio.TaskGroup() as loops:
            loops.create_task(self._repeat(LOOK_SECONDS, self._send_due))
            loops.create_task(self._repeat(OVERDUE_SECONDS, self._in_thread(self._note_overdue)))
            loops.create_task(self._repeat(SWEEP_SECONDS, self._sweep))
        if self._under_way:
            await asyncio.wait(self._under_way)

    def stop(self) -> None:
        """Make `run` end."""
        self._stopping.set()

    async def _repeat(self, every: float, work: Callable[[], Coroutine[Any, Any, object]]) -> None:
        """Do ``work`` every ``every`` seconds; back off while it fails."""
        failures = 0
        while not self._stopping.is_set():
            try:
                await work()
                failures = 0
                self._note_database(work, None)
            except SQLAlchemyError as error:
                failures += 1
                self._note_database(work, error)
            except Exception:
                failures += 1
                logger.exception("unexpected error in the deliverer")
            growing = min(LOOK_SECONDS * 2**failures, LONGEST_PAUSE_SECONDS)
            with contextlib.suppress(TimeoutError):
                pause = max(every, growing) if failures else every
                await asyncio.wait_for(self._stopping.wait(), pause)

    def _note_database(self, work: object, error: SQLAlchemyError | None) -> None:
        """Log once for all kinds of ``work`` that the database fails, and that it has recovered."""
        failed_before = bool(self._failing)
        if error is None:
            self._failing.discard(work)
            if failed_before and not self._failing:
                logger.warning("the database is available again; the deliverer continues")
            return
        self._failing.add(work)
        if not failed_before:
            cause = str(error.orig if isinstance(error, DBAPIError) else error).split("\n")[0]
            logger.error("the deliverer waits for the database: %s", cause)

    def _in_thread(self, work: Callable[[], object]) -> Callable[[], Coroutine[Any, Any, object]]:
        return functools.partial(asyncio.to_thread, work)

    async def _send_due(self) -> None:
        """Lease due messages up to the limits and start to send them."""
        if len(self._under_way) >= MOST_AT_ONCE:
            return
        found = await asyncio.to_thread(queue.due, self._engine, self._clock())
        hosts = self._with_a_place(found)
        if hosts:
            taken = await asyncio.to_thread(queue.take, self._engine, hosts, self._clock())
            for delivery in taken:
                task = asyncio.create_task(self._deliver(delivery))
                self._under_way[task] = hosts[delivery.delivery_id]
                task.add_done_callback(self._under_way.pop)

    def _with_a_place(self, found: list[Candidate]) -> dict[int, str]:
        """Return the hosts, by id, of the candidates that the limits allow to send now."""
        busy = collections.Counter(self._under_way.values())
        chosen: dict[int, str] = {}
        for candidate in found:
            host = host_of(candidate.url or "")
            if busy[host] < MOST_TO_A_HOST and busy.total() < MOST_AT_ONCE:
                busy[host] += 1
                chosen[candidate.delivery_id] = host
        return chosen

    async def _deliver(self, taken: Taken) -> None:
        began = time.monotonic()
        try:
            result = NO_URL if taken.message is None else await self._sender.send(taken.message)
        except Exception:
            logger.exception("unexpected error in the deliverer")
            result = Result("unexpected error in the service")
        fields = {
            "delivery_id": taken.delivery_id,
            "attempt": taken.attempt,
            "host": host_of(taken.message.url) if taken.message else None,
            "problem": result.problem,
            "milliseconds": round((time.monotonic() - began) * 1000),
        }
        logger.info("webhook", extra={"fields": fields})
        await self._write(taken, result)

    async def _write(self, taken: Taken, result: Result) -> None:
        """Write a result; if every attempt fails, the lease ends and the message is resent."""
        for pause in WRITE_PAUSES:
            await asyncio.sleep(pause)
            try:
                await asyncio.to_thread(
                    queue.write_result, self._engine, taken, result, self._clock()
                )
                self._note_database(queue.write_result, None)
                return
            except SQLAlchemyError as error:
                self._note_database(queue.write_result, error)

    async def _sweep(self) -> None:
        while await asyncio.to_thread(queue.sweep, self._engine, self._clock()):
            pass


def run_until_signalled(deliverer: Deliverer) -> None:
    """Run a deliverer until SIGTERM or SIGINT."""

    async def main() -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, deliverer.stop)
        logger.info("deliverer started")
        await deliverer.run()
        logger.info("deliverer stopped")

    asyncio.run(main())
