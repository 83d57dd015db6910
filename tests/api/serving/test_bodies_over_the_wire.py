"""Bodies as a real gunicorn passes them on: chunked, cut off, malformed, too long.

A body over the limit that comes in chunks has no Content-Length to be judged by, and Flask's own
bound would cut it silently and go on with the rest.
"""

import socket

import orjson
import pytest

from app.core.memory_units import MEBIBYTE
from tests.support.one_worker import server
from tests.support.series import daily_body
from tests.support.server import Server

__all__ = ["server"]  # fixtures

GOOD = orjson.dumps(daily_body())
CHUNKED = "Transfer-Encoding: chunked"
END = b"0\r\n\r\n"


@pytest.fixture(scope="module")
def key(server: Server) -> str:
    return server.flask("keys", "create", "--permissions", "read,write,admin,delete", "--quiet")


def chunk(data: bytes) -> bytes:
    """Return ``data`` as one chunk."""
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


def send(server: Server, key: str, body: bytes, *headers: str) -> tuple[int, dict]:
    """Send POST /forecast with these bytes, then close; return status and body of the response."""
    lines = [
        "POST /forecast HTTP/1.1",
        "Host: localhost",
        "Content-Type: application/json",
        "X-Model-Id: forecast-model-2",
        f"Authorization: Bearer {key}",
        *headers,
    ]
    request = "\r\n".join([*lines, "", ""]).encode() + body
    port = int(server.url.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port), 20) as connection:
        connection.sendall(request)
        connection.shutdown(socket.SHUT_WR)
        received = b"".join(iter(lambda: connection.recv(65536), b""))
    assert received.count(b"HTTP/1.1 ") == 1, received
    head, _, text = received.partition(b"\r\n\r\n")
    return int(head.split()[1]), orjson.loads(text)


def rejection(server: Server, key: str, body: bytes, *headers: str) -> tuple[int, str, str]:
    """Send as ``send`` does; return status, code and issue of the error."""
    status, response = send(server, key, body, *headers)
    error = response["error"]
    return status, error["code"], error["details"]["issue"]


def test_a_chunked_body_is_read_whole(server: Server, key: str) -> None:
    body = chunk(GOOD[:500]) + chunk(GOOD[500:]) + END
    status, response = send(server, key, body, CHUNKED)
    assert status == 200
    assert len(response["median"]) == 5


def test_a_chunked_body_over_the_limit_is_413_and_not_cut(server: Server, key: str) -> None:
    # If it was cut at the limit, this would be the good body with spaces after it.
    body = chunk(GOOD) + chunk(b" " * MEBIBYTE) * 5 + END
    status, code, issue = rejection(server, key, body, CHUNKED)
    assert (status, code) == (413, "INVALID_REQUEST")
    assert "4194304 bytes" in issue


def test_a_body_announced_as_too_long_and_never_sent_is_413(server: Server, key: str) -> None:
    assert rejection(server, key, b"", "Content-Length: 6000000")[0] == 413


BROKEN_OFF = {
    "a chunk without a size": b"zz\r\n" + GOOD,
    "a chunk that ends too early": b"ffff\r\n" + GOOD,
    "a chunk longer than its size": b"10\r\n" + GOOD + b"\r\n" + END,
    "no last chunk": chunk(GOOD),
}


@pytest.mark.parametrize("body", BROKEN_OFF.values(), ids=BROKEN_OFF.keys())
def test_malformed_chunks_are_the_client_s_mistake(server: Server, key: str, body: bytes) -> None:
    status, code, issue = rejection(server, key, body, CHUNKED)
    assert (status, code) == (400, "INVALID_REQUEST")
    assert issue.startswith("the body is incomplete: ")


def test_a_body_shorter_than_announced_is_not_taken_for_the_whole(server: Server, key: str) -> None:
    status, code, issue = rejection(server, key, GOOD, f"Content-Length: {len(GOOD) + 9}")
    assert (status, code) == (400, "INVALID_REQUEST")
    assert f"it ended after {len(GOOD)} of {len(GOOD) + 9} bytes" in issue


@pytest.mark.parametrize("headers", [[], ["Content-Length: 0"]])
def test_no_body_is_not_json(server: Server, key: str, headers: list[str]) -> None:
    status, code, issue = rejection(server, key, b"", *headers)
    assert (status, code) == (400, "INVALID_REQUEST")
    assert issue.startswith("the body is not valid JSON: ")


def test_bytes_after_a_malformed_chunk_are_not_a_request(server: Server, key: str) -> None:
    hidden = f"GET /verify HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {key}\r\n\r\n".encode()
    assert rejection(server, key, b"zz\r\n" + hidden, CHUNKED)[0] == 400


def test_a_model_named_twice_is_rejected(server: Server, key: str) -> None:
    length = f"Content-Length: {len(GOOD)}"
    status, response = send(server, key, GOOD, length, "X-Model-Id: forecast-model-1")
    assert status == 400
    assert response["error"]["details"]["field"] == "X-Model-Id"


def test_nothing_of_this_was_unexpected(server: Server, key: str) -> None:
    assert send(server, key, GOOD, f"Content-Length: {len(GOOD)}")[0] == 200
    assert "unexpected error" not in server.logged
