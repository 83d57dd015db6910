"""The button "Backtest": which model is best on this series, and its past forecasts."""

from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.support.browser import Watch
from tests.web.pages.playing import MONTHLY, QUICK, chart_points, show_table, submit

pytestmark = pytest.mark.services

PAST = """chart => chart.data.filter(trace => trace.name.endsWith(", past"))
    .map(trace => [trace.name, trace.y.length])"""
STARTS = """chart => chart.data.filter(trace => trace.name === "Start")
    .map(trace => trace.x.length / 3)"""
MEDIAN = "chart => chart.data.find(trace => trace.meta === 'seasonal_naive').y"
YEAR = [417, 391, 419, 461, 472, 535, 622, 606, 508, 461, 390, 432]
NAMES = {
    "forecast-model-1": "General",
    "forecast-model-2": "Fast",
    "forecast-model-3": "Seasonal",
    "forecast-model-4": "Robust",
    "seasonal_naive": "Seasonal naive",
}


def backtest(page: Page, key: str) -> dict[str, Any]:
    """Press the button; return the response, which is then on the page."""
    page.fill("#key", key)
    with page.expect_response("**/backtest") as response:
        page.click("#backtest")
    expect(page.locator("#go")).to_be_enabled()
    expect(page.locator("#backtest-result")).to_be_visible()
    return response.value.json()


def test_models_are_compared_and_the_best_is_drawn_and_used(
    playground: Page, live_key: str, watch: Watch
) -> None:
    playground.fill("#horizon", "6")
    playground.check("#forecast-model-3")
    playground.uncheck(f"#{QUICK}")  # it is as good as the best
    response = backtest(playground, live_key)
    rows = playground.locator("#errors tbody tr")
    names = [NAMES[model["model_id"]] for model in response["models"]]
    assert [text.split(" · ")[0] for text in rows.locator("th").all_inner_texts()] == names
    expect(rows.first).to_have_class("best")
    expect(playground.locator("#backtest-result")).to_be_in_viewport(ratio=0.9)
    expect(playground.locator("#errors caption")).to_contain_text("5 past forecasts of 6 months")
    best = NAMES[response["best_model"]]
    expect(playground.locator("#verdict")).to_contain_text(best)
    expect(playground.locator("#verdict")).to_contain_text("Judged by 5 past forecasts")
    assert playground.locator("#chart").evaluate(PAST) == [[f"{best}, past", 6]] * 5
    assert playground.locator("#chart").evaluate(STARTS) == [5]
    expect(playground.locator("#legend")).to_contain_text(f"{best}, past")
    playground.select_option("#past-window", index=5)
    playground.select_option("#past-model", label="Fast")
    assert playground.locator("#chart").evaluate(PAST) == [["Fast, past", 6]]
    playground.select_option("#past-window", label="none")
    assert playground.locator("#chart").evaluate(PAST) == []
    expect(playground.locator("#use-best")).to_have_class("primary")
    playground.click("#use-best")
    expect(playground.locator("#use-best")).to_have_class("quiet")
    expect(playground.locator("#sentence")).to_contain_text("Forecast for the next 6 months")
    assert chart_points(playground) == {response["best_model"]: 6}
    assert sum(url.endswith("/backtest") for url in watch.urls) == 1


def test_a_backtest_of_other_settings_is_stale_and_one_of_other_data_is_gone(
    playground: Page, live_key: str
) -> None:
    backtest(playground, live_key)
    playground.fill("#horizon", "3")
    playground.locator("#horizon").blur()
    expect(playground.locator("#backtest-stale")).to_be_visible()
    expect(playground.locator("#backtest")).to_have_text("Backtest again")
    playground.select_option("#example", index=1)
    expect(playground.locator("#backtest-result")).to_be_hidden()
    expect(playground.locator("#backtest")).to_have_text("Backtest")


def test_seasonal_naive_is_a_choice_where_it_is_better(playground: Page, live_key: str) -> None:
    responses: list[dict[str, Any]] = []

    def let_the_naive_win(route: Route) -> None:
        body = route.fetch().json()
        for model in body["models"]:
            model["mae"] = 1.0 if model["model_id"] == "seasonal_naive" else 30.0
        body["models"].sort(key=lambda model: model["mae"])
        responses.append(body)
        route.fulfill(json=body, headers={"X-Forecast-Notice": "one less; another"})

    playground.route("**/backtest", let_the_naive_win)
    backtest(playground, live_key)
    expect(playground.locator("#verdict")).to_contain_text("is better here than every model")
    expect(playground.locator("#errors .best th")).to_have_text("Seasonal naive · best")
    expect(playground.locator("#explained")).to_contain_text("One less. Another.")
    playground.get_by_role("button", name="Use Seasonal naive").click()
    expect(playground.locator("#sentence")).to_contain_text("Forecast for the next 24 months")
    assert chart_points(playground) == {"seasonal_naive": 24}
    assert playground.locator("#chart").evaluate(MEDIAN)[:12] == YEAR
    expect(playground.locator("#seasonal_naive")).to_be_checked()
    playground.select_option("#example", index=1)
    expect(playground.locator("#seasonal_naive")).to_be_hidden()
    expect(playground.get_by_label("General")).to_be_checked()


def test_a_series_too_short_for_a_window_is_shown_beside_the_data(
    playground: Page, live_key: str, watch: Watch
) -> None:
    playground.fill("#text", "\n".join(f"2024-01-{i + 1:02},{i % 5}" for i in range(12)))
    expect(playground.locator("#fact-points")).to_have_text("12")
    playground.fill("#horizon", "4")
    playground.fill("#key", live_key)
    playground.click("#backtest")
    expect(playground.locator("#text-error")).to_contain_text("at least 14 needed")
    watch.expect_rejections(422)
    expect(playground.locator("#backtest-result")).to_be_hidden()


def test_all_columns_of_errors_are_seen_on_a_phone(playground: Page, live_key: str) -> None:
    usual = playground.viewport_size
    backtest(playground, live_key)
    playground.set_viewport_size({"width": 390, "height": 844})
    hidden = playground.locator("#errors").evaluate(
        "table => table.scrollWidth - table.parentElement.clientWidth"
    )
    playground.set_viewport_size(usual)
    assert hidden <= 0


def test_words_of_the_field_are_explained_where_they_are_first(playground: Page, live_key) -> None:
    show_table(playground, MONTHLY)  # four years, which are too few for five years of windows
    playground.fill("#horizon", "12")
    submit(playground, live_key)
    expect(playground.locator("#table caption")).to_contain_text("Median: as likely too low as ")
    expect(playground.locator("#facts")).to_contain_text("Values")
    expect(playground.locator("#facts")).not_to_contain_text("Points")
    backtest(playground, live_key)
    explained = playground.locator("#explained")
    expect(explained).to_contain_text("Window: a part of your data that is forecast from what came")
    expect(explained).to_contain_text("windows left out: fewer than 10 points come before")


def test_past_forecasts_that_do_not_count_are_drawn_only_if_they_are_chosen(
    playground: Page, live_key
) -> None:
    show_table(playground, MONTHLY)
    playground.fill("#horizon", "12")
    windows = backtest(playground, live_key)["windows"]
    assert [window["short_history"] for window in windows] == [True, False, False]
    shown = playground.locator("#past-window option:checked")
    expect(shown).to_have_text("the 2 that count")
    assert len(playground.locator("#chart").evaluate(PAST)) == 2
    playground.select_option("#past-window", index=1)
    assert len(playground.locator("#chart").evaluate(PAST)) == 1
    # The picture of the forecast that is then made is that of a slide.
    playground.click("#use-best")
    expect(playground.locator("#sentence")).not_to_be_empty()
    assert playground.locator("#chart").evaluate(PAST) == []
    expect(playground.locator("#legend")).not_to_contain_text("past")
    # A model that is equally good does not have to be changed to.
    backtest(playground, live_key)
    expect(playground.locator("#use-best")).to_have_class("quiet")
