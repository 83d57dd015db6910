"""The screens for checks of pages, and the findings of axe."""

from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, ViewportSize, expect

DESK_SIZE = ViewportSize(width=1280, height=900)
PHONE_SIZE = ViewportSize(width=390, height=844)
DESK: dict[str, Any] = {"viewport": DESK_SIZE}
PHONE: dict[str, Any] = {"viewport": PHONE_SIZE, "has_touch": True, "is_mobile": True}
# Colours are independent of the width: each theme and each width is checked once.
_SCREENS = (("light", DESK_SIZE), ("dark", PHONE_SIZE))
# Nothing is wider than the screen.
FITS = "() => document.documentElement.scrollWidth <= document.documentElement.clientWidth"
# All rules are run; describing the places that pass would take three times as long.
_RUN = """within => axe.run(within || document, {resultTypes: ["violations"]})
    .then(results => results.violations)"""
# Loading axe takes half as long as a run: it is loaded once per page.
_IS_LOADED = "() => 'axe' in window"
_AXE = Axe()


def violations(page: Page, within: str | None = None) -> list[str]:
    """List what axe finds, one line a place, and the screens that the page is wider than.

    The page is judged on the desk in light, then on the phone in dark, and stays there: to get it
    into its state takes longer than to judge it, so that is done once, on a `PHONE`.
    """
    results = []
    if not page.evaluate(_IS_LOADED):
        page.evaluate(_AXE.axe_script)
    for scheme, size in _SCREENS:
        page.set_viewport_size(size)
        page.emulate_media(color_scheme=scheme)
        expect(page.locator("html")).to_have_attribute("data-theme", scheme)
        if not page.evaluate(FITS):
            results.append(f"{page.url} is wider than {size['width']} px")
        results += [
            f"{rule['id']}: {node['html'][:200]} {node['failureSummary']}"
            for rule in page.evaluate(_RUN, within)
            for node in rule["nodes"]
        ]
    return results
