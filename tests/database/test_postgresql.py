"""Connections to a PostgreSQL that accepts them and never answers."""

import socket

import psycopg
import pytest

from app.database.postgresql import Watch


def test_an_attempt_that_was_given_up_keeps_no_socket_open_though_its_error_is_kept() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        with pytest.raises(psycopg.errors.ConnectionTimeout) as kept:
            Watch().connect(f"postgresql://forecast@127.0.0.1:{port}/any", connect_timeout=2)
        client, _ = silent.accept()
        with client:
            client.settimeout(5)
            while client.recv(1024):  # what the client said before it gave up, then its end
                pass
        assert kept.value
