"""The chart of a forecast, files and the keyboard in the playground."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.web.pages.playing import LINES, MONTHLY, draw, paste, submit

pytestmark = pytest.mark.services


# The fraction of the width after the last entry.
FRACTION_BEHIND_THE_FORECAST = """chart => {
    const [from, to] = chart.layout.xaxis.range.map(text => Date.parse(text));
    const last = Math.max(...chart.data.flatMap(trace => trace.x));
    return (to - last) / (to - from);
}"""


SHOWN_SPAN = """chart => Date.parse(chart.layout.xaxis.range[1])
    - Date.parse(chart.layout.xaxis.range[0])"""


def test_hovering_shows_values_and_zooming_shows_less(playground: Page, live_key: str) -> None:
    draw(playground)
    submit(playground, live_key)
    expect(playground.locator("#chart .trace .point")).to_have_count(144 + 24)
    box = playground.locator("#chart .nsewdrag").bounding_box()
    middle = box["y"] + box["height"] / 2
    playground.mouse.move(box["x"] + box["width"] - 40, middle, steps=4)
    expect(playground.locator("#chart .hoverlayer")).to_contain_text("Fast")
    whole = playground.locator("#chart").evaluate(SHOWN_SPAN)
    playground.mouse.move(box["x"] + box["width"] / 2, middle)
    playground.mouse.down()
    playground.mouse.move(box["x"] + box["width"] - 10, middle, steps=4)
    playground.evaluate(
        "const chart = document.getElementById('chart');"
        "window.zoomed = new Promise((done) =>"
        "    chart.on('plotly_relayout', (change) => 'xaxis.range' in change && done()));"
        "0"
    )
    playground.mouse.up()
    playground.evaluate("window.zoomed")  # the page has heard of it, and fits the values
    zoomed = playground.locator("#chart").evaluate(SHOWN_SPAN)
    assert zoomed < 0.6 * whole
    playground.get_by_role("button", name="Zoom in").click()
    expect(playground.locator("#chart .hoverlayer")).to_be_attached()
    assert playground.locator("#chart").evaluate(SHOWN_SPAN) < zoomed
    playground.get_by_role("button", name="All").click()
    assert playground.locator("#chart").evaluate(SHOWN_SPAN) > whole


def test_the_recent_view_of_a_long_series_ends_where_the_forecast_does(
    playground: Page, live_key: str
) -> None:
    playground.select_option("#example", label="Cash machine withdrawals, daily")
    expect(playground.locator("#fact-points")).to_have_text("735")
    submit(playground, live_key)
    expect(playground.locator("#numbers")).to_be_visible()
    assert playground.locator("#chart").evaluate(FRACTION_BEHIND_THE_FORECAST) < 0.03


@pytest.mark.parametrize(("first", "tick"), [(1234, "1,234.05"), (123_456, "123.45605k")])
def test_ticks_have_the_digits_that_distinguish_them(playground, first, tick) -> None:
    draw(playground)
    paste(playground, "\n".join(f"2024-01-{i + 1:02},{first + i / 100}" for i in range(30)))
    expect(playground.locator("#chart .ytick").filter(has_text=tick)).to_have_count(1)


def test_the_numbers_of_one_model_fit_on_a_phone(playground: Page, live_key: str) -> None:
    desk = playground.viewport_size
    playground.set_viewport_size({"width": 390, "height": 844})
    submit(playground, live_key)
    table = playground.locator("#numbers .scroll")
    expect(table).to_be_visible()
    assert table.evaluate("table => table.scrollWidth <= table.clientWidth")
    playground.set_viewport_size(desk)


def test_the_theme_button_names_the_theme_that_it_switches_to(playground: Page) -> None:
    for other in ("dark", "light"):
        playground.get_by_role("button", name=f"{other} theme").click()
        expect(playground.locator("html")).to_have_attribute("data-theme", other)


def test_a_file_is_read_when_it_is_chosen_or_dropped(playground: Page, tmp_path: Path) -> None:
    file = tmp_path / "series.csv"
    file.write_text(MONTHLY)
    playground.set_input_files("#file", file)
    expect(playground.locator("#fact-points")).to_have_text("48")
    dropped = playground.evaluate_handle(
        """text => {
            const transfer = new DataTransfer();
            transfer.items.add(new File([text], 'series.csv'));
            return transfer;
        }""",
        "\n".join(LINES[:-4]),
    )
    expect(playground.locator("#chart-title")).to_have_text("series.csv")
    playground.dispatch_event("#legend", "drop", {"dataTransfer": dropped})  # beside the box
    expect(playground.locator("#fact-points")).to_have_text("44")


def test_everything_can_be_done_with_the_keyboard(page: Page, live_key: str) -> None:
    page.goto("/")
    expect(page.locator("#status")).to_contain_text("recorded")
    page.keyboard.press("Tab")
    expect(page.get_by_text("Skip to content")).to_be_focused()
    page.focus("#forecast-model-1")
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.focus("#key")
    page.keyboard.type(live_key)
    page.keyboard.press("Enter")
    expect(page.locator("#status")).to_have_text("24 periods forecast by Fast.")
    page.focus("#zoom-recent")
    for name in ("All", "Zoom in", "Zoom out", "PNG", "SVG", "Explain", "Download CSV"):
        page.keyboard.press("Tab")
        if name == "PNG":
            expect(page.get_by_label("Title of the picture")).to_be_focused()
            page.keyboard.press("Tab")
        expect(page.get_by_role("button", name=name)).to_be_focused()


def test_the_buttons_of_a_chart_do_nothing_before_it_is_drawn(script_page: Page) -> None:
    shown = script_page.evaluate("""async () => {
        const plotly = Object.assign(document.createElement("div"), {id: "plotly"});
        document.body.append(plotly); // whose loading the module waits for
        const {Chart} = await import(at("../charts/chart.js"));
        const chart = new Chart(document.createElement("div"));
        await Promise.all([chart.zoom(true), chart.showAll(), chart.showRecent()]);
        return chart.view ?? null;
    }""")
    assert shown is None
