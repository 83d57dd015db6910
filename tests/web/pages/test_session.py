"""A user's data is kept over a reload, and removed by "Clear"."""

from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
import xlsxwriter
from playwright.sync_api import Page, expect

from tests.support.browser import Watch
from tests.web.pages.playing import MONTHLY, chart_points, paste, submit, wide_table

pytestmark = pytest.mark.services


@pytest.fixture
def own_page(playground: Page) -> Iterator[Page]:
    """The playground, cleared afterwards for the next test."""
    yield playground
    if playground.locator("#clear").is_visible():
        playground.click("#clear")
        expect(playground.locator("#kept")).to_be_hidden()


def come_back(page: Page, way: str) -> None:
    if way == "reload":
        page.reload()
        return
    page.goto("/docs/errors")
    if way == "back":
        page.go_back()
    else:
        page.goto("/")


def test_reload_and_back_restore_table_settings_and_forecast(own_page: Page, live_key: str) -> None:
    paste(own_page, MONTHLY)
    expect(own_page.locator("#fact-points")).to_have_text("48")
    own_page.fill("#horizon", "7")
    own_page.fill("#confidence", "80")
    submit(own_page, live_key)
    before = chart_points(own_page)
    sentence = own_page.locator("#sentence").inner_text()
    for way in ("reload", "back", "another page"):
        come_back(own_page, way)
        expect(own_page.locator("#text")).to_have_value(MONTHLY)
        expect(own_page.locator("#horizon")).to_have_value("7")
        expect(own_page.locator("#confidence")).to_have_value("80")
        expect(own_page.locator("#sentence")).to_have_text(sentence)
        expect(own_page.locator("#stale")).to_be_hidden()
        assert chart_points(own_page) == before
        expect(own_page.locator("#key")).to_have_value("")
        assert live_key not in own_page.evaluate("() => JSON.stringify({...sessionStorage})")


def test_the_series_of_a_table_that_was_shown_is_shown_again(own_page: Page) -> None:
    paste(own_page, wide_table(["north", "south"]))
    own_page.select_option("select[name=series]", "south")
    expect(own_page.locator("#chart-title")).to_contain_text("south")
    own_page.reload()
    expect(own_page.locator("#chart-title")).to_contain_text("south")


def test_series_that_are_added_up_can_be_taken_apart_after_a_reload(own_page: Page) -> None:
    names = enumerate(("north", "south"), 1)
    rows = [f"2024-01-{n:02d},{name},{n * factor}" for factor, name in names for n in range(1, 13)]
    paste(own_page, "\n".join(["date,region,sales", *rows]))
    take = own_page.get_by_label("Take", exact=True)
    take.select_option("all, added up")
    expect(own_page.locator("#chart-title")).to_have_text("sales · 2 series added up")
    own_page.reload()
    expect(own_page.locator("#chart-title")).to_have_text("sales · 2 series added up")
    take.select_option("south")
    expect(own_page.locator("#chart-title")).to_have_text("sales · south")


def test_a_workbook_is_read_again_after_a_reload(own_page: Page, tmp_path) -> None:
    with xlsxwriter.Workbook(tmp_path / "sales.xlsx") as book:
        sheet = book.add_worksheet()
        for index, line in enumerate(MONTHLY.splitlines()):
            sheet.write_row(index, 0, line.split(","))
    own_page.set_input_files("#file", tmp_path / "sales.xlsx")
    expect(own_page.locator("#chart-title")).to_contain_text("sales.xlsx")
    own_page.reload()
    expect(own_page.locator("#chart-title")).to_contain_text("sales.xlsx")
    expect(own_page.locator("#fact-points")).to_have_text("48")


def test_a_table_with_answers_is_read_once_after_a_reload(own_page: Page, watch: Watch) -> None:
    paste(own_page, wide_table(["north", "south"], lacks=("south", 9)))
    own_page.get_by_label("Fill with").select_option("straight lines")
    expect(own_page.locator("#fact-points")).to_have_text("36")
    watch.forget()
    own_page.reload()
    expect(own_page.locator("#chart-title")).to_contain_text("north")
    expect(own_page.get_by_label("Fill with")).to_have_value("linear")
    assert [urlsplit(url).path for url in watch.urls].count("/read") == 1


def test_one_button_clears_what_is_kept(own_page: Page) -> None:
    paste(own_page, MONTHLY)
    expect(own_page.locator("#fact-points")).to_have_text("48")
    own_page.click("#clear")
    expect(own_page.locator("#kept")).to_be_hidden()
    expect(own_page.locator("#text")).to_have_value("")
    expect(own_page.locator("#text")).to_be_focused()
    own_page.reload()
    expect(own_page.locator("#fact-first")).to_have_text("1949-01-01")
    assert own_page.evaluate("() => sessionStorage.length") == 0
