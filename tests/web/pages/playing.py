"""What a person does on the playground, and what is then drawn."""

import csv
import datetime as dt
import io
import os
import subprocess
import sys
from collections.abc import Iterator

from playwright.sync_api import Page, expect

from tests.support.programs import find_binary, resolve
from tests.support.server import ROOT
from tests.support.services import STARTUP_SECONDS

LINES = [
    "month,sales",
    *(f"{2019 + i // 12}-{i % 12 + 1:02d},{100 + i + 20 * (i % 12)}" for i in range(48)),
]
MONTHLY = "\n".join(LINES)
QUICK, ROBUST = "forecast-model-2", "forecast-model-4"
LABELLED = "Requests, hourly, with incidents"
DEFAULT_RATE_STEP = 7
INTERPRETERS = {
    "client": [sys.executable, "-"],
    "curl": ["bash"],
    "python": [sys.executable, "-"],
    "javascript": ["node", "--input-type=module", "-"],
}
CLIENT = ROOT / "clients" / "python" / "src"
NIXTLA = [str(ROOT / ".venv-nixtla" / "bin" / "python"), "-"]
"""What runs a request by Nixtla's SDK, which has an environment of its own."""
# What typing in each field would do takes a tenth of a second of processor time for every test.
_SET = """fields => {
    for (const [id, value] of Object.entries(fields)) {
        const field = document.getElementById(id);
        field.value = value;
        for (const kind of ["input", "change"])
            field.dispatchEvent(new Event(kind, {bubbles: true}));
    }
}"""
# Plotly keeps what it has drawn on the element itself, and draws a marker for each point.
DRAWN = """chart => chart.data.filter(trace => trace.meta && trace.mode === 'lines+markers')
    .map(trace => [trace.meta, trace.y.length])"""


def wide(names: list[str], rows: int = 36, lacks: tuple[str, int] | None = None) -> str:
    """A table with a column for each name; one of them may lack a value."""
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(["day", *names])
    for row in range(rows):
        values = [
            "" if lacks == (name, row) else 100 * place + row + 5 * (row % 7)
            for place, name in enumerate(names, 1)
        ]
        writer.writerow([dt.date(2024, 1, 1) + dt.timedelta(row), *values])
    return file.getvalue()


def start_over(page: Page) -> None:
    """Bring the playground to where it was when it opened, models excepted."""
    page.click("#tab-forecast")
    # No data has no answers; the example's own horizon, set last of all, says that it is loaded.
    page.evaluate(_SET, {"example": "", "confidence": "95", "key": "", "horizon": "1"})
    page.check("#languages input[value=curl]", force=True)
    page.select_option("#example", index=0)
    expect(page.locator("#fact-first")).to_have_text("1949-01-01")
    expect(page.locator("#horizon")).to_have_value("24")
    expect(page.locator(".error > *")).to_have_count(0)


def paste(page: Page, text: str) -> None:
    page.fill("#text", text)
    expect(page.locator("#example")).to_have_value("")


def ask(page: Page, key: str) -> None:
    """Send the request and wait until it is over."""
    page.fill("#key", key)
    page.click("#go")
    expect(page.locator("#go")).to_be_enabled()


def drawn(page: Page) -> dict[str, int]:
    """How many forecast points of each model are on the chart."""
    counts = dict(page.locator("#chart").evaluate(DRAWN))
    markers = page.locator("#chart .trace .point").count()
    history = page.locator("#chart").evaluate("chart => chart.data[0].y.length")
    assert markers == sum(counts.values()) + history
    return counts


def copied(page: Page) -> dict[str, str]:
    """The request in every language, as the button copies it."""
    return {language: copied_as(page, language) for language in INTERPRETERS}


def copied_as(page: Page, language: str) -> str:
    """The request in a language, as the button copies it."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.check(f"#languages input[value={language}]", force=True)
    page.click("#copy")
    expect(page.locator("#copy")).to_have_text("Copied")
    return page.evaluate("() => navigator.clipboard.readText()")


def run(snippets: dict[str, str], key: str) -> Iterator[tuple[str, bytes]]:
    """Run snippets as the page says; gives each language and what was printed."""
    for language, snippet in snippets.items():
        if language == "curl":
            find_binary("curl")
        done = subprocess.run(
            resolve(INTERPRETERS.get(language, NIXTLA)),
            input=snippet.encode(),
            env=os.environ | {"FORECAST_KEY": key, "PYTHONPATH": str(CLIENT)},
            check=True,
            capture_output=True,
            timeout=STARTUP_SECONDS,
        )
        yield language, done.stdout
