"""Errors are one visible sentence, and typed input is never lost."""

import datetime as dt

import pytest
from playwright.sync_api import Page, expect

from tests.support.browser import Watch
from tests.support.databases import second_application
from tests.support.keys import record_of
from tests.support.server import Server
from tests.web.pages.playing import LINES, MONTHLY, QUICK, chart_points, draw, paste, sketch, submit

pytestmark = pytest.mark.services

MAX_POINTS = 50_000
PASTE = """(text, words) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", words);
    text.dispatchEvent(new ClipboardEvent("paste", {clipboardData, cancelable: true}));
}"""


SELECTED = "text => [text.selectionStart, text.selectionEnd]"


def test_a_pasted_table_replaces_the_one_before_unless_appended(
    playground: Page,
) -> None:
    paste(playground, MONTHLY)
    text, end = playground.locator("#text"), len(MONTHLY)
    many, few = "\n".join(LINES[:12]), "\n".join(LINES[1:4])
    for words, cursor, selected in (
        (many, 40, [0, end]),
        (many, end, [end, end]),
        (few, 40, [40, 40]),
    ):
        text.evaluate("(text, place) => text.setSelectionRange(place, place)", cursor)
        text.evaluate(PASTE, words)
        assert text.evaluate(SELECTED) == selected


def forecasts(watch: Watch) -> int:
    return sum(url.endswith("/forecast") for url in watch.urls)


def expect_one_sentence(page: Page, control: str, words: str) -> None:
    error = page.locator(f"#{control}-error")
    expect(error).to_contain_text(words)
    expect(error).to_be_in_viewport(ratio=1)
    expect(page.locator(".error > p")).to_have_count(1)


def test_too_few_points_are_reported_without_a_request(
    playground: Page, live_key: str, watch: Watch
) -> None:
    for points, sentence in (
        (1, "1 value: 10 or more are needed."),
        (9, "9 values: 10 or more are needed."),
    ):
        text = "\n".join(LINES[: points + 1])
        paste(playground, text)
        expect(playground.locator("#fact-points")).to_have_text(str(points))
        submit(playground, live_key)
        expect_one_sentence(playground, "text", sentence)
        expect(playground.locator("#code")).to_contain_text("10 or more are needed.")
        expect(playground.locator("#text")).to_have_value(text)
    assert forecasts(watch) == 0


def test_the_most_points_are_drawn_and_forecast_and_one_more_is_reported(
    playground: Page, live_key: str
) -> None:
    first = dt.datetime(2020, 1, 1)
    rows = [f"{first + dt.timedelta(hours=n)},{n % 24}" for n in range(MAX_POINTS + 1)]
    draw(playground)
    playground.select_option("#example", "")
    playground.locator("#text").evaluate(PASTE, "\n".join(rows[:-1]))
    expect(playground.locator("#fact-points")).to_have_text("50,000")
    playground.fill("#horizon", "3")
    submit(playground, live_key)
    expect(playground.locator("#numbers tbody tr")).to_have_count(3)
    sketch(playground)
    playground.locator("#text").evaluate("text => text.select()")
    playground.locator("#text").evaluate(PASTE, "\n".join(rows))
    expect(playground.locator("#notes")).to_contain_text("the newest 50,000 are read")
    expect(playground.locator("#fact-points")).to_have_text("50,000")


def test_a_revoked_key_is_shown_beside_the_key(
    playground: Page, server: Server, watch: Watch
) -> None:
    key = server.flask("keys", "create", "--permissions", "read", "--quiet")
    playground.fill("#horizon", "3")
    submit(playground, key)
    assert chart_points(playground) == {QUICK: 3}
    with second_application(server.environ["DATABASE_URL"]) as app:
        number = record_of(app, key).id
    server.flask("keys", "revoke", str(number))
    playground.fill("#horizon", "5")
    submit(playground, key)
    watch.expect_rejections(401)
    expect_one_sentence(playground, "key", "If it was revoked or has expired, use another key.")
    expect(playground.locator("#horizon")).to_have_value("5")
    expect(playground.locator("#key")).to_have_value(key)
    expect(playground.locator("#key")).to_be_focused()
    expect(playground.locator("#key")).to_have_attribute("aria-invalid", "true")
    assert chart_points(playground) == {QUICK: 3}, "the picture is gone"


def test_an_unavailable_service_loses_no_points(
    playground: Page, live_key: str, watch: Watch
) -> None:
    playground.route("**/read?**", lambda route: route.abort())
    playground.route("**/forecast", lambda route: route.abort())
    paste(playground, MONTHLY)
    expect(playground.locator("#notes")).to_contain_text("The service cannot be reached.")
    playground.fill("#horizon", "4")
    submit(playground, live_key)
    expect_one_sentence(playground, "text", "The service cannot be reached.")
    expect(playground.locator("#text")).to_have_value(MONTHLY)
    playground.unroute_all()
    watch.problems.clear()
    playground.click("#go")
    expect(playground.locator("#status")).to_contain_text("periods forecast by Fast.")
    expect(playground.locator("#horizon")).to_have_value("4")
    assert chart_points(playground) == {QUICK: 4}


def test_a_table_pasted_into_an_example_takes_its_place(playground: Page) -> None:
    playground.context.grant_permissions(["clipboard-read", "clipboard-write"])
    table = "\n".join(LINES)
    playground.evaluate("text => navigator.clipboard.writeText(text)", table)
    playground.select_option("#example", index=1)
    expect(playground.locator("#text")).not_to_have_value("")
    playground.locator("#text").click()
    playground.keyboard.press("Control+V")
    expect(playground.locator("#text")).to_have_value(table)
    expect(playground.locator("#example")).to_have_value("")
