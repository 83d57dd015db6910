"""Take the README's screenshots: ``make screenshots`` writes docs/images/*.png.

Starts the service with a database and a key of its own, and Debian's Chromium. The letters are
those of the machine's system font.
"""

import contextlib
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import sample_account  # noqa: E402

from app import create_app  # noqa: E402
from app.core.database import db  # noqa: E402
from app.delivery.heartbeat import record_heartbeat  # noqa: E402
from tests.support.browser import chromium, profile, watched_page  # noqa: E402
from tests.support.databases import SqliteDatabases  # noqa: E402
from tests.support.keys import new_key, record_of  # noqa: E402
from tests.support.server import run_server  # noqa: E402
from tests.web.dashboard.in_a_browser.live_monitors import LiveMonitors  # noqa: E402

IMAGES = ROOT / "docs" / "images"
DESK = {"viewport": {"width": 1280, "height": 860}}
TALL_DESK = {"viewport": {"width": 1280, "height": 1120}}
PHONE = {"viewport": {"width": 390, "height": 780}, "device_scale_factor": 2, "is_mobile": True}
LIGHT, DARK = {"color_scheme": "light"}, {"color_scheme": "dark"}


def main() -> None:
    """Start what is needed and take all pictures."""
    with tempfile.TemporaryDirectory() as folder:
        database_url = SqliteDatabases(Path(folder)).migrated()
        with (
            run_server(Path(folder), database_url, WEB_CONCURRENCY="1") as server,
            chromium() as browser,
        ):
            key = new_key(database_url, per_minute=100)
            monitors = LiveMonitors.new(server)
            monitors.fill()
            with _opened(browser, server.url, DESK | LIGHT) as page:
                compare(page, key)
                page.screenshot(path=IMAGES / "playground.png")
            make_account(database_url, monitors.key)
            for name, (screen, titles) in ACCOUNT_PICTURES.items():
                with _opened(browser, server.url, screen) as page:
                    paths = sign_in(page)
                    for title in titles:
                        page.goto(paths[title])
                        page.screenshot(path=IMAGES / f"account-{title}{name}.png")
            with _opened(browser, server.url, TALL_DESK | LIGHT) as page:
                sign_in(page)
                open_monitor(page)
                page.screenshot(path=IMAGES / "monitors.png")


@contextlib.contextmanager
def _opened(browser: Browser, url: str, screen: dict) -> Iterator[Page]:
    with profile(browser, url, **screen) as context, watched_page(context, url) as (page, _watch):
        yield page


def make_account(database_url: str, key: str) -> None:
    """Fill the account of the monitors, whose key is given, as where a worker runs."""
    app = create_app(database_url=database_url)
    with app.app_context():
        record_heartbeat(db.engine)
    sample_account.fill(app, record_of(app, key).account_id)


def sign_in(page: Page) -> dict[str, str]:
    """Sign in; gives the paths of the pages that are shown, by name."""
    page.goto("/account/sign-in")
    page.fill("#email", sample_account.ADDRESS)
    page.fill("#password", sample_account.PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.locator("h1")).to_have_text("Overview")
    page.goto("/account/keys")
    key = page.locator("main table a", has_text="shop, production").first.get_attribute("href")
    pages = ("keys", "monitors", "audit", "members")
    return {"overview": "/account", "key": key} | {one: f"/account/{one}" for one in pages}


def compare(page: Page, key: str) -> None:
    """Two models on the daily example."""
    _forecast(page, key, "Cash machine withdrawals, daily", "forecast-model-4")
    page.evaluate("() => scrollTo(0, 0)")


def open_monitor(page: Page) -> None:
    """Open the page of a monitor with an open event, scrolled to the chart."""
    page.goto("/account/monitors/checkout-errors")
    expect(page.locator("#chart .scatterlayer .trace")).not_to_have_count(0)
    page.evaluate("() => document.getElementById('chosen').scrollIntoView()")


def _forecast(page: Page, key: str, example: str, *models: str) -> None:
    page.goto("/")
    page.select_option("#example", label=example)
    expect(page.locator("#chart-title")).to_have_text(example)
    for model in models:
        page.check(f"#{model}")
    page.fill("#key", key)
    expect(page.locator("#fact-first")).not_to_have_text("…")
    page.click("#go")
    expect(page.locator("#legend li")).to_have_count(2 + len(models))
    expect(page.locator("#go")).to_be_enabled()


ACCOUNT_PICTURES: dict[str, tuple[dict, tuple[str, ...]]] = {
    "": (TALL_DESK | LIGHT, ("overview", "key", "keys", "monitors", "audit", "members")),
    "-phone-dark": (PHONE | DARK, ("overview", "keys")),
}
"""The screens, by the end of their pictures' names, and the pages that are taken on each."""

if __name__ == "__main__":
    main()
