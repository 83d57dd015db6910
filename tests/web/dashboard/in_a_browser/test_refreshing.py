"""The pages of monitors refresh themselves, with no more requests than necessary."""

import pytest
from playwright.sync_api import expect
from sqlalchemy import delete

from app.core.database import db
from app.identity.members.models import MemberSession
from app.identity.members.tokens import hash_token
from tests.support.databases import second_application
from tests.support.series import with_a_season
from tests.support.server import Server
from tests.web.dashboard.in_a_browser.member_pages import (
    BUSY,
    CHART_DRAWN,
    REFRESH_PAUSE,
    SHOWN_RANGE,
    CurrentMember,
    open_chart,
    requests_of,
)

pytestmark = pytest.mark.services

HIDE = """isHidden => {
    Object.defineProperty(document, "hidden", {configurable: true, get: () => isHidden});
    document.dispatchEvent(new Event("visibilitychange"));
}"""


def test_a_zoomed_chart_stays_where_it_is_and_a_whole_one_stays_whole(clocked_page, member) -> None:
    page, _watch = clocked_page
    member.monitors.put("growing")
    member.monitors.append("growing", with_a_season(100, period=24), range(102, 2, -1))
    open_chart(page, "growing")
    has_points = "number => document.getElementById('chart').data[0].x.length === number"
    whole = page.locator("#chart").evaluate(SHOWN_RANGE)
    member.monitors.append("growing", [100.0], [2])
    page.clock.fast_forward(REFRESH_PAUSE)
    page.wait_for_function(has_points, arg=101)
    assert page.locator("#chart").evaluate(SHOWN_RANGE)[1] > whole[1]
    page.click("#zoom-in")
    zoomed = page.locator("#chart").evaluate(SHOWN_RANGE)
    member.monitors.append("growing", [100.0], [1])
    page.clock.fast_forward(REFRESH_PAUSE)
    page.wait_for_function(has_points, arg=102)
    assert page.locator("#chart").evaluate(SHOWN_RANGE) == zoomed


def test_an_unchanged_monitor_is_not_fetched_again_and_keeps_open_details(
    clocked_page, member
) -> None:
    page, watch = clocked_page
    member.monitors.put_webhook()
    member.monitors.put("calm", webhook="ops")
    member.monitors.append("calm", with_a_season(100, period=24), range(100, 0, -1))
    open_chart(page, "calm")
    page.click("#deliveries summary")
    with page.expect_response("**/monitors/calm"):
        page.clock.fast_forward(REFRESH_PAUSE)
    expect(page.locator("#refreshed")).to_contain_text("Refreshed at")
    member.monitors.append("calm", [500.0], [0])
    page.clock.fast_forward(REFRESH_PAUSE)
    expect(page.locator("#deliveries tbody")).to_contain_text("event.opened")
    assert requests_of(watch).count("/monitors/calm/chart") == 2
    expect(page.locator("#deliveries summary")).to_be_focused()


def test_a_hidden_page_does_not_refresh_and_does_when_it_is_visible_again(clocked_page) -> None:
    page, watch = clocked_page
    open_chart(page)
    page.evaluate(HIDE, True)
    before = len(watch.urls)
    page.clock.run_for("10:00")
    assert len(watch.urls) == before
    with page.expect_response(f"**{BUSY}"):
        page.evaluate(HIDE, False)
        page.clock.run_for("00:01")


def test_a_service_that_is_unavailable_is_asked_less_and_less_often(clocked_page) -> None:
    page, watch = clocked_page
    open_chart(page)
    page.route(f"**{BUSY}", lambda route: route.abort())
    for pause in (15, 30, 60, 120, 240, 300, 300):
        before = len(watch.urls)
        text = page.locator("#refreshed").text_content()
        page.clock.fast_forward((pause - 3) * 1000)
        assert len(watch.urls) == before
        page.clock.fast_forward(3000)
        expect(page.locator("#refreshed")).not_to_have_text(text)
        assert len(watch.urls) == before + 1
    expect(page.locator("#problem")).to_contain_text("cannot be reached")
    expect(page.locator("#event-list li")).not_to_have_count(0)
    page.unroute(f"**{BUSY}")
    page.clock.fast_forward("05:00")
    expect(page.locator("#refreshed")).to_contain_text("Refreshed at")
    expect(page.locator("#problem")).to_be_hidden()
    watch.forget()


def test_retry_after_delays_the_next_refresh(clocked_page) -> None:
    page, watch = clocked_page
    open_chart(page)
    page.route(f"**{BUSY}", lambda route: route.fulfill(status=429, headers={"Retry-After": "120"}))
    page.clock.fast_forward(REFRESH_PAUSE)
    expect(page.locator("#problem")).to_contain_text("429")
    page.unroute(f"**{BUSY}")
    before = len(watch.urls)
    page.clock.run_for("01:50")
    assert len(watch.urls) == before
    page.clock.fast_forward("00:10")
    expect(page.locator("#problem")).to_be_hidden()
    watch.expect_rejections(429)


def test_a_response_that_cannot_be_shown_is_reported_and_refreshing_continues(clocked_page) -> None:
    page, watch = clocked_page
    open_chart(page)
    page.route(f"**{BUSY}", lambda route: route.fulfill(body="<main></main>"))  # another version
    page.clock.fast_forward(REFRESH_PAUSE)
    expect(page.locator("#problem")).to_contain_text("reload the page")
    expect(page.locator("#refreshed")).to_contain_text("Failed at")
    page.unroute(f"**{BUSY}")
    page.clock.fast_forward("00:30")
    expect(page.locator("#refreshed")).to_contain_text("Refreshed at")
    expect(page.locator("#problem")).to_be_hidden()
    (problem,) = watch.problems
    assert problem.startswith("console error: TypeError")
    watch.forget()


def test_a_new_point_comes_by_itself_and_a_new_state_is_read_out(clocked_page, member) -> None:
    page, _watch = clocked_page
    member.monitors.put("changing")
    member.monitors.append("changing", with_a_season(100, period=24), range(100, 0, -1))
    page.goto("/account/monitors/changing")
    expect(page.locator(CHART_DRAWN)).not_to_have_count(0)
    expect(page.locator("#refreshed")).to_contain_text("Refreshed at")
    member.monitors.append("changing", [500.0], [0])
    page.clock.fast_forward(REFRESH_PAUSE)
    expect(page.locator("#facts")).to_contain_text("101 points")
    expect(page.locator("#numbers tbody tr").first).to_contain_text("500")
    expect(page.locator("#news")).to_have_text("changing is anomalous.")


def test_the_list_is_kept_fresh_and_the_focus_where_it_is(clocked_page, member) -> None:
    page, _watch = clocked_page
    member.monitors.put("listed")
    member.monitors.append("listed", with_a_season(100, period=24), range(100, 0, -1))
    page.goto("/account/monitors")
    expect(page.locator("#refreshed")).to_contain_text("Refreshed at")
    link = page.get_by_role("link", name="listed", exact=True)
    link.focus()
    member.monitors.append("listed", [500.0], [0])
    page.clock.fast_forward(REFRESH_PAUSE)
    expect(page.locator("#news")).to_have_text("listed is anomalous.")
    expect(page.locator("tr", has=link).locator(".state")).to_have_text("anomalous")
    expect(link).to_be_focused()


def test_a_page_whose_session_has_ended_says_so_and_asks_no_more(
    clocked_page, server: Server
) -> None:
    page, watch = clocked_page
    other = CurrentMember.new(server, "eve@example.com")
    other.monitors.put("quiet")
    page.context.add_cookies([other.cookie])
    page.goto("/account/monitors/quiet")
    expect(page.locator("#refreshed")).to_contain_text("Refreshed at")
    with second_application(server.environ["DATABASE_URL"]), db.engine.begin() as connection:
        own = MemberSession.token_hash == hash_token(other.cookie["value"])
        assert connection.execute(delete(MemberSession).where(own)).rowcount == 1
    page.clock.fast_forward(REFRESH_PAUSE)
    expect(page.locator("#problem")).to_contain_text("Your session has ended")
    requests_before = len(watch.urls)
    page.clock.run_for("10:00")
    assert len(watch.urls) == requests_before
