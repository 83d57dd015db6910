"""One service on a Unix socket behind one nginx, for all tests that break neither."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.certificates import RSA, make_certificate
from tests.support.databases import SqliteDatabases
from tests.support.edge import Edge, edge
from tests.support.keys import new_key
from tests.support.server import Server, run_server

IMPATIENCE_SECONDS = 3  # longer than a busy machine pauses, which would end a handshake too


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test here as one that needs the real nginx."""
    folder = str(Path(__file__).parent) + os.sep
    for item in items:
        if str(item.path).startswith(folder):
            item.add_marker(pytest.mark.services)


@pytest.fixture(scope="session")
def gunicorn_socket(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The socket of the shared service, in the spelling of render.py and gunicorn."""
    return f"unix:{tmp_path_factory.mktemp('socket')}/gunicorn.sock"


@pytest.fixture(scope="session")
def service(
    tmp_path_factory: pytest.TempPathFactory,
    sqlite_databases: SqliteDatabases,
    gunicorn_socket: str,
) -> Iterator[Server]:
    """The shared service, whose proxy is trusted."""
    settings = {"BIND": gunicorn_socket, "TRUSTED_PROXIES": "1", "WEB_CONCURRENCY": "1"}
    folder = tmp_path_factory.mktemp("service")
    with run_server(folder, sqlite_databases.migrated(), **settings) as server:
        yield server


@pytest.fixture(scope="session")
def site(
    tmp_path_factory: pytest.TempPathFactory, service: Server, gunicorn_socket: str
) -> Iterator[Edge]:
    """nginx in front of the shared service, with its default timeouts and an RSA key."""
    folder = tmp_path_factory.mktemp("nginx")
    certificate, key = make_certificate(folder, algorithm=RSA)
    names = ["localhost", "127.0.0.1", "forecast.example.com"]  # the last as in the documents
    options = {"certificate": str(certificate), "key": str(key), "server_name": names}
    with edge(folder, gunicorn_socket, **options) as running:
        yield running


@pytest.fixture(scope="session")
def impatient_edge(
    tmp_path_factory: pytest.TempPathFactory, service: Server, gunicorn_socket: str
) -> Iterator[Edge]:
    """nginx in front of the shared service with short timeouts, for tests that wait for them."""
    times = dict.fromkeys(("client_timeout", "read_timeout"), str(IMPATIENCE_SECONDS))
    with edge(tmp_path_factory.mktemp("impatient"), gunicorn_socket, **times) as running:
        yield running


@pytest.fixture(scope="session")
def key(service: Server) -> str:
    """A key of the shared service with the permission to read and no limit."""
    return new_key(service.environ["DATABASE_URL"])
