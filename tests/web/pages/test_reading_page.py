"""The questions about a table, and the effects of the choices."""

from pathlib import Path

import pytest
from playwright.sync_api import Route, expect

from tests.web.pages.playing import MARKED, STORES, expect_values, paste, submit

pytestmark = pytest.mark.services

OPEN = "2024-01-01;1.480\n2024-01-02;980\n2024-01-03;1.120"
VISIBLE_PART = """box => {
    const { x, y, width, height } = box.getBoundingClientRect();
    return document.elementFromPoint(x + width / 2, y + height / 2) === box;
}"""


def test_a_thousand_or_a_decimal_is_asked_before_anything_is_drawn(
    playground, live_key, watch
) -> None:
    paste(playground, OPEN)
    question = playground.locator(".question.asks")
    expect(question).to_contain_text("“1.480” may have a thousands separator or a decimal mark")
    for nothing in ("#chart", "#facts", "#legend", "#png"):
        expect(playground.locator(nothing)).to_be_hidden()
    submit(playground, live_key)
    expect(playground.locator("#text-error")).to_have_text("Answer the question first.")
    choice = playground.get_by_label("1.480 is")
    expect(choice).to_be_focused()
    assert not [url for url in watch.urls if url.endswith("/forecast")]
    choice.select_option(label="1,480 (thousands)")
    expect_values(playground, 1480, 980, 1120)
    expect(playground.locator("#legend")).to_be_visible()
    choice.select_option(label="1.48 (decimals)")
    expect_values(playground, 1.48, 980, 1.12)
    expect(choice).to_be_focused()
    # A new paste gets its own questions.
    paste(playground, OPEN.replace("980", "990"))
    expect(playground.locator("#chart")).to_be_hidden()
    expect(choice).to_have_value("")


def test_gaps_are_filled_before_anything_is_sent(playground) -> None:
    rest = range(4, 13)
    paste(playground, "\n".join(f"2024-01-{day:02},{day}" for day in (1, 2, *rest)))
    question = playground.locator(".question").filter(has_text="Missing: 2024-01-03.")
    expect_values(playground, 1, 2, None, *rest)  # the line breaks
    question.get_by_label("Fill with").select_option("straight lines")
    expect_values(playground, 1, 2, 3, *rest)
    expect(playground.locator("#fact-missing")).to_have_text("1, filled")
    expect(playground.locator("#fact-points")).to_have_text("11")
    expect(playground.locator("#code")).to_contain_text("2024-01-03T00:00:00")
    question.get_by_label("Fill with").select_option("zero")
    expect_values(playground, 1, 2, 0, *rest)


@pytest.mark.parametrize("fourth", ["2024-04-03", "2024-05-01"])
def test_a_table_with_gaps_spends_no_forecast(playground, live_key, watch, fourth: str) -> None:
    months = [f"2024-{month:02}-01" for month in range(1, 13)]
    months[3:5] = [fourth]
    paste(playground, "\n".join(f"{month},{n}" for n, month in enumerate(months)))
    submit(playground, live_key)
    fill = playground.get_by_label("Fill with")
    expect(fill).to_be_focused()
    assert fill.evaluate(VISIBLE_PART), "the page hides the remedy"
    expect(playground.locator("#text-error")).to_have_text(
        "Choose first how to fill missing values."
    )
    assert not [url for url in watch.urls if url.endswith("/forecast")]
    fill.select_option("straight lines")
    submit(playground, live_key)
    expect(playground.locator("#numbers")).to_be_visible()


def test_an_hour_that_the_clock_skips_is_filled_by_itself(playground, live_key) -> None:
    hours = [f"2024-03-{30 + h // 24} {h % 24:02d}:00,{h}" for h in range(40) if h != 26]
    paste(playground, "\n".join(hours))
    expect(playground.locator("#remarks")).to_contain_text("2024-03-31 02:00 does not exist")
    expect(playground.locator("#fact-missing")).to_have_text("0")
    playground.fill("#horizon", "2")
    submit(playground, live_key)
    expect(playground.locator("#numbers")).to_be_visible()


def test_the_same_date_again_is_reported_with_its_line_and_made_one(playground) -> None:
    paste(playground, "day,n\n\n2024-01-01,1\n2024-01-02,2\n2024-01-02,5\n2024-01-03,4")
    question = playground.locator(".question").filter(has_text="The same date again: line 5.")
    expect(question).to_have_class("question asks")
    playground.get_by_label("If a date occurs twice,").select_option("they are added up")
    expect_values(playground, 1, 7, 4)
    playground.get_by_label("If a date occurs twice,").select_option("the last counts")
    expect_values(playground, 1, 5, 4)
    expect(question).to_have_class("question")
    question.get_by_role("button", name="line 5").click()
    assert playground.locator("#text").evaluate(MARKED) == "2024-01-02,5"


def test_one_of_several_series_is_read_or_all_are_added_up(playground, live_key, watch) -> None:
    paste(playground, STORES)
    expect(playground.locator(".question.asks")).to_contain_text("2 series by “store”.")
    expect_values(playground, *range(1, 13))
    expect(playground.locator("#chart-title")).to_have_text("sales · North")
    read = len(watch.urls)
    playground.get_by_label("Take").select_option("South")
    expect_values(playground, *range(10, 121, 10))
    expect(playground.locator("#chart-title")).to_have_text("sales · South")
    assert len(watch.urls) == read  # all series had come
    playground.get_by_label("Take").select_option("all, added up")
    expect_values(playground, *range(11, 133, 11))
    expect(playground.locator("#chart-title")).to_have_text("sales · 2 series added up")
    playground.fill("#horizon", "2")
    submit(playground, live_key)
    expect(playground.locator("#numbers")).to_be_visible()
    playground.get_by_label("Take").select_option("North")
    expect_values(playground, *range(1, 13))


def test_another_column_can_be_taken_of_a_table_of_several_names(playground) -> None:
    rows = [f"2024-01-{n:02d},{s},{n},{100 * n}" for n in range(1, 13) for s in ("North", "South")]
    paste(playground, "\n".join(["date,store,sales,transactions", *rows]))
    column = playground.locator("#ask-columns")
    column.select_option("sales")
    expect_values(playground, *range(1, 13))
    expect(playground.locator("#ask-series")).to_have_count(1)
    expect(column).to_have_value("sales")
    column.select_option("transactions")
    expect_values(playground, *range(100, 1300, 100))


def test_rows_that_repeat_a_name_are_one_series_or_a_series_for_each_name(playground) -> None:
    regions = (("N", 1), ("S", 3), ("S", 5))
    rows = [
        f"2024-01-{n:02d},{region},{n * factor}" for n in range(1, 13) for region, factor in regions
    ]
    paste(playground, "\n".join(["date,region,sales", *rows]))
    layout = playground.get_by_label("Read", exact=True)
    take = playground.get_by_label("Take", exact=True)
    playground.get_by_label("If a date occurs twice,").select_option("their mean is taken")
    expect_values(playground, *range(3, 37, 3))
    expect(playground.get_by_text("added up", exact=True)).to_have_count(0)
    expect(take).to_have_count(0)
    expect(layout).to_have_value("columns")
    layout.select_option("a series for each name")
    expect_values(playground, *range(1, 13))
    expect(playground.locator("#chart-title")).to_have_text("sales · N")
    take.select_option("S")
    expect_values(playground, *range(4, 49, 4))
    take.select_option("all, added up")
    expect_values(playground, *range(9, 109, 9))
    expect(playground.locator("#chart-title")).to_have_text("sales · 2 series added up")
    take.select_option("S")  # read with the answers of before
    expect_values(playground, *range(4, 49, 4))


def test_the_code_says_where_the_questions_are(playground) -> None:
    code = playground.locator("#code")
    paste(playground, OPEN)
    expect(code).to_have_text("No code yet. Answer the question first.")
    rows = [f"0{day}/02/2024;1.{day}80" for day in range(1, 10)]
    paste(playground, "\n".join(rows))
    expect(playground.locator(".question.asks")).to_have_count(2)
    expect(code).to_have_text("No code yet. Answer the questions first.")
    days = [day for day in range(1, 28) if day != 9]
    paste(playground, "\n".join(f"2024-01-{day:02},{day}" for day in days))
    expect(code).to_contain_text("Choose first how to fill missing values.")
    expect(playground.get_by_label("Fill with").locator("option:checked")).to_have_text(
        "choose one"
    )


def test_messages_about_a_file_go_while_the_next_is_read(
    playground, live_key, tmp_path: Path
) -> None:
    paste(playground, OPEN)
    submit(playground, live_key)
    expect(playground.locator("#text-error")).to_have_text("Answer the question first.")
    held: list[Route] = []
    playground.route("**/read?*", lambda route: held.append(route))  # noqa: PLW0108 - not a builtin
    path = tmp_path / "sales.csv"
    path.write_text(STORES)
    playground.set_input_files("#file", path)
    expect(playground.locator("#notes")).to_have_text("Reading sales.csv …")
    expect(playground.locator("#chart-title")).to_have_text("sales.csv")
    expect(playground.locator("#reading")).to_have_attribute("aria-busy", "true")
    for gone in ("#text-error > *", ".question", "#remarks > *"):
        expect(playground.locator(gone)).to_have_count(0)
    held[0].continue_()
    expect_values(playground, *range(1, 13))
    expect(playground.locator("#notes")).to_be_empty()
    expect(playground.locator("#reading[aria-busy]")).to_have_count(0)


def test_no_series_is_returned_before_the_questions_are_answered(playground) -> None:
    days = [f"0{day}/0{month}/2024" for month in (1, 2) for day in range(1, 10)]
    rows = [f"{day},{store},{n}" for n, day in enumerate(days) for store in ("North", "South")]
    text = "\n".join(["date,store,sales", *rows])
    take = playground.get_by_label("Take", exact=True)
    order = playground.get_by_label("Take it that")
    paste(playground, text)
    expect(take).to_have_value("")
    order.select_option("the day comes first")
    expect(take).to_have_value("North")
    paste(playground, text + "\n")
    expect(take).to_have_value("")
    take.select_option("all, added up")
    expect(take).to_have_value("*")
    order.select_option("the day comes first")
    expect(playground.locator("#chart-title")).to_contain_text("added up")
    expect_values(playground, *range(0, 18, 2), *[None] * 22, *range(18, 36, 2))
