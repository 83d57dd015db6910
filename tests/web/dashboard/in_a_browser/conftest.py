"""A live dashboard, and a browser that ends before other tests, as it has an event loop."""

from collections.abc import Iterator

import playwright.sync_api
import pytest
from playwright.sync_api import Page

from tests.support.browser import Watch, chromium, profile, watched_page
from tests.support.databases import SqliteDatabases
from tests.support.server import Server, run_server
from tests.web.dashboard.in_a_browser.member_pages import CurrentMember

LIMIT = "1000000"
LOOPBACK = "127.0.0.0/8"


@pytest.fixture(scope="package")
def server(
    sqlite_databases: SqliteDatabases, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    """The service for tests in a browser; sources on this machine are allowed."""
    settings = {"ANONYMOUS_PER_MINUTE": LIMIT, "PAGES_PER_MINUTE": LIMIT, "WEB_CONCURRENCY": "1"}
    settings["SOURCE_ALLOWED_NETWORKS"] = LOOPBACK
    folder = tmp_path_factory.mktemp("dashboard")
    with run_server(folder, sqlite_databases.migrated(), **settings) as live:
        yield live


@pytest.fixture(scope="package")
def browser() -> Iterator[playwright.sync_api.Browser]:
    """Chromium."""
    with chromium() as running:
        yield running


@pytest.fixture(scope="package")
def member(server: Server) -> CurrentMember:
    signed_in = CurrentMember.new(server, "ada@example.com")
    signed_in.monitors.fill()
    return signed_in


@pytest.fixture(scope="package")
def own_page(browser: playwright.sync_api.Browser, server: Server) -> Iterator[tuple[Page, Watch]]:
    """A page for all tests: a new one would load and compile the scripts of the chart again."""
    with profile(browser, server.url) as context, watched_page(context, server.url) as pair:
        context.clock.install()
        yield pair


@pytest.fixture
def clocked_page(
    own_page: tuple[Page, Watch], member: CurrentMember
) -> Iterator[tuple[Page, Watch]]:
    """A page of the member whose clock is moved by tests."""
    page, watch = own_page
    page.goto("about:blank")  # stops the requests of the page before
    page.context.add_cookies([member.cookie])
    watch.forget()
    yield own_page
    page.unroute_all()
    watch.check()
