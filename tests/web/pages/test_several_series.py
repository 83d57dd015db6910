"""A table of several series: a chart of each, one request for all, and its cost in advance."""

import csv
import datetime as dt
import io
from collections.abc import Callable
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, Route, expect
from python_calamine import CalamineWorkbook

from tests.support.browser import Watch
from tests.web.pages.playing import chart_points, download, paste, show_table, submit, wide_table

pytestmark = pytest.mark.services

NASTY = ['"A", the first', "<script>alert(1)</script>", "B & C; D"]


def long_table(names: list[str], rows: int = 24) -> str:
    lines = [
        f"{dt.date(2024, 1, 1) + dt.timedelta(row):%d.%m.%Y};{name};{index * row},5"
        for row in range(rows)
        for index, name in enumerate(names, 1)
    ]
    return "\n".join(["Tag;Filiale;Umsatz", *lines])


@pytest.fixture
def forecasts(watch: Watch) -> Callable[[], int]:
    """Return the number of requested forecasts."""
    return lambda: sum(urlsplit(url).path.endswith("/forecast") for url in watch.urls)


def forecast_all(page: Page, key: str) -> None:
    page.fill("#key", key)
    page.locator("#key").blur()
    page.click("#forecast-all")
    expect(page.locator("#go")).to_be_enabled()


def card(page: Page, name: str):
    return page.locator("#several-list li").filter(has_text=name)


def downloaded_file(page: Page, key: str, button: str = "download-all") -> tuple[str, bytes]:
    page.fill("#key", key)
    return download(page, button)


def test_the_forecast_of_one_series_is_saved_as_a_workbook_too(playground, live_key) -> None:
    paste(playground, wide_table(["North"]))
    submit(playground, live_key)
    name, content = downloaded_file(playground, live_key, "download-series")
    assert name == "north-forecast.xlsx"
    assert content.startswith(b"PK")
    expect(playground.locator("#status")).to_have_text("Downloaded north-forecast.xlsx.")
    assert downloaded_file(playground, live_key, "download")[0] == "north-forecast.csv"
    playground.click("#tab-anomalies")
    expect(playground.locator("#download-series")).to_be_hidden()
    playground.click("#tab-forecast")
    paste(playground, wide_table(["North", "South"]))
    expect(playground.locator("#several")).to_be_visible()
    expect(playground.locator("#download-series")).to_be_hidden()


def test_one_request_forecasts_all_series_and_a_click_shows_one(
    playground, live_key, forecasts
) -> None:
    names = ["North", "South", "West"]
    paste(playground, wide_table(names))
    expect(playground.locator("#several-title")).to_have_text("3 series")
    cost = playground.locator("#several-cost")
    expect(cost).to_have_text("1 request for all, by Fast.")
    playground.fill("#key", live_key)
    playground.locator("#key").blur()
    expect(playground.locator("#limits")).to_contain_text("requests left until ")
    expect(cost).to_have_text("1 request for all, by Fast.")  # and no second count of what is left
    playground.fill("#horizon", "5")
    forecast_all(playground, live_key)
    expect(playground.locator("#several-status")).to_have_text("3 of 3 series forecast by Fast.")
    expect(playground.locator("#several-list .ahead")).to_have_count(3)
    expect(cost).to_be_empty()
    assert forecasts() == 1
    for name in names:
        playground.get_by_role("button", name=name).click()
        expect(playground.locator("#chart-title")).to_have_text(name)
        expect(card(playground, name).locator("button")).to_have_attribute("aria-current", "true")
        expect(playground.locator("#numbers tbody tr")).to_have_count(5)
        assert chart_points(playground) == {"forecast-model-2": 5}
    assert forecasts() == 1, "what was there was asked for again"


def test_the_file_of_a_long_table_is_the_services_in_the_form_of_the_table(
    playground: Page, live_key: str
) -> None:
    paste(playground, long_table(["Köln", "Bonn"]))
    expect(playground.locator("#several-title")).to_have_text("2 series")  # with its own horizon
    playground.fill("#horizon", "3")
    name, content = downloaded_file(playground, live_key)
    rows = list(csv.reader(io.StringIO(content.decode("utf-8-sig")), delimiter=";"))
    assert name == "your-data-forecast.csv"
    assert rows[0] == ["Filiale", "Tag", "Umsatz", "lower_bound", "upper_bound"]
    assert [row[0] for row in rows[1:]] == ["Köln"] * 27 + ["Bonn"] * 27
    assert rows[2][:3] == ["Köln", "02.01.2024", "1,5"]
    assert rows[25][1] == "25.01.2024"
    assert "," in rows[25][3]


@pytest.mark.parametrize("is_long", [True, False])
def test_the_file_of_one_series_is_its_part_of_the_file_of_all(
    playground, live_key, is_long: bool
) -> None:
    text = long_table(["=Köln", "Bonn"]) if is_long else wide_table(["North", "South"])
    paste(playground, text)
    expect(playground.locator("#several-title")).to_have_text("2 series")
    playground.fill("#horizon", "3")
    forecast_all(playground, live_key)
    own, everything = (
        [*csv.reader(content.decode("utf-8-sig").splitlines(), delimiter=";" if is_long else ",")]
        for _, content in (
            downloaded_file(playground, live_key, button) for button in ("download", "download-all")
        )
    )
    if is_long:
        assert own == everything[:28]
        assert own[1][0] == "'=Köln"
    else:
        assert own == [row[:4] for row in everything]


def test_the_download_of_a_paste_uses_the_delimiter_of_its_decimal_mark(
    playground, live_key
) -> None:
    for mark, delimiter in ((",", ";"), (".", ",")):
        rows = [f"2024-{m:02}\t{m}{mark}5\t{m * 3}{mark}1" for m in range(1, 13)]
        paste(playground, "\n".join(['Monat\tA "B", C; D\tKöln', *rows]))
        expect(playground.locator("#fact-points")).to_have_text("12")
        playground.fill("#horizon", "2")
        _, content = downloaded_file(playground, live_key)
        assert content.startswith(b"\xef\xbb\xbf")
        text = content.decode("utf-8-sig")
        assert "\t" not in text
        table = list(csv.reader(io.StringIO(text), delimiter=delimiter))
        assert table[0][:2] == ["Monat", 'A "B", C; D']
        assert table[1][:2] == ["2024-01", f"1{mark}5"]
        assert {len(row) for row in table} == {7}
        assert len(table) == 15


def test_the_workbook_has_the_history_and_the_forecasts(playground, live_key) -> None:
    show_table(playground, wide_table(NASTY))
    playground.fill("#horizon", "2")
    name, content = downloaded_file(playground, live_key, "download-workbook")
    assert name == "your-data-forecast.xlsx"
    rows = CalamineWorkbook.from_filelike(io.BytesIO(content)).get_sheet_by_index(0).to_python()
    assert rows[0][:2] == ["day", NASTY[0]]
    assert [str(row[0]) for row in rows[1:]] == [
        str(dt.date(2024, 1, 1) + dt.timedelta(day)) for day in range(38)
    ]


def test_names_with_quotes_and_tags_are_shown_as_they_are(playground: Page) -> None:
    paste(playground, wide_table(NASTY))
    expect(playground.locator("#several-list strong")).to_have_text(NASTY)


def test_the_first_24_of_many_series_or_those_chosen_are_drawn(
    playground, live_key, forecasts
) -> None:
    names = [f"Store {number}" for number in range(1, 121)]
    paste(playground, wide_table(names, rows=24))
    expect(playground.locator("#several-title")).to_have_text("120 series")
    expect(playground.locator("#several-cost")).to_contain_text("2 requests for all")
    count = playground.locator("#choice-count")
    expect(count).to_have_text("24 of 120 series drawn (the maximum).")
    expect(playground.locator("#several-list li")).to_have_count(24)
    count.click()
    unchosen = playground.get_by_label("Store 30", exact=True)
    expect(unchosen).to_be_disabled()
    playground.click("#choice-none")
    expect(playground.locator("#forecast-all")).to_be_hidden()
    playground.fill("#choice-filter", "store 10")
    expect(playground.locator("#choice-list label:visible")).to_have_count(11)
    playground.get_by_label("Store 100", exact=True).check()
    expect(count).to_have_text("1 of 120 series drawn.")
    playground.fill("#horizon", "2")
    forecast_all(playground, live_key)
    expect(playground.locator("#several-status")).to_contain_text("120 of 120 series")
    playground.get_by_label("Store 109", exact=True).check()
    expect(playground.locator("#several-list .ahead")).to_have_count(2)
    assert forecasts() == 1
    expect(playground.locator("#several-list strong")).to_have_text(["Store 100", "Store 109"])


def test_one_series_has_no_pictures_of_several(playground: Page) -> None:
    paste(playground, wide_table(["North"]))
    expect(playground.locator("#fact-points")).to_have_text("36")
    expect(playground.locator("#several")).to_be_hidden()


def test_a_series_that_fails_shows_why_and_the_others_are_forecast(
    playground: Page, live_key: str
) -> None:
    names = ["North", "South", "West"]
    paste(playground, wide_table(names, lacks=("South", 20)))
    south = card(playground, "South")
    expect(south).to_contain_text("Values are missing: choose a fill.")
    playground.fill("#horizon", "2")
    forecast_all(playground, live_key)
    expect(playground.locator("#several-status")).to_have_text(
        "2 of 3 series forecast by Fast. 1 has none."
    )
    expect(card(playground, "North").locator(".ahead")).to_have_count(1)
    playground.get_by_label("Fill with").select_option("straight lines")
    expect(playground.locator("#several-list .failed")).to_have_count(0)
    playground.fill("#horizon", "2")
    forecast_all(playground, live_key)
    expect(playground.locator("#several-status")).to_have_text("3 of 3 series forecast by Fast.")


def test_the_model_that_a_backtest_advises_forecasts_all_that_were_forecast(
    playground: Page, live_key: str
) -> None:
    paste(playground, wide_table(["North", "South"], rows=60))
    expect(playground.locator("#several-title")).to_have_text("2 series")
    playground.fill("#horizon", "3")
    forecast_all(playground, live_key)
    expect(playground.locator("#several-list .ahead")).to_have_count(2)
    playground.click("#backtest")
    use = playground.locator("#use-best")
    expect(use).to_be_visible()
    name = use.inner_text().removeprefix("Use ")
    use.click()
    expect(playground.locator("#several-status")).to_have_text(f"2 of 2 series forecast by {name}.")
    expect(playground.locator("#several-list .ahead")).to_have_count(2)


def test_what_is_downloaded_is_said_where_there_are_files_of_one_and_of_all(
    playground: Page, live_key: str
) -> None:
    paste(playground, wide_table(["North", "South"]))
    submit(playground, live_key)
    expect(playground.locator("#download")).to_have_text("This series as CSV")
    expect(playground.locator("#download-all")).to_have_text("All as CSV")
    paste(playground, wide_table(["North"]))
    submit(playground, live_key)
    expect(playground.locator("#download")).to_have_text("Download CSV")


def test_a_used_up_limit_is_reported_with_the_time_when_it_is_back(
    playground: Page, live_key: str, watch: Watch
) -> None:
    paste(playground, wide_table(["North", "South"]))
    body = {"error": {"code": "RATE_LIMIT_EXCEEDED", "message": "No", "details": {}}}
    playground.route(
        "**/tables/forecast?**",
        lambda route: route.fulfill(status=429, json=body, headers={"Retry-After": "3600"}),
    )
    forecast_all(playground, live_key)
    watch.expect_rejections(429)
    expect(playground.locator("#key-error")).to_contain_text("Try again in")
    expect(playground.locator("#forecast-all")).to_be_visible()


def test_forecasts_of_data_that_were_replaced_meanwhile_are_not_shown(playground, live_key) -> None:
    paste(playground, wide_table([f"Store {number}" for number in range(1, 9)]))
    held: list[Route] = []
    playground.route("**/tables/forecast?**", lambda route: held.append(route))  # noqa: PLW0108 - not a builtin
    playground.fill("#key", live_key)
    with playground.expect_request("**/tables/forecast?**"):
        playground.click("#forecast-all")
    paste(playground, wide_table(["East", "West"]))
    expect(playground.locator("#several-title")).to_have_text("2 series")
    held.pop().continue_()
    expect(playground.locator("#go")).to_be_enabled()
    expect(playground.locator("#several-list .ahead")).to_have_count(0)
    expect(playground.locator("#forecast-all")).to_have_text("Forecast all 2")


def test_a_wrong_key_stops_immediately_beside_the_key_and_loses_nothing(
    playground, watch, forecasts
) -> None:
    text = wide_table(["North", "South"])
    show_table(playground, text)
    playground.fill("#horizon", "2")
    playground.fill("#key", "ak_" + "0" * 64)
    playground.click("#forecast-all")
    expect(playground.locator("#key-error")).to_contain_text("does not know this key")
    watch.expect_rejections(401, 401)  # of /verify and of the forecast
    assert forecasts() == 1
    expect(playground.locator("#text")).to_have_value(text.replace("\r\n", "\n"))
    expect(playground.locator("#horizon")).to_have_value("2")


def test_an_irregular_series_is_rejected_in_words_of_the_page(playground, live_key) -> None:
    begin = dt.date(2024, 1, 1)
    odd = {begin + dt.timedelta(n * n % 97 + 2 * n) for n in range(40)}
    days = [begin + dt.timedelta(n) for n in range((max(odd) - begin).days + 1)]
    shops = [(day, shop) for day in days for shop in ("North", "South", "West")]
    rows = [f"{day};{shop};{day.day}" for day, shop in shops if shop != "South" or day in odd]
    paste(playground, "\n".join(["day;shop;sales", *rows]))
    expect(card(playground, "South")).to_contain_text("The dates are irregular")
    forecast_all(playground, live_key)
    expect(playground.locator("#several-status")).to_have_text(
        "2 of 3 series forecast by Fast. 1 has none."
    )
    expect(card(playground, "South")).to_contain_text("The dates are irregular")
