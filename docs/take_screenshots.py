"""Take the README's screenshots: ``make screenshots`` writes docs/images/*.png.

Starts the service with a database and a key of its own, and Debian's Chromium. The letters are
those of the machine's system font.
"""

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import sample_account  # noqa: E402

from app import create_app  # noqa: E402
from tests.support.browser import chromium, profile, watched_page  # noqa: E402
from tests.support.databases import SqliteDatabases  # noqa: E402
from tests.support.keys import mint, record_of  # noqa: E402
from tests.support.server import serving  # noqa: E402
from tests.web.dashboard.live_monitors import LiveMonitors  # noqa: E402

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
            serving(Path(folder), database_url, WEB_CONCURRENCY="1") as server,
            chromium() as browser,
        ):
            key = mint(database_url, per_minute=100)
            monitors = LiveMonitors.new(server)
            monitors.fill()
            for name, (prepare, screen) in PICTURES.items():
                with (
                    profile(browser, server.url, **screen) as context,
                    watched_page(context, server.url) as (page, _watch),
                ):
                    prepare(page, key)
                    page.screenshot(path=IMAGES / f"{name}.png")
            make_account(database_url, monitors.key)
            for name, screen in SCREENS_OF_ACCOUNT.items():
                with (
                    profile(browser, server.url, **screen) as context,
                    watched_page(context, server.url) as (page, _watch),
                ):
                    for title, path in sign_in(page).items():
                        page.goto(path)
                        page.screenshot(path=IMAGES / f"account-{title}{name}.png")
                    open_monitor(page)
                    page.screenshot(path=IMAGES / f"monitors{name}.png")


def make_account(database_url: str, key: str) -> None:
    """Fill the account of the monitors, whose key is given."""
    app = create_app(database_url=database_url)
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


def compare_on_a_phone(page: Page, key: str) -> None:
    """The first example, scrolled to the chart as the page does by itself."""
    _forecast(page, key, "Airline passengers, monthly")


def find_anomalies(page: Page, key: str) -> None:
    """The labelled series, its events drawn and listed."""
    page.goto("/#anomalies")
    expect(page.locator("#chart .scatterlayer .trace")).not_to_have_count(0)
    page.fill("#key", key)
    page.click("#go")
    expect(page.locator("#event-list li")).not_to_have_count(0)
    expect(page.locator("#go")).to_be_enabled()
    page.evaluate("() => scrollTo(0, 0)")


def find_anomalies_on_a_phone(page: Page, key: str) -> None:
    """The same, scrolled to the chart."""
    find_anomalies(page, key)
    page.evaluate("() => document.getElementById('result').scrollIntoView()")


def open_monitor(page: Page) -> None:
    """Open the page of a monitor with an open event, scrolled to the chart."""
    page.goto("/account/monitors/checkout-errors")
    expect(page.locator("#chart .scatterlayer .trace")).not_to_have_count(0)
    page.evaluate("() => document.getElementById('chosen').scrollIntoView()")


def read_the_document(page: Page, _key: str) -> None:
    """The document at an operation."""
    page.goto("/docs#tag/forecasting/POST/forecast")
    expect(page.get_by_role("button", name="Test Request").first).to_be_in_viewport()


def _forecast(page: Page, key: str, example: str, *models: str) -> None:
    page.goto("/")
    page.select_option("#example", label=example)
    expect(page.locator("#chart-title")).to_have_text(example)
    for model in models:
        page.check(f"#{model}")
    page.fill("#key", key)
    page.click("#go")
    expect(page.locator("#legend li")).to_have_count(2 + len(models))
    expect(page.locator("#go")).to_be_enabled()


PICTURES: dict[str, tuple[Callable[[Page, str], None], dict]] = {
    "playground": (compare, DESK | LIGHT),
    "playground-dark": (compare, DESK | DARK),
    "playground-phone": (compare_on_a_phone, PHONE | LIGHT),
    "anomalies": (find_anomalies, TALL_DESK | LIGHT),
    "anomalies-phone-dark": (find_anomalies_on_a_phone, PHONE | DARK),
    "docs": (read_the_document, DESK | LIGHT),
}

SCREENS_OF_ACCOUNT: dict[str, dict] = {
    "": TALL_DESK | LIGHT,
    "-phone-dark": PHONE | DARK,
}

if __name__ == "__main__":
    main()
