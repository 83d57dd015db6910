"""Questions are visible beside the settings, which do not show the table before."""

import pytest
from playwright.sync_api import Page, Route, expect

from tests.web.pages.playing import LINES, STORES, paste, wide_table

pytestmark = pytest.mark.services

LAPTOP = {"width": 1280, "height": 720}
PHONE = {"width": 390, "height": 844}
BOOKINGS = "\n".join(
    [
        "Statement of account;;;",
        "Day;Payee;Amount;Balance",
        *(
            f"2024-{1 + n // 28 % 12:02}-{1 + n * n % 28:02};{'ABC'[n % 3]} Ltd;{n % 9},5;{n},25"
            for n in range(120)
        ),
    ]
)
IS_IN_SIGHT = """part => {
    const {left, top, width, height} = part.getBoundingClientRect();
    return part.contains(document.elementFromPoint(left + width / 2, top + height / 2));
}"""


@pytest.fixture
def laptop_page(playground: Page):
    usual = playground.viewport_size
    playground.set_viewport_size(LAPTOP)
    yield playground
    playground.set_viewport_size(usual)


def test_on_a_laptop_open_questions_and_all_settings_are_in_sight_together(
    laptop_page: Page,
) -> None:
    paste(laptop_page, BOOKINGS)
    expect(laptop_page.locator(".question.asks")).not_to_have_count(0)
    laptop_page.evaluate("() => scrollTo(0, 0)")
    parts = [
        *laptop_page.locator(".question select").all(),
        *laptop_page.locator("#models input:visible, #horizon").all(),
    ]
    assert len(parts) >= 8
    assert [part.get_attribute("id") for part in parts if not part.evaluate(IS_IN_SIGHT)] == []


def test_questions_stay_where_they_are_when_they_are_answered_and_keep_the_focus(
    laptop_page: Page,
) -> None:
    paste(laptop_page, wide_table(["North"], lacks=("North", 9)))
    fill = laptop_page.get_by_label("Fill with")
    expect(laptop_page.locator("#asked").get_by_label("Fill with")).to_be_visible()
    fill.focus()
    fill.select_option("zero")
    expect(laptop_page.locator("#fact-missing")).to_have_text("1, filled")
    expect(laptop_page.locator("#asked").get_by_label("Fill with")).to_be_focused()
    laptop_page.set_viewport_size(PHONE)
    expect(laptop_page.locator("#reading").get_by_label("Fill with")).to_be_focused()
    expect(laptop_page.locator("#asked")).to_be_hidden()
    laptop_page.set_viewport_size(LAPTOP)
    expect(laptop_page.locator("#asked").get_by_label("Fill with")).to_be_focused()
    paste(laptop_page, "\n".join(LINES))
    expect(laptop_page.locator("#asked")).to_be_hidden()


def test_a_table_with_nothing_more_to_ask_leaves_no_empty_panel(laptop_page: Page) -> None:
    paste(laptop_page, wide_table(["North"], lacks=("North", 9)))
    expect(laptop_page.locator("#asked").get_by_label("Fill with")).to_be_visible()
    paste(laptop_page, wide_table(["North"]))  # the same table with the value that it lacked
    expect(laptop_page.locator("#fact-missing")).to_have_text("0")
    expect(laptop_page.locator("#asked")).to_be_hidden()


def test_questions_are_busy_until_an_answer_is_read(laptop_page: Page) -> None:
    paste(laptop_page, wide_table(["North"], lacks=("North", 9)))
    asked = laptop_page.locator("#asked")
    held: list[Route] = []
    laptop_page.route("**/read?*", lambda route: held.append(route), times=1)  # noqa: PLW0108 - not a builtin
    with laptop_page.expect_request("**/read?*"):
        asked.get_by_label("Fill with").select_option("zero")
    expect(asked).to_have_attribute("aria-busy", "true")
    held[0].continue_()
    expect(asked).not_to_have_attribute("aria-busy", "true")


def test_a_table_with_questions_does_not_show_facts_of_the_one_before(
    playground: Page,
) -> None:
    paste(playground, "\n".join(LINES))
    expect(playground.locator("#fact-points")).to_have_text("48")
    settings = [playground.locator("#horizon"), playground.locator("#frequency")]
    paste(playground, BOOKINGS)
    expect(playground.locator(".question.asks")).not_to_have_count(0)
    for control in settings:
        expect(control).to_be_disabled()
        expect(control).to_have_css("color", "rgba(0, 0, 0, 0)")
    paste(playground, STORES)
    expect(playground.locator("#fact-points")).to_have_text("12")
    expect(playground.locator("#frequency")).to_have_value("Daily")
    for control in settings:
        expect(control).to_be_enabled()
