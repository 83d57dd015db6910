"""Screens that pages are judged on, and what axe finds on them."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

SCREENS = {
    "desk": {"viewport": {"width": 1280, "height": 900}},
    "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True},
}
# Nothing is wider than the screen.
FITS = "() => document.documentElement.scrollWidth <= document.documentElement.clientWidth"


def violations(page: Page) -> list[str]:
    """What axe finds in light and in dark, one line a place."""
    found = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        expect(page.locator("html")).to_have_attribute("data-theme", scheme)
        found += [
            f"{scheme}, {rule['id']}: {node['html'][:200]} {node['failureSummary']}"
            for rule in Axe().run(page).response["violations"]
            for node in rule["nodes"]
        ]
    return found
