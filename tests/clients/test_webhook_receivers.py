"""The receivers of docs/examples, each run as it is: what they take, and what they reject."""

import datetime as dt
import http.client
import itertools
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from standardwebhooks import Webhook

from app.delivery.webhook_secrets import new_secret
from tests.support.programs import resolve
from tests.support.server import ROOT
from tests.support.services import accepts_connections, free_port, run_process, wait_until

EXAMPLES = ROOT / "docs" / "examples"
COMMANDS = {
    "python": [sys.executable, str(EXAMPLES / "webhook_receiver.py")],
    "javascript": ["node", str(EXAMPLES / "webhook_receiver.mjs")],
}
SECRET, OTHER_SECRET = new_secret(), new_secret()
_numbers = itertools.count(1)


class Receiver:
    """A running receiver, and what it has printed."""

    def __init__(self, port: int, printed: Path) -> None:
        self.port, self._printed = port, printed

    def post(self, body: str, headers: dict[str, str]) -> int:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request("POST", "/hook", body.encode(), headers)
            return connection.getresponse().status
        finally:
            connection.close()

    def printed_lines_of(self, monitor: str) -> list[str]:
        return [line for line in self._printed.read_text().splitlines() if monitor in line]


@pytest.fixture(scope="module", params=COMMANDS)
def receiver(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Receiver]:
    printed = tmp_path_factory.mktemp("receiver") / "printed"
    port = free_port()
    environ = os.environ | {"WEBHOOK_SECRET": SECRET, "PORT": str(port)}
    with (
        printed.open("wb") as output,
        run_process(resolve(COMMANDS[request.param]), env=environ, stdout=output) as process,
    ):
        wait_until(lambda: accepts_connections(port) or process.poll() is not None, "the receiver")
        yield Receiver(port, printed)


@pytest.fixture
def monitor() -> str:
    """A name that no other test's message has."""
    return f"monitor-{next(_numbers)}-"


def message(monitor: str) -> str:
    event = {"kind": "spike", "direction": "up", "start": "2026-11-22T13:00:00Z", "severity": 53.1}
    return json.dumps({"type": "event.opened", "data": {"monitor": monitor, "event": event}})


def signed_headers(body: str, *secrets: str, minutes_ago: float = 0) -> dict[str, str]:
    """Return the headers of a message, signed by each of ``secrets``."""
    message_id = f"msg_{next(_numbers)}"
    at = dt.datetime.now(dt.UTC) - dt.timedelta(minutes=minutes_ago)
    signatures = [Webhook(secret).sign(message_id, at, body) for secret in secrets]
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(int(at.timestamp())),
        "webhook-signature": " ".join(signatures),
    }


def test_a_genuine_message_is_printed_once_however_often_it_comes(receiver, monitor) -> None:
    body = message(monitor)
    headers = signed_headers(body, SECRET)
    assert [receiver.post(body, headers) for _ in range(3)] == [204, 204, 204]
    line = f"event.opened {monitor} spike up since 2026-11-22T13:00:00Z severity 53.1"
    assert receiver.printed_lines_of(monitor) == [line]


def test_a_test_message_is_accepted(receiver, monitor) -> None:
    body = json.dumps({"type": "webhook.test", "data": {"webhook": monitor}})
    assert receiver.post(body, signed_headers(body, SECRET)) == 204
    (line,) = receiver.printed_lines_of(monitor)
    assert line.startswith("webhook.test ")


def test_one_of_two_signatures_is_enough_while_a_secret_is_changed(receiver, monitor) -> None:
    body = message(monitor)
    assert receiver.post(body, signed_headers(body, OTHER_SECRET, SECRET)) == 204
    assert len(receiver.printed_lines_of(monitor)) == 1


def test_a_forged_message_is_rejected(receiver, monitor) -> None:
    body = message(monitor)
    assert receiver.post(body, signed_headers(body, OTHER_SECRET)) == 401
    assert receiver.post(body + " ", signed_headers(body, SECRET)) == 401
    assert receiver.post(body, signed_headers(body, SECRET) | {"webhook-id": "msg_other"}) == 401
    assert receiver.printed_lines_of(monitor) == []


def test_an_old_message_and_one_of_the_future_are_rejected(receiver, monitor) -> None:
    body = message(monitor)
    assert receiver.post(body, signed_headers(body, SECRET, minutes_ago=10)) == 401
    assert receiver.post(body, signed_headers(body, SECRET, minutes_ago=-10)) == 401
    assert receiver.post(body, signed_headers(body, SECRET, minutes_ago=3)) == 204
    assert len(receiver.printed_lines_of(monitor)) == 1


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("webhook-signature", value) for value in ("", "v1", "v1,", "v1,!", "v2,abc", ",")),
        *(("webhook-timestamp", value) for value in ("", "now", "nan", "inf", "1e400")),
        ("webhook-id", ""),
    ],
)
def test_a_header_that_is_nonsense_is_rejected(receiver, monitor, name, value) -> None:
    body = message(monitor)
    assert receiver.post(body, signed_headers(body, SECRET) | {name: value}) == 401
    assert receiver.printed_lines_of(monitor) == []


def test_a_message_without_its_headers_is_rejected(receiver, monitor) -> None:
    assert receiver.post(message(monitor), {}) == 401
    assert receiver.printed_lines_of(monitor) == []


def test_a_body_without_end_is_rejected(receiver, monitor) -> None:
    body = message(monitor) + " " * 100_000
    assert receiver.post(body, signed_headers(body, SECRET)) == 413
    assert receiver.printed_lines_of(monitor) == []
