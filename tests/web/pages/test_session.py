"""A user's data is kept over a reload, and removed by "Clear"."""

from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
import xlsxwriter
from playwright.sync_api import Page, expect

from tests.support.browser import Watch
from tests.web.pages.playing import MONTHLY, drawn, paste, submit, wide

pytestmark = pytest.mark.services


@pytest.fixture
def own(playground: Page) -> Iterator[Page]:
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


def test_reload_and_back_restore_table_settings_and_forecast(own: Page, live_key: str) -> None:
    paste(own, MONTHLY)
    expect(own.locator("#fact-points")).to_have_text("48")
    own.fill("#horizon", "7")
    own.fill("#confidence", "80")
    submit(own, live_key)
    before = drawn(own)
    sentence = own.locator("#sentence").inner_text()
    for way in ("reload", "back", "another page"):
        come_back(own, way)
        expect(own.locator("#text")).to_have_value(MONTHLY)
        expect(own.locator("#horizon")).to_have_value("7")
        expect(own.locator("#confidence")).to_have_value("80")
        expect(own.locator("#sentence")).to_have_text(sentence)
        expect(own.locator("#stale")).to_be_hidden()
        assert drawn(own) == before
        expect(own.locator("#key")).to_have_value("")
        assert live_key not in own.evaluate("() => JSON.stringify({...sessionStorage})")


def test_the_series_of_a_table_that_was_shown_is_shown_again(own: Page) -> None:
    paste(own, wide(["north", "south"]))
    own.select_option("select[name=series]", "south")
    expect(own.locator("#chart-title")).to_contain_text("south")
    own.reload()
    expect(own.locator("#chart-title")).to_contain_text("south")


def test_series_that_are_added_up_can_be_taken_apart_after_a_reload(own: Page) -> None:
    names = enumerate(("north", "south"), 1)
    rows = [f"2024-01-{n:02d},{name},{n * factor}" for factor, name in names for n in range(1, 13)]
    paste(own, "\n".join(["date,region,sales", *rows]))
    take = own.get_by_label("Take", exact=True)
    take.select_option("all, added up")
    expect(own.locator("#chart-title")).to_have_text("sales · 2 series added up")
    own.reload()
    expect(own.locator("#chart-title")).to_have_text("sales · 2 series added up")
    take.select_option("south")
    expect(own.locator("#chart-title")).to_have_text("sales · south")


def test_a_workbook_is_read_again_after_a_reload(own: Page, tmp_path) -> None:
    with xlsxwriter.Workbook(tmp_path / "sales.xlsx") as book:
        sheet = book.add_worksheet()
        for index, line in enumerate(MONTHLY.splitlines()):
            sheet.write_row(index, 0, line.split(","))
    own.set_input_files("#file", tmp_path / "sales.xlsx")
    expect(own.locator("#chart-title")).to_contain_text("sales.xlsx")
    own.reload()
    expect(own.locator("#chart-title")).to_contain_text("sales.xlsx")
    expect(own.locator("#fact-points")).to_have_text("48")


def test_a_table_with_answers_is_read_once_after_a_reload(own: Page, watch: Watch) -> None:
    paste(own, wide(["north", "south"], lacks=("south", 9)))
    own.get_by_label("Fill with").select_option("straight lines")
    expect(own.locator("#fact-points")).to_have_text("36")
    watch.forget()
    own.reload()
    expect(own.locator("#chart-title")).to_contain_text("north")
    expect(own.get_by_label("Fill with")).to_have_value("linear")
    assert [urlsplit(url).path for url in watch.urls].count("/read") == 1


def test_one_button_clears_what_is_kept(own: Page) -> None:
    paste(own, MONTHLY)
    expect(own.locator("#fact-points")).to_have_text("48")
    own.click("#clear")
    expect(own.locator("#kept")).to_be_hidden()
    expect(own.locator("#text")).to_have_value("")
    expect(own.locator("#text")).to_be_focused()
    own.reload()
    expect(own.locator("#fact-first")).to_have_text("1949-01-01")
    assert own.evaluate("() => sessionStorage.length") == 0
