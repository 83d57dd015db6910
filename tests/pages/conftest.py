"""One server and one browser for all tests of the pages; each test has a page of its own."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.pages.playing import QUICK
from tests.support.browser import Watch, chromium, profile, watched_page
from tests.support.databases import SqliteDatabases
from tests.support.keys import mint
from tests.support.server import Server, serving

PLENTY = "1000000"


@pytest.fixture(scope="package")
def server(
    sqlite_databases: SqliteDatabases, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    settings = {"ANONYMOUS_PER_MINUTE": PLENTY, "PAGES_PER_MINUTE": PLENTY, "WEB_CONCURRENCY": "1"}
    with serving(tmp_path_factory.mktemp("pages"), sqlite_databases.migrated(), **settings) as live:
        yield live


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    with chromium() as running:
        yield running


@pytest.fixture(scope="package")
def context(browser: Browser, server: Server) -> Iterator[BrowserContext]:
    """A profile for all tests, so that the scripts of the pages are loaded and compiled once."""
    with profile(browser, server.url, viewport={"width": 1280, "height": 900}) as shared:
        yield shared


@pytest.fixture
def watched(context: BrowserContext, server: Server) -> Iterator[tuple[Page, Watch]]:
    with watched_page(context, server.url) as both:
        yield both


@pytest.fixture
def page(watched: tuple[Page, Watch]) -> Page:
    """An empty page; console errors, script errors and requests elsewhere fail the test."""
    return watched[0]


@pytest.fixture
def watch(watched: tuple[Page, Watch]) -> Watch:
    return watched[1]


@pytest.fixture(scope="package")
def live_key(server: Server) -> str:
    """A key of the live service that no test uses up."""
    return mint(server.environ["DATABASE_URL"])


@pytest.fixture
def playground(page: Page) -> Page:
    """The page with its first example, asking the quick model alone."""
    page.goto("/")
    expect(page.locator("#chart .scatterlayer .trace")).to_have_count(1)
    page.uncheck("#forecast-model-1")
    page.check(f"#{QUICK}")
    return page
