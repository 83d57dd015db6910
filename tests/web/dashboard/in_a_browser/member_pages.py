"""Pages of a member's monitors, which the tests in a browser open."""

from dataclasses import dataclass

from playwright.sync_api import Page, expect
from sqlalchemy.orm import Session

from app.core.database import db
from app.identity.accounts.models import Account
from app.web.dashboard.cookies import SESSION
from tests.support.browser import Watch
from tests.support.databases import second_application
from tests.support.keys import key_row
from tests.support.members import browser_of, make_member
from tests.support.server import Server
from tests.web.dashboard.in_a_browser.live_monitors import LiveMonitors

REFRESH_PAUSE = "00:15"
BUSY = "/account/monitors/checkout-errors"
CHART_DRAWN = "#chart .scatterlayer .trace"
SHOWN_RANGE = "chart => chart.layout.xaxis.range"


@dataclass(frozen=True)
class CurrentMember:
    """An account with monitors, and the cookie of a viewer of it."""

    monitors: LiveMonitors
    cookie: dict[str, str]

    @classmethod
    def new(cls, server: Server, email: str) -> "CurrentMember":
        monitors, url = LiveMonitors.new(server), server.environ["DATABASE_URL"]
        account_id = key_row(url, monitors.key).account_id
        with second_application(url, account_dashboard=True) as app:
            with Session(db.engine) as session:
                account = session.get_one(Account, account_id).name
            token = browser_of(app, make_member(app, email, "viewer", account)).token
        return cls(monitors, {"name": SESSION, "value": token, "url": server.url})


def open_chart(page: Page, name: str = "checkout-errors") -> None:
    page.goto(f"/account/monitors/{name}")
    expect(page.locator(CHART_DRAWN)).not_to_have_count(0)
    expect(page.locator("#refreshed")).to_contain_text("Refreshed at")


def requests_of(watch: Watch) -> list[str]:
    """Return the requests of the page below ``/account``."""
    return [url.split("/account", 1)[1] for url in watch.urls if "/static/" not in url]
