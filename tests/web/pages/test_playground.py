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
    chart_points,
    code_request,
    code_requests,
    download,
    draw,
    markers,
    paste,
    run,
    show_table,
    submit,
)

pytestmark = pytest.mark.services


def test_a_pasted_series_is_forecast_and_drawn_as_far_as_asked(playground, live_key) -> None:
    show_table(playground, MONTHLY)
    expect(playground.locator("#fact-frequency")).to_have_text("Monthly")
    playground.fill("#horizon", "7")
    submit(playground, live_key)
    expect(playground.locator("#status")).to_contain_text("7 periods forecast")
    assert chart_points(playground) == {QUICK: 7}
    assert playground.locator("#table tbody tr").count() == 7
    expect(playground.locator("#limits")).to_contain_text("of 1000000 requests left until")


def test_a_second_model_is_drawn_beside_the_first_and_can_be_removed(
    playground: Page, live_key: str, watch: Watch
) -> None:
    draw(playground)
    playground.fill("#horizon", "5")
    submit(playground, live_key)
    playground.check(f"#{ROBUST}")
    submit(playground, live_key)
    expect(playground.locator("#legend li")).to_have_count(4)
    assert chart_points(playground) == {QUICK: 5, ROBUST: 5}
    assert markers(playground) == 144 + 5 + 5
    colours = playground.locator("#chart").evaluate(
        "chart => chart.data.filter(trace => trace.meta).map(trace => trace.line.color)"
    )
    assert len({colour for colour in colours if colour}) == 2
    playground.uncheck(f"#{QUICK}")
    expect(playground.locator("#legend li")).to_have_count(3)
    assert chart_points(playground) == {ROBUST: 5}
    assert markers(playground) == 144 + 5
    # A request with a response is not sent again.
    assert sum(url.endswith("/forecast") for url in watch.urls) == 2


def test_other_data_leave_no_old_forecast_on_the_page(playground: Page, live_key: str) -> None:
    submit(playground, live_key)
    assert chart_points(playground) == {QUICK: 24}
    paste(playground, MONTHLY)
    expect(playground.locator("#fact-points")).to_have_text("48")
    expect(playground.locator("#numbers")).to_be_hidden()
    expect(playground.locator("#sentence")).to_be_empty()
    expect(playground.locator("#status")).to_be_empty()
    assert chart_points(playground) == {}


def test_the_status_is_of_what_was_asked_whatever_changes_meanwhile(playground, live_key) -> None:
    held: list[Route] = []

    def block(route: Route) -> None:
        held.append(route)

    playground.route("**/forecast", block)
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
    assert chart_points(playground) == {QUICK: 24}
    ask_and_meanwhile(lambda: paste(playground, MONTHLY))
    expect(status).to_contain_text("The data have changed meanwhile")
    assert chart_points(playground) == {}
    type_horizon("1")
    ask_and_meanwhile(lambda: playground.check(f"#{ROBUST}"))
    expect(status).to_have_text("1 period forecast by Fast.")


def test_a_notice_is_shown_beside_its_forecast(playground: Page, live_key: str) -> None:
    show_table(playground, "\n".join(LINES[:12]))
    playground.fill("#horizon", "2")
    submit(playground, f"Bearer {live_key}")
    expect(playground.locator("#legend .notice")).to_contain_text("12 are recommended")


def test_every_example_is_read_whole_and_forecast(playground: Page, live_key: str) -> None:
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
    playground: Page, live_key: str, server: Server, watch: Watch
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


def test_the_code_runs_as_it_is_copied(playground: Page, live_key: str) -> None:
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
    snippets = code_requests(playground)
    for snippet in snippets.values():
        assert snippet.count("1949-01-01T00:00:00") == 1
        assert snippet.count("1955-07-01T00:00:00") == 1
        assert QUICK in snippet
    assert "Authorization" not in snippets["curl"]  # an argument, which other users would see
    for language, printed in run(snippets, live_key):
        assert printed.count(b"1961-0") == 4, language


def test_the_code_for_nixtla_s_sdk_runs_as_it_is_copied(playground: Page, live_key: str) -> None:
    playground.fill("#horizon", "4")
    playground.fill("#confidence", "90")
    playground.locator("#confidence").blur()
    snippet = code_request(playground, "nixtla")
    assert f'h=4, level=[90], model="{QUICK}"' in snippet
    [(_, printed)] = run({"nixtla": snippet}, live_key)
    assert printed.count(b"1961-0") == 4
    assert b"TimeGPT-hi-90" in printed


def test_the_download_has_what_was_drawn(playground: Page, live_key: str, tmp_path: Path) -> None:
    playground.check(f"#{ROBUST}")
    submit(playground, live_key)
    rows = list(csv.DictReader(io.StringIO(download(playground, "download")[1].decode())))
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
