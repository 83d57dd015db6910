"""Actions on the playground, and what is then drawn."""

import csv
import datetime as dt
import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.support.browser import PATIENCE_MS
from tests.support.programs import find_binary, resolve
from tests.support.server import ROOT
from tests.support.services import STARTUP_SECONDS

LINES = [
    "month,sales",
    *(f"{2019 + i // 12}-{i % 12 + 1:02d},{100 + i + 20 * (i % 12)}" for i in range(48)),
]
MONTHLY = "\n".join(LINES)
STORES = "date,store,sales\n" + "\n".join(
    f"2024-01-{day:02d},{store},{day * factor}"
    for day in range(1, 13)
    for store, factor in (("North", 1), ("South", 10))
)
# The selected part of a text.
MARKED = "text => text.value.slice(text.selectionStart, text.selectionEnd)"
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
# Runs a request by Nixtla's SDK, in its own environment.
NIXTLA = [str(ROOT / ".venv-nixtla" / "bin" / "python"), "-"]
# Doing this by hand takes half a second of CPU time in each test.
# No data has no answers; the example's own horizon, set last of all, says that it is loaded.
_FIRST_EXAMPLE = '["1949-01-01","24","",[144]]'  # first date, horizon, error, points drawn
_START_OVER = """async ([quick, patience, firstExample]) => {
    const byId = id => document.getElementById(id);
    const set = (id, value) => {
        const field = byId(id);
        if (field.options && value === 0) field.selectedIndex = 0;
        else field.value = value;
        for (const kind of ["input", "change"])
            field.dispatchEvent(new Event(kind, {bubbles: true}));
    };
    byId("tab-forecast").click();
    for (const [id, value] of Object.entries(
        {example: "", confidence: "95", key: "", horizon: "1"})) set(id, value);
    if (byId("holidays").value) set("holidays", "");
    document.querySelector("#languages input[value=curl]").click();
    set("example", 0);
    const state = () => JSON.stringify([byId("fact-first").textContent, byId("horizon").value,
        document.querySelector(".error > *")?.textContent ?? "",
        byId("chart").data?.map(trace => trace.y.length) ?? []]);
    for (const end = performance.now() + patience; state() !== firstExample;) {
        if (performance.now() > end) throw new Error(`the first example has not come: ${state()}`);
        await new Promise(done => setTimeout(done, 5));
    }
    for (const box of document.querySelectorAll("#models input"))
        if (box.checked !== (box.id === quick)) box.click();
}"""
# A picture takes a third of what a test takes. What it would show stays on the element, as Plotly
# keeps it; so does who listens to a chart that has never been drawn.
_SKETCH = """async () => {
    while (!window.Plotly) await new Promise(done => setTimeout(done, 5));
    const {react, relayout} = window.Plotly;
    window.drawing ??= {react, relayout};
    window.Plotly.react = async (chart, data, layout) => {
        chart.on ??= (event, listener) => (window.listeners ??= []).push([event, listener]);
        Object.assign(chart, {data, layout});
    };
    window.Plotly.relayout = async (chart, change) => {
        chart.layout.xaxis.range = change["xaxis.range"];
    };
}"""
_DRAW = """async () => {
    if (!window.drawing) return;
    Object.assign(window.Plotly, window.drawing);
    const chart = document.getElementById("chart");
    await window.Plotly.react(chart, chart.data, chart.layout,
        {displayModeBar: false, responsive: true, doubleClick: false});
    const missed = new Map(window.listeners);  // the last one of each event
    for (const [event, listener] of missed) chart.on(event, listener);
    delete window.listeners;
}"""
_SHOWS = "wanted => JSON.stringify(document.querySelector('#chart').data?.[0].y) === wanted"
# Plotly keeps what it has drawn on the element itself, and draws a marker for each point.
DRAWN = """chart => chart.data.filter(trace => trace.meta && trace.mode === 'lines+markers')
    .map(trace => [trace.meta, trace.y.length])"""


def wide_table(names: list[str], rows: int = 36, lacks: tuple[str, int] | None = None) -> str:
    """Return a table with a column for each name; one of them may lack a value."""
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(["day", *names])
    for row in range(rows):
        values = [
            "" if lacks == (name, row) else 100 * index + row + 5 * (row % 7)
            for index, name in enumerate(names, 1)
        ]
        writer.writerow([dt.date(2024, 1, 1) + dt.timedelta(row), *values])
    return file.getvalue()


def start_over(page: Page) -> None:
    """Reset the playground to its initial state, with only the quick model."""
    page.evaluate(_START_OVER, [QUICK, PATIENCE_MS, _FIRST_EXAMPLE])


def sketch(page: Page) -> None:
    """Draw no chart until the page is loaded again or a test calls `draw`."""
    page.evaluate(_SKETCH)


def draw(page: Page) -> None:
    """Draw the chart now and from now on, for a test that looks at it."""
    page.evaluate(_DRAW)


def paste(page: Page, text: str) -> None:
    page.fill("#text", text)
    expect(page.locator("#example")).to_have_value("")


def show_table(page: Page, text: str) -> None:
    """Paste a table and wait until it is read, which sets the periods."""
    paste(page, text)
    wait_until_read(page)


def choose_file(page: Page, path: Path) -> None:
    """Choose a file and wait until it is read, which sets the periods."""
    page.set_input_files("#file", path)
    expect(page.locator("#example")).to_have_value("")
    wait_until_read(page)


def wait_until_read(page: Page) -> None:
    expect(page.locator("#reading[aria-busy]")).to_have_count(0)


def submit(page: Page, key: str) -> None:
    """Send the request and wait until it is over."""
    page.fill("#key", key)
    page.click("#go")
    expect(page.locator("#go")).to_be_enabled()


def expect_values(page: Page, *values: float | None) -> None:
    """Wait until the chart shows exactly these values."""
    page.wait_for_function(_SHOWS, arg=json.dumps(values, separators=(",", ":")))


def chart_points(page: Page) -> dict[str, int]:
    """Return how many forecast points of each model the chart has."""
    return dict(page.locator("#chart").evaluate(DRAWN))


def markers(page: Page) -> int:
    """Return how many points of the series and of its forecasts the chart has."""
    return page.locator("#chart .trace .point").count()


def code_requests(page: Page) -> dict[str, str]:
    """Return the request in every language, as the button copies it."""
    return {language: code_request(page, language) for language in INTERPRETERS}


def code_request(page: Page, language: str) -> str:
    """Return the request in a language, as the button copies it."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.check(f"#languages input[value={language}]", force=True)
    page.click("#copy")
    expect(page.locator("#copy")).to_have_text("Copied")
    return page.evaluate("() => navigator.clipboard.readText()")


def download(page: Page, button: str) -> tuple[str, bytes]:
    """Click a button; return the name and the content of the file that the browser saves."""
    with page.expect_download() as started:
        page.click(f"#{button}")
    return started.value.suggested_filename, started.value.path().read_bytes()


def run(snippets: dict[str, str], key: str) -> Iterator[tuple[str, bytes]]:
    """Run the snippets as the page says; return the output of each language."""
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
