"""The field for holidays: a country by its name, remembered, and sent with requests."""

import re
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Request, expect

from tests.support.accessibility import FITS
from tests.support.browser import watched_profile
from tests.support.server import Server
from tests.web.pages.conftest import SCRIPTS
from tests.web.pages.playing import LABELLED, QUICK, code_requests, draw, run, submit

pytestmark = pytest.mark.services

DAILY = "Cash machine withdrawals, daily"
STORED_HOLIDAYS = "() => localStorage.getItem('holidays')"
OFFERED = """() => Object.fromEntries(
    [...document.querySelectorAll("#countries option")].map(each => [each.value, each.label]))"""
TYPED = [
    ("germany", "Germany", "DE"), ("au-vic", "AU-VIC", "AU-VIC"), ("de", "Germany", "DE"),
    ("none", "None", "NONE"),
    ("Turkiye", "Türkiye", "TR"), (" cote d'ivoire ", "Côte d’Ivoire", "CI"),
]  # fmt: skip


@pytest.fixture
def daily_page(playground: Page) -> Page:
    """The playground with a daily series and an empty field for holidays."""
    playground.select_option("#example", label=DAILY)
    expect(playground.locator("#fact-points")).to_have_text("735")
    return playground


def choose(page: Page, typed: str) -> None:
    page.fill("#holidays", typed)
    page.locator("#holidays").blur()


def press(page: Page, key: str, button: str = "#go") -> Request:
    """Press a button; return its request after the response."""
    page.fill("#key", key)
    with page.expect_request(lambda request: request.method == "POST") as sent:
        page.click(button)
    expect(page.locator("#go")).to_be_enabled()
    return sent.value


def test_a_name_or_a_code_as_people_type_it_is_sent_as_its_code(
    daily_page: Page, live_key: str
) -> None:
    for typed, shown, code in TYPED:
        choose(daily_page, typed)
        expect(daily_page.locator("#holidays")).to_have_value(shown)
        expect(daily_page.locator("#holidays-hint")).to_contain_text(f"Sent as {code}")
    assert press(daily_page, live_key).header_value("x-holidays") == code


def test_countries_are_offered_by_name_each_before_its_parts(daily_page: Page) -> None:
    expect(daily_page.get_by_role("combobox", name="Holidays")).to_be_visible()
    offered: dict[str, Any] = daily_page.evaluate(OFFERED)
    assert offered["Austria"] == "AT"
    assert offered["AU-VIC"] == "Australia"
    places = [list(offered).index(name) for name in ("Australia", "AU-ACT", "AU-WA", "Austria")]
    assert places == sorted(places)
    assert "SG-01" not in offered


def test_a_backtest_has_the_holidays_and_is_stale_with_others(
    daily_page: Page, live_key: str
) -> None:
    choose(daily_page, "United Kingdom")
    with daily_page.expect_response("**/backtest") as response:
        assert press(daily_page, live_key, "#backtest").header_value("x-holidays") == "GB"
    figures = response.value.json()
    expect(daily_page.locator("#backtest-result")).to_be_visible()
    choose(daily_page, "")
    expect(daily_page.locator("#backtest-stale")).to_be_visible()
    daily_page.route("**/backtest", lambda route: route.fulfill(json=figures))
    assert press(daily_page, live_key, "#backtest").header_value("x-holidays") is None


def test_a_forecast_without_holidays_sends_none_and_is_stale_with_some(
    daily_page, live_key
) -> None:
    assert press(daily_page, live_key).header_value("x-holidays") is None
    assert daily_page.evaluate(STORED_HOLIDAYS) is None
    expect(daily_page.locator("#sentence")).not_to_be_empty()
    for typed, stale in (("GB-ENG", True), ("", False), ("gb", True)):
        choose(daily_page, typed)
        expect(daily_page.locator("#stale")).to_be_visible(visible=stale)
    submit(daily_page, live_key)
    expect(daily_page.locator("#stale")).to_be_hidden()
    expect(daily_page.locator("#legend .notice")).to_contain_text("holidays of GB")


def test_a_known_choice_is_remembered_until_it_is_undone(daily_page: Page) -> None:
    choose(daily_page, "Australia")
    assert daily_page.evaluate(STORED_HOLIDAYS) == "AU"
    daily_page.reload()
    daily_page.select_option("#example", label=DAILY)
    expect(daily_page.locator("#holidays")).to_have_value("Australia")
    choose(daily_page, "Atlantis")
    assert daily_page.evaluate(STORED_HOLIDAYS) == "AU"
    choose(daily_page, "")
    assert daily_page.evaluate(STORED_HOLIDAYS) is None


def test_the_choice_is_used_for_days_and_hours_only(daily_page: Page, live_key: str) -> None:
    choose(daily_page, "Germany")
    daily_page.select_option("#example", index=0)
    expect(daily_page.locator("#fact-frequency")).to_have_text("Monthly")
    expect(daily_page.locator("#holidays")).to_be_hidden()
    assert press(daily_page, live_key).header_value("x-holidays") is None
    daily_page.select_option("#example", label=LABELLED)
    expect(daily_page.locator("#fact-frequency")).to_have_text("Hours")
    expect(daily_page.locator("#holidays")).to_have_value("Germany")
    assert press(daily_page, live_key).header_value("x-holidays") == "DE"
    daily_page.click("#tab-anomalies")
    expect(daily_page.locator("#holidays")).to_be_hidden()
    assert press(daily_page, live_key).header_value("x-holidays") is None


def test_a_rejected_country_is_reported_beside_the_field(daily_page: Page, live_key, watch) -> None:
    for button in ("#go", "#backtest"):
        choose(daily_page, "AU-VIK")
        press(daily_page, live_key, button)
        watch.expect_rejections(422)
        expect(daily_page.locator("#holidays-error")).to_contain_text("did you mean AU-VIC?")
        expect(daily_page.locator("#holidays")).to_be_focused()
        expect(daily_page.locator("#holidays")).to_have_attribute("aria-invalid", "true")
        choose(daily_page, "AU-VIC")
        expect(daily_page.locator("#holidays-error")).to_be_empty()


def test_a_country_that_no_header_can_carry_is_reported_without_a_request(
    daily_page: Page, live_key, watch
) -> None:
    error = daily_page.locator("#holidays-error")
    for typed in ("日本国", '$(date)"', "D\\E"):
        choose(daily_page, typed)
        expect(error).to_be_empty()
        submit(daily_page, live_key)
        expect(error).to_contain_text("No country of this name is known.")
        assert typed not in daily_page.locator("#code").inner_text()
    assert not [url for url in watch.urls if url.endswith("/forecast")]


def test_the_code_has_the_holidays_and_runs(daily_page: Page, live_key: str) -> None:
    choose(daily_page, "Australia")
    snippets = code_requests(daily_page)
    for snippet in snippets.values():
        assert re.search("holidays\\W+AU\\b", snippet, re.IGNORECASE)
        assert QUICK in snippet
    for language, printed in run(snippets, live_key):
        assert len(re.findall(rb"\d{4}-\d\d-\d\d", printed)) >= 28, language


def test_the_field_is_used_with_only_the_keyboard(daily_page: Page, live_key: str) -> None:
    daily_page.fill("#key", live_key)
    daily_page.focus("#confidence")
    daily_page.keyboard.press("Tab")
    expect(daily_page.locator("#holidays")).to_be_focused()
    daily_page.keyboard.type("ireland")
    with daily_page.expect_request("**/forecast") as sent:
        daily_page.keyboard.press("Enter")
    assert sent.value.header_value("x-holidays") == "IE"
    expect(daily_page.locator("#go")).to_be_enabled()


def test_the_field_fits_on_a_narrow_phone_and_moves_nothing_below_it(daily_page: Page) -> None:
    draw(daily_page)
    usual = daily_page.viewport_size
    daily_page.set_viewport_size({"width": 360, "height": 740})
    places = set()
    for typed in ("", "Germany", "Singapore"):
        choose(daily_page, typed)
        daily_page.wait_for_function(FITS)  # once the chart is drawn anew
        places.add(daily_page.locator("#models").evaluate("models => models.offsetTop"))
    daily_page.set_viewport_size(usual)
    assert len(places) == 1


def test_a_country_may_be_typed_as_the_language_of_the_browser_has_it(
    browser: Browser, server: Server
) -> None:
    find = """async script => {
        const { CountryNames } = await import(script);
        const names = new CountryNames("AT DE -BY");
        const typed = ["Deutschland", "germany", "Österreich", "DE-BY", "Frankreich"];
        return typed.map((name) => names.codeOf(name));
    }"""
    with watched_profile(browser, server.url, locale="de-DE") as (page, _watch):
        page.goto("/docs/errors")
        codes = page.evaluate(find, f"{SCRIPTS}/country-names.js")
    assert codes == ["DE", "DE", "AT", "DE-BY", None]
