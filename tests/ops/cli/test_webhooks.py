"""`forecast-service webhooks`: pending and failed messages, sending again, and the process."""

import contextlib
import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest
from flask import Flask
from sqlalchemy import Engine

from app.core.database import utcnow
from tests.delivery.deliveries import NOON, add_delivery, add_webhook, change, stored_deliveries
from tests.support.cli import run, run_failing, run_json
from tests.support.preloaded_programs import Program
from tests.support.receiver import Handler, Receiver, respond_with, run_receiver, take_turns
from tests.support.services import ENDING_SECONDS, run_preloaded, wait_until, whole_lines

pytestmark = pytest.mark.usefixtures("each_database")

URL = "https://hooks.example.com/hook?token=secret"


@pytest.fixture
def delivery_ids(engine: Engine) -> list[int]:
    """A pending, a delivered and a failed delivery."""
    monitor = add_webhook(engine, URL, name="cpu")
    ids = [add_delivery(engine, monitor) for _ in range(3)]
    change(engine, ids[1], delivered_at=NOON, next_attempt_at=None, attempts=1)
    failed = {"failed_at": NOON, "next_attempt_at": None, "last_problem": "returned 500"}
    change(engine, ids[2], attempts=18, **failed)
    return ids


def test_deliveries_are_listed_the_newest_first_without_url_or_body(
    app: Flask, delivery_ids: list[int]
) -> None:
    deliveries = run_json(app, "webhooks", "list")
    assert [row["id"] for row in deliveries] == delivery_ids[::-1]
    assert [row["state"] for row in deliveries] == ["failed", "delivered", "pending"]
    assert deliveries[0] == {
        "id": delivery_ids[2],
        "account": "default",
        "webhook": "cpu",
        "type": "event.opened",
        "state": "failed",
        "attempts": 18,
        "created_at": "2026-05-06T12:00:00Z",
        "next_attempt_at": None,
        "last_problem": "returned 500",
    }
    assert deliveries[2]["next_attempt_at"] == "2026-05-06T12:00:00Z"


@pytest.mark.parametrize("state", ["pending", "delivered", "failed"])
def test_deliveries_of_one_state_can_be_listed(
    app: Flask, delivery_ids: list[int], state: str
) -> None:
    (row,) = run_json(app, "webhooks", "list", "--state", state)
    assert row["state"] == state


def test_no_more_are_listed_than_asked_for(app: Flask, delivery_ids: list[int]) -> None:
    assert len(run_json(app, "webhooks", "list", "--limit", "2")) == 2


def test_failed_deliveries_are_sent_again(
    app: Flask, engine: Engine, delivery_ids: list[int]
) -> None:
    assert run(app, "webhooks", "retry", "--failed") == "1 to be retried.\n"
    rows = stored_deliveries(engine)
    assert [row.state for row in rows] == ["pending", "delivered", "pending"]
    assert rows[2].next_attempt_at > NOON


def test_one_is_sent_again_by_its_id_even_when_it_was_delivered(
    app: Flask, engine: Engine, delivery_ids: list[int]
) -> None:
    run(app, "webhooks", "retry", str(delivery_ids[1]))
    assert [row.state for row in stored_deliveries(engine)] == ["pending", "pending", "failed"]


def test_an_unknown_id_is_named_and_nothing_is_changed(
    app: Flask, engine: Engine, delivery_ids: list[int]
) -> None:
    line = run_failing(app, "webhooks", "retry", str(delivery_ids[2]), "999")
    assert line == "Error: there is no delivery 999; nothing is retried"
    assert [row.state for row in stored_deliveries(engine)] == ["pending", "delivered", "failed"]


@pytest.mark.parametrize("words", [[], ["--failed", "1"], ["one"], ["0"]])
def test_a_retry_of_what_is_not_named_is_rejected(app: Flask, words: list[str]) -> None:
    run_failing(app, "webhooks", "retry", *words)


# The process


@pytest.fixture
def receiver(tmp_path: Path) -> Iterator[Receiver]:
    """A receiver that the system's resolver knows."""
    with run_receiver(tmp_path, "localhost") as receiver:
        yield receiver


@contextlib.contextmanager
def deliverer(receiver: Receiver, database_url: str, log: Path) -> Iterator[Program]:
    """`forecast-service worker`, which trusts the receiver and may send to it."""
    environ = os.environ | {
        "DATABASE_URL": database_url,
        "WEBHOOK_ALLOWED_NETWORKS": "127.0.0.0/8,::1/128",
        "SSL_CERT_FILE": str(receiver.certificate),
    }
    words = ["app.ops.cli", "worker"]
    with log.open("ab") as output, run_preloaded(words, environ, output) as process:
        yield process


def url_of(receiver: Receiver) -> str:
    return f"https://localhost:{receiver.port}/hook?token=secret"


def test_the_process_delivers_and_a_signal_ends_it(
    engine: Engine, database_url: str, receiver: Receiver, tmp_path: Path
) -> None:
    receiver.behave = take_turns(respond_with(500), respond_with(204))
    delivery = add_delivery(engine, add_webhook(engine, url_of(receiver)), utcnow())
    log = tmp_path / "log"
    with deliverer(receiver, database_url, log) as process:
        wait_until(lambda: stored_deliveries(engine)[0].attempts == 1, "the first attempt")
        wait_until(lambda: stored_deliveries(engine)[0].state == "delivered", "the second one")
        process.terminate()
        assert process.wait(ENDING_SECONDS) == 0
    assert [request.path for request in receiver.requests] == ["/hook?token=secret"] * 2
    lines = [orjson.loads(line) for line in whole_lines(log).splitlines()]
    sent = [line for line in lines if line["message"] == "webhook"]
    assert [(line["delivery_id"], line["problem"]) for line in sent] == [
        (delivery, "returned 500"),
        (delivery, None),
    ]
    assert lines[-1]["message"] == "worker stopped"
    assert "secret" not in log.read_text()


def test_the_message_of_a_killed_deliverer_is_sent_again(
    engine: Engine, database_url: str, receiver: Receiver, tmp_path: Path
) -> None:
    def block(handler: Handler) -> None:
        with contextlib.suppress(OSError):
            handler.rfile.read(1)

    receiver.behave = take_turns(block, respond_with(204))
    delivery = add_delivery(engine, add_webhook(engine, url_of(receiver)), utcnow())
    log = tmp_path / "log"
    with deliverer(receiver, database_url, log) as process:
        wait_until(lambda: len(receiver.requests) == 1, "the message")
        process.send_signal(signal.SIGKILL)
        process.wait(ENDING_SECONDS)
    (row,) = stored_deliveries(engine)
    assert (row.state, row.attempts) == ("pending", 1)
    assert row.leased_until > utcnow()
    change(engine, delivery, leased_until=NOON)  # as if the lease had ended
    with deliverer(receiver, database_url, log):
        wait_until(lambda: stored_deliveries(engine)[0].state == "delivered", "the message again")
    ids = {request.headers["webhook-id"] for request in receiver.requests}
    assert (len(receiver.requests), len(ids)) == (2, 1)


def test_a_database_that_is_not_migrated_ends_the_process_with_the_remedy(
    sqlite_databases, receiver: Receiver, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    with deliverer(receiver, sqlite_databases.empty(), log) as process:
        assert process.wait(ENDING_SECONDS) == 1
    assert re.search(
        "^Error: the database is not migrated; run `forecast-service db upgrade`", log.read_text()
    )
