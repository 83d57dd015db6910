"""The deliverer sends what is due, lets no slow host hold up others, and outlives what fails."""

import asyncio
import collections
import datetime as dt
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
from flask import Flask
from sqlalchemy import Engine
from sqlalchemy.exc import OperationalError

from app.webhooks import queue
from app.webhooks.addresses import host_of
from app.webhooks.deliverer import MOST_AT_ONCE, MOST_TO_A_HOST, Deliverer
from app.webhooks.queue import LEASE
from app.webhooks.sender import TAKEN, Message, Result
from tests.webhooks.deliveries import NOON, add_delivery, add_monitor, engine_of, stored

URL = "https://hooks.example.com/a"
WAIT_SECONDS = 60


class Receivers:
    """What a sender would reach: hosts that are slow hold what comes until they are let go."""

    def __init__(self, *slow: str) -> None:
        self.slow = slow
        self.let_go = asyncio.Event()
        self.arrived: list[Message] = []
        self.under_way: collections.Counter[str] = collections.Counter()
        self.results: list[Result] = []
        self.most_to: collections.Counter[str] = collections.Counter()

    async def send(self, message: Message) -> Result:
        host = host_of(message.url)
        self.arrived.append(message)
        self.under_way[host] += 1
        self.most_to[host] = max(self.most_to[host], self.under_way[host])
        if host in self.slow:
            await self.let_go.wait()
        self.under_way[host] -= 1
        return self.results.pop(0) if self.results else TAKEN


@pytest.fixture(autouse=True)
def quick_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.webhooks.deliverer.LOOK_SECONDS", 0.01)
    monkeypatch.setattr("app.webhooks.deliverer.OVERDUE_SECONDS", 0.01)


@pytest.fixture
def engine(app: Flask) -> Engine:
    return engine_of(app)


@asynccontextmanager
async def delivering(
    engine: Engine,
    receivers: Receivers,
    note_overdue: Callable[[], object] = lambda: None,
    clock: Callable[[], dt.datetime] = lambda: NOON,
) -> AsyncIterator[Deliverer]:
    """A deliverer for the length of a block."""
    deliverer = Deliverer(engine, receivers, note_overdue, clock)
    running = asyncio.create_task(deliverer.run())
    try:
        yield deliverer
    finally:
        deliverer.stop()
        receivers.let_go.set()
        await running


async def until(ready: Callable[[], bool]) -> None:
    async with asyncio.timeout(WAIT_SECONDS):
        while not ready():
            await asyncio.sleep(0.01)


def states(engine: Engine) -> list[str]:
    return [row.state for row in stored(engine)]


def test_what_is_due_is_sent_and_written_as_delivered(engine: Engine) -> None:
    delivery = add_delivery(engine, add_monitor(engine, URL))

    async def main() -> None:
        receivers = Receivers()
        async with delivering(engine, receivers):
            await until(lambda: states(engine) == ["delivered"])
        assert [message.url for message in receivers.arrived] == [URL]

    asyncio.run(main())
    assert [(row.id, row.attempts) for row in stored(engine)] == [(delivery, 1)]


def test_a_slow_host_holds_up_no_other_and_gets_few_at_once(engine: Engine) -> None:
    slow, quick = add_monitor(engine, "https://slow.example/"), add_monitor(engine, URL)
    for _ in range(MOST_AT_ONCE + 5):
        add_delivery(engine, slow)
    other_url = add_monitor(engine, "https://slow.example/another")
    for _ in range(3):
        add_delivery(engine, other_url)
        add_delivery(engine, quick)

    async def main() -> None:
        receivers = Receivers("slow.example")
        async with delivering(engine, receivers):
            await until(lambda: states(engine).count("delivered") == 3)
            assert receivers.under_way["slow.example"] == MOST_TO_A_HOST
            receivers.let_go.set()
            await until(lambda: set(states(engine)) == {"delivered"})
        assert receivers.most_to["slow.example"] == MOST_TO_A_HOST

    asyncio.run(main())


def test_no_more_are_under_way_than_the_lease_has_time_for(engine: Engine) -> None:
    hosts = [f"host{number}.example" for number in range(MOST_AT_ONCE + 5)]
    for host in hosts:
        add_delivery(engine, add_monitor(engine, f"https://{host}/"))

    async def main() -> None:
        receivers = Receivers(*hosts)
        async with delivering(engine, receivers):
            await until(lambda: len(receivers.arrived) == MOST_AT_ONCE)
            assert sum(row.leased_until is not None for row in stored(engine)) == MOST_AT_ONCE
            receivers.let_go.set()
            await until(lambda: set(states(engine)) == {"delivered"})

    asyncio.run(main())


def test_what_fails_is_sent_again_after_its_pause_and_not_before(engine: Engine) -> None:
    add_delivery(engine, add_monitor(engine, URL))
    now, looks = [NOON], []

    def clock() -> dt.datetime:
        looks.append(now[0])
        return now[0]

    async def main() -> None:
        receivers = Receivers()
        receivers.results = [Result("returned 500")]
        async with delivering(engine, receivers, clock=clock):
            await until(lambda: stored(engine)[0].last_problem == "returned 500")
            now[0] = stored(engine)[0].next_attempt_at - dt.timedelta(milliseconds=1)
            seen = len(looks)
            await until(lambda: len(looks) > seen + 2)
            assert len(receivers.arrived) == 1
            now[0] += dt.timedelta(milliseconds=1)
            await until(lambda: states(engine) == ["delivered"])
        assert len({message.message_id for message in receivers.arrived}) == 1
        assert len(receivers.arrived) == 2

    asyncio.run(main())


def test_two_deliverers_send_each_message_once(engine: Engine) -> None:
    for number in range(30):
        add_delivery(engine, add_monitor(engine, f"https://host{number}.example/"))

    async def main() -> None:
        receivers = Receivers()
        async with delivering(engine, receivers), delivering(engine, receivers):
            await until(lambda: set(states(engine)) == {"delivered"})
        assert len(receivers.arrived) == 30

    asyncio.run(main())


def test_what_is_under_way_when_it_is_stopped_comes_to_its_end(engine: Engine) -> None:
    add_delivery(engine, add_monitor(engine, "https://slow.example/"))

    async def main() -> None:
        receivers = Receivers("slow.example")
        deliverer = Deliverer(engine, receivers, lambda: None, lambda: NOON)
        running = asyncio.create_task(deliverer.run())
        await until(lambda: len(receivers.arrived) == 1)
        deliverer.stop()
        add_delivery(engine, add_monitor(engine, URL))
        receivers.let_go.set()
        await running
        assert len(receivers.arrived) == 1

    asyncio.run(main())
    assert states(engine) == ["delivered", "pending"]


def test_a_delivery_of_a_killed_deliverer_is_sent_again_when_its_lease_has_ended(
    engine: Engine,
) -> None:
    delivery = add_delivery(engine, add_monitor(engine, URL))
    queue.take(engine, [delivery], NOON)  # and nothing comes of it
    now = [NOON]

    async def main() -> None:
        receivers = Receivers()
        async with delivering(engine, receivers, clock=lambda: now[0]):
            now[0] = NOON + LEASE
            await until(lambda: states(engine) == ["delivered"])
        assert len(receivers.arrived) == 1

    asyncio.run(main())
    assert stored(engine)[0].attempts == 2


def test_without_a_url_any_more_it_fails_with_the_reason(engine: Engine) -> None:
    add_delivery(engine, add_monitor(engine, None))

    async def main() -> None:
        async with delivering(engine, Receivers()):
            await until(lambda: states(engine) == ["failed"])

    asyncio.run(main())
    assert stored(engine)[0].last_problem == "the monitor has no webhook_url any more"


def test_an_error_of_the_sender_is_logged_and_tried_again(
    engine: Engine, caplog: pytest.LogCaptureFixture
) -> None:
    add_delivery(engine, add_monitor(engine, URL, webhook_secret="whsec_?"))

    class Broken(Receivers):
        async def send(self, message: Message) -> Result:
            raise ValueError("no such thing")

    async def main() -> None:
        async with delivering(engine, Broken()):
            await until(lambda: stored(engine)[0].last_problem is not None)

    asyncio.run(main())
    assert states(engine) == ["pending"]
    assert "unexpected error in the deliverer" in caplog.text


def test_overdue_monitors_are_noted_and_an_error_of_it_stops_nothing(engine: Engine) -> None:
    calls = []

    def note_overdue() -> None:
        calls.append(1)
        raise RuntimeError("no such monitor")

    async def main() -> None:
        receivers = Receivers()
        async with delivering(engine, receivers, note_overdue):
            await until(lambda: len(calls) > 1)
            add_delivery(engine, add_monitor(engine, URL))
            await until(lambda: states(engine) == ["delivered"])

    asyncio.run(main())


def test_a_database_that_is_away_is_logged_once_and_waited_for(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    add_delivery(engine, add_monitor(engine, URL))
    failures = []
    of_queue = queue.due

    def due(*arguments: object) -> list[queue.Candidate]:
        if len(failures) < 4:
            failures.append(1)
            raise OperationalError(None, None, OSError("connection refused\nwhere: there"))
        return of_queue(*arguments)

    monkeypatch.setattr(queue, "due", due)
    monkeypatch.setattr("app.webhooks.deliverer.OVERDUE_SECONDS", 3600)

    async def main() -> None:
        async with delivering(engine, Receivers()):
            await until(lambda: states(engine) == ["delivered"])

    asyncio.run(main())
    said = [record.getMessage() for record in caplog.records if record.levelno > logging.INFO]
    assert said.count("the deliverer waits for the database: connection refused") == 1
    assert said.count("the database is back; the deliverer goes on") == 1


def test_old_deliveries_are_removed(engine: Engine) -> None:
    (taken,) = queue.take(engine, [add_delivery(engine, add_monitor(engine, URL))], NOON)
    queue.write_result(engine, taken, TAKEN, NOON)

    async def main() -> None:
        async with delivering(engine, Receivers(), clock=lambda: NOON + 2 * queue.KEPT):
            await until(lambda: stored(engine) == [])

    asyncio.run(main())


def test_a_line_says_what_became_of_an_attempt_and_names_the_host_alone(
    engine: Engine, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    delivery = add_delivery(engine, add_monitor(engine, URL + "?token=secret"))

    async def main() -> None:
        async with delivering(engine, Receivers()):
            await until(lambda: states(engine) == ["delivered"])

    asyncio.run(main())
    (fields,) = (record.fields for record in caplog.records if record.getMessage() == "webhook")
    assert fields["milliseconds"] >= 0
    del fields["milliseconds"]
    assert fields == {
        "delivery_id": delivery,
        "attempt": 1,
        "host": "hooks.example.com",
        "problem": None,
    }


def test_a_result_that_cannot_be_written_at_first_is_not_sent_again(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("app.webhooks.deliverer.WRITE_PAUSES", (0.0, 0.01, 0.01))
    add_delivery(engine, add_monitor(engine, URL))
    failures = []
    of_queue = queue.write_result

    def write_result(*arguments: object) -> None:
        if len(failures) < 2:
            failures.append(1)
            raise OperationalError(None, None, OSError("database is locked"))
        of_queue(*arguments)

    monkeypatch.setattr(queue, "write_result", write_result)

    async def main() -> None:
        receivers = Receivers()
        async with delivering(engine, receivers):
            await until(lambda: states(engine) == ["delivered"])
        assert len(receivers.arrived) == 1

    asyncio.run(main())
    said = [record.getMessage() for record in caplog.records]
    assert said.count("the deliverer waits for the database: database is locked") == 1
    assert said.count("the database is back; the deliverer goes on") == 1
