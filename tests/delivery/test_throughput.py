"""One deliverer sends 200 messages a second to one quick receiver, over TLS."""

from pathlib import Path

import pytest
from sqlalchemy import Engine

from tests.support.machine_speed import slowness
from tests.support.many_webhooks import add_messages, count_delivered, deliverer, quick_receiver
from tests.support.process_usage import cpu_seconds
from tests.support.services import wait_until

MESSAGES = 1_000
# CPU time per message, for 200 a second on one core.
MAX_SECONDS = MESSAGES / 200
# independent of other load on the machine
PATIENCE_SECONDS = 10 * MAX_SECONDS
pytestmark = pytest.mark.usefixtures("each_database")


def test_a_thousand_messages_to_one_receiver_take_the_time_of_200_a_second(
    engine: Engine, database_url: str, tmp_path: Path
) -> None:
    with quick_receiver(tmp_path / "receiver") as receiver:
        sent = add_messages(engine, 1, [receiver.url], MESSAGES)
        with deliverer(database_url, receiver, tmp_path / "log") as process:
            before = cpu_seconds(process.pid)
            wait_until(lambda: count_delivered(engine) == MESSAGES, "all of them", PATIENCE_SECONDS)
            took = cpu_seconds(process.pid) - before
        wait_until(lambda: len(receiver.arrivals()) == MESSAGES, "the receiver's log")
        assert sorted(message_id for _, message_id in receiver.arrivals()) == sorted(sent)
    assert took < MAX_SECONDS * slowness()
