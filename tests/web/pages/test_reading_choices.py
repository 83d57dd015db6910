"""More questions about a table: columns, steps, headers, combined values."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial

import pandas as pd
import pytest
from playwright.sync_api import Route, expect

from tests.web.pages.playing import download, expect_values, paste, submit, wide_table

pytestmark = pytest.mark.services
STATEMENT = "\n".join(
    [
        "Statement;01.01.2024;30.04.2024",
        "Balance;5.114,20;EUR",
        "Day;Booked;Amount",
        *(f"x;{day:02}.01.2024;{day},5" for day in range(1, 13)),
    ]
)
BOOKINGS = "\n".join(
    [
        "Day,Booked in München",
        *(
            f"{datetime(2024, 1, 1 + n // 2, 8 + n % 2 * 5 + n % 3, n * 7 % 60)},{3 + n % 7}.00"
            for n in range(60)
            if n // 2 != 20  # a day without any
        ),
    ]
)

# The next reading comes up to its headers; its body fails when the reading is aborted.
HOLD_NEXT_BODY = """() => {
    const send = window.fetch;
    window.fetch = async (url, options) => {
        window.fetch = send;
        const hold = body => options.signal.addEventListener(
            "abort", () => body.error(options.signal.reason));
        const {status} = await send(url, options);
        window.isBodyHeld = true;
        return new Response(new ReadableStream({start: hold}), {status});
    };
}"""


def test_the_column_that_is_likely_meant_is_read_and_another_can_be(playground) -> None:
    rows = ["date,temperature,sales,humidity", "2024-01-01,1,10,7", "2024-01-02,2,20,8"]
    paste(playground, "\n".join(rows))
    expect_values(playground, 10, 20)
    expect(playground.locator("#questions")).to_contain_text(
        "3 columns have numbers. “sales” is read."
    )
    expect(playground.locator(".question.asks")).to_have_count(0)
    playground.get_by_label("Values are in").select_option("temperature")
    expect_values(playground, 1, 2)
    expect(playground.locator("#chart-title")).to_have_text("temperature")


def test_numbers_without_dates_are_read_once_their_start_is_given(playground) -> None:
    paste(playground, "12\n13\n14,5")
    expect(playground.locator("#questions")).to_contain_text("numbers without dates")
    playground.get_by_label("The first number is of").fill("2024-01-31")
    playground.select_option("#ask-data_frequency", "Monthly")
    expect(playground.locator("#fact-last")).to_have_text("2024-03-31")
    expect_values(playground, 12, 13, 14.5)


def test_weeks_are_forecast_in_place_of_days_by_a_choice(playground) -> None:
    first = datetime(2024, 1, 1)
    lines = [f"{(first + timedelta(day)).date()},{day % 7}" for day in range(7 * 12)]
    paste(playground, "\n".join(["date,sales", *lines]))
    expect(playground.locator("#fact-frequency")).to_have_text("Daily")
    choice = playground.get_by_label("Forecast", exact=True).and_(playground.locator("select"))
    choice.select_option(label="the total of each week")
    expect(playground.locator("#fact-frequency")).to_have_text("Weekly")
    expect_values(playground, *[21] * 12)
    choice.select_option(label="each value as it is")
    expect(playground.locator("#fact-frequency")).to_have_text("Daily")


def test_another_header_line_may_be_chosen_and_a_rejected_one_keeps_the_questions(
    playground, watch
) -> None:
    paste(playground, STATEMENT)
    values = [day + 0.5 for day in range(1, 13)]
    expect_values(playground, *values)
    expect(playground.locator("#chart-title")).to_contain_text("Amount")
    header = playground.get_by_label("Header")
    expect(header).to_have_value("3")
    playground.route("**/read?*", reject)
    header.select_option("2")
    expect(playground.locator("#notes")).to_contain_text("There is no table below line 2")
    expect(header).to_have_value("3")
    expect_values(playground, *values)
    watch.expect_rejections(400)
    playground.unroute("**/read?*", reject)
    header.select_option("2")
    expect(playground.locator("#chart-title")).not_to_contain_text("Amount")
    expect(playground.locator("#notes")).not_to_contain_text("There is no table")


def reject(route: Route) -> None:
    reject_answer(route, "header")


def reject_answer(route: Route, field: str) -> None:
    defect = {"field": field, "issue": "there is no table below line 2", "provided": "2"}
    details = {**defect, "errors": [defect]}
    error = {"code": 400, "message": "Invalid request parameters", "details": details}
    route.fulfill(status=400, json={"error": error})


def test_how_several_a_day_are_combined_stays_to_be_seen_and_changed(playground, live_key) -> None:
    paste(playground, BOOKINGS)
    combine = playground.locator("#ask-per")
    combine.select_option("the total of each day (0 if it has none)")
    expect(playground.locator("#fact-points")).to_have_text("30")
    for _ in ("answered", "after a reload"):
        expect(combine.locator("option:checked")).to_have_text(
            "the total of each day (0 if it has none)"
        )
        expect(playground.locator("#questions")).to_contain_text("Several a day.")
        expect(playground.locator(".question.asks")).to_have_count(0)
        playground.reload()
    expect(playground.locator("#fact-points")).to_have_text("30")
    submit(playground, live_key)
    expect(playground.locator("#numbers")).to_be_visible()
    shown = b"Values are the total of each day (0 if it has none)."
    assert shown in download(playground, "svg")[1]
    written = download(playground, "download")[1]
    heads = ",".join(
        ["Day", *(f"Booked in München{e}" for e in ("", "_lower_bound", "_upper_bound"))]
    )
    assert written.decode().startswith(f"\ufeff{heads}")
    combine.select_option("the average of each day")
    expect(combine.locator("option:checked")).to_have_text("the average of each day")
    expect(playground.locator("#fact-missing")).to_have_text("1")
    combine.select_option("choose one")
    expect(playground.locator("#ask-per option:checked")).to_have_text("choose one")
    expect(playground.locator(".question.asks").first).to_contain_text("Several a day")
    playground.click("#clear")
    expect(playground.locator("#kept")).to_be_hidden()


def test_a_month_that_is_not_over_can_be_left_out_and_taken_back(playground) -> None:
    today = datetime.now(UTC)
    months = [(today.year - 2 + n // 12, n % 12 + 1) for n in range(24 + today.month)]
    paste(playground, "\n".join(f"{y}-{m:02},{100 + m}" for y, m in months))
    question = playground.locator(".question.asks")
    expect(question).to_contain_text("is not over: leave it out?")
    expect(playground.locator("#notes")).not_to_contain_text("is not over")
    points = playground.locator("#fact-points")
    end = playground.get_by_label("The last values are")
    for choice, count in (("kept as they are", 0), ("left out", 1), ("kept as they are", 0)):
        end.select_option(choice)
        expect(points).to_have_text(str(len(months) - count))
        expect(end.locator("option:checked")).to_have_text(choice)


def test_a_reading_that_is_replaced_while_its_body_comes_shows_nothing(playground) -> None:
    paste(playground, "\n".join(months_until_now(24)))
    end = playground.get_by_label("The last values are")
    expect(end).to_have_value("")
    playground.evaluate(HOLD_NEXT_BODY)
    end.select_option("kept as they are")
    playground.wait_for_function("() => window.isBodyHeld")
    end.select_option("left out")
    expect(playground.locator("#fact-points")).to_have_text("23")
    expect(end.locator("option:checked")).to_have_text("left out")


def test_another_series_is_shown_while_an_answer_is_read_which_may_be_rejected(
    playground, watch
) -> None:
    paste(playground, wide_table(["north", "south"], 84))
    busy, per = playground.locator("#reading[aria-busy]"), playground.locator("#ask-per")
    expect(per).to_be_visible()
    rejecting: list[Callable[[], None]] = []
    playground.route(
        "**/read?per=*", lambda route: rejecting.append(partial(reject_answer, route, "per"))
    )
    per.select_option("the total of each week")
    playground.select_option("select[name=series]", "south")
    expect(playground.locator("#chart-title")).to_contain_text("south")
    expect(busy).to_have_count(1)
    rejecting[0]()
    expect(playground.locator("#notes")).to_contain_text("There is no table")
    watch.expect_rejections(400)
    expect(per.locator("option:checked")).to_have_text("each value as it is")


def test_the_total_of_months_side_by_side_can_be_had(playground) -> None:
    months = [f"{year}-{month:02}" for year in (2023, 2024) for month in range(1, 13)]
    shops = [",".join([shop, *(str(n + i) for i in range(24))]) for n, shop in enumerate("ABC")]
    paste(playground, "\n".join([",".join(["Shop", *months]), *shops]))
    take = playground.get_by_label("Take")
    take.select_option("all, added up")
    expect_values(playground, *(3 + 3 * i for i in range(24)))
    take.select_option("B")
    expect_values(playground, *(1 + i for i in range(24)))


def months_until_now(count: int) -> list[str]:
    """Return lines of months up to the current one, whose value is small."""
    end = pd.Period(datetime.now(UTC), "M")
    return ["month,sales", *(f"{end - i},{500 + i if i else 60}" for i in range(count - 1, -1, -1))]


def test_a_month_that_is_not_over_is_decided_before_anything_is_forecast(
    playground, live_key: str
) -> None:
    paste(playground, "\n".join(months_until_now(24)))
    last = playground.get_by_label("The last values are")
    expect(last).to_have_value("")
    expect(playground.locator(".question.asks")).to_contain_text("is not over: leave it out?")
    submit(playground, live_key)
    expect(playground.locator("#text-error")).to_have_text(
        "Say first whether the last values count."
    )
    last.select_option(label="kept as they are")
    expect(playground.locator("#fact-points")).to_have_text("24")
    expect(playground.locator(".question.asks")).to_have_count(0)
    last.select_option(label="left out")
    expect(playground.locator("#fact-points")).to_have_text("23")
    submit(playground, live_key)
    expect(playground.locator("#status")).to_contain_text("periods forecast by")
    last.select_option(label="choose one")
    expect(playground.locator(".question.asks")).to_have_count(1)


def test_a_choice_of_one_series_that_was_made_asks_no_more(playground) -> None:
    rows = [f"2024-{month:02}-01,{shop},{month}" for month in range(1, 13) for shop in "ab"]
    paste(playground, "\n".join(["date,shop,sales", *rows]))
    expect(playground.locator(".question.asks")).to_have_count(1)
    playground.get_by_label("Take").select_option("b")
    expect(playground.locator("#chart-title")).to_contain_text("b")
    expect(playground.locator(".question.asks")).to_have_count(0)
