"""The playground in a real browser, against the live service with real keys."""

import csv
import io
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from tests.support.browser import Watch
from tests.support.server import Server
from tests.web.pages.playing import (
    LINES,
    MONTHLY,
    QUICK,
    ROBUST,
    copied,
    copied_as,
    draw,
    drawn,
    markers,
    paste,
    run,
    submit,
)

pytestmark = pytest.mark.services

# How much of the width lies behind the last entry.
SHARE_BEHIND_THE_FORECAST = """chart => {
    const [from, to] = chart.layout.xaxis.range.map(text => Date.parse(text));
    const last = Math.max(...chart.data.flatMap(trace => trace.x));
    return (to - last) / (to - from);
}"""
SHOWN_SPAN = """chart => Date.parse(chart.layout.xaxis.range[1])
    - Date.parse(chart.layout.xaxis.range[0])"""


def test_a_pasted_series_is_forecast_and_drawn_as_far_as_asked(playground, live_key) -> None:
    paste(playground, MONTHLY)
    expect(playground.locator("#fact-frequency")).to_have_text("Monthly")
    playground.fill("#horizon", "7")
    submit(playground, live_key)
    expect(playground.locator("#status")).to_contain_text("7 periods forecast")
    assert drawn(playground) == {QUICK: 7}
    assert playground.locator("#table tbody tr").count() == 7
    expect(playground.locator("#limits")).to_contain_text("of 1000000 requests left until")


def test_a_second_model_is_drawn_beside_the_first_and_taken_away_again(
    playground, live_key, watch: Watch
) -> None:
    draw(playground)
    playground.fill("#horizon", "5")
    submit(playground, live_key)
    playground.check(f"#{ROBUST}")
    submit(playground, live_key)
    expect(playground.locator("#legend li")).to_have_count(4)
    assert drawn(playground) == {QUICK: 5, ROBUST: 5}
    assert markers(playground) == 144 + 5 + 5
    colours = playground.locator("#chart").evaluate(
        "chart => chart.data.filter(trace => trace.meta).map(trace => trace.line.color)"
    )
    assert len({colour for colour in colours if colour}) == 2
    playground.uncheck(f"#{QUICK}")
    expect(playground.locator("#legend li")).to_have_count(3)
    assert drawn(playground) == {ROBUST: 5}
    assert markers(playground) == 144 + 5
    # What had a response was not asked again.
    assert sum(url.endswith("/forecast") for url in watch.urls) == 2


def test_other_data_leave_no_old_forecast_on_the_page(playground, live_key) -> None:
    submit(playground, live_key)
    assert drawn(playground) == {QUICK: 24}
    paste(playground, MONTHLY)
    expect(playground.locator("#fact-points")).to_have_text("48")
    expect(playground.locator("#numbers")).to_be_hidden()
    expect(playground.locator("#sentence")).to_be_empty()
    expect(playground.locator("#status")).to_be_empty()
    assert drawn(playground) == {}


def test_the_status_is_of_what_was_asked_whatever_changes_meanwhile(playground, live_key) -> None:
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    playground.route("**/forecast", hold)
    status = playground.locator("#status")

    def ask_and_meanwhile(change: Callable[[], None]) -> None:
        with playground.expect_request("**/forecast"):
            playground.click("#go")
        expect(status).to_have_text("Asking Fast …")
        change()
        expect(status).to_have_text("Asking Fast …")
        held.pop().continue_()
        expect(playground.locator("#go")).to_be_enabled()

    def type_horizon(periods: str) -> None:
        playground.fill("#horizon", periods)
        playground.locator("#horizon").blur()

    playground.fill("#key", live_key)
    ask_and_meanwhile(lambda: type_horizon("3"))
    expect(status).to_have_text("The settings have changed since.")
    assert drawn(playground) == {QUICK: 24}
    ask_and_meanwhile(lambda: paste(playground, MONTHLY))
    expect(status).to_contain_text("The data have changed meanwhile")
    assert drawn(playground) == {}
    type_horizon("1")
    ask_and_meanwhile(lambda: playground.check(f"#{ROBUST}"))
    expect(status).to_have_text("1 period forecast by Fast.")


def test_a_notice_is_shown_beside_its_forecast(playground, live_key) -> None:
    paste(playground, "\n".join(LINES[:12]))
    playground.fill("#horizon", "2")
    submit(playground, f"Bearer {live_key}")
    expect(playground.locator("#legend .notice")).to_contain_text("12 are recommended")


def test_every_example_is_read_whole_and_forecast(playground, live_key) -> None:
    results = {}
    for option in playground.locator("#example option[data-horizon]").all():
        title = option.inner_text()
        playground.select_option("#example", label=title)
        expect(playground.locator("#chart-title")).to_have_text(title)
        submit(playground, live_key)
        expect(playground.locator("#numbers")).to_be_visible()
        horizon = int(option.get_attribute("data-horizon"))
        assert playground.locator("#table tbody tr").count() == horizon
        assert playground.locator("#notes li").count() == 0
        assert playground.locator("#fact-missing").inner_text() == "0"
        results[playground.locator("#fact-frequency").inner_text()] = title
    assert {"Hours", "Daily", "Monthly"} <= set(results)


def test_the_key_is_kept_nowhere_and_leaves_with_the_page(
    playground, live_key, server: Server, watch
) -> None:
    submit(playground, live_key)
    kept = playground.evaluate(
        """() => JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie,
            location.href, history.state, document.querySelector('#code').textContent,
            performance.getEntries().map(entry => entry.name)])"""
    )
    assert live_key not in kept
    assert not any(live_key in url for url in watch.urls)
    assert live_key not in server.logged
    assert live_key not in playground.content()
    playground.goto("about:blank")
    playground.go_back()
    expect(playground.locator("#key")).to_have_value("")


def test_the_code_runs_as_it_is_copied(playground, live_key) -> None:
    playground.fill("#horizon", "4")
    playground.locator("#horizon").blur()
    playground.fill("#confidence", "")
    playground.locator("#confidence").blur()
    playground.check("#languages input[value=python]", force=True)
    expect(playground.locator("#code")).to_contain_text("Type a number from 10 to 99")
    expect(playground.locator("#copy")).to_be_disabled()
    playground.fill("#confidence", "90")
    playground.fill("#horizon", "1001")
    playground.locator("#horizon").blur()
    expect(playground.locator("#code")).to_contain_text("Type a whole number from 1 to 1,000")
    playground.fill("#horizon", "365")
    playground.locator("#horizon").blur()
    expect(playground.locator("#code")).to_contain_text("Above 100 periods")
    playground.fill("#horizon", "4")
    playground.select_option("#frequency", "Daily")
    expect(playground.locator("#code")).to_contain_text("The series is Monthly, not Daily.")
    playground.select_option("#frequency", "Monthly")
    expect(playground.locator("#copy")).to_be_enabled()
    playground.fill("#confidence", "90")
    playground.locator("#confidence").blur()
    snippets = copied(playground)
    for snippet in snippets.values():
        assert snippet.count("1949-01-01T00:00:00") == 1
        assert snippet.count("1955-07-01T00:00:00") == 1
        assert QUICK in snippet
    assert "Authorization" not in snippets["curl"]  # an argument, which other users would see
    for language, printed in run(snippets, live_key):
        assert printed.count(b"1961-0") == 4, language


def test_the_code_for_nixtla_s_sdk_runs_as_it_is_copied(playground, live_key) -> None:
    playground.fill("#horizon", "4")
    playground.fill("#confidence", "90")
    playground.locator("#confidence").blur()
    snippet = copied_as(playground, "nixtla")
    assert f'h=4, level=[90], model="{QUICK}"' in snippet
    [(_, printed)] = run({"nixtla": snippet}, live_key)
    assert printed.count(b"1961-0") == 4
    assert b"TimeGPT-hi-90" in printed


def test_the_download_has_what_was_drawn(playground, live_key, tmp_path: Path) -> None:
    playground.check(f"#{ROBUST}")
    submit(playground, live_key)
    with playground.expect_download() as started:
        playground.click("#download")
    rows = list(csv.DictReader(io.StringIO(started.value.path().read_text())))
    history, forecast = rows[:144], rows[144:]
    assert history[0]["month"] == "1949-01"  # as it is pasted
    assert [row["passengers (thousands)"] for row in history[:2]] == ["112", "118"]
    assert not any(row["Fast"] for row in history)
    assert len(forecast) == 24
    for row in forecast:
        for model in ("Fast", "Robust"):
            lower, median, upper = (
                float(row[column])
                for column in (f"{model}_lower_bound", model, f"{model}_upper_bound")
            )
            assert lower <= median <= upper
        assert not row["passengers (thousands)"]


def test_hovering_tells_values_and_zooming_shows_less(playground, live_key) -> None:
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
    playground, live_key
) -> None:
    playground.select_option("#example", label="Cash machine withdrawals, daily")
    expect(playground.locator("#fact-points")).to_have_text("735")
    submit(playground, live_key)
    expect(playground.locator("#numbers")).to_be_visible()
    assert playground.locator("#chart").evaluate(SHARE_BEHIND_THE_FORECAST) < 0.03


@pytest.mark.parametrize(("first", "tick"), [(1234, "1,234.05"), (123_456, "123.45605k")])
def test_ticks_have_the_digits_that_tell_them_apart(playground, first, tick) -> None:
    draw(playground)
    paste(playground, "\n".join(f"2024-01-{i + 1:02},{first + i / 100}" for i in range(30)))
    expect(playground.locator("#chart .ytick").filter(has_text=tick)).to_have_count(1)


def test_the_numbers_of_one_model_fit_on_a_phone(playground, live_key) -> None:
    desk = playground.viewport_size
    playground.set_viewport_size({"width": 390, "height": 844})
    submit(playground, live_key)
    table = playground.locator("#numbers .scroll")
    expect(table).to_be_visible()
    assert table.evaluate("table => table.scrollWidth <= table.clientWidth")
    playground.set_viewport_size(desk)


def test_the_theme_button_names_the_theme_that_it_switches_to(playground) -> None:
    for other in ("dark", "light"):
        playground.get_by_role("button", name=f"{other} theme").click()
        expect(playground.locator("html")).to_have_attribute("data-theme", other)


def test_a_file_is_read_when_it_is_chosen_or_dropped(playground, tmp_path: Path) -> None:
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


def test_everything_can_be_done_with_the_keyboard(page: Page, live_key) -> None:
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
    for name in (
        "All",
        "Zoom in",
        "Zoom out",
        "PNG",
        "SVG",
        "Explain",
        "Download CSV",
    ):
        page.keyboard.press("Tab")
        if name == "PNG":
            expect(page.get_by_label("Title of the picture")).to_be_focused()
            page.keyboard.press("Tab")
        expect(page.get_by_role("button", name=name)).to_be_focused()
