"""A connection is used again, by its own receiver only, and no message is lost with one."""

import asyncio
import itertools
import socket
import ssl
from collections.abc import Iterator
from pathlib import Path

import httpcore
import pytest

from app.core.http import connections, lookups
from app.delivery.sender import AttemptResult, Sender
from tests.delivery.sending import LOOPBACK, SUCCESS, Names, message_to, send_all, send_until_closed
from tests.support.receiver import HOST, Handler, Receiver, respond_with, run_receiver, take_turns

NO_HTTP = "no valid HTTP response: it was cut off, or the port is not for HTTP"


@pytest.fixture
def receiver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Receiver]:
    """A receiver that is trusted and keeps its connections open."""
    with run_receiver(tmp_path) as running:
        monkeypatch.setenv("SSL_CERT_FILE", str(running.certificate))
        running.keeps_connections = True
        yield running


def hang_up(handler: Handler) -> None:
    """Close the connection without a response."""
    handler.close_connection = True


def test_messages_to_a_receiver_share_a_connection(receiver: Receiver) -> None:
    messages = [message_to(receiver.url) for _ in range(3)]
    assert send_all(*messages) == [SUCCESS] * 3
    assert [request.headers["webhook-id"] for request in receiver.requests] == [
        message.message_id for message in messages
    ]
    assert receiver.server_names == [HOST]


def test_another_name_at_the_same_address_gets_no_message_by_it(receiver: Receiver) -> None:
    other = f"https://other.example.test:{receiver.port}/"
    first, second = send_all(message_to(receiver.url), message_to(other))
    assert first == SUCCESS
    assert "the certificate is not valid: Hostname mismatch" in second.problem
    assert receiver.server_names == [HOST, "other.example.test"]
    assert len(receiver.requests) == 1


def test_a_name_with_another_address_is_connected_to_again(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lookups, "CACHE_SECONDS", 0.0)
    messages = [message_to(receiver.url) for _ in range(2)]
    first, second = send_all(*messages, names=Names(["127.0.0.1"], ["127.0.0.2"]))
    assert first == SUCCESS
    assert second.problem == "cannot connect to the host"


def test_nothing_of_a_response_goes_with_the_next_message(receiver: Receiver) -> None:
    receiver.behave = respond_with(200, **{"Set-Cookie": "account=1"})
    send_all(message_to(receiver.url), message_to(receiver.url))
    assert [request.headers.get("Cookie") for request in receiver.requests] == [None, None]


def test_a_receiver_that_closes_each_connection_gets_all_messages(receiver: Receiver) -> None:
    receiver.keeps_connections = False
    assert send_all(*(message_to(receiver.url) for _ in range(3))) == [SUCCESS] * 3
    assert receiver.server_names == [HOST] * 3


def test_a_connection_that_is_closed_under_a_message_is_replaced_immediately(
    receiver: Receiver,
) -> None:
    receiver.behave = take_turns(respond_with(204), hang_up, respond_with(204))
    assert send_all(message_to(receiver.url), message_to(receiver.url)) == [SUCCESS] * 2
    first, *second = [request.headers["webhook-id"] for request in receiver.requests]
    assert len(second) == 2
    assert first not in second
    assert receiver.server_names == [HOST] * 2


@pytest.mark.parametrize("response", [b"H", b"220 mail.example ESMTP\r\n"])
def test_a_message_is_not_sent_again_once_a_byte_of_a_response_came(
    receiver: Receiver, response: bytes
) -> None:
    def respond_partly(handler: Handler) -> None:
        handler.wfile.write(response)
        handler.close_connection = True

    receiver.behave = take_turns(respond_with(204), respond_partly, respond_with(204))
    first, second = send_all(message_to(receiver.url), message_to(receiver.url))
    assert first == SUCCESS
    assert second.problem == NO_HTTP
    assert len(receiver.requests) == 2


def test_a_new_connection_that_is_closed_is_a_failure(receiver: Receiver) -> None:
    receiver.behave = take_turns(hang_up, respond_with(204))
    (result,) = send_all(message_to(receiver.url))
    assert result.problem == NO_HTTP
    assert len(receiver.requests) == 1


def test_a_connection_with_a_body_that_does_not_end_is_not_used_again(receiver: Receiver) -> None:
    def endless_body(handler: Handler) -> None:
        head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        chunk = b"10000\r\n" + b"x" * 65_536 + b"\r\n"
        send_until_closed(handler, itertools.chain([head], itertools.repeat(chunk)), 0)
        handler.close_connection = True

    receiver.behave = take_turns(endless_body, respond_with(204))
    assert send_all(message_to(receiver.url), message_to(receiver.url)) == [
        AttemptResult(status=200),
        SUCCESS,
    ]
    assert receiver.server_names == [HOST] * 2


def test_an_idle_connection_is_closed_after_some_seconds(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "IDLE_SECONDS", -1.0)
    assert send_all(message_to(receiver.url), message_to(receiver.url)) == [SUCCESS] * 2
    assert receiver.server_names == [HOST] * 2


def test_the_longest_unused_of_too_many_idle_connections_is_closed(
    receiver: Receiver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "MAX_IDLE_CONNECTIONS", 1)
    (tmp_path / "other").mkdir()
    with run_receiver(tmp_path / "other") as other:
        # Both are trusted.
        bundle = tmp_path / "bundle.pem"
        bundle.write_text(receiver.certificate.read_text() + other.certificate.read_text())
        monkeypatch.setenv("SSL_CERT_FILE", str(bundle))
        other.keeps_connections = True
        urls = [receiver.url, other.url, other.url, receiver.url]
        assert send_all(*map(message_to, urls)) == [SUCCESS] * 4
        assert (len(receiver.server_names), len(other.server_names)) == (2, 1)


def test_a_handshake_that_is_given_up_leaves_no_connection_open() -> None:
    async def main(mute: socket.socket) -> bytes:
        sender = Sender(LOOPBACK, Names(), deadline_seconds=0.2)
        await sender.send(message_to(f"https://{HOST}:{mute.getsockname()[1]}/"))
        accepted, _ = mute.accept()
        with accepted:
            accepted.settimeout(10)
            hello = await asyncio.to_thread(accepted.recv, 65_536)
            assert hello.startswith(b"\x16\x03")
            return await asyncio.to_thread(accepted.recv, 1)

    with socket.create_server(("127.0.0.1", 0)) as mute:
        assert asyncio.run(main(mute)) == b""


async def test_a_pool_trusts_only_the_certificates_that_it_was_given(receiver: Receiver) -> None:
    peer = connections.Peer(HOST, "127.0.0.1", receiver.port, is_plain=False)
    pool = connections.ConnectionPool(ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT))
    with pytest.raises(httpcore.ConnectError, match="CERTIFICATE_VERIFY_FAILED"):
        await pool.send(peer, httpcore.Request("GET", receiver.url), max_bytes=1_000)
    assert receiver.requests == []
