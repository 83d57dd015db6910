"""What a person sees of a reading, and what the choices on the page change."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.pages.playing import ask, paste

pytestmark = pytest.mark.services

STORES = "date,store,sales\n" + "\n".join(
    f"2024-01-{day:02d},{store},{day * factor}"
    for day in range(1, 13)
    for store, factor in (("North", 1), ("South", 10))
)
SHOWS = "wanted => JSON.stringify(document.querySelector('#chart').data?.[0].y) === wanted"
MARKED = "text => text.value.slice(text.selectionStart, text.selectionEnd)"


def expect_values(page: Page, *values: float) -> None:
    """Wait until the chart shows exactly these values."""
    page.wait_for_function(SHOWS, arg=json.dumps(values, separators=(",", ":")))


def test_a_thousand_or_a_decimal_is_asked_and_the_answer_is_drawn(playground) -> None:
    paste(playground, "2024-01-01;1.480\n2024-01-02;980\n2024-01-03;1.120")
    question = playground.locator(".question.asks")
    expect(question).to_contain_text("“1.480” can be a thousand or a decimal")
    expect_values(playground, 1480, 980, 1120)
    choice = playground.get_by_label("1.480 is")
    choice.focus()
    choice.select_option(label="1.48 (decimals)")
    expect_values(playground, 1.48, 980, 1.12)
    expect(choice).to_be_focused()
    # A paste anew is asked about anew.
    paste(playground, "2024-01-01;1.480\n2024-01-02;980\n2024-01-03;2.120")
    expect_values(playground, 1480, 980, 2120)


def test_a_hole_is_filled_where_it_is_told_and_before_anything_is_sent(playground) -> None:
    paste(playground, "2024-01-01,1\n2024-01-02,2\n2024-01-04,4\n2024-01-05,5")
    question = playground.locator(".question.asks").filter(has_text="Missing: 2024-01-03.")
    question.get_by_label("Fill with").select_option("straight lines")
    expect_values(playground, 1, 2, 3, 4, 5)
    expect(playground.locator("#fact-missing")).to_have_text("1")
    expect(playground.locator("#code")).to_contain_text("2024-01-03T00:00:00")
    question.get_by_label("Fill with").select_option("zero")
    expect_values(playground, 1, 2, 0, 4, 5)


def test_the_same_date_again_is_told_with_its_line_and_made_one(playground) -> None:
    paste(playground, "day,n\n\n2024-01-01,1\n2024-01-02,2\n2024-01-02,5\n2024-01-03,4")
    question = playground.locator(".question.asks").filter(has_text="The same date again: line 5.")
    expect_values(playground, 1, 7, 4)
    playground.get_by_label("Of points of one date,").select_option("the last counts")
    expect_values(playground, 1, 5, 4)
    question.get_by_role("button", name="line 5").click()
    assert playground.locator("#text").evaluate(MARKED) == "2024-01-02,5"


def test_one_of_several_series_is_taken_or_all_are_added_up(playground, live_key) -> None:
    paste(playground, STORES)
    expect(playground.locator(".question.asks")).to_contain_text("2 series by “store”.")
    expect_values(playground, *range(1, 13))
    playground.get_by_label("Take").select_option("South")
    expect_values(playground, *range(10, 121, 10))
    expect(playground.locator("#chart-title")).to_have_text("sales · South")
    playground.get_by_label("Take").select_option("all, added up")
    expect_values(playground, *range(11, 133, 11))
    playground.fill("#horizon", "2")
    ask(playground, live_key)
    expect(playground.locator("#numbers")).to_be_visible()


def test_numbers_without_dates_are_read_once_their_start_is_given(playground) -> None:
    paste(playground, "12\n13\n14,5")
    expect(playground.locator("#notes")).to_contain_text("numbers without dates")
    playground.get_by_label("The first number is of").fill("2024-01-31")
    playground.get_by_label("Frequency").first.select_option("Monthly")
    expect(playground.locator("#fact-last")).to_have_text("2024-03-31")
    expect_values(playground, 12, 13, 14.5)


def test_what_is_read_right_is_said_quietly(playground) -> None:
    paste(playground, "Datum;Umsatz\n12.02.2024;1.480,50\n13.02.2024;980,00\nSumme;2.460,50")
    expect(playground.locator("#remarks")).to_contain_text("Commas read as decimal marks.")
    expect(playground.locator("#remarks")).to_contain_text("Left out line 4: a total.")
    expect(playground.locator("#notes li, .question.asks")).to_have_count(0)


def test_a_workbook_is_refused_with_a_remedy_in_sight_and_clears_the_data(
    playground, tmp_path: Path
) -> None:
    file = tmp_path / "sales.xlsx"
    file.write_bytes(b"PK\x03\x04 and so on")
    playground.set_input_files("#file", file)
    expect(playground.locator("#text-error")).to_contain_text(
        "sales.xlsx is an Excel workbook. Open it, save it as CSV"
    )
    expect(playground.locator("#text-error")).to_be_in_viewport(ratio=1)
    expect(playground.locator("#text")).to_have_value("")
    expect(playground.locator("#facts")).to_be_hidden()


def test_a_file_of_windows_is_read_with_its_umlauts(playground, tmp_path: Path) -> None:
    file = tmp_path / "zahlen.csv"
    file.write_bytes("Monat;Größe\nMärz 2024;1\nApril 2024;2\nMai 2024;3".encode("windows-1252"))
    playground.set_input_files("#file", file)
    expect(playground.locator("#fact-first")).to_have_text("2024-03-01")
    assert "Größe" in playground.locator("#text").input_value()
