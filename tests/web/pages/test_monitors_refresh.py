"""How the page of monitors refreshes: by a clock that the tests turn, against the live service."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.support.browser import Watch, profile, watched_page
from tests.support.keys import mint
from tests.support.series import with_a_season
from tests.support.server import Server
from tests.web.pages.watching import Fed, requests_of, watch_monitors

pytestmark = pytest.mark.services

EVERY = "00:15"
HIDE = """isHidden => {
    Object.defineProperty(document, "hidden", {configurable: true, get: () => isHidden});
    document.dispatchEvent(new Event("visibilitychange"));
}"""
Watched = tuple[Page, Watch]


@pytest.fixture(scope="module")
def fed(server: Server) -> Fed:
    monitors = Fed.new(server)
    monitors.put("calm")
    monitors.append("calm", with_a_season(100, period=24), range(200, 100, -1))
    return monitors


@pytest.fixture(scope="module")
def clocks(browser: Browser, server: Server) -> Iterator[BrowserContext]:
    """A profile for all tests, so that the scripts are loaded and compiled once."""
    with profile(browser, server.url) as context:
        yield context


@pytest.fixture
def clocked(clocks: BrowserContext, server: Server) -> Iterator[Watched]:
    """A page whose clock stands still until a test turns it."""
    with watched_page(clocks, server.url) as (page, watch):
        page.clock.install()
        yield page, watch


def turn(page: Page, time: str = EVERY) -> None:
    """Let time pass for the page, and wait until what it asks then is answered."""
    with page.expect_response("**/monitors") as answer:
        page.clock.fast_forward(time)
    answer.value.finished()


def asked(watch: Watch) -> int:
    """How often the page asked for the list."""
    return requests_of(watch).count("")


def test_what_has_changed_comes_by_itself_and_is_read_out(clocked: Watched, fed: Fed) -> None:
    page, watch = clocked
    fed.put("changing")
    fed.append("changing", with_a_season(100, period=24), range(100, 0, -1))
    watch_monitors(page, fed.key, "changing")
    expect(page.locator("#fact-points")).to_have_text("100 points")
    expect(page.locator("#chart .scatterlayer .trace")).not_to_have_count(0)
    state = page.locator("#monitor-state").text_content()
    fed.append("changing", [500.0], [0])
    turn(page)
    expect(page.locator("#fact-points")).to_have_text("101 points")
    expect(page.locator("#table tbody tr").first).to_contain_text("500")
    expect(page.locator("#monitor-state")).not_to_have_text(state)
    expect(page.locator("#news")).to_have_text("changing is anomalous.")
    turn(page)
    expect(page.locator("#refreshed")).to_contain_text("Refreshed at")
    assert len(requests_of(watch)) == 3 + 3 + 1  # what has not changed is not asked for again


def test_a_zoomed_chart_stays_where_it_is_and_a_whole_one_stays_whole(clocked, fed: Fed) -> None:
    page, _watch = clocked
    fed.put("growing")
    fed.append("growing", with_a_season(100, period=24), range(102, 2, -1))
    watch_monitors(page, fed.key, "growing")
    expect(page.locator("#chart .scatterlayer .trace")).not_to_have_count(0)
    shown = "chart => chart.layout.xaxis.range"
    newest = "chart => chart.data[0].x.length"
    whole = page.locator("#chart").evaluate(shown)
    fed.append("growing", [100.0], [2])
    turn(page)
    page.wait_for_function("() => document.getElementById('chart').data[0].x.length === 101")
    assert page.locator("#chart").evaluate(shown)[1] > whole[1]
    page.click("#zoom-in")
    zoomed = page.locator("#chart").evaluate(shown)
    fed.append("growing", [100.0], [1])
    turn(page)
    page.wait_for_function("() => document.getElementById('chart').data[0].x.length === 102")
    assert page.locator("#chart").evaluate(newest) == 102
    assert page.locator("#chart").evaluate(shown) == zoomed


def test_a_hidden_page_does_not_ask_and_asks_when_it_is_seen_again(clocked, fed: Fed) -> None:
    page, watch = clocked
    watch_monitors(page, fed.key)
    page.evaluate(HIDE, True)
    page.clock.run_for("10:00")
    assert asked(watch) == 1
    with page.expect_response("**/monitors"):
        page.evaluate(HIDE, False)
        page.clock.run_for("00:01")
    assert asked(watch) == 2


def test_a_limit_that_is_used_up_is_waited_for(clocked: Watched, server: Server) -> None:
    page, watch = clocked
    key = mint(server.environ["DATABASE_URL"], per_minute=1)
    watch_monitors(page, key)
    turn(page)
    expect(page.locator("#key-error")).to_contain_text("is used up until")
    expect(page.locator("#refreshed")).to_contain_text("next try at")
    watch.expect_refusals(429)


def test_retry_after_is_kept_and_the_focus_stays(clocked: Watched, fed: Fed) -> None:
    page, watch = clocked
    watch_monitors(page, fed.key, "calm")
    expect(page.locator("#monitor-name")).to_have_text("calm")
    page.focus('#monitor-list a[href="#calm"]')
    busy = {"error": {"code": "X", "message": "Busy", "details": {"issue": "wait"}}}
    page.route(
        "**/monitors",
        lambda route: route.fulfill(status=503, json=busy, headers={"Retry-After": "120"}),
    )
    turn(page)
    expect(page.locator("#form-error")).to_have_text("Busy: wait")
    expect(page.locator("#refreshed")).to_contain_text("Failed at")
    expect(page.locator("#monitor-name")).to_have_text("calm")  # what was there is still shown
    page.unroute("**/monitors")
    page.clock.run_for("01:50")
    assert asked(watch) == 2
    turn(page, "00:10")
    expect(page.locator("#refreshed")).to_contain_text("Refreshed at")
    expect(page.locator("#form-error")).to_be_empty()
    expect(page.locator('#monitor-list a[href="#calm"]')).to_be_focused()
    watch.expect_refusals(503)


def test_a_service_that_is_away_is_asked_more_and_more_seldom(clocked, fed: Fed) -> None:
    page, watch = clocked
    watch_monitors(page, fed.key)
    page.route("**/monitors", lambda route: route.abort())
    for pause in (15, 30, 60, 120, 240, 300, 300):
        before = asked(watch)
        told = page.locator("#refreshed").text_content()
        page.clock.fast_forward((pause - 3) * 1000)
        assert asked(watch) == before
        page.clock.fast_forward(3000)
        expect(page.locator("#refreshed")).not_to_have_text(told)
        assert asked(watch) == before + 1
    expect(page.locator("#form-error p")).to_have_count(1)
    expect(page.locator("#form-error")).to_contain_text("cannot be reached")
    page.unroute("**/monitors")
    turn(page, "05:00")
    expect(page.locator("#refreshed")).to_contain_text("Refreshed at")
    watch.forget()


def test_after_a_refusal_of_the_key_nothing_more_is_asked(clocked, server, fed: Fed) -> None:
    page, watch = clocked
    account_key = mint(server.environ["DATABASE_URL"])
    watch_monitors(page, account_key)
    refused = {"error": {"code": "X", "message": "No", "details": {"issue": "revoked"}}}
    page.route("**/monitors", lambda route: route.fulfill(status=401, json=refused))
    turn(page)
    expect(page.locator("#refreshed")).to_contain_text("Refused at")
    page.clock.run_for("10:00")
    assert asked(watch) == 2
    watch.expect_refusals(401)
