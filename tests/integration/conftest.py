"""Fixtures of modules with a running service."""

from collections.abc import Iterator

import pytest

from tests.support.databases import SqliteDatabases
from tests.support.server import Server, run_server


@pytest.fixture(scope="module")
def server(
    request: pytest.FixtureRequest,
    sqlite_databases: SqliteDatabases,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Server]:
    """The service for one module, with that module's ``SETTINGS``."""
    folder = tmp_path_factory.mktemp("server")
    with run_server(folder, sqlite_databases.migrated(), **request.module.SETTINGS) as running:
        yield running
