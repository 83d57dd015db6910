"""The tabs of the playground: chosen by pointer, keys and address; each has its own responses."""

import pytest
from playwright.sync_api import Page, Route, expect

from tests.support.browser import Watch
from tests.web.pages.detecting import ENDPOINT, detect, flags, requests_of, trace
from tests.web.pages.playing import submit

pytestmark = pytest.mark.services


def test_tabs_keep_the_data_and_their_own_responses(anomalies, live_key, watch: Watch) -> None:
    response = detect(anomalies, live_key)
    anomalies.click("#tab-forecast")
    expect(anomalies.locator("#fact-points")).to_have_text("840")
    expect(anomalies.locator("#happened")).to_be_hidden()
    expect(anomalies.locator("#rate")).to_be_hidden()
    expect(anomalies.locator("#code")).to_contain_text("/forecast")
    assert trace(anomalies, "Flagged") is None
    submit(anomalies, live_key)
    expect(anomalies.locator("#numbers")).to_be_visible()
    assert len(trace(anomalies, "Fast")["x"]) == 48
    anomalies.click("#tab-anomalies")
    expect(anomalies.locator("#happened")).to_be_visible()
    assert flags(anomalies) == sum(response["is_anomaly"])
    assert requests_of(watch) == 1


def test_a_response_that_comes_in_another_tab_is_not_drawn_there(anomalies, live_key) -> None:
    held: list[Route] = []

    def block(route: Route) -> None:
        held.append(route)

    anomalies.route(ENDPOINT, block)
    anomalies.fill("#key", live_key)
    with anomalies.expect_request(ENDPOINT):
        anomalies.click("#go")
    expect(anomalies.locator("#status")).to_have_text("Looking for anomalies …")
    anomalies.click("#tab-forecast")
    held.pop().continue_()
    expect(anomalies.locator("#go")).to_be_enabled()
    expect(anomalies.locator("#numbers")).to_be_hidden()
    assert trace(anomalies, "Expected") is None


def test_tabs_are_chosen_by_keys_and_by_the_address(page: Page) -> None:
    page.goto("about:blank")
    page.goto("/#anomalies")
    tabs = [page.get_by_role("tab", name=name) for name in ("Forecast", "Anomalies")]
    expect(tabs[1]).to_have_attribute("aria-selected", "true")
    expect(page.get_by_role("tabpanel")).to_have_accessible_name("Anomalies")
    expect(page.locator("#fact-points")).to_have_text("840")  # the series that shows something
    tabs[1].focus()
    for key, chosen in (("ArrowRight", 0), ("ArrowLeft", 1), ("Home", 0), ("End", 1)):
        page.keyboard.press(key)
        expect(tabs[chosen]).to_be_focused()
        expect(tabs[chosen]).to_have_attribute("aria-selected", "true")
        expect(tabs[1 - chosen]).to_have_attribute("aria-selected", "false")
    assert page.url.endswith("/#anomalies")
    page.evaluate("() => { location.hash = 'forecast'; }")
    expect(tabs[0]).to_have_attribute("aria-selected", "true")
    expect(page.locator("#horizon")).to_be_visible()
    page.keyboard.press("Tab")
    page.evaluate("() => { location.hash = 'main'; }")  # as "Skip to content" does
    expect(tabs[0]).to_have_attribute("aria-selected", "true")
