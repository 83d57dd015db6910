"""The page offers what remarks suggest as choices, and names no parameters."""

from datetime import UTC, datetime

import pandas as pd
import pytest
from playwright.sync_api import Page, expect

from tests.web.pages.playing import paste, show_table

pytestmark = pytest.mark.services

TODAY = pd.Period(datetime.now(UTC), "M")


def plan_and_actual() -> str:
    """Return a table whose plan has next month, and whose actual values end with last month."""
    months = [(TODAY - 24 + i, 100 + i % 12) for i in range(26)]
    rows = [f"{month},{n},{n + 1 if month < TODAY else ''}" for month, n in months]
    return "\n".join(["month,Plan,Ist", *rows])


def options(page: Page) -> list[str]:
    return page.locator("#ask-until option").all_text_contents()


def test_an_unfinished_month_is_a_choice_only_for_series_that_have_one(
    playground: Page,
) -> None:
    paste(playground, plan_and_actual())
    end = playground.get_by_label("The last values are")
    end.select_option("left out")
    unfinished = "left out, with the period that is not over"
    expect(end.locator("option", has_text=unfinished)).to_have_count(1)
    points, notes = playground.locator("#fact-points"), playground.locator("#notes")
    choice = playground.get_by_label("Values are in")
    choice.select_option("Plan")
    expect(points).to_have_text("25")
    expect(notes).to_contain_text("is not over, and counts like the others.")
    assert "send" not in notes.inner_text()
    choice.select_option("Ist")
    expect(points).to_have_text("24")
    expect(notes).not_to_contain_text("is not over")
    choice.select_option("Plan")
    for choice, count in ((unfinished, "24"), ("kept as they are", "26"), ("left out", "25")):
        end.select_option(choice)
        expect(points).to_have_text(count)
        expect(end.locator("option:checked")).to_have_text(choice)
    assert len(options(playground)) == 4


def test_marked_dates_can_be_left_out_by_a_choice(playground: Page) -> None:
    months = [f"2023-{m:02}" for m in range(1, 13)] + ["2024-01 (p)", "2024-02 (p)"]
    paste(playground, "\n".join(["month,sales", *(f"{m},{i}" for i, m in enumerate(months))]))
    question = playground.locator("#questions")
    expect(question).to_contain_text("are marked “(p)”, and read like the others.")
    expect(playground.locator("#notes")).to_be_empty()
    assert options(playground) == ["kept as they are", "left out"]
    points, end = playground.locator("#fact-points"), playground.get_by_label("The last values are")
    for choice, count in (("left out", "12"), ("kept as they are", "14")):
        end.select_option(choice)
        expect(points).to_have_text(count)
        expect(end.locator("option:checked")).to_have_text(choice)


def test_keeping_each_value_is_offered_once(playground: Page) -> None:
    days = [pd.Timestamp("2024-01-01") + pd.Timedelta(days=n * n % 97 + 2 * n) for n in range(40)]
    rows = [f"{day:%Y-%m-%d},{day.day}" for day in sorted({*days})]
    paste(playground, "\n".join(["day,sales", *rows]))
    choice = playground.locator("#ask-per")
    expect(choice).to_be_visible()
    texts = choice.locator("option").all_text_contents()
    assert len(texts) == len({*texts})


def test_series_that_cannot_be_forecast_say_why_without_parameters(
    playground: Page, live_key: str
) -> None:
    days = pd.date_range("2024-01-01", periods=60)
    lacking = {"Whole": [], "Short": days[5:], "Gaps": days[20:23], "Odd": days[20::3]}
    cells = [(day, name) for day in days for name in lacking if day not in lacking[name]]
    rows = [f"{day:%Y-%m-%d},{name},{day.day}" for day, name in cells]
    show_table(playground, "\n".join(["day,shop,sales", *rows]))
    playground.fill("#key", live_key)
    playground.click("#forecast-all")
    expect(playground.locator("#several-status")).to_contain_text("of 4 series forecast")
    for name, words in (
        ("Short", "5 values: 10 or more are needed."),
        ("Gaps", "Values are missing: choose a fill."),
        ("Odd", "Values are missing: choose a fill."),
    ):
        card = playground.locator("#several-list li").filter(has_text=name)
        assert card.inner_text().split("\n") == [name, words]
