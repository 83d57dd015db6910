"""Screens that pages are judged on, and what axe finds on them."""

from typing import Literal

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

NARROW = 600
SCREENS = {
    "desk": {"viewport": {"width": 1280, "height": 900}},
    "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True},
}
# Nothing is wider than the screen.
FITS = "() => document.documentElement.scrollWidth <= document.documentElement.clientWidth"
# Every rule is run; to describe each place that passes one takes three times as long as that.
ONLY_VIOLATIONS = {"resultTypes": ["violations"]}


def violations(page: Page, within: str | None = None) -> list[str]:
    """What axe finds, one line a place: on the desk in light, on the phone in dark.

    Colours are the same on both, and the layout in both: each of the four is seen once.
    """
    size = page.viewport_size
    scheme: Literal["light", "dark"] = "dark" if size and size["width"] < NARROW else "light"
    page.emulate_media(color_scheme=scheme)
    expect(page.locator("html")).to_have_attribute("data-theme", scheme)
    return [
        f"{rule['id']}: {node['html'][:200]} {node['failureSummary']}"
        for rule in Axe().run(page, within, ONLY_VIOLATIONS).response["violations"]
        for node in rule["nodes"]
    ]
