"""Webhooks created over HTTP, their messages received over HTTPS, and their record afterwards."""

import asyncio
import ipaddress
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from flask import Flask
from standardwebhooks import Webhook

from app.core.database import db
from app.delivery.deliverer import Deliverer
from app.delivery.sender import Sender
from tests.delivery.delivering import wait_for
from tests.support.api import Api
from tests.support.monitors import LEARNED, Monitor, noise_at_100
from tests.support.receiver import Receiver, respond_with, run_receiver

LOOPBACK = tuple(map(ipaddress.ip_network, ("127.0.0.0/8", "::1/128")))


@pytest.fixture
def settings() -> dict[str, object]:
    return {"webhook_allowed_networks": LOOPBACK}


@pytest.fixture
def receiver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Receiver]:
    """A trusted receiver that the system's resolver knows."""
    with run_receiver(tmp_path, "localhost") as running:
        monkeypatch.setenv("SSL_CERT_FILE", str(running.certificate))
        yield running


@pytest.fixture
def caller(app: Flask, make_key: Callable[..., str]) -> Api:
    return Api(app, make_key("read", "write"))


def deliver(app: Flask, ready: Callable[[], bool]) -> None:
    """Run a deliverer until ``ready`` returns true."""

    async def main() -> None:
        with app.app_context():
            deliverer = Deliverer(db.engine, Sender(LOOPBACK))
        running = asyncio.create_task(deliverer.run())
        await wait_for(ready)
        deliverer.stop()
        await running

    asyncio.run(main())


def put(caller: Api, receiver: Receiver, **settings: str) -> dict[str, str]:
    url = f"https://localhost:{receiver.port}/hook"
    response = caller.send("PUT", "/webhooks/ops", {"url": url} | settings)
    assert response.status_code == 201
    body: dict[str, str] = response.get_json()
    return body


def send_test(app: Flask, caller: Api) -> dict:
    """Send a test message and return the last attempt."""
    response = caller.request("POST", "/webhooks/ops/test")
    assert response.status_code == 202
    body = response.get_json()

    def last_attempt() -> dict:
        return caller.request("GET", "/webhooks/ops").get_json()["last_attempt"] or {}

    deliver(app, lambda: last_attempt().get("id") == body["id"])
    assert body["type"] == last_attempt()["type"] == "webhook.test"
    return last_attempt()


@pytest.mark.usefixtures("quick_lookups")
class TestReceived:
    def test_a_test_message_is_signed_and_get_shows_that_it_was_accepted(
        self, app: Flask, caller: Api, receiver: Receiver
    ) -> None:
        secret = put(caller, receiver)["secret"]
        receiver.behave = respond_with(202)
        last = send_test(app, caller)
        assert (last["status"], last["error"]) == (202, None)
        (request,) = receiver.requests
        message = Webhook(secret).verify(request.body, request.headers)
        assert (message["type"], message["data"]) == ("webhook.test", {"webhook": "ops"})
        assert request.headers["webhook-id"] == last["id"]

    def test_a_chat_gets_a_text_without_a_signature(
        self, app: Flask, caller: Api, receiver: Receiver
    ) -> None:
        put(caller, receiver, format="text")
        send_test(app, caller)
        (request,) = receiver.requests
        assert json.loads(request.body) == {"text": "ops: a test message; this webhook works"}
        assert not [name for name in request.headers if name.lower().startswith("webhook-")]

    def test_a_rejection_has_its_status_and_is_not_tried_again(
        self, app: Flask, caller: Api, receiver: Receiver
    ) -> None:
        put(caller, receiver)
        receiver.behave = respond_with(500)
        last = send_test(app, caller)
        assert (last["status"], last["error"]) == (500, "returned 500")
        receiver.behave = respond_with(204)
        assert send_test(app, caller)["error"] is None
        assert len(receiver.requests) == 2

    def test_a_receiver_that_is_unavailable_has_no_status(self, app: Flask, caller: Api) -> None:
        caller.send("PUT", "/webhooks/ops", {"url": "https://localhost:1/"})
        last = send_test(app, caller)
        assert (last["status"], last["error"]) == (None, "cannot connect to the host")

    def test_monitors_share_a_webhook_and_its_secret(
        self, app: Flask, caller: Api, receiver: Receiver
    ) -> None:
        put(caller, receiver)
        rotated = caller.request("POST", "/webhooks/ops/rotate").get_json()["secret"]
        monitors = [Monitor.create(caller, webhook="ops") for _ in range(2)]
        for monitor in monitors:
            monitor.append([*noise_at_100(LEARNED), 170.0, 170.0, 170.0])
        deliver(app, lambda: len(receiver.requests) == 2)
        bodies = [
            Webhook(rotated).verify(request.body, request.headers) for request in receiver.requests
        ]
        assert {body["data"]["monitor"] for body in bodies} == {
            monitor.name for monitor in monitors
        }
        assert {body["type"] for body in bodies} == {"event.opened"}
        (sent,) = monitors[0].get("/deliveries")["deliveries"]
        assert (sent["state"], sent["event_id"]) == (
            "delivered",
            monitors[0].get("/events")["events"][0]["id"],
        )

    def test_an_alert_in_a_chat_is_one_line(
        self, app: Flask, caller: Api, receiver: Receiver
    ) -> None:
        put(caller, receiver, format="text")
        monitor = Monitor.create(caller, webhook="ops")
        monitor.append([*noise_at_100(LEARNED), 170.0, 170.0, 170.0])
        (event,) = monitor.get("/events")["events"]
        deliver(app, lambda: len(receiver.requests) == 1)
        (text,) = json.loads(receiver.requests[0].body).values()
        assert text.startswith(f"{monitor.name}: ")
        assert event["start"] in text
