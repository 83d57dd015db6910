"""One server, one browser and one page for all tests of the pages: loading takes longest."""

from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from app.web.pages.assets import COLLECTIONS
from tests.support.browser import Watch, chromium, profile, watched_page, watched_profile
from tests.support.databases import SqliteDatabases
from tests.support.keys import new_key
from tests.support.server import Server, run_server
from tests.web.pages.playing import DEFAULT_RATE_STEP, LABELLED, sketch, start_over

LIMIT = "1000000"
SCRIPTS = f"/static/pages/{COLLECTIONS['pages'].version}/playground"


@pytest.fixture(scope="package")
def server(
    sqlite_databases: SqliteDatabases, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    settings = {"ANONYMOUS_PER_MINUTE": LIMIT, "PAGES_PER_MINUTE": LIMIT, "WEB_CONCURRENCY": "1"}
    with run_server(
        tmp_path_factory.mktemp("pages"), sqlite_databases.migrated(), **settings
    ) as live:
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


@pytest.fixture(scope="package")
def shared_page(context: BrowserContext, server: Server) -> Iterator[tuple[Page, Watch]]:
    with watched_page(context, server.url) as pair:
        yield pair


@pytest.fixture
def page_and_watch(shared_page: tuple[Page, Watch]) -> Iterator[tuple[Page, Watch]]:
    page, watch = shared_page
    watch.forget()  # left by the test before
    yield shared_page
    page.unroute_all()
    watch.check()


@pytest.fixture
def page(page_and_watch: tuple[Page, Watch]) -> Page:
    """The page, wherever it is, with nothing kept of what a test before has brought.

    Console and script errors and requests elsewhere fail the test.
    """
    page, _watch = page_and_watch
    if page.locator("#kept").is_visible():
        page.goto("/docs/errors")
        page.evaluate("() => sessionStorage.clear()")
    return page


@pytest.fixture
def watch(page_and_watch: tuple[Page, Watch]) -> Watch:
    return page_and_watch[1]


@pytest.fixture(scope="package")
def script_page(browser: Browser, server: Server) -> Iterator[Page]:
    """A page on which modules of the playground are run by themselves: `import(at("x.js"))`.

    Its profile is its own: a second page would hide the first, which then draws once a second.
    """
    with watched_profile(browser, server.url) as (page, _watch):
        page.goto("/docs/errors")
        page.evaluate("folder => { window.at = name => `${folder}/${name}`; }", SCRIPTS)
        yield page


@pytest.fixture(scope="package")
def live_key(server: Server) -> str:
    """A key of the live service that does not reach its limit."""
    return new_key(server.environ["DATABASE_URL"])


@pytest.fixture
def playground(page_and_watch: tuple[Page, Watch]) -> Page:
    """The playground with its first example and nothing asked yet; the quick model is chosen.

    It draws no picture: a test that looks at one calls `draw`.
    """
    page, _watch = page_and_watch
    if urlsplit(page.url).path != "/":
        page.goto("/")
        expect(page.locator("#status")).to_contain_text("recorded")
    sketch(page)
    start_over(page)
    return page


@pytest.fixture
def anomalies(playground: Page) -> Page:
    """The tab for anomalies with the series that has some, nothing asked yet, the usual rate."""
    playground.click("#tab-anomalies")
    playground.fill("#rate", str(DEFAULT_RATE_STEP))
    playground.select_option("#detect", "all")
    playground.select_option("#direction", "both")
    playground.select_option("#example", label=LABELLED)
    expect(playground.locator("#chart-title")).to_have_text(LABELLED)
    return playground
