"""The sentence and legend of a forecast, and the marks of stale results."""

import datetime as dt
from typing import Any
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Page, Route, expect

from tests.support.browser import Watch
from tests.web.pages.playing import (
    LINES,
    QUICK,
    ROBUST,
    chart_points,
    download,
    paste,
    show_table,
    submit,
)

pytestmark = pytest.mark.services

BANDS = """chart => Object.fromEntries(chart.data.filter(trace => trace.name.endsWith("upper"))
    .map(trace => [trace.name.split(" ")[0], trace.fill ? "area" : "outline"]))"""
START = """chart => chart.data.filter(trace => trace.name === "Start").flatMap(trace => trace.x)
    .slice(0, 1).map(moment => new Date(moment).toISOString().slice(0, 10))"""
# The first two dates of the history, and the first one of the forecast.
DRAWN_AT = """chart => [...chart.data[0].x.slice(0, 2), chart.data.find(trace => trace.meta).x[0]]
    .map(moment => new Date(moment).toISOString().slice(0, 10))"""
# The headers of the first model and of its first column.
ALIGNED = """head => [head.rows[0].cells[1], head.rows[1].cells[0]]
    .map(cell => getComputedStyle(cell).textAlign)"""
BROKEN_PHRASES = """entry => [...entry.querySelectorAll(":scope > span:not(.actions)")]
    .filter(phrase => phrase.getClientRects().length > 1).map(phrase => phrase.textContent)"""
FAIL_ONCE = """() => { const { toImage } = Plotly;
    Plotly.toImage = () => { Plotly.toImage = toImage; throw new Error("no picture"); }; }"""
EXAMPLE = "**/sample-series/*.csv"
SVG = "{http://www.w3.org/2000/svg}"
PNG = b"\x89PNG\r\n\x1a\n"


def chart(page: Page, script: str) -> Any:
    return page.locator("#chart").evaluate(script)


def test_three_steps_lead_to_a_forecast_its_sentence_first(page: Page, live_key: str) -> None:
    page.goto("/")
    page.fill("#key", live_key)
    expect(page.locator("#horizon")).to_have_value("24")  # once the example has been read
    page.click("#go")
    sentence = page.locator("#sentence")
    expect(sentence).to_contain_text("Forecast for the next 24 months. January 1961: ")
    expect(sentence).to_contain_text("; December 1962: ")
    expect(sentence).to_contain_text(" (95 % between ")
    text, picture = sentence.bounding_box(), page.locator("#chart").bounding_box()
    assert text["y"] < picture["y"]
    expect(page.locator("#chart .ytitle")).to_have_text("passengers (thousands)")
    assert chart(page, START) == ["1960-12-01"]


def test_a_click_before_the_example_has_loaded_forecasts_the_example(page: Page, live_key) -> None:
    held: list[Route] = []

    def block(route: Route) -> None:
        held.append(route)

    page.route(EXAMPLE, block)
    page.goto("/")
    page.fill("#key", live_key)
    page.click("#go")
    with page.expect_request("**/forecast") as asked:
        held[0].continue_()
    body = asked.value.post_data_json
    assert (body["forecast_horizon"], body["data_frequency"]) == (24, "Monthly")
    expect(page.locator("#sentence")).to_contain_text(
        "Forecast for the next 24 months. January 1961: "
    )


def test_a_forecast_of_earlier_settings_is_marked_stale(playground: Page, live_key: str) -> None:
    submit(playground, live_key)
    for horizon, stale in (("3", 1), ("24", 0), ("3", 1)):
        playground.fill("#horizon", horizon)
        playground.locator("#horizon").blur()
        expect(playground.locator("#stale")).to_be_visible(visible=bool(stale))
        expect(playground.locator("#picture.stale")).to_have_count(stale)
        words = "Forecast again" if stale else "Forecast"
        expect(playground.locator("#go")).to_have_accessible_name(words)
        assert chart_points(playground) == {QUICK: 24}
    submit(playground, live_key)
    expect(playground.locator("#stale")).to_be_hidden()
    assert chart_points(playground) == {QUICK: 3}


def test_one_band_is_filled_and_a_hidden_forecast_is_dimmed(playground, live_key) -> None:
    playground.check(f"#{ROBUST}")
    submit(playground, live_key)
    assert chart(playground, BANDS) == {"Fast": "area", "Robust": "outline"}
    assert playground.locator("#table thead").evaluate(ALIGNED) == ["center", "right"]
    assert playground.locator("#legend li").nth(1).evaluate(BROKEN_PHRASES) == []
    expect(playground.locator("#sentence")).to_contain_text("Fast: next 24 months. ")
    playground.get_by_role("button", name="Fill band: Robust").click()
    expect(playground.locator("#sentence")).to_contain_text("Robust: next 24 months ")
    assert chart(playground, BANDS) == {"Fast": "outline", "Robust": "area"}
    hide = playground.get_by_role("button", name="Hide Robust")
    hide.focus()
    playground.keyboard.press("Enter")
    expect(playground.locator("#legend .dimmed")).to_contain_text("Robust")
    assert chart_points(playground) == {QUICK: 24}
    assert chart(playground, BANDS) == {"Fast": "area"}
    show = playground.get_by_role("button", name="Show Robust")
    expect(show).to_be_focused()
    show.click()
    assert chart_points(playground) == {QUICK: 24, ROBUST: 24}


def test_confidence_is_typed_as_percent_and_sent_as_a_share(playground, live_key) -> None:
    playground.fill("#confidence", "80")
    with playground.expect_request("**/forecast") as sent:
        submit(playground, live_key)
    assert sent.value.post_data_json["confidence"] == 0.8
    expect(playground.locator("#sentence")).to_contain_text("80 % between")


def test_pasted_data_propose_a_horizon_unless_one_was_typed(playground: Page) -> None:
    paste(playground, "\n".join(f"2024-01-{i + 1:02},{i}" for i in range(30)))
    expect(playground.locator("#horizon")).to_have_value("10")
    playground.fill("#horizon", "4")
    paste(playground, "\n".join(f"2024-02-{i + 1:02},{i}" for i in range(21)))
    expect(playground.locator("#fact-points")).to_have_text("21")
    expect(playground.locator("#horizon")).to_have_value("4")


def test_a_new_table_begins_with_the_default_model_which_edits_and_reloads_keep(
    playground: Page,
) -> None:
    chosen = "() => [...document.querySelectorAll('#models input:checked')].map(({id}) => id)"
    paste(playground, "\n".join(LINES))
    expect(playground.locator("#fact-points")).to_have_text("48")
    playground.check(f"#{ROBUST}")
    playground.uncheck(f"#{QUICK}")
    paste(playground, "\n".join(LINES[:-1]))
    expect(playground.locator("#fact-points")).to_have_text("47")
    assert playground.evaluate(chosen) == [ROBUST]
    playground.reload()
    expect(playground.locator("#fact-points")).to_have_text("47")
    assert playground.evaluate(chosen) == [ROBUST]
    paste(playground, "\n".join(f"{day}.1.2024;{day % 7}" for day in range(1, 31)))
    expect(playground.locator("#fact-points")).to_have_text("30")
    assert playground.evaluate(chosen) == ["forecast-model-1"]
    playground.check(f"#{ROBUST}")
    paste(playground, "")
    expect(playground.locator("#facts")).to_be_hidden()
    paste(playground, "\n".join(LINES))
    expect(playground.locator("#fact-points")).to_have_text("48")
    assert playground.evaluate(chosen) == ["forecast-model-1"]


def test_an_axis_of_percentages_says_so(playground: Page) -> None:
    paste(playground, "\n".join(f"2024-{month:02},{month}.5%" for month in range(1, 13)))
    expect(playground.locator("#fact-points")).to_have_text("12")
    suffix = "chart => chart.layout.yaxis.ticksuffix"
    assert playground.locator("#chart").evaluate(suffix) == "%"


def test_the_picture_says_what_it_shows(playground: Page, live_key: str) -> None:
    submit(playground, live_key)
    name, picture = download(playground, "png")
    assert name == "airline-passengers-monthly-forecast.png"
    assert picture.startswith(PNG)
    name, picture = download(playground, "svg")
    assert name == "airline-passengers-monthly-forecast.svg"
    drawing = ElementTree.fromstring(picture)
    words = " ".join(text.text for text in drawing.iter(f"{SVG}text") if text.text)
    for words_shown in (
        "Airline passengers, monthly",
        "95 % between",
        "Forecast for the next 24",
        "History",
    ):
        assert words_shown in words
    assert " ms" not in words
    assert drawing.find(f"{SVG}desc").text == playground.locator("#sentence").inner_text()
    picture = playground.locator("#chart")
    assert picture.get_attribute("aria-labelledby") == "chart-title sentence"


def test_the_notice_in_a_chart_overlaps_neither_forecast_nor_edges(
    playground: Page, live_key: str
) -> None:
    show_table(playground, "\n".join(LINES[:12]))
    playground.fill("#horizon", "2")
    submit(playground, live_key)
    expect(playground.locator("#legend .notice")).not_to_be_empty()
    notice = "a fixture's words, which the picture breaks as it does its sentence, " * 3
    playground.locator("#legend .notice").evaluate("(entry, text) => entry.append(text)", notice)
    drawing = ElementTree.fromstring(download(playground, "svg")[1])
    texts = [text.text for text in drawing.findall(f"{SVG}g/{SVG}text")]
    words = " ".join(texts)
    assert "Forecast, January 2020: " in words
    assert " · series has 11 points" in words
    assert notice.strip() in words
    assert max(map(len, texts)) < 130


def test_the_picture_has_the_title_that_was_typed_and_is_light_in_the_dark(
    playground: Page, live_key: str
) -> None:
    submit(playground, live_key)
    playground.fill("#picture-title", "Passengers <& friends> Forecast")
    theme = playground.get_by_role("button", name="theme")
    pictures = []
    for _theme in range(2):
        name, picture = download(playground, "svg")
        assert name == "passengers-friends-forecast.svg"
        pictures.append(ElementTree.fromstring(picture))
        theme.click()
    for picture in pictures:
        assert picture.find(f"{SVG}title").text == "Passengers <& friends> Forecast"
        assert picture.find(f"{SVG}rect").get("fill") == "#ffffff"
        colours = {rect.get("fill") for rect in picture.findall(f"{SVG}g/{SVG}rect")}
        assert colours == {"#161b26", "#c2410c"}
    paste(playground, "\n".join(f"2024-01-{i + 1:02},{i}" for i in range(30)))
    expect(playground.locator("#picture-title")).not_to_have_value("Passengers <& friends>")


def test_a_picture_that_fails_leaves_no_copy_of_the_legend(
    playground: Page, page_and_watch: tuple[Page, Watch], live_key: str
) -> None:
    submit(playground, live_key)
    playground.evaluate(FAIL_ONCE)
    with playground.expect_event("pageerror"):
        playground.click("#svg")
    expect(playground.locator(".light")).to_have_count(0)
    page_and_watch[1].problems.clear()


@pytest.mark.parametrize(
    ("months", "drawn_at", "hover"),
    [
        (1, ["1990-01-01", "1990-02-01", "1992-01-01"], "%b %Y"),
        (3, ["1990-03-01", "1990-06-01", "1996-03-01"], "%b %Y"),
        (12, ["1990-01-01", "1991-01-01", "2014-01-01"], "%Y"),
    ],
    ids=["months", "quarters", "years"],
)
def test_ends_of_months_are_drawn_at_the_tick_of_their_month_not_of_the_next(
    playground: Page, live_key: str, months: int, drawn_at: list[str], hover: str
) -> None:
    after = range(months, 25 * months, months)
    days = [dt.date(1990 + n // 12, n % 12 + 1, 1) - dt.timedelta(1) for n in after]
    paste(playground, "\n".join(f"{day},{n % 12}" for n, day in enumerate(days)))
    expect(playground.locator("#fact-points")).to_have_text("24")
    playground.fill("#horizon", "1")
    submit(playground, live_key)
    expect(playground.locator("#sentence")).not_to_be_empty()
    assert chart(playground, DRAWN_AT) == drawn_at
    assert chart(playground, "chart => chart.layout.xaxis.hoverformat") == hover
