"""A live dashboard, and a browser that ends before other tests: its event loop would be theirs."""

from collections.abc import Iterator

import playwright.sync_api
import pytest

from tests.support.browser import chromium
from tests.support.databases import SqliteDatabases
from tests.support.server import Server, serving

PLENTY = "1000000"
LOOPBACK = "127.0.0.0/8"


@pytest.fixture(scope="package")
def server(
    sqlite_databases: SqliteDatabases, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    """The service for the tests in a browser; sources on this machine may be asked."""
    settings = {"ANONYMOUS_PER_MINUTE": PLENTY, "PAGES_PER_MINUTE": PLENTY, "WEB_CONCURRENCY": "1"}
    settings["SOURCE_ALLOWED_NETWORKS"] = LOOPBACK
    folder = tmp_path_factory.mktemp("dashboard")
    with serving(folder, sqlite_databases.migrated(), **settings) as live:
        yield live


@pytest.fixture(scope="package")
def browser() -> Iterator[playwright.sync_api.Browser]:
    """Chromium."""
    with chromium() as running:
        yield running
