"""Messages of another account beside webhooks to hosts that accept connections and never respond.

``pytest -s`` prints the figures of docs/running/security.md.
"""

import time
from pathlib import Path

import pytest

from app.core.database import db
from tests.support.databases import second_application
from tests.support.many_webhooks import (
    add_account,
    add_messages,
    count_attempted,
    deliverer,
    quick_receiver,
    silent_hosts,
)
from tests.support.services import wait_until

pytestmark = [pytest.mark.timing, pytest.mark.alone]

SILENT_HOSTS, MESSAGES_EACH = 60, 10
MESSAGES = 3
MAX_SECONDS = 5.0


def test_messages_do_not_wait_for_600_to_60_silent_hosts_of_another_account(
    each_database: str, tmp_path: Path
) -> None:
    with (
        quick_receiver(tmp_path / "receiver") as receiver,
        second_application(each_database),
        silent_hosts(SILENT_HOSTS) as silent,
    ):
        add_messages(db.engine, add_account(db.engine, "silent"), silent, MESSAGES_EACH)
        healthy = add_account(db.engine, "healthy")
        with deliverer(each_database, receiver, tmp_path / "log") as worker:
            wait_until(
                lambda: count_attempted(db.engine) >= SILENT_HOSTS / 2, "attempts at silent hosts"
            )
            began = time.time()
            sent = add_messages(db.engine, healthy, [receiver.url], MESSAGES)
            wait_until(lambda: len(receiver.arrivals()) == MESSAGES, "the messages")
            worker.kill()  # it would wait for running attempts
    arrivals = {message_id: moment - began for moment, message_id in receiver.arrivals()}
    print(f"\n15 silent hosts: {MESSAGES} messages after {max(arrivals.values()):.2f} s at most")
    assert arrivals.keys() == {*sent}
    assert max(arrivals.values()) <= MAX_SECONDS
