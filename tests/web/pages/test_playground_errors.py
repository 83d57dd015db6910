"""Errors are shown beside the control that caused them, in the service's words."""

import datetime as dt

import pytest
from playwright.sync_api import expect

from tests.support.keys import new_key
from tests.web.pages.playing import (
    LINES,
    MONTHLY,
    QUICK,
    ROBUST,
    chart_points,
    paste,
    show_table,
    submit,
)

pytestmark = pytest.mark.services


NO_KEYS = ("ak_é", "ak_" + "0" * 63, "Bearer sk_" + "0" * 64, "ak_" + "g" * 64)


@pytest.mark.parametrize(
    ("keys", "shown"),
    [
        (NO_KEYS, "This is not a key: a key is ak_ and 64"),
        (("", "  ", "Bearer "), "Paste a key. make run prints one."),
    ],
)
def test_a_malformed_key_is_reported_without_a_request(
    playground, watch, keys: tuple[str, ...], shown: str
) -> None:
    for key in keys:
        playground.fill("#key", key)
        expect(playground.locator("#key-error")).to_be_empty()
        submit(playground, key)
        expect(playground.locator("#key-error")).to_contain_text(shown)
        expect(playground.locator("#key")).to_be_focused()
    assert not [url for url in watch.urls if url.endswith("/forecast")]


def test_invalid_settings_are_shown_at_their_controls_and_not_sent(
    playground, live_key, watch
) -> None:
    for horizon, confidence in (("1001", "150"), ("2.5", ""), ("", "9")):
        playground.fill("#horizon", horizon)
        playground.fill("#confidence", confidence)
        submit(playground, live_key)
        expect(playground.locator("#horizon-error")).to_have_text(
            "Type a whole number from 1 to 1,000."
        )
        expect(playground.locator("#confidence-error")).to_contain_text("from 10 to 99, in percent")
        expect(playground.locator("#horizon")).to_be_focused()
    assert not [url for url in watch.urls if url.endswith("/forecast")]
    playground.fill("#horizon", "5")
    expect(playground.locator("#horizon-error")).to_be_empty()
    expect(playground.locator("#horizon")).not_to_have_attribute("aria-invalid", "true")
    expect(playground.locator("#confidence-error")).not_to_be_empty()
    playground.fill("#confidence", "90")
    submit(playground, live_key)
    assert chart_points(playground) == {QUICK: 5}


def test_a_wrong_frequency_is_reported_in_words_with_a_way_on(playground, live_key, watch) -> None:
    playground.select_option("#frequency", "Daily")
    submit(playground, live_key)
    error = playground.locator("#frequency-error")
    expect(error).to_have_text("The series is Monthly, not Daily. Choose Monthly.")
    assert not [url for url in watch.urls if url.endswith("/forecast")]
    playground.click("text=Choose Monthly")
    expect(playground.locator("#sentence")).to_contain_text("Forecast for the next 24 months.")
    expect(error).to_be_empty()


def test_days_that_are_forecast_as_months_are_added_up_by_a_click(playground, live_key) -> None:
    days = [dt.date(2023, 1, 1) + dt.timedelta(n) for n in range(500)]
    weekdays = [day for day in days if day.weekday() < 5]  # a business does not work at weekends
    lines = [f"{day},{100 + day.day + day.month}" for day in weekdays]
    paste(playground, "\n".join(["day,sales", *lines]))
    expect(playground.locator("#fact-frequency")).to_have_text("Daily")
    playground.select_option("#frequency", "Monthly")
    submit(playground, live_key)
    expect(playground.locator("#frequency-error")).to_have_text(
        "The series is Daily, not Monthly. Choose Daily or forecast the total of each month."
    )
    playground.click("text=forecast the total of each month")
    expect(playground.locator("#sentence")).to_contain_text("next 5 months. May 2024: ")
    expect(playground.locator("#ask-per")).to_have_value("month-total")


def test_a_value_is_reported_with_its_line_and_the_line_is_found(playground) -> None:
    paste(playground, "\n".join([*LINES[:18], "2020-06,1e150", *LINES[19:]]))
    expect(playground.locator("#notes")).to_contain_text("line 19: “1e150” is not a number.")
    playground.click("#notes button")
    chosen = playground.locator("#text").evaluate(
        "text => text.value.slice(text.selectionStart, text.selectionEnd)"
    )
    assert chosen == "2020-06,1e150"


def test_a_used_up_limit_counts_down_beside_the_key(playground, server, watch) -> None:
    key = new_key(server.environ["DATABASE_URL"], per_minute=1)
    submit(playground, key)
    playground.check(f"#{ROBUST}")
    submit(playground, key)
    watch.expect_rejections(429)
    error = playground.locator("#key-error")
    expect(error).to_contain_text("the only request is used up until")
    expect(error).to_contain_text("Try again in ")
    first = error.locator("p").last.inner_text()
    expect(error.locator("p").last).not_to_have_text(first)
    assert chart_points(playground) == {QUICK: 24}


def test_a_key_without_the_permission_shows_what_it_lacks(playground, server, watch) -> None:
    submit(playground, server.flask("keys", "create", "--permissions", "write", "--quiet"))
    watch.expect_rejections(403)
    expect(playground.locator("#key-error")).to_contain_text("has write; use one that has read")


def test_no_model_is_shown_beside_the_models(playground, live_key) -> None:
    playground.uncheck(f"#{QUICK}")
    submit(playground, live_key)
    expect(playground.locator("#models-error")).to_contain_text("Choose a model")


def test_a_service_that_is_gone_is_shown_beside_the_button(playground, live_key, watch) -> None:
    playground.route("**/forecast", lambda route: route.abort())
    submit(playground, live_key)
    assert watch.problems.pop().startswith("console error: Failed to load resource: net::")
    expect(playground.locator("#form-error")).to_contain_text("cannot be reached")


@pytest.mark.parametrize("is_gone", [True, False], ids=["no connection", "busy"])
def test_an_example_that_cannot_be_fetched_is_reported_and_the_page_works(
    playground, live_key, watch, is_gone: bool
) -> None:
    url = f"**{playground.locator('#example option').nth(1).get_attribute('value')}"
    playground.route(url, lambda route: route.abort() if is_gone else route.fulfill(status=503))
    playground.select_option("#example", index=1)
    error = playground.locator("#text-error")
    expect(error).to_have_text("The series could not be loaded. Choose it again.")
    expect(playground.locator("#example")).to_have_value("")
    if is_gone:
        assert watch.problems.pop().startswith("console error: Failed to load resource: net::")
    else:
        watch.expect_rejections(503)
    playground.unroute(url)
    show_table(playground, MONTHLY)
    expect(error).to_be_empty()
    submit(playground, live_key)
    assert chart_points(playground) != {}
    playground.select_option("#example", index=1)
    expect(playground.locator("#text")).not_to_have_value(MONTHLY)


def test_no_data_is_shown_beside_the_text_and_spends_no_request(
    playground, live_key, watch
) -> None:
    playground.select_option("#example", "")
    expect(playground.locator("#notes")).to_contain_text("Paste a column of dates")
    for button in ("#go", "#backtest"):
        playground.fill("#key", live_key)
        playground.click(button)
        expect(playground.locator("#text-error p")).to_have_count(1)
        expect(playground.locator("#text-error")).to_contain_text("Paste a column of dates")
    expect(playground.locator("#text")).to_be_focused()
    assert not [url for url in watch.urls if url.endswith(("/forecast", "/backtest"))]
