"""The deliverer sends each due message once, and a slow host does not delay others."""

import asyncio
import logging

import pytest
from sqlalchemy import Engine

from app.core.fair_scheduler import MAX_ATTEMPTS_PER_HOST, MAX_CONCURRENT_ATTEMPTS
from app.core.http.addresses import host_of
from app.delivery import delivery_queue
from app.delivery.deliverer import Deliverer
from app.delivery.formats.types import Message
from app.delivery.sender import AttemptResult
from tests.delivery.deliveries import NOON, add_delivery, add_webhook, stored_deliveries
from tests.delivery.delivering import Receivers, run_deliverer, states, wait_for
from tests.delivery.sending import SUCCESS
from tests.support.many_webhooks import add_account, add_messages

pytestmark = pytest.mark.usefixtures("quick_lookups")

URL = "https://hooks.example.com/a"


async def test_a_due_message_is_sent_and_written_as_delivered(engine: Engine) -> None:
    delivery = add_delivery(engine, add_webhook(engine, URL))
    receivers = Receivers()
    async with run_deliverer(engine, receivers):
        await wait_for(lambda: states(engine) == ["delivered"])
    assert [message.url for message in receivers.arrived] == [URL]
    assert receivers.is_closed, "connections outlive the deliverer"
    assert [(row.id, row.attempts) for row in stored_deliveries(engine)] == [(delivery, 1)]


async def test_a_slow_host_delays_no_other_and_gets_one_at_a_time(engine: Engine) -> None:
    slow, quick = add_webhook(engine, "https://slow.example/"), add_webhook(engine, URL)
    other_url = add_webhook(engine, "https://slow.example/another")
    for _ in range(3):
        for webhook in (slow, other_url, quick):
            add_delivery(engine, webhook)
    receivers = Receivers("slow.example")
    async with run_deliverer(engine, receivers):
        await wait_for(lambda: states(engine).count("delivered") == 3)
        assert receivers.under_way["slow.example"] == 1
        receivers.let_go.set()
        await wait_for(lambda: set(states(engine)) == {"delivered"})


async def test_slow_hosts_of_many_accounts_hold_up_no_other_account(engine: Engine) -> None:
    hosts = [f"slow{number}.example" for number in range(600)]
    for number in range(10):
        account = add_account(engine, f"slow-{number}")
        urls = [f"https://{host}/" for host in hosts[number::10]]
        add_messages(engine, account, urls, 4, NOON)
    receivers = Receivers(*hosts)
    async with run_deliverer(engine, receivers):
        await wait_for(lambda: len(receivers.arrived) > 100)
        (healthy,) = add_messages(engine, add_account(engine, "healthy"), [URL], 1, NOON)
        await wait_for(lambda: "delivered" in states(engine))
    assert healthy in [message.message_id for message in receivers.arrived]
    assert len(receivers.arrived) < MAX_CONCURRENT_ATTEMPTS


def lease_count(engine: Engine) -> int:
    return sum(row.leased_until is not None for row in stored_deliveries(engine))


async def test_no_more_are_leased_than_are_sent_concurrently(engine: Engine) -> None:
    hosts = [f"host{number}.example" for number in range(MAX_CONCURRENT_ATTEMPTS)]
    add_messages(engine, 1, [f"https://{host}/" for host in hosts], 1, NOON)
    receivers = Receivers(*hosts)
    async with run_deliverer(engine, receivers) as deliverer:
        await wait_for(lambda: len(receivers.arrived) > MAX_CONCURRENT_ATTEMPTS / 10)
        deliverer.stop()
        await wait_for(lambda: lease_count(engine) == len(receivers.arrived))
        receivers.let_go.set()
    assert lease_count(engine) == 0


async def test_many_messages_to_a_quick_receiver_are_sent_several_at_a_time(engine: Engine) -> None:
    add_messages(engine, 1, [URL], 100, NOON)
    receivers = Receivers()
    receivers.seconds = 0.001
    async with run_deliverer(engine, receivers):
        await wait_for(lambda: set(states(engine)) == {"delivered"})
    assert len(receivers.arrived) == 100
    assert receivers.most_to["hooks.example.com"] == MAX_ATTEMPTS_PER_HOST


async def test_a_look_up_that_outlives_its_attempt_delays_only_its_receiver(engine: Engine) -> None:
    for _ in range(2):
        add_delivery(engine, add_webhook(engine, "https://mute.example/"))

    class HangingLookup(Receivers):
        async def finish(self, message: Message) -> None:
            await self.let_go.wait()

    receivers = HangingLookup()
    receivers.results = [AttemptResult("no response within 10 s", is_unavailable=True)]
    async with run_deliverer(engine, receivers):
        await wait_for(lambda: stored_deliveries(engine)[0].last_problem is not None)
        add_delivery(engine, add_webhook(engine, URL))
        await wait_for(lambda: len(receivers.arrived) == 2)
        assert [host_of(message.url) for message in receivers.arrived] == [
            "mute.example",
            "hooks.example.com",
        ]


async def test_a_look_up_that_hangs_does_not_keep_the_process_from_ending(engine: Engine) -> None:
    add_delivery(engine, add_webhook(engine, "https://mute.example/"))

    class EndlessLookup(Receivers):
        async def finish(self, message: Message) -> None:
            await asyncio.Future()

    async with run_deliverer(engine, EndlessLookup()):
        await wait_for(lambda: states(engine) == ["delivered"])


async def test_two_deliverers_send_each_message_once(engine: Engine) -> None:
    for number in range(30):
        add_delivery(engine, add_webhook(engine, f"https://host{number}.example/"))
    receivers = Receivers()
    async with run_deliverer(engine, receivers), run_deliverer(engine, receivers):
        await wait_for(lambda: set(states(engine)) == {"delivered"})
    assert len(receivers.arrived) == 30


async def test_messages_under_way_at_a_stop_come_to_their_end(engine: Engine) -> None:
    add_delivery(engine, add_webhook(engine, "https://slow.example/"))
    receivers = Receivers("slow.example")
    deliverer = Deliverer(engine, receivers, clock=lambda: NOON)
    running = asyncio.create_task(deliverer.run())
    await wait_for(lambda: len(receivers.arrived) == 1)
    deliverer.stop()
    add_delivery(engine, add_webhook(engine, URL))
    receivers.let_go.set()
    await running
    assert len(receivers.arrived) == 1
    assert states(engine) == ["delivered", "pending"]


async def test_old_deliveries_are_removed(engine: Engine) -> None:
    webhook = add_webhook(engine, URL)
    add_delivery(engine, webhook)
    _, (taken,) = delivery_queue.write_and_lease(engine, [], {webhook: 1}, NOON)
    delivery_queue.write_and_lease(engine, [(taken, SUCCESS)], {}, NOON)
    async with run_deliverer(
        engine, Receivers(), clock=lambda: NOON + 2 * delivery_queue.RETENTION_PERIOD
    ):
        await wait_for(lambda: stored_deliveries(engine) == [])


async def test_a_line_says_what_became_of_an_attempt_and_names_only_the_host(
    engine: Engine, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    delivery = add_delivery(engine, add_webhook(engine, URL + "?token=secret"))
    async with run_deliverer(engine, Receivers()):
        await wait_for(lambda: states(engine) == ["delivered"])
    (fields,) = (record.fields for record in caplog.records if record.getMessage() == "webhook")
    assert fields["milliseconds"] >= 0
    del fields["milliseconds"]
    assert fields == {
        "delivery_id": delivery,
        "attempt": 1,
        "host": "hooks.example.com",
        "problem": None,
    }
