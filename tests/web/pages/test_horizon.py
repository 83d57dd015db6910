"""The horizon, also beyond the maximum of POST /forecast, such as a week of half hours."""

import datetime as dt
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.web.pages.playing import QUICK, chart_points, paste, show_table, submit

pytestmark = pytest.mark.services

WEEK = 7 * 48


def half_hours(weeks: int, column: str = "calls") -> str:
    """Return the calls of a centre that is open from 8:00 to 18:00 on weekdays."""
    start = dt.datetime(2024, 3, 4)
    times = (start + dt.timedelta(minutes=30 * n) for n in range(weeks * WEEK))
    opened = (time for time in times if time.weekday() < 5 and 8 <= time.hour < 18)
    lines = [f"{time},{40 + 10 * (time.weekday() == 0) + time.hour}" for time in opened]
    return "\n".join([f"time,{column}", *lines])


def test_a_week_of_half_hours_is_forecast_of_hours_that_are_closed_at_night(
    playground: Page, live_key, watch
) -> None:
    paste(playground, half_hours(4))
    playground.select_option("#ask-fill", "zero")
    expect(playground.locator("#horizon")).to_have_value(str(WEEK))
    expect(playground.locator("#horizon-hint")).to_contain_text("for the first 100 periods")
    submit(playground, live_key)
    sentence = "Forecast for the next 336 periods of 30 minutes."
    expect(playground.locator("#sentence")).to_contain_text(sentence)
    assert chart_points(playground) == {QUICK: WEEK}
    expect(playground.locator("#numbers tbody tr")).to_have_count(WEEK)
    asked = [url for url in watch.urls if urlsplit(url).path.endswith("/forecast")]
    assert ["/tables/forecast?fill=zero&horizon=336" in url for url in asked] == [True]


def test_a_week_is_one_click_away(playground: Page, live_key: str) -> None:
    rows = [f"2024-01-{1 + n // 24:02} {n % 24:02}:00,{n % 24 + n % 7}" for n in range(24 * 20)]
    paste(playground, "\n".join(rows))
    expect(playground.locator("#horizon")).to_have_value("48")
    playground.click("text=A week: 168 periods")
    expect(playground.locator("#horizon")).to_have_value("168")
    expect(playground.locator("#week")).to_have_count(0)
    submit(playground, live_key)
    expect(playground.locator("#sentence")).to_contain_text("Forecast for the next 168 hours.")


def test_explanations_and_backtests_cut_long_horizons_to_their_maximum(
    playground: Page, live_key: str
) -> None:
    rows = [f"2024-01-{1 + n // 24:02} {n % 24:02}:00,{n % 24 + n % 7}" for n in range(24 * 28)]
    show_table(playground, "\n".join(rows))
    playground.fill("#horizon", "168")
    submit(playground, live_key)
    sentence = "Forecast for the next 168 hours."
    expect(playground.locator("#sentence")).to_contain_text(sentence)
    for button, path, done in (
        ("#explain", "/explain", "#why-parts"),
        ("#backtest", "/backtest", "#verdict"),
    ):
        with playground.expect_request(f"**{path}") as sent:
            playground.click(button)
        assert sent.value.post_data_json["forecast_horizon"] == 100
        expect(playground.locator(done)).to_be_visible()
    expect(playground.locator("#verdict")).to_contain_text("of 100 hours each")


def test_periods_that_were_typed_are_not_those_of_the_next_table(playground: Page) -> None:
    hours = "\n".join(f"2024-01-{1 + n // 24:02} {n % 24:02}:00,{n % 9}" for n in range(480))
    days = "\n".join(f"{dt.date(2024, 1, 1) + dt.timedelta(n)},{n % 7}" for n in range(200))
    horizon = playground.locator("#horizon")
    paste(playground, hours)
    expect(horizon).to_have_value("48")
    horizon.fill("100")
    paste(playground, hours + "\n2024-01-21 00:00,5")
    expect(playground.locator("#fact-last")).to_have_text("2024-01-21")
    expect(horizon).to_have_value("100")
    paste(playground, days)
    expect(horizon).to_have_value("28")
    horizon.fill("9")
    for name, value in (("a.csv", "28"), ("b.csv", "28")):
        file = {"name": name, "mimeType": "text/csv", "buffer": days.encode()}
        playground.set_input_files("#file", file)
        expect(playground.locator("#chart-title")).to_have_text(name)
        expect(horizon).to_have_value(value)
        horizon.fill("9")


def test_an_answered_question_is_not_worded_as_an_open_one(playground: Page) -> None:
    paste(playground, half_hours(4))
    question = playground.locator(".question")
    expect(question).to_contain_text("A forecast needs a value for each date.")
    expect(playground.locator(".question.asks")).to_have_count(1)
    playground.select_option("#ask-fill", "zero")
    expect(question).to_contain_text("Filled with zero.")
    expect(question).not_to_contain_text("needs")
    expect(playground.locator(".question.asks")).to_have_count(0)
    expect(playground.locator("#fact-missing")).to_contain_text(", filled")
