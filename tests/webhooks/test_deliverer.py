"""The deliverer sends what is due, once, and lets no slow host hold up others."""

import asyncio
import logging

import pytest
from sqlalchemy import Engine

from app.webhooks import queue
from app.webhooks.deliverer import MOST_AT_ONCE, MOST_TO_A_HOST, Deliverer
from app.webhooks.sender import TAKEN
from tests.webhooks.deliveries import NOON, add_delivery, add_monitor, stored
from tests.webhooks.delivering import Receivers, delivering, states, until

pytestmark = pytest.mark.usefixtures("quick_looks")

URL = "https://hooks.example.com/a"


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
