"""axe finds nothing wrong with any page: desk and phone, light and dark, busy and in trouble.

Nor is any wider than the screen. Each page is used on a phone; other tests use it at the desk.
"""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.support.accessibility import PHONE, violations
from tests.support.browser import watched_profile
from tests.support.server import Server
from tests.web.pages.playing import LABELLED, wide_table

pytestmark = pytest.mark.services

Visit = Callable[[str], Page]


@pytest.fixture(scope="module")
def visit(browser: Browser, server: Server) -> Iterator[Visit]:
    """Opens a page on a phone."""
    with watched_profile(browser, server.url, **PHONE) as (page, watch):

        def visit(path: str) -> Page:
            watch.rejections.clear()  # provoked by the page before
            page.goto(path)
            return page

        yield visit
        watch.rejections.clear()


def test_axe_finds_nothing_with_two_forecasts_and_a_backtest_then_stale(
    visit: Visit, live_key: str
) -> None:
    page = visit("/")
    page.check("#forecast-model-2")
    page.fill("#key", live_key)
    page.click("#go")
    expect(page.locator("#legend li")).to_have_count(4)
    expect(page.locator("#go")).to_be_enabled()
    page.click("#backtest")
    expect(page.locator("#backtest-result")).to_be_visible()
    page.get_by_role("button", name="Hide Fast").click()
    expect(page.locator("#legend .dimmed")).to_have_count(1)
    assert violations(page) == []
    page.fill("#horizon", "3")
    page.locator("#horizon").blur()
    expect(page.locator("#backtest-stale")).to_be_visible()
    assert violations(page, "#result") == []


def test_axe_finds_nothing_with_several_series(visit: Visit, live_key: str) -> None:
    page = visit("/")
    page.fill(
        "#text", wide_table([f"Store {number}" for number in range(1, 30)], 24, ("Store 2", 9))
    )
    page.click("#choice-count")
    page.click("#choice-none")
    for name in ("Store 1", "Store 2"):
        page.get_by_role("checkbox", name=name, exact=True).check()
    page.fill("#key", live_key)
    page.click("#forecast-all")
    expect(page.locator("#several-list .ahead")).to_have_count(1)
    expect(page.locator("#go")).to_be_enabled()
    assert violations(page, "#several") == []


def test_axe_finds_nothing_on_the_anomalies_tab_with_events(visit: Visit, live_key: str) -> None:
    page = visit("/#anomalies")
    page.select_option("#example", label=LABELLED)
    expect(page.locator("#chart-title")).to_have_text(LABELLED)
    page.fill("#key", live_key)
    page.click("#go")
    expect(page.locator("#event-list li")).not_to_have_count(0)
    expect(page.locator("#change-list li")).not_to_have_count(0)
    assert violations(page) == []


def test_axe_finds_nothing_with_errors_and_notes(visit: Visit, live_key: str) -> None:
    page = visit("/")
    page.select_option("#example", label="Cash machine withdrawals, daily")
    expect(page.locator("#fact-points")).to_have_text("735")
    page.fill("#horizon", "0")
    page.fill("#holidays", "D\\E")
    page.fill("#key", live_key)
    page.click("#go")
    expect(page.locator("#horizon-error p")).to_have_count(1)
    expect(page.locator("#holidays-error p")).to_have_count(1)
    assert violations(page, "#form") == []
    page.fill("#text", "1/2/2024,1\n1/3/2024,x\n2/5/2024,2\n2/6/2024,3\n2/6/2024,3")
    expect(page.locator("#notes li")).not_to_have_count(0)
    page.click("#go")
    expect(page.locator("#text-error p")).not_to_have_count(0)
    expect(page.locator("#notes li")).not_to_have_count(0)
    expect(page.locator(".question.asks")).to_have_count(1)
    assert violations(page) == []


def test_axe_finds_nothing_on_the_list_of_errors(visit: Visit) -> None:
    page = visit("/docs/errors#limit-used-up")
    page.fill("#query", "429")
    expect(page.locator("#hits")).to_contain_text(" of ")
    assert violations(page) == []


def test_axe_finds_nothing_in_the_document_with_one_endpoint(visit: Visit) -> None:
    """The dialog of "try it" is left out: Scalar's own roles there are not ours to put right."""
    page = visit("/docs/errors")
    page.route("**/openapi.json", _shorten)
    page.goto("/docs#tag/forecasting/POST/forecast")
    expect(page.get_by_role("button", name="Test Request")).to_be_visible()
    assert violations(page) == []


def _shorten(route: Route) -> None:
    """Keep one endpoint: all look alike, and axe takes half a second for each."""
    document = route.fetch().json()
    document["paths"] = {"/forecast": document["paths"]["/forecast"]}
    document["tags"] = document["tags"][:1]
    document["info"]["description"] = document["info"]["description"].partition("## Keys")[0]
    route.fulfill(json=document)
