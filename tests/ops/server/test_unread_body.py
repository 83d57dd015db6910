"""Reading the rest of a body from clients that send slowly, or without end."""

import itertools
import socket
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from app.ops.server import unread_body

LIMIT = unread_body.READ_BYTES


class Body:
    """A body as gunicorn reads it from ``connection``."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self.read_bytes = 0

    def read(self, size: int) -> bytes:
        portion = self._connection.recv(size)
        self.read_bytes += len(portion)
        return portion


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, socket.socket]]:
    near, far = socket.socketpair()
    with near, far:
        yield near, far


def test_a_client_that_sends_no_more_does_not_hold_a_thread(
    ends: tuple[socket.socket, socket.socket], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unread_body, "MAX_READ_SECONDS", 0.05)
    near, far = ends
    far.sendall(b"some")
    body = Body(near)
    unread_body.drain_body(SimpleNamespace(body=body), near, LIMIT)
    assert body.read_bytes == 4
    assert near.gettimeout() is None


def test_a_client_that_drips_does_not_hold_a_thread(
    ends: tuple[socket.socket, socket.socket], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = itertools.count(step=unread_body.MAX_READ_SECONDS / 4)
    monkeypatch.setattr(unread_body, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    portions: list[bytes] = []

    def read(_size: int) -> bytes:
        portions.append(b"1")
        return portions[-1]

    unread_body.drain_body(SimpleNamespace(body=SimpleNamespace(read=read)), ends[0], LIMIT)
    assert len(portions) == 3


def test_a_body_without_end_is_given_up(ends: tuple[socket.socket, socket.socket]) -> None:
    sizes: list[int] = []

    def read(size: int) -> bytes:
        sizes.append(size)
        return b"1" * size

    unread_body.drain_body(SimpleNamespace(body=SimpleNamespace(read=read)), ends[0], LIMIT)
    assert sum(sizes) == unread_body.MAX_BODY_RATIO * LIMIT
