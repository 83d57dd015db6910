"""A message is sent to a checked address, and cannot be delayed or redirected."""

import asyncio
import contextlib
import itertools
import logging
import socket
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.core.database.malformed import MALFORMED_PROBLEM
from app.core.logs import configure_logging
from app.delivery.sender import AttemptResult, Sender
from app.delivery.webhook_records import WEBHOOK_URLS
from tests.delivery.sending import (
    DEADLINE,
    PAYLOAD,
    SUCCESS,
    Names,
    message_to,
    send,
    send_until_closed,
)
from tests.support.receiver import (
    HOST,
    Behaviour,
    Handler,
    Receiver,
    respond_with,
    run_receiver,
    take_turns,
)
from tests.support.services import free_port

NO_HTTP = "no valid HTTP response: it was cut off, or the port is not for HTTP"


def test_a_message_arrives_as_it_is_under_the_receivers_own_name(receiver: Receiver) -> None:
    message = message_to(receiver.url)
    assert send(message) == SUCCESS
    (request,) = receiver.requests
    assert (request.path, request.body) == ("/hook?token=secret", PAYLOAD)
    assert request.headers["Host"] == f"{HOST}:{receiver.port}"
    assert request.headers["Content-Type"] == "application/json"
    assert request.headers["User-Agent"] == "forecast-service"
    assert request.headers["webhook-id"] == message.message_id
    assert receiver.server_names == [HOST]


def test_an_unknown_format_is_named_and_tried_again(receiver: Receiver) -> None:
    message = replace(message_to(receiver.url), format="pager")
    assert send(message) == AttemptResult(
        "the format 'pager' of the webhook is unknown to this release"
    )
    assert receiver.requests == []


@pytest.mark.parametrize("change", [{"secrets": ()}, {"format": "pagerduty", "payload": "{"}])
def test_a_malformed_message_is_a_failure_for_good(receiver: Receiver, change: Any) -> None:
    message = replace(message_to(receiver.url), **change)
    assert send(message) == AttemptResult(MALFORMED_PROBLEM, is_final=True)
    assert receiver.requests == []


@pytest.mark.parametrize("status", [200, 201, 202, 204, 299])
def test_any_status_of_success_is_delivered(receiver: Receiver, status: int) -> None:
    receiver.behave = respond_with(status)
    assert send(message_to(receiver.url)) == AttemptResult(status=status)


@pytest.mark.parametrize("status", [400, 401, 404, 500])
def test_any_other_status_is_a_failure_to_be_tried_again(receiver: Receiver, status: int) -> None:
    receiver.behave = respond_with(status)
    assert send(message_to(receiver.url)) == AttemptResult(f"returned {status}", status=status)


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_a_status_of_a_busy_receiver_says_that_other_messages_would_fail_too(
    receiver: Receiver, status: int
) -> None:
    receiver.behave = respond_with(status)
    assert send(message_to(receiver.url)) == AttemptResult(
        f"returned {status}", is_unavailable=True, status=status
    )


def test_410_fails_permanently(receiver: Receiver) -> None:
    receiver.behave = respond_with(410)
    assert send(message_to(receiver.url)) == AttemptResult(
        "returned 410", is_final=True, status=410
    )


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(receiver: Receiver, status: int) -> None:
    receiver.behave = respond_with(status, Location=f"https://{HOST}:{receiver.port}/elsewhere")
    assert send(message_to(receiver.url)).problem == (
        f"returned {status}: redirects are not followed"
    )
    assert len(receiver.requests) == 1


def test_a_name_is_resolved_once_and_what_it_says_later_does_not_count(receiver: Receiver) -> None:
    names = Names(["127.0.0.1"], ["127.0.0.2"])
    assert send(message_to(receiver.url), names) == SUCCESS
    assert names.asked == [HOST]
    # The address that was checked as public is the one that is connected to.
    names = Names(["10.0.0.1"], ["127.0.0.1"])
    assert send(message_to(receiver.url), names).problem == WEBHOOK_URLS.resolution_problem
    assert len(receiver.requests) == 1


@pytest.mark.parametrize(
    "addresses", [["::1"], ["::ffff:10.0.0.1"], ["127.0.0.1", "192.168.1.1"], ["fe80::1%1"]]
)
def test_nothing_is_connected_to_where_one_address_is_inside(
    receiver: Receiver, addresses: list[str]
) -> None:
    assert (
        send(message_to(receiver.url), Names(addresses)).problem == WEBHOOK_URLS.resolution_problem
    )
    assert receiver.requests == receiver.server_names == []


def test_a_stored_url_that_is_no_longer_allowed_is_not_sent_to(receiver: Receiver) -> None:
    url = f"https://127.0.0.1:{receiver.port}/"
    result = asyncio.run(Sender([], Names()).send(message_to(url)))
    assert "is not a public address" in result.problem
    assert receiver.server_names == []


def test_an_address_that_rejects_is_followed_by_the_next(receiver: Receiver) -> None:
    assert send(message_to(receiver.url), Names(["127.0.0.2", "127.0.0.1"])) == SUCCESS


def test_a_certificate_of_another_name_is_not_accepted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with run_receiver(tmp_path, "other.example.test") as other:
        monkeypatch.setenv("SSL_CERT_FILE", str(other.certificate))
        problem = send(message_to(other.url)).problem
    assert "the certificate is not valid: Hostname mismatch" in problem
    assert other.requests == []


def test_a_self_signed_certificate_is_not_accepted(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SSL_CERT_FILE")
    problem = send(message_to(receiver.url)).problem
    assert "the certificate is not valid: self-signed certificate" in problem
    assert receiver.requests == []


def test_a_proxy_of_the_environment_is_not_used(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{free_port()}")
    assert send(message_to(receiver.url)) == SUCCESS


def test_a_receiver_that_is_not_there_is_a_failure() -> None:
    problem = send(message_to(f"https://{HOST}:{free_port()}/")).problem
    assert problem == "cannot connect to the host"


def test_an_unresolvable_name_fails_temporarily() -> None:
    async def lookup(_host: str, _port: int) -> list[str]:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    result = send(message_to("https://nobody.example/"), lookup)
    assert result == AttemptResult(WEBHOOK_URLS.resolution_problem, is_unavailable=True)


def test_a_resolver_that_says_nothing_is_given_up() -> None:
    async def lookup(_host: str, _port: int) -> list[str]:
        return await asyncio.Future()

    result = send(message_to("https://nobody.example/"), lookup, deadline=0.1)
    assert result == AttemptResult("no response within 0.1 s", is_unavailable=True)


def drip(handler: Handler) -> None:
    """Send a header endlessly, one character at a time."""
    send_until_closed(
        handler, itertools.chain([b"HTTP/1.1 200 OK\r\nX: "], itertools.repeat(b"x")), 0.05
    )


def endless_headers(handler: Handler) -> None:
    """Send headers endlessly, as fast as they are read."""
    send_until_closed(
        handler, itertools.chain([b"HTTP/1.1 200 OK\r\n"], itertools.repeat(b"X: y\r\n")), 0
    )


def silence(handler: Handler) -> None:
    """Send nothing until the client gives up."""
    handler.connection.settimeout(30)
    with contextlib.suppress(OSError):
        handler.rfile.read(1)


@pytest.mark.parametrize("behaviour", [drip, silence])
def test_a_slow_response_is_given_up_at_the_deadline_of_the_whole(
    receiver: Receiver, behaviour: Behaviour
) -> None:
    receiver.behave = behaviour
    began = time.monotonic()
    assert send(message_to(receiver.url), deadline=DEADLINE) == AttemptResult(
        "no response within 1 s", is_unavailable=True
    )
    assert time.monotonic() - began < DEADLINE + 5


def test_headers_without_an_end_are_given_up(receiver: Receiver) -> None:
    receiver.behave = endless_headers
    assert send(message_to(receiver.url)).problem == NO_HTTP


def test_a_response_that_is_not_http_is_a_failure(receiver: Receiver) -> None:
    receiver.behave = lambda handler: handler.wfile.write(b"220 smtp.example.com ready\r\n")
    assert send(message_to(receiver.url)).problem == NO_HTTP


def test_the_body_of_a_response_is_not_waited_for(receiver: Receiver) -> None:
    def endless_body(handler: Handler) -> None:
        head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        chunk = b"10000\r\n" + b"x" * 65_536 + b"\r\n"
        send_until_closed(handler, itertools.chain([head], itertools.repeat(chunk)), 0)

    receiver.behave = endless_body
    assert send(message_to(receiver.url)) == AttemptResult(status=200)


def test_a_status_in_time_counts_though_its_body_comes_after_the_deadline(
    receiver: Receiver,
) -> None:
    def late_body(handler: Handler) -> None:
        head = b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"
        send_until_closed(
            handler, itertools.chain([b"", head], itertools.repeat(b"x", 8)), 0.7 * DEADLINE
        )

    receiver.behave = late_body
    assert send(message_to(receiver.url), deadline=DEADLINE) == AttemptResult(status=200)


def test_a_handshake_that_never_ends_is_given_up() -> None:
    with socket.create_server(("127.0.0.1", 0)) as mute:
        url = f"https://{HOST}:{mute.getsockname()[1]}/"
        assert send(message_to(url), deadline=DEADLINE) == AttemptResult(
            "no response within 1 s", is_unavailable=True
        )


def test_a_mute_address_leaves_time_for_the_next(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.core.http.client.ADDRESS_CONNECT_SECONDS", 0.2)
    with socket.create_server(("127.0.0.2", receiver.port)):
        assert send(message_to(receiver.url), Names(["127.0.0.2", "127.0.0.1"])) == SUCCESS


def test_no_log_line_holds_the_path_or_the_query_of_a_url(
    receiver: Receiver, caplog: pytest.LogCaptureFixture
) -> None:
    configure_logging("DEBUG", lambda: None)
    receiver.behave = take_turns(respond_with(500), respond_with(204))
    with caplog.at_level(logging.DEBUG):
        for _ in range(2):
            send(message_to(receiver.url))
        send(replace(message_to(receiver.url), url=f"https://{HOST}:1/hook?token=secret"))
    assert "token" not in caplog.text
    assert "/hook" not in caplog.text
