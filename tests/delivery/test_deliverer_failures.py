"""The deliverer survives failures of receivers, senders, the database, and its own code."""

import asyncio
import datetime as dt
import logging

import pytest
from sqlalchemy import Engine, select
from sqlalchemy.exc import OperationalError

from app.core.database import db
from app.delivery import delivery_queue
from app.delivery.deliverer import (
    FINAL_WRITE_ATTEMPTS,
    MAX_DATABASE_BACKOFF_SECONDS,
    task_backoff_seconds,
)
from app.delivery.delivery_queue import DELIVERY_LEASE, EndedAttempt
from app.delivery.formats.types import Message
from app.delivery.models import WebhookDelivery
from app.delivery.sender import AttemptResult
from tests.delivery.deliveries import NOON, add_delivery, add_webhook, stored_deliveries
from tests.delivery.delivering import Receivers, run_deliverer, states, wait_for
from tests.support.databases import ON_POSTGRESQL, PostgresqlDatabases, second_application

pytestmark = pytest.mark.usefixtures("quick_lookups")

URL = "https://hooks.example.com/a"


async def test_a_failed_message_is_sent_again_after_its_pause_and_not_before(
    engine: Engine,
) -> None:
    add_delivery(engine, add_webhook(engine, URL))
    now, looks = [NOON], []

    def clock() -> dt.datetime:
        looks.append(now[0])
        return now[0]

    receivers = Receivers()
    receivers.results = [AttemptResult("returned 500")]
    async with run_deliverer(engine, receivers, clock=clock):
        await wait_for(lambda: stored_deliveries(engine)[0].last_problem == "returned 500")
        now[0] = stored_deliveries(engine)[0].next_attempt_at - dt.timedelta(milliseconds=1)
        seen = len(looks)
        await wait_for(lambda: len(looks) > seen + 2)
        assert len(receivers.arrived) == 1
        now[0] += dt.timedelta(milliseconds=1)
        await wait_for(lambda: states(engine) == ["delivered"])
    assert len({message.message_id for message in receivers.arrived}) == 1
    assert len(receivers.arrived) == 2


async def test_a_delivery_of_a_killed_deliverer_is_resent_once_its_lease_expires(
    engine: Engine,
) -> None:
    monitor = add_webhook(engine, URL)
    add_delivery(engine, monitor)
    delivery_queue.write_and_lease(engine, [], {monitor: 1}, NOON)  # and nothing comes of it
    now = [NOON]
    receivers = Receivers()
    async with run_deliverer(engine, receivers, clock=lambda: now[0]):
        now[0] = NOON + DELIVERY_LEASE
        await wait_for(lambda: states(engine) == ["delivered"])
    assert len(receivers.arrived) == 1
    assert stored_deliveries(engine)[0].attempts == 2


async def test_an_error_of_the_sender_is_logged_and_tried_again(
    engine: Engine, caplog: pytest.LogCaptureFixture
) -> None:
    add_delivery(engine, add_webhook(engine, URL, secret="whsec_?"))

    class Broken(Receivers):
        async def send(self, message: Message) -> AttemptResult:
            raise ValueError("no such thing")

    async with run_deliverer(engine, Broken()):
        await wait_for(lambda: stored_deliveries(engine)[0].last_problem is not None)
    assert states(engine) == ["pending"]
    assert "unexpected error in the worker" in caplog.text


async def test_overdue_monitors_are_marked_and_an_error_of_it_stops_nothing(engine: Engine) -> None:
    calls = []

    def write_due() -> None:
        calls.append(1)
        raise RuntimeError("no such monitor")

    receivers = Receivers()
    async with run_deliverer(engine, receivers, write_due):
        await wait_for(lambda: len(calls) > 1)
        add_delivery(engine, add_webhook(engine, URL))
        await wait_for(lambda: states(engine) == ["delivered"])


async def test_a_database_that_is_unavailable_is_logged_once_and_waited_for(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    add_delivery(engine, add_webhook(engine, URL))
    failures = []
    of_queue = delivery_queue.find_due_webhooks

    def due(*arguments: object) -> object:
        if len(failures) < 4:
            failures.append(1)
            raise OperationalError(None, None, OSError("connection refused\nwhere: there"))
        return of_queue(*arguments)

    monkeypatch.setattr(delivery_queue, "find_due_webhooks", due)
    async with run_deliverer(engine, Receivers(), write_seconds=3600):
        await wait_for(lambda: states(engine) == ["delivered"])
    messages = [record.getMessage() for record in caplog.records if record.levelno > logging.INFO]
    assert messages.count("the worker waits for the database: connection refused") == 1
    assert messages.count("the database is available again; the worker continues") == 1


async def test_a_result_that_cannot_be_written_at_first_is_not_sent_again(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    add_delivery(engine, add_webhook(engine, URL))
    failures = []
    of_queue = delivery_queue.write_and_lease

    def take_turn(engine: Engine, ended: list[EndedAttempt], *others: object) -> object:
        if ended and len(failures) < 2:
            failures.append(1)
            raise OperationalError(None, None, OSError("database is locked"))
        return of_queue(engine, ended, *others)

    monkeypatch.setattr(delivery_queue, "write_and_lease", take_turn)
    receivers = Receivers()
    async with run_deliverer(engine, receivers):
        await wait_for(lambda: states(engine) == ["delivered"])
    assert len(receivers.arrived) == 1
    messages = [record.getMessage() for record in caplog.records]
    assert messages.count("the worker waits for the database: database is locked") == 1
    assert messages.count("the database is available again; the worker continues") == 1


async def test_an_unwritable_result_does_not_keep_the_process_running(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its message is sent again when the lease has ended."""
    add_delivery(engine, add_webhook(engine, URL))
    failures = []
    of_queue = delivery_queue.write_and_lease

    def take_turn(engine: Engine, ended: list[EndedAttempt], *others: object) -> object:
        if ended:
            failures.append(1)
            raise OperationalError(None, None, OSError("connection refused"))
        return of_queue(engine, ended, *others)

    monkeypatch.setattr(delivery_queue, "write_and_lease", take_turn)
    async with run_deliverer(engine, Receivers()):
        await wait_for(lambda: bool(failures))
    assert len(failures) >= FINAL_WRITE_ATTEMPTS
    assert stored_deliveries(engine)[0].leased_until == NOON + DELIVERY_LEASE


@ON_POSTGRESQL
def test_a_result_of_a_row_that_is_locked_is_written_when_it_is_free(
    databases: PostgresqlDatabases,
) -> None:
    with databases.lend() as url, second_application(url):
        engine = db.engine
        delivery = add_delivery(engine, add_webhook(engine, "https://slow.example/"))

        async def main() -> None:
            receivers = Receivers("slow.example")
            async with run_deliverer(engine, receivers):
                await wait_for(lambda: len(receivers.arrived) == 1)
                with engine.begin() as other:
                    row = select(WebhookDelivery.id).where(WebhookDelivery.id == delivery)
                    other.execute(row.with_for_update())
                    receivers.let_go.set()
                    monitor = add_webhook(engine, URL)
                    add_delivery(engine, monitor)
                    await wait_for(lambda: "delivered" in states(engine))
                    assert states(engine)[0] == "pending"
                await wait_for(lambda: set(states(engine)) == {"delivered"})

        asyncio.run(main())


def test_a_database_unavailable_for_a_day_does_not_end_the_deliverer() -> None:
    pauses = [task_backoff_seconds(failures) for failures in (1, 2, 1_023, 1_024, 100_000)]
    assert pauses == [1.0, 2.0, *[MAX_DATABASE_BACKOFF_SECONDS] * 3]
