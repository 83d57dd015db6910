"""Sources on the dashboard in a real browser: from an address to a query that is watched, axe."""

import ipaddress
import time
from collections.abc import Iterator

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from app.core.database import db, utcnow
from app.delivery.models import WebhookDelivery
from app.watching.models.sources import QUERIES, QueryState
from app.web.dashboard.cookies import SESSION
from tests.support.accessibility import PHONE, violations
from tests.support.browser import watched_profile
from tests.support.databases import second_application
from tests.support.fake_prometheus import FakePrometheus, error, fake_prometheus
from tests.support.members import browser_of, make_member
from tests.support.server import Server
from tests.watching.sources.source_queries import poll_due
from tests.web.dashboard.in_a_browser.conftest import LOOPBACK

pytestmark = pytest.mark.services

MARKUP = '<b>"it\'s"</b>\n<script>alert(1)</script>'
STEP, HISTORY = "60", "30"


@pytest.fixture(scope="module")
def prometheus() -> Iterator[FakePrometheus]:
    with fake_prometheus(time.time) as fake:
        fake.add_series(lambda at: at % 3600, service="checkout")
        fake.add_series(lambda at: at % 600, service=MARKUP)
        yield fake


def check(page: Page) -> None:
    """Check that axe finds nothing, and that nothing is wider than the screen."""
    assert violations(page) == [], page.url


def add_source(page: Page, address: str) -> None:
    """Add a source by its form."""
    page.goto("/account/new-source")
    page.fill("#name", "prod")
    page.fill("#url", address)
    page.click("text=Save and try it")
    expect(page.locator("main")).to_contain_text("It responds: version 2.42.0")


def add_the_first_source(page: Page, address: str) -> None:
    """Open the form and fill it in, first without the address."""
    page.goto("/account/sources")
    check(page)
    page.get_by_role("link", name="Add a source").click()
    expect(page.locator("#token")).to_be_hidden()
    page.select_option("#credentials", "bearer")
    expect(page.locator("#token")).to_be_visible()
    page.fill("#name", "prod")
    page.click("text=Save and try it")
    expect(page.locator("#url")).to_be_focused()
    check(page)
    page.fill("#url", address)
    page.select_option("#credentials", "none")
    page.click("text=Save and try it")
    expect(page.locator("main")).to_contain_text("It responds: version 2.42.0")
    check(page)


def watch_query(page: Page, name: str) -> None:
    """Try a query, save it, and mute it once it is live."""
    page.get_by_role("link", name="Add a query").click()
    page.fill("#name", name)
    page.fill("#query", "rate(x[5m])")
    expect(page.locator("#horizon-hint")).to_contain_text("These take 6 h.")
    page.fill("#step", STEP)
    page.fill("#horizon", "1500")
    expect(page.locator("#horizon-hint")).to_contain_text("These take 1 d 1 h.")
    page.fill("#horizon", "72")
    expect(page.locator("#horizon-hint")).to_contain_text("These take 1 h 12 min.")
    page.click("text=History, delay")
    page.fill("#history", HISTORY)
    page.get_by_role("button", name="Try it").click()
    expect(page.locator(".previews path")).to_have_count(2)
    expect(page.locator("#preview")).to_contain_text("<script>alert(1)</script>")
    check(page)
    page.click("text=Save and watch")
    expect(page.locator("#state-title")).to_have_text("Waiting")
    with db.engine.begin() as connection:
        connection.execute(update(QUERIES).values(state=QueryState.FILLING))
    expect(page.locator("#state-title")).to_have_text("Filling")
    poll_due()
    # Sooner than the page refreshes itself, which is every 15 s.
    expect(page.locator("#state-title")).to_have_text("Live", timeout=8_000)
    page.select_option("#mute", "date")
    expect(page.locator("#mute_date")).to_be_visible()
    page.fill("#mute_date", "2099-12-31")
    page.get_by_role("button", name="Mute").click()
    expect(page.locator("#muting")).to_contain_text("Muted until 31 Dec 2099, 23:59 UTC")
    check(page)


def send_test_message(page: Page) -> None:
    """Add a webhook and send a test message: the page then shows the result."""
    page.goto("/account/webhooks")
    page.fill("#name", "ops")
    page.fill("#url", "https://hooks.slack.com/T0")
    page.get_by_role("button", name="Add it and send a test message").click()
    expect(page.locator("#webhooks")).to_contain_text("None in the last week")
    with Session(db.engine) as session:
        delivery = session.scalars(
            select(WebhookDelivery).order_by(WebhookDelivery.id.desc())
        ).first()
        assert delivery is not None
        delivery.attempted_at = delivery.failed_at = utcnow()
        delivery.next_attempt_at, delivery.last_problem = None, "status 404"
        session.commit()
    expect(page.locator("#webhooks")).to_contain_text("status 404")


def replay(page: Page) -> None:
    """Replay a query, and move a threshold until nothing would have alerted."""
    page.goto("/account/sources/prod/new-query")
    page.fill("#query", "rate(y[5m])")
    page.fill("#step", "3600")
    page.click("text=History, delay")
    page.fill("#history", "310")
    page.get_by_role("button", name="Replay 3 days").click()
    expect(page.locator("#replay")).to_contain_text("<script>alert(1)</script>")
    expect(page.locator("#replayed")).to_have_text("Would have alerted once in 3 days")
    check(page)
    page.fill("#alert_min_deviation", "1000")
    expect(page.locator("#replayed")).to_have_text("Would have alerted never in 3 days")
    page.fill("#alert_min_deviation", "")
    page.fill("#alert_min_deviation", "20")
    expect(page.locator("#replayed")).to_have_text("Would have alerted once in 3 days")


def test_a_query_is_replayed_and_its_thresholds_are_moved(browser: Browser, server: Server) -> None:
    url, account = server.environ["DATABASE_URL"], "replaying"
    server.flask("accounts", "create", account)
    # In hours before now, so that the series have the same shape at any time.
    steady, spiking = np.random.default_rng(0).normal(50, 0.5, (2, 400)).tolist()
    now = int(time.time() // 3600)
    spiking[20] += 40
    with (
        second_application(url, account_dashboard=True) as app,
        watched_profile(browser, server.url, **PHONE) as (page, watch),
        fake_prometheus(time.time) as fake,
    ):
        fake.add_series(lambda at: steady[now - int(at // 3600)], service=MARKUP)
        fake.add_series(lambda at: spiking[now - int(at // 3600)], service="checkout")
        member = make_member(app, "bob@example.com", "admin", account)
        token = browser_of(app, member).token
        page.context.add_cookies([{"name": SESSION, "value": token, "url": server.url}])
        add_source(page, fake.url)
        replay(page)
        watch.check()


def test_from_an_address_to_a_query_that_is_watched(
    browser: Browser, server: Server, prometheus: FakePrometheus
) -> None:
    allowed = (ipaddress.ip_network(LOOPBACK),)
    url, account = server.environ["DATABASE_URL"], "watching"
    server.flask("accounts", "create", account)
    with (
        second_application(url, account_dashboard=True, source_allowed_networks=allowed) as app,
        watched_profile(browser, server.url, **PHONE) as (page, watch),
    ):
        member = make_member(app, "ada@example.com", "admin", account)
        token = browser_of(app, member).token
        page.context.add_cookies([{"name": SESSION, "value": token, "url": server.url}])
        add_the_first_source(page, prometheus.url)
        watch_query(page, "load")
        prometheus.behave = error(503, "unavailable", MARKUP)
        page.goto("/account/sources/prod")
        page.get_by_role("button", name="Try it").click()
        expect(page.locator("main")).to_contain_text("It cannot be read: unavailable")
        check(page)
        prometheus.behave = None
        page.goto("/account/sources")
        check(page)
        send_test_message(page)
        for path in ("sources/prod/delete", "monitors?find=checkout", "new-monitor", "webhooks"):
            page.goto(f"/account/{path}")
            check(page)
        page.goto("/account/sources/prod/delete")
        page.get_by_role("button", name="Delete the source").click()
        expect(page.get_by_role("status")).to_contain_text("Source deleted")
        watch.expect_rejections(400)
