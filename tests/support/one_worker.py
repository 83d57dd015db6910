"""Fixtures of a module: a server with one worker, and a key that may read."""

from collections.abc import Iterator

import pytest

from tests.support.databases import SqliteDatabases
from tests.support.keys import new_key
from tests.support.server import Server, run_server


@pytest.fixture(scope="module")
def server(
    sqlite_databases: SqliteDatabases, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("server")
    with run_server(folder, sqlite_databases.migrated(), WEB_CONCURRENCY="1") as live:
        yield live


@pytest.fixture(scope="module")
def key(server: Server) -> str:
    return new_key(server.environ["DATABASE_URL"])
