"""Actions on the tab for anomalies, and what is then drawn."""

from typing import Any

from playwright.sync_api import Page, expect

from tests.support.browser import Watch
from tests.web.pages.playing import submit

ENDPOINT = "**/anomalies"
TRACE = """(chart, name) => {
    const trace = chart.data.find(trace => trace.name === name);
    const date = moment => moment && new Date(moment).toISOString().slice(0, 19);
    return trace && {x: trace.x.map(date), y: [...trace.y]};
}"""
SHOWN_RANGE = """chart => chart.layout.xaxis.range.map(text => text.slice(0, 10))"""


def trace(page: Page, name: str) -> dict[str, list[Any]] | None:
    """Return the trace with this name."""
    return page.locator("#chart").evaluate(TRACE, name)


def flags(page: Page) -> int:
    flagged = trace(page, "Flagged")
    return len(flagged["x"]) if flagged else 0


def detect(page: Page, key: str) -> dict[str, Any]:
    """Press the button; return the response, which is then on the page."""
    with page.expect_response(ENDPOINT) as response:
        submit(page, key)
    assert response.value.status == 200, response.value.text()
    expect(page.locator("#status")).to_contain_text("flagged")
    return response.value.json()


def requests_of(watch: Watch) -> int:
    return sum(url.endswith("/anomalies") for url in watch.urls)
