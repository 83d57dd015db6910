"""The first minute of a new user: a forecast, the key, the right sum."""

import re
from pathlib import Path
from urllib.parse import urlsplit

import orjson
import pytest
from playwright.sync_api import Page, Route, expect

from app.web.pages.sample_series import SAMPLE_SERIES
from docs.record_forecast import FOLDER, record
from tests.support.browser import Watch
from tests.support.services import wait_until
from tests.web.pages.playing import chart_points, download, paste, submit

pytestmark = pytest.mark.services

DAYS = [f"2024-{1 + i // 28:02}-{1 + i % 28:02}" for i in range(28)]
UNKNOWN_KEY = "ak_" + "0" * 64


@pytest.fixture
def opened_page(page: Page) -> Page:
    """The page as it opens, without data of earlier tests."""
    page.goto("about:blank")
    page.goto("/")
    expect(page.locator("#status")).to_contain_text("recorded")
    return page


def test_the_recorded_forecast_is_what_the_engine_says() -> None:
    path = FOLDER / str(SAMPLE_SERIES[0].forecast)
    stored, made = orjson.loads(path.read_bytes()), record()
    assert stored["model"] == made["model"]
    for name, values in made["forecast"].items():
        expected = values if name == "forecast_timestamps" else pytest.approx(values, rel=1e-3)
        assert stored["forecast"][name] == expected


def test_the_page_opens_with_a_recorded_forecast_and_asks_again_with_a_key(
    opened_page: Page, live_key: str
) -> None:
    assert chart_points(opened_page) == {"forecast-model-1": 24}
    expect(opened_page.locator("#sentence")).to_contain_text("Forecast for the next 24 months")
    expect(opened_page.locator("#status")).to_have_text(
        "A recorded example. Paste a key for your data."
    )
    expect(opened_page.locator("#numbers tbody tr")).to_have_count(24)
    submit(opened_page, live_key)
    expect(opened_page.locator("#status")).to_have_text("24 periods forecast by General.")
    expect(opened_page.locator("#legend")).not_to_contain_text(" ms")


@pytest.mark.parametrize("values", [("1", "2"), ("1.480", "1.120")], ids=["plain", "asking"])
@pytest.mark.parametrize("held", ["**/airline-passengers.csv", "**/read?*", "**/*.json"])
def test_a_late_example_does_not_replace_newer_data(
    page: Page, tmp_path: Path, held: str, values: tuple[str, str]
) -> None:
    late: list[Route] = []
    page.goto("/docs/errors")
    for url in {held, "**/*.json"}:
        page.route(url, lambda route: late.append(route), times=1)  # noqa: PLW0108 - not a builtin
    with page.expect_request(held):
        page.goto("/")
    path = tmp_path / "own.csv"
    path.write_text("".join(f"{day};{values[i % 2]}\n" for i, day in enumerate(DAYS)))
    page.set_input_files("#file", path)
    expect(page.locator("#chart-title")).to_have_text("own.csv")
    expect(page.locator("#facts" if values == ("1", "2") else ".question.asks")).to_be_visible()
    for route in late:
        route.continue_()
    expect(page.locator("#as-code")).to_be_visible()  # once the page is ready
    expect(page.locator("#text")).to_have_value(path.read_text())
    expect(page.locator("#chart-title")).to_have_text("own.csv")
    expect(page.locator("#sentence")).to_be_empty()
    expect(page.locator("#numbers")).to_be_hidden()


def test_a_file_that_is_chosen_before_the_script_has_come_is_read(
    page: Page, tmp_path: Path, live_key: str
) -> None:
    late: list[Route] = []
    page.goto("/docs/errors")
    page.route("**/playground/main.js", lambda route: late.append(route), times=1)  # noqa: PLW0108 - not a builtin
    with page.expect_request("**/playground/main.js"):
        page.goto("/", wait_until="commit")
    path = tmp_path / "own.csv"
    path.write_text("".join(f"{day};{100 + i % 7}\n" for i, day in enumerate(DAYS)))
    page.set_input_files("#file", path)
    late[0].continue_()
    expect(page.locator("#as-code")).to_be_visible()  # once the page is ready
    expect(page.locator("#chart-title")).to_have_text("own.csv")
    expect(page.locator("#fact-points")).to_have_text("28")
    submit(page, live_key)
    expect(page.locator("#sentence")).to_contain_text("Forecast for the next")


def test_an_example_that_is_read_late_has_its_own_horizon(
    page: Page, live_key: str, watch: Watch
) -> None:
    page.route("**/read?*", lambda route: route.fulfill(status=503, body="{}"), times=1)
    page.goto("/docs/errors")
    page.goto("/")
    expect(page.locator("#notes")).not_to_be_empty()
    submit(page, live_key)
    expect(page.locator("#sentence")).to_contain_text("Forecast for the next 24 months")
    watch.expect_rejections(503)


def test_a_link_brings_its_key_and_leaves_none_in_the_address(page: Page, live_key: str) -> None:
    page.goto("about:blank")
    page.goto(f"/#key={live_key}")
    expect(page.locator("#key")).to_have_value(live_key)
    example = page.locator("#status")
    expect(example).to_have_text("A recorded example. Paste your own data.")
    hint = f"The key {live_key[:11]}… of your link may read"
    expect(page.locator("#limits")).to_contain_text(hint)
    expect(page.locator("#limits")).to_contain_text("requests left")
    assert live_key not in page.url
    assert urlsplit(page.url).fragment == ""
    kept = page.evaluate("JSON.stringify([history.state, {...localStorage}, {...sessionStorage}])")
    assert live_key not in kept
    page.go_back()
    assert live_key not in page.url


def test_a_link_with_an_invalid_key_shows_an_error(page: Page, watch: Watch) -> None:
    page.goto("about:blank")
    page.goto(f"/#key={UNKNOWN_KEY}")
    expect(page.locator("#key-error")).to_contain_text("is unknown, expired or revoked")
    watch.expect_rejections(401)


def test_other_data_take_the_recorded_forecast_away(opened_page: Page) -> None:
    paste(opened_page, "\n".join(f"{day},{i}" for i, day in enumerate(DAYS)))
    expect(opened_page.locator("#sentence")).to_be_empty()
    wait_until(lambda: chart_points(opened_page) == {}, "a chart without the forecast")


def test_serial_numbers_of_excel_are_dates_on_the_page_and_numbers_in_the_file(
    playground: Page, live_key: str
) -> None:
    rows = (f"{45_200 + i};{100 + 7 * (i % 7)}" for i in range(30))
    paste(playground, "\n".join(["day;sales", *rows]))
    expect(playground.locator("#fact-points")).to_have_text("30")
    submit(playground, live_key)
    expect(playground.locator("#sentence")).to_contain_text("; 2023-11-")
    expect(playground.locator("#table tbody th").first).to_have_text("2023-10-31")
    assert b"\n45230;" in download(playground, "download")[1]


def test_a_forecast_is_written_in_the_dates_and_numbers_of_the_table(
    playground: Page, live_key: str
) -> None:
    rows = (f"{1 + i:02d}.03.2024;{1_480 + 100 * (i % 7)},50" for i in range(30))
    paste(playground, "\n".join(["Tag;Umsatz", *rows]))
    expect(playground.locator("#fact-points")).to_have_text("30")
    submit(playground, live_key)
    expect(playground.locator("#sentence")).to_contain_text("31.03.2024: 1\u202f")
    expect(playground.locator("#table tbody th").first).to_have_text("31.03.2024")
    cell = playground.locator("#table tbody td").first
    expect(cell).to_have_text(re.compile(r"^1\u202f\d{3},\d\d$"))
    separators = playground.locator("#chart").evaluate("chart => chart.layout.separators")
    assert separators == ",\u202f"
