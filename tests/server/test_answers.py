"""An answer leaves in one piece, in its order, whoever writes it."""

import select
import socket
import tempfile

import pytest

from app.server.answers import HOLD_BYTES, WholeAnswer


@pytest.fixture
def ends():
    """An answer, and the client's end of its connection."""
    near, far = socket.socketpair()
    far.settimeout(5)
    with near, far:
        yield WholeAnswer(near), far


def test_nothing_leaves_before_the_answer_is_whole_and_then_all_at_once(ends):
    answer, client = ends
    answer.sendall(b"head")
    answer.sendall(b"body")
    assert select.select([client], [], [], 0)[0] == []
    answer.flush()
    assert client.recv(100) == b"headbody"


def test_a_file_leaves_after_the_head_that_was_written_before_it(ends):
    answer, client = ends
    answer.sendall(b"head")
    with tempfile.TemporaryFile() as file:
        file.write(b"0123456789")
        file.flush()
        answer.sendfile(file, offset=2, count=3)
    answer.flush()
    answer.close()
    assert b"".join(iter(lambda: client.recv(100), b"")) == b"head234"


def test_a_long_answer_is_not_held_in_memory(ends):
    answer, client = ends
    answer.sendall(b"x" * HOLD_BYTES)
    answer.sendall(b"y")
    assert client.recv(HOLD_BYTES, socket.MSG_WAITALL) == b"x" * HOLD_BYTES
    assert client.recv(100) == b"y"
