"""A table of several series: a picture of each, all forecast in one go, its cost said before."""

import csv
import datetime as dt
import io
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect

from tests.support.browser import Watch
from tests.support.keys import mint
from tests.support.server import Server
from tests.web.pages.playing import drawn, paste, wide

pytestmark = pytest.mark.services

NASTY = ['"A", the first', "<script>alert(1)</script>", "B & C; D"]


def long(names: list[str], rows: int = 24) -> str:
    lines = [
        f"{dt.date(2024, 1, 1) + dt.timedelta(row):%d.%m.%Y};{name};{place * row},5"
        for row in range(rows)
        for place, name in enumerate(names, 1)
    ]
    return "\n".join(["Tag;Filiale;Umsatz", *lines])


@pytest.fixture
def forecasts(watch: Watch) -> Callable[[], int]:
    """How many forecasts were asked for."""
    return lambda: sum(url.endswith("/forecast") for url in watch.urls)


def forecast_all(page: Page, key: str) -> None:
    page.fill("#key", key)
    page.locator("#key").blur()
    page.click("#forecast-all")
    expect(page.locator("#go")).to_be_enabled()


def card(page: Page, name: str):
    return page.locator("#several-list li").filter(has_text=name)


def downloaded(page: Page) -> tuple[str, str]:
    with page.expect_download() as started:
        page.click("#download-all")
    return started.value.suggested_filename, started.value.path().read_text()


def test_all_series_are_forecast_in_one_go_and_one_is_looked_at_by_a_click(
    playground, live_key, forecasts
) -> None:
    names = ["North", "South", "West"]
    paste(playground, wide(names))
    expect(playground.locator("#several-title")).to_have_text("3 series")
    cost = playground.locator("#several-cost")
    expect(cost).to_have_text("3 requests, one for each series, by Fast.")
    playground.fill("#key", live_key)
    playground.locator("#key").blur()
    expect(cost).to_contain_text("are left until ")
    playground.fill("#horizon", "5")
    forecast_all(playground, live_key)
    expect(playground.locator("#several-status")).to_have_text("3 of 3 series forecast by Fast.")
    expect(playground.locator("#several-list .ahead")).to_have_count(3)
    expect(cost).to_be_empty()
    assert forecasts() == 3
    for name in names:
        playground.get_by_role("button", name=name).click()
        expect(playground.locator("#chart-title")).to_have_text(name)
        expect(card(playground, name).locator("button")).to_have_attribute("aria-current", "true")
        expect(playground.locator("#numbers tbody tr")).to_have_count(5)
        assert drawn(playground) == {"forecast-model-2": 5}
    assert forecasts() == 3, "what was there was asked for again"


def test_a_wide_table_is_downloaded_wide(playground, live_key) -> None:
    paste(playground, wide(NASTY, lacks=(NASTY[0], 0)))
    playground.fill("#horizon", "2")
    forecast_all(playground, live_key)
    name, text = downloaded(playground)
    rows = list(csv.reader(io.StringIO(text)))
    assert name == "your-data-forecasts.csv"
    bounds = ("lower_bound", "median", "upper_bound")
    columns = [part for name in NASTY for part in (name, *(f"{name}_{b}" for b in bounds))]
    assert rows[0] == ["day", *columns]
    assert [row[0] for row in rows[1:]] == [
        str(dt.date(2024, 1, 1) + dt.timedelta(day)) for day in range(38)
    ]
    assert rows[1] == ["2024-01-01", "", "", "", "", "200", "", "", "", "300", "", "", ""]
    assert all((row[1] == "") == (row[3] != "") for row in rows[2:])


def test_a_long_table_is_downloaded_long_in_the_form_of_its_dates_and_numbers(
    playground, live_key
) -> None:
    paste(playground, long(["Köln", "Bonn"]))
    playground.fill("#horizon", "3")
    forecast_all(playground, live_key)
    _, text = downloaded(playground)
    rows = list(csv.reader(io.StringIO(text), delimiter=";"))
    assert rows[0] == ["Filiale", "Tag", "Umsatz", "lower_bound", "median", "upper_bound"]
    assert [row[0] for row in rows[1:]] == ["Köln"] * 27 + ["Bonn"] * 27
    assert rows[2][:3] == ["Köln", "02.01.2024", "1,5"]
    assert rows[25][1] == "25.01.2024"
    assert rows[25][2] == ""
    assert "," in rows[25][4]


def test_names_with_quotes_and_tags_are_shown_as_they_are(playground) -> None:
    paste(playground, wide(NASTY))
    expect(playground.locator("#several-list strong")).to_have_text(NASTY)


def test_of_many_series_the_first_24_or_those_chosen_are_taken(
    playground, live_key, forecasts
) -> None:
    names = [f"Store {number}" for number in range(1, 201)]
    paste(playground, wide(names, rows=24))
    expect(playground.locator("#several-title")).to_have_text("200 series")
    count = playground.locator("#choice-count")
    expect(count).to_have_text("24 of 200 series chosen (the maximum).")
    expect(playground.locator("#several-list li")).to_have_count(24)
    count.click()
    unchosen = playground.get_by_label("Store 30", exact=True)
    expect(unchosen).to_be_disabled()
    playground.click("#choice-none")
    expect(playground.locator("#forecast-all")).to_be_hidden()
    playground.fill("#choice-filter", "store 19")
    expect(playground.locator("#choice-list label:visible")).to_have_count(11)
    playground.get_by_label("Store 199", exact=True).check()
    playground.get_by_label("Store 190", exact=True).check()
    expect(count).to_have_text("2 of 200 series chosen.")
    playground.fill("#horizon", "2")
    forecast_all(playground, live_key)
    assert forecasts() == 2
    expect(playground.locator("#several-list strong")).to_have_text(["Store 190", "Store 199"])


def test_one_series_has_no_pictures_of_several(playground) -> None:
    paste(playground, wide(["North"]))
    expect(playground.locator("#fact-points")).to_have_text("36")
    expect(playground.locator("#several")).to_be_hidden()


def test_an_error_of_one_series_is_with_its_picture_and_the_others_are_forecast(
    playground, live_key, watch
) -> None:
    names = ["North", "South", "West"]
    paste(playground, wide(names, lacks=("South", 20)))
    south = card(playground, "South")
    expect(south).to_contain_text("Entries are missing: choose a fill.")
    playground.fill("#horizon", "2")

    def refuse(route: Route) -> None:
        if route.request.post_data_json["series"][0]["values"][0] == 300:
            issue = {"field": "series[0].values", "issue": "such is refused", "provided": None}
            error = {"code": "DATA_VALIDATION_ERROR", "message": "No", "details": issue}
            route.fulfill(status=422, json={"error": error})
        else:
            route.continue_()

    playground.route("**/forecast", refuse)
    forecast_all(playground, live_key)
    watch.expect_refusals(422)
    expect(playground.locator("#several-status")).to_have_text(
        "1 of 3 series forecast by Fast. 2 have none."
    )
    expect(card(playground, "West")).to_contain_text("such is refused")
    expect(card(playground, "North").locator(".ahead")).to_have_count(1)
    playground.unroute_all()
    playground.get_by_label("Fill with").select_option("straight lines")
    expect(playground.locator("#several-list .failed")).to_have_count(0)
    playground.fill("#horizon", "2")
    forecast_all(playground, live_key)
    expect(playground.locator("#several-status")).to_have_text("3 of 3 series forecast by Fast.")


def test_where_the_limit_is_too_small_it_is_reported_before_and_the_page_waits_until_it_is_stopped(
    playground, server: Server, watch
) -> None:
    key = mint(server.environ["DATABASE_URL"], per_minute=2, longer=1000)
    paste(playground, wide(["North", "South", "West"]))
    playground.fill("#horizon", "2")
    playground.fill("#key", key)
    playground.locator("#key").blur()
    cost = playground.locator("#several-cost")
    expect(cost).to_contain_text("Only 2 are left until")
    expect(cost).to_contain_text("the page waits then, and continues")
    playground.click("#forecast-all")
    status = playground.locator("#several-status")
    expect(status).to_contain_text("The requests of this key are used up until")
    expect(status).to_contain_text("then the page continues")
    watch.expect_refusals(429)
    playground.click("#stop")
    expect(status).to_have_text("Stopped after 2 of 3 series.")
    expect(playground.locator("#go")).to_be_enabled()
    expect(playground.locator("#forecast-all")).to_have_text("Forecast the other 1")
    expect(playground.locator("#several-list .ahead")).to_have_count(2)
    expect(playground.locator("#text")).not_to_have_value("")


def test_a_limit_that_is_back_soon_is_waited_for_by_the_page(playground, live_key, watch) -> None:
    paste(playground, wide(["North", "South"]))
    playground.fill("#horizon", "2")
    refused: list[Route] = []

    def refuse_once(route: Route) -> None:
        if refused:
            route.continue_()
            return
        refused.append(route)
        body = {"error": {"code": "RATE_LIMIT_EXCEEDED", "message": "No", "details": {}}}
        route.fulfill(status=429, json=body, headers={"Retry-After": "1"})

    playground.route("**/forecast", refuse_once)
    forecast_all(playground, live_key)
    watch.expect_refusals(429)
    expect(playground.locator("#several-status")).to_have_text("2 of 2 series forecast by Fast.")


def test_a_limit_that_is_back_late_stops_the_page_with_the_time(
    playground, live_key, watch
) -> None:
    paste(playground, wide(["North", "South"]))
    playground.fill("#horizon", "2")
    body = {"error": {"code": "RATE_LIMIT_EXCEEDED", "message": "No", "details": {}}}
    playground.route(
        "**/forecast",
        lambda route: route.fulfill(status=429, json=body, headers={"Retry-After": "3600"}),
    )
    forecast_all(playground, live_key)
    watch.expect_refusals(429)
    status = playground.locator("#several-status")
    expect(status).to_contain_text("The requests of this key are used up until")
    expect(status).to_contain_text("stopped after 0 of 2 series.")


@pytest.mark.parametrize("change", ["data", "settings"])
def test_what_changes_meanwhile_stops_it_and_spends_no_more(
    playground, live_key, forecasts, change: str
) -> None:
    paste(playground, wide([f"Store {number}" for number in range(1, 9)]))
    playground.fill("#horizon", "2")
    held: list[Route] = []
    playground.route("**/forecast", lambda route: held.append(route))  # noqa: PLW0108 - not a builtin
    playground.fill("#key", live_key)
    with playground.expect_request("**/forecast"):
        playground.click("#forecast-all")
    if change == "data":
        paste(playground, wide(["East", "West"]))
        expect(playground.locator("#several-title")).to_have_text("2 series")
    else:
        playground.fill("#horizon", "3")
        playground.locator("#horizon").blur()
    status = playground.locator("#several-status")
    expect(status).to_contain_text("Forecasting 1 of 8")
    held.pop().continue_()
    expect(status).to_contain_text("have changed: stopped after 1 of 8")
    expect(playground.locator("#go")).to_be_enabled()
    assert forecasts() == 1


def test_a_wrong_key_stops_immediately_beside_the_key_and_loses_nothing(
    playground, watch, forecasts
) -> None:
    text = wide(["North", "South"])
    paste(playground, text)
    playground.fill("#horizon", "2")
    playground.fill("#key", "ak_" + "0" * 64)
    playground.click("#forecast-all")
    expect(playground.locator("#key-error")).to_contain_text("does not know this key")
    expect(playground.locator("#several-status")).to_have_text("Stopped after 0 of 2 series.")
    watch.refusals.clear()  # one of /verify, one of /forecast
    assert forecasts() == 1
    expect(playground.locator("#text")).to_have_value(text.replace("\r\n", "\n"))
    expect(playground.locator("#horizon")).to_have_value("2")
