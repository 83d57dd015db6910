"""Monitors and audit of the dashboard in a real browser: the chart, what refreshes, axe."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import Browser, Page, expect
from sqlalchemy import delete
from sqlalchemy.orm import Session

from app.core.database import db
from app.identity.accounts.models import Account
from app.identity.members.models import MemberSession
from app.identity.members.tokens import hash_token
from app.web.dashboard.cookies import SESSION
from tests.support.accessibility import PHONE, violations
from tests.support.browser import Watch, profile, watched_page
from tests.support.databases import beside
from tests.support.keys import stored
from tests.support.members import browser_of, make_member
from tests.support.series import with_a_season
from tests.support.server import Server
from tests.web.pages.detecting import trace
from tests.web.pages.watching import Fed

pytestmark = pytest.mark.services

EVERY = "00:15"
BUSY = "/account/monitors/checkout-errors"


@dataclass(frozen=True)
class SignedIn:
    """An account with monitors, and the cookie of a viewer of it."""

    fed: Fed
    cookie: dict[str, str]

    @classmethod
    def new(cls, server: Server, email: str) -> "SignedIn":
        fed, url = Fed.new(server), server.environ["DATABASE_URL"]
        account_id = stored(url, fed.key).account_id
        with beside(url, account_dashboard=True) as app:
            with Session(db.engine) as session:
                account = session.get_one(Account, account_id).name
            token = browser_of(app, make_member(app, email, "viewer", account)).token
        return cls(fed, {"name": SESSION, "value": token, "url": server.url})


@pytest.fixture(scope="module")
def member(server: Server) -> SignedIn:
    signed_in = SignedIn.new(server, "ada@example.com")
    signed_in.fed.fill()
    return signed_in


@pytest.fixture
def clocked(browser: Browser, server: Server, member: SignedIn) -> Iterator[tuple[Page, Watch]]:
    """A page of the member whose clock stands still until a test turns it."""
    with (
        profile(browser, server.url) as context,
        watched_page(context, server.url) as (page, watch),
    ):
        context.add_cookies([member.cookie])
        page.clock.install()
        yield page, watch


def test_a_monitor_is_drawn_for_whom_is_signed_in_and_needs_no_key(clocked, member) -> None:
    page, watch = clocked
    page.goto(BUSY)
    expect(page.locator("#chart .scatterlayer .trace")).not_to_have_count(0)
    points = member.fed.get("/checkout-errors/points?order=desc&limit=300")["points"][::-1]
    judged = [point for point in points if point["status"] == "judged"]
    assert trace(page, "Expected")["y"] == [point["expected"] for point in judged]
    flagged = [point["timestamp"][:19] for point in points if point["is_anomaly"]]
    assert trace(page, "Flagged")["x"] == flagged != []
    shown = "chart => chart.layout.xaxis.range"
    before = page.locator("#chart").evaluate(shown)
    page.locator("#event-list button").first.focus()
    page.keyboard.press("Enter")
    assert page.locator("#chart").evaluate(shown)[0] > before[0]
    page.click("#deliveries summary")
    expect(page.locator("#delivery-table tbody tr")).to_have_count(1)
    asked = {url.split("?")[0] for url in watch.urls if "/static/" not in url}
    assert all("/account/monitors/checkout-errors" in url for url in asked)


def test_scripts_write_the_words_that_the_page_came_with(clocked, member) -> None:
    page, watch = clocked
    mute = {"muted_until": "2099-12-31T22:00:00Z", "alert_severity": 62.5}
    member.fed.put("worded", alert_min_deviation=1234.5, **mute)
    ids = ("monitor-state", "monitor-why", "fact-alerts", "fact-muted", "fact-rate", "fact-created")
    words = {id: page.locator(f"#{id}") for id in ids}
    page.route("**/state", lambda route: route.abort())
    page.goto("/account/monitors/worded")
    served = {id: place.inner_text() for id, place in words.items()}
    assert served["fact-alerts"] == "severity 62.5 or more, 1,234.5 or more from expected"
    assert served["monitor-why"] == "too few points yet; muted until 2099-12-31 22:00Z"
    page.evaluate("ids => ids.forEach(id => document.getElementById(id).textContent = '')", ids)
    page.unroute("**/state")
    page.clock.fast_forward("05:00")
    for id, place in words.items():
        expect(place).to_have_text(served[id])
    watch.forget()  # the request that was held back


def test_a_new_point_comes_by_itself_and_a_new_state_is_read_out(clocked, member) -> None:
    page, _watch = clocked
    member.fed.put("changing")
    member.fed.append("changing", with_a_season(100, period=24), range(100, 0, -1))
    page.goto("/account/monitors/changing")
    expect(page.locator("#chart .scatterlayer .trace")).not_to_have_count(0)
    expect(page.locator("#refreshed")).to_contain_text("Refreshed at")
    member.fed.append("changing", [500.0], [0])
    page.clock.fast_forward(EVERY)
    expect(page.locator("#fact-points")).to_have_text("101 points")
    expect(page.locator("#table tbody tr").first).to_contain_text("500")
    expect(page.locator("#news")).to_have_text("changing is anomalous.")


def test_the_list_is_kept_fresh_and_the_focus_where_it_is(clocked, member) -> None:
    page, _watch = clocked
    member.fed.put("listed")
    member.fed.append("listed", with_a_season(100, period=24), range(100, 0, -1))
    page.goto("/account/monitors")
    expect(page.locator("#refreshed")).to_contain_text("Refreshed at")
    link = page.get_by_role("link", name="listed", exact=True)
    link.focus()
    member.fed.append("listed", [500.0], [0])
    page.clock.fast_forward(EVERY)
    expect(page.locator("#news")).to_have_text("listed is anomalous.")
    expect(page.locator("tr", has=link).locator(".state")).to_have_text("anomalous")
    expect(link).to_be_focused()


def test_a_page_whose_session_has_ended_says_so_and_asks_no_more(clocked, server: Server) -> None:
    page, watch = clocked
    other = SignedIn.new(server, "eve@example.com")
    other.fed.put("quiet")
    page.context.add_cookies([other.cookie])
    page.goto("/account/monitors/quiet")
    expect(page.locator("#refreshed")).to_contain_text("Refreshed at")
    with beside(server.environ["DATABASE_URL"]), db.engine.begin() as connection:
        own = MemberSession.token_hash == hash_token(other.cookie["value"])
        assert connection.execute(delete(MemberSession).where(own)).rowcount == 1
    page.clock.fast_forward(EVERY)
    expect(page.locator("#problem")).to_contain_text("Your session has ended")
    asked = len(watch.urls)
    page.clock.run_for("10:00")
    assert len(watch.urls) == asked


def test_without_scripts_all_but_the_chart_is_there(browser, server, member) -> None:
    with (
        profile(browser, server.url, java_script_enabled=False) as context,
        watched_page(context, server.url) as (page, _watch),
    ):
        context.add_cookies([member.cookie])
        page.goto("/account/monitors")
        page.get_by_role("link", name="checkout-errors").click()
        expect(page.locator("h1")).to_contain_text("checkout-errors anomalous")
        expect(page.locator("#table tbody tr")).to_have_count(30)
        expect(page.locator("#event-list")).to_contain_text("Spike alert since")
        expect(page.locator("#chart")).to_be_hidden()
        page.click("#deliveries summary")
        expect(page.locator("#delivery-table")).to_contain_text("event.opened")


def test_axe_finds_nothing_and_nothing_is_wider_than_the_screen(browser, server, member) -> None:
    new = SignedIn.new(server, "grace@example.com")
    with (
        profile(browser, server.url, **PHONE) as context,
        watched_page(context, server.url) as (page, watch),
    ):
        for who, path in (
            (new, "/account/monitors"),
            (member, "/account/monitors"),
            (member, BUSY),
            (member, "/account/monitors/signups"),
            (member, "/account/audit"),
            (member, "/account/audit?since=never&actor=nobody"),
        ):
            context.add_cookies([who.cookie])
            page.goto(path)
            if path == BUSY:
                expect(page.locator("#chart .scatterlayer .trace")).not_to_have_count(0)
                page.click("#deliveries summary")
            assert violations(page) == [], path
        watch.expect_refusals(400)
