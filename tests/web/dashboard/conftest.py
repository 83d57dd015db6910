"""Clients of the dashboard, and a live one in a browser."""

from collections.abc import Iterator

import playwright.sync_api
import pytest
from flask import Flask

from app.watching.monitors import clock
from app.watching.sources.source_records import SourceSettings
from tests.support.browser import chromium
from tests.support.databases import SqliteDatabases
from tests.support.fake_prometheus import FakePrometheus, fake_prometheus
from tests.support.keys import ACTOR
from tests.support.members import Browser, sign_in
from tests.support.server import Server, serving
from tests.support.watching import put_source
from tests.web.dashboard.source_pages import NAME

PLENTY = "1000000"
LOOPBACK = "127.0.0.0/8"


@pytest.fixture
def has_dashboard() -> bool:
    return True


@pytest.fixture
def admin(app: Flask) -> Browser:
    """A signed-in admin of the default account."""
    return sign_in(app)


@pytest.fixture
def viewer(app: Flask) -> Browser:
    """A signed-in viewer of the default account."""
    return sign_in(app, "vic@example.com", "viewer")


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


@pytest.fixture
def prometheus(app: Flask) -> Iterator[FakePrometheus]:
    with fake_prometheus(lambda: clock.current_time().timestamp()) as fake, app.app_context():
        yield fake


@pytest.fixture
def prod(prometheus: FakePrometheus) -> FakePrometheus:
    """The server, as the source ``prod``."""
    put_source(ACTOR, 1, NAME, SourceSettings(prometheus.url, None, None, []))
    return prometheus
