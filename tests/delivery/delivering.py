"""A deliverer that runs within a block, and receivers without a network."""

import asyncio
import collections
import datetime as dt
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from sqlalchemy import Engine

from app.core.http.addresses import host_of
from app.delivery.deliverer import Deliverer, PeriodicTask
from app.delivery.formats.types import Message
from app.delivery.sender import AttemptResult
from tests.delivery.deliveries import NOON, stored_deliveries
from tests.delivery.sending import SUCCESS
from tests.support.services import wait_until

WAIT_SECONDS = 60


class Receivers:
    """The receivers of a sender; slow hosts hold their messages until they are released."""

    def __init__(self, *slow: str) -> None:
        self.slow = slow
        self.seconds = 0.0
        self.let_go = asyncio.Event()
        self.arrived: list[Message] = []
        self.under_way: collections.Counter[str] = collections.Counter()
        self.results: list[AttemptResult] = []
        self.is_closed = False
        self.most_to: collections.Counter[str] = collections.Counter()

    async def send(self, message: Message) -> AttemptResult:
        host = host_of(message.url)
        self.arrived.append(message)
        self.under_way[host] += 1
        self.most_to[host] = max(self.most_to[host], self.under_way[host])
        if host in self.slow:
            await self.let_go.wait()
        await asyncio.sleep(self.seconds)
        self.under_way[host] -= 1
        return self.results.pop(0) if self.results else SUCCESS

    async def finish(self, message: Message) -> None:
        """Nothing outlives an attempt."""

    async def close(self) -> None:
        self.is_closed = True


@asynccontextmanager
async def run_deliverer(
    engine: Engine,
    receivers: Receivers,
    write_due: Callable[[], object] = lambda: None,
    clock: Callable[[], dt.datetime] = lambda: NOON,
    write_seconds: float = 0.01,
) -> AsyncIterator[Deliverer]:
    """A deliverer for the length of a block."""
    deliverer = Deliverer(engine, receivers, [PeriodicTask(write_seconds, write_due)], clock)
    running = asyncio.create_task(deliverer.run())
    try:
        yield deliverer
    finally:
        deliverer.stop()
        receivers.let_go.set()
        await running


async def wait_for(ready: Callable[[], bool]) -> None:
    await asyncio.to_thread(wait_until, ready, "what the deliverer is to do", WAIT_SECONDS)


def states(engine: Engine) -> list[str]:
    return [row.state for row in stored_deliveries(engine)]
