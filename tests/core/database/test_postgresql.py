"""Connections to a PostgreSQL that accepts them and never responds, and to one that restarts."""

import socket
import threading
import time

import psycopg
import pytest

from app.core.database import postgresql
from app.core.database.postgresql import CircuitBreaker
from tests.support.databases import PostgresqlDatabases
from tests.support.proxy import run_proxy
from tests.support.services import free_port


def test_an_abandoned_attempt_closes_its_socket() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        with pytest.raises(psycopg.errors.ConnectionTimeout) as kept:
            CircuitBreaker().connect(
                f"postgresql://forecast@127.0.0.1:{port}/any", connect_timeout=2
            )
        client, _ = silent.accept()
        with client:
            client.settimeout(5)
            while client.recv(1024):  # what the client said before it gave up, then its end
                pass
        assert kept.value


@pytest.mark.services
def test_a_connection_is_made_as_soon_as_a_server_that_restarts_is_back(
    postgresql_databases: PostgresqlDatabases,
) -> None:
    with run_proxy(postgresql_databases.empty().replace("+psycopg", "")) as proxy:
        proxy.disconnect()
        back = threading.Timer(0.3, proxy.restore)
        back.start()
        CircuitBreaker().connect(proxy.url).close()
        back.join()


def test_requests_wait_together_only_once_for_an_unavailable_server(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    breaker = CircuitBreaker()
    unavailable_url = f"postgresql://forecast@127.0.0.1:{free_port()}/any"
    pauses: list[float] = []

    class Clock:
        monotonic = staticmethod(lambda: time.monotonic() + sum(pauses))
        sleep = staticmethod(pauses.append)

    monkeypatch.setattr(postgresql, "time", Clock)
    with pytest.raises(psycopg.OperationalError):
        breaker.connect(unavailable_url)
    assert 0 < sum(pauses) < postgresql.SERVER_RESTART_SECONDS + 2 * postgresql.RESTART_POLL_SECONDS
    before = len(pauses)
    for _ in range(3):
        with pytest.raises(psycopg.OperationalError):
            breaker.connect(unavailable_url)
    assert len(pauses) == before
