"""Whether the worker uses a connection again, which a proxy in front was promised."""

import socket
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from gunicorn.config import Config
from gunicorn.workers.gthread import TConn

from app.server import worker
from app.server.worker import Worker

HEAD = b"POST /forecast HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n"


@pytest.fixture
def connection() -> Iterator[tuple[TConn, socket.socket]]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield TConn(Config(), ours, "client", SimpleNamespace()), theirs


@pytest.mark.parametrize("read", [True, False])
def test_a_thread_that_was_held_up_closes_no_connection_whose_body_is_read(
    connection: tuple[TConn, socket.socket], monkeypatch: pytest.MonkeyPatch, read: bool
) -> None:
    """The proxy would send its next request into the end, and tell its client 502."""
    conn, client = connection
    client.sendall(HEAD % 2 + b"{}")
    worker._reader(conn)
    request = next(conn.parser)
    if read:
        assert request.body.read() == b"{}"
    monkeypatch.setattr(worker, "REST_SECONDS", 0)  # over before anyone looks for a rest
    assert Worker._keepalive_after(object.__new__(Worker), conn, keepalive=True) is read
