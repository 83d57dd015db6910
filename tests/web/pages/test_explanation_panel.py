"""The panel "Why": what a forecast is made of, which adds up to it."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.support.browser import Watch
from tests.web.pages.playing import submit

pytestmark = pytest.mark.services

WIDTHS = "rows => rows.map(row => row.querySelector('.size span').getBoundingClientRect().width)"


def number(text: str) -> float:
    return float(re.sub(r"[^\d.-]", "", text))


def text_of_panel(page: Page) -> str:
    return page.locator("#parts caption").inner_text().rpartition(" ")[2]


def parts(page: Page) -> list[float]:
    rows = page.locator("#parts tbody tr")
    expect(rows.locator("th")).to_have_text(["Level and trend", "Season", "Holidays"])
    return [number(text) for text in rows.locator("td:nth-child(2)").all_inner_texts()]


def test_three_parts_add_up_to_the_median_of_the_period_that_stands_out(
    playground: Page, live_key: str, watch: Watch
) -> None:
    submit(playground, live_key)
    expect(playground.locator("#why-parts")).to_be_hidden()
    playground.click("#explain")
    level, season, holidays = parts(playground)
    assert season > 50  # of passengers, in summer
    assert level + season + holidays == pytest.approx(number(text_of_panel(playground)), abs=2)
    expect(playground.locator("#parts caption")).to_have_text(re.compile("July|August"))
    widths = playground.locator("#parts tbody tr").evaluate_all(WIDTHS)
    assert widths[1] / widths[0] == pytest.approx(season / level, abs=0.02)
    expect(playground.locator("#explain")).to_be_hidden()
    assert sum(url.endswith("/explain") for url in watch.urls) == 1


def test_the_parts_of_all_periods_are_their_averages(playground: Page, live_key: str) -> None:
    submit(playground, live_key)
    playground.click("#explain")
    playground.select_option("#why-period", index=0)
    assert sum(parts(playground)) == pytest.approx(number(text_of_panel(playground)), abs=2)
    expect(playground.locator("#parts caption")).to_contain_text(", average: ")


def test_the_parts_are_of_the_forecast_that_is_shown_and_go_with_it(
    playground: Page, live_key: str
) -> None:
    submit(playground, live_key)
    playground.click("#explain")
    expect(playground.locator("#why-parts")).to_be_visible()
    playground.fill("#horizon", "3")
    playground.locator("#horizon").blur()
    expect(playground.locator("#why")).to_be_hidden()
    submit(playground, live_key)
    expect(playground.locator("#why")).to_be_visible()
    expect(playground.locator("#why-parts")).to_be_hidden()
