"""The interactive API reference at /docs in a real browser: "try it" works with a pasted key."""

import pytest
from playwright.sync_api import Locator, Page, expect

from app.forecasting.model_ids import MODEL_IDS
from tests.support.browser import Watch
from tests.web.pages.playing import QUICK

pytestmark = pytest.mark.services

FORECAST = "/docs#tag/forecasting/POST/forecast"
METHODS = {"get", "post", "put", "patch", "delete"}
SHOWN_TEXT = "() => document.body.innerText"
STORED_DATA = """async () => JSON.stringify(
    [{...localStorage}, {...sessionStorage}, document.cookie, await indexedDB.databases()])"""


@pytest.fixture
def docs(page: Page) -> Page:
    """The reference at POST /forecast, shared by tests: drawing it takes seconds."""
    if not page.url.endswith(FORECAST):
        page.goto(FORECAST)
    expect(request_of(page)).to_be_in_viewport()
    return page


def request_of(docs: Page) -> Locator:
    """Return the card with the code of POST /forecast."""
    return docs.locator("section[id$='POST/forecast'] .request-card")


def test_every_operation_is_in_the_navigation_immediately(docs: Page) -> None:
    document = docs.evaluate("async () => (await fetch('/openapi.json')).json()")
    wanted = {
        f"#tag/{operation['tags'][0].lower().replace(' ', '-')}/{method.upper()}{path}"
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
        if method in METHODS
    }
    links = docs.locator("aside a[href^='#tag/']:visible").evaluate_all(
        "(links) => links.map((link) => link.getAttribute('href'))"
    )
    assert {link for link in links if link.count("/") > 1} == wanted


def test_the_code_beside_the_text_is_whole_and_has_no_deprecated_header(docs: Page) -> None:
    card = request_of(docs)
    expect(card).to_contain_text("X-Model-Id: forecast-model-1")
    assert "X-Model-Selector" not in card.inner_text()
    cut = "(code) => [...code].filter((one) => one.scrollWidth > one.clientWidth).length"
    assert docs.locator(".markdown pre code, .request-card .custom-scroll").evaluate_all(cut) == 0
    text = docs.get_by_role("heading", name="Forecast one time series").bounding_box()
    card_box = card.bounding_box()
    assert text
    assert card_box
    assert card_box["x"] > text["x"] + text["width"]


def test_one_font_is_on_the_page_and_one_for_code(docs: Page) -> None:
    families = docs.evaluate(
        """() => [...new Set([...document.querySelectorAll("body *")]
            .filter((one) => one.checkVisibility() && one.innerText?.trim())
            .map((one) => getComputedStyle(one).fontFamily))]"""
    )
    assert len(families) == 2


def test_the_document_follows_the_theme_of_the_page(docs: Page) -> None:
    before = docs.locator("aside").evaluate("(one) => getComputedStyle(one).backgroundColor")
    docs.click("#theme")
    expect(docs.locator("aside")).not_to_have_css("background-color", before)
    docs.click("#theme")
    expect(docs.locator("aside")).to_have_css("background-color", before)


def test_the_header_of_the_site_stays_on_top(docs: Page) -> None:
    assert docs.evaluate("() => scrollY") > 0
    expect(docs.get_by_role("link", name="Playground")).to_be_in_viewport()


def test_a_forecast_can_be_tried_and_the_key_is_nowhere_to_be_seen(
    docs: Page, live_key: str, watch: Watch
) -> None:
    docs.get_by_placeholder("Token").fill(live_key)
    expect(request_of(docs)).to_contain_text("Authorization: Bearer")
    request_of(docs).get_by_role("button", name="Test Request").click()
    dialog = docs.get_by_role("dialog")
    dialog.get_by_role("button", name=MODEL_IDS[0]).click()
    docs.get_by_role("menuitem", name=QUICK).click()
    with docs.expect_response("**/forecast") as sent:
        dialog.get_by_role("button", name="Send post request").click()
    assert sent.value.status == 200
    assert sent.value.request.headers["x-model-id"] == QUICK
    dialog.get_by_role("button", name="Request Headers").click()
    expect(dialog.get_by_role("row", name="authorization")).to_be_visible()
    response = dialog.get_by_role("region", name="Response", exact=True)
    expect(response).to_contain_text("upper_bound")
    assert live_key not in docs.evaluate(SHOWN_TEXT)
    assert live_key not in docs.evaluate(STORED_DATA) + docs.url
    assert not any(live_key in url for url in watch.urls)
