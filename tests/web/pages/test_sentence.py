"""Texts and numbers of a forecast: modules of the playground, run in a real browser."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page

pytestmark = pytest.mark.services

Say = Callable[..., Any]
# The description of a reading with these values.
ABOUT = """async ({values, reading, frequency, noun}) => {
    const {describeSeries} = await import(at("series-format.js"));
    const points = values.map((value) => ({value}));
    const usual = {points, step: 1, frequency, mark: ".", valueName: "", unitBefore: "",
                   unitAfter: "", writeDate: (text) => text};
    return describeSeries({...usual, ...reading}, {frequency, noun});
}"""
FIGURES = f"""async ([series, numbers]) => {{
    const {{figures}} = await ({ABOUT})(series);
    return numbers.map((number) => [
        figures.write(number), figures.writeError(number), figures.round(number)]);
}}"""
SENTENCE = f"""async ([series, response, name, confidence]) => {{
    const {{forecastSentence}} = await import(at("sentence.js"));
    return forecastSentence({{response, name}}, await ({ABOUT})(series), confidence);
}}"""
JUDGE = f"""async ([scores, usual, count]) => {{
    const {{compareModels}} = await import(at("verdict.js"));
    const series = {{values: [100], reading: {{decimals: 0}}, frequency: "Daily", noun: "day"}};
    const names = {{a: "General", b: "Fast", c: "Robust"}};
    const models = Object.entries(scores).map(([model_id, mae]) => ({{model_id, mae}}));
    const {{figures}} = await ({ABOUT})(series);
    return compareModels(models, (id) => names[id], figures, usual, count);
}}"""
HORIZON = """async ([frequency, length]) =>
    (await import(at("horizon.js"))).fittingHorizon(frequency, length)"""
APART = f"""async ([series, shares, written]) => {{
    const {{figures}} = await ({ABOUT})(series);
    return (await import(at("verdict.js"))).percentsApart(shares, written, figures);
}}"""
CSV = """async ([reading, rows]) => {
    const {csvFormOf, toCsv} = await import(at("table.js"));
    return toCsv(["day", "a", "b"], rows, csvFormOf(reading));
}"""
MONTHS = ["2026-04-01T00:00:00", "2026-05-01T00:00:00", "2026-06-01T00:00:00"]
FORECAST = {
    "forecast_timestamps": MONTHS,
    "median": [20.0, 21.0, 21.4],
    "lower_bound": [18.0, 17.0, 15.2],
    "upper_bound": [22.0, 25.0, 27.9],
}
WEEKS = {"frequency": "Weekly", "noun": "week"}


def series(values: list[float], decimals: int, **reading: Any) -> dict[str, Any]:
    known = {"decimals": decimals} | reading
    return {"values": values, "reading": known, "frequency": "Monthly", "noun": "month"}


@pytest.mark.parametrize(
    ("values", "decimals", "number", "written", "error"),
    [
        ([112, 118], 0, 91.246, "91", "91"),
        ([112.4, 118.0], 1, 91.246, "91.2", "91.2"),
        ([1480, 1520], 0, 12587.3, "12,587", "12,587"),
        ([10_630.64], 2, 10_433.333, "10,433.33", "10,433.33"),  # cents
        ([1480, 1520], 0, 0.3149, "0", "0.31"),  # an error may be finer than the data
        ([0, 1, 2], 0, 1.26, "1.3", "1.3"),  # counts of a few have halves
        ([12.345678901, 14.0], 9, 13.123456789, "13.1235", "13.1235"),
        ([0.00123], 5, 0.0012345, "0.00123", "0.00123"),
        ([3e20], 0, 3.5e20, "3.50000e+20", "3.50000e+20"),
        ([112], 0, -0.2, "0", "0.20"),
        ([112], 0, -1234.5, "-1,235", "1,235"),
        ([0, 0], 2, 0, "0.00", "0.00"),
    ],
)
def test_numbers_have_as_many_digits_as_the_data(
    script_page: Page, values, decimals, number, written, error
) -> None:
    shown = script_page.evaluate(FIGURES, [series(values, decimals), [number, abs(number)]])
    assert [shown[0][0], shown[1][1]] == [written, error]


@pytest.mark.parametrize(
    ("values", "decimals", "number", "written"),
    [
        ([1480.5], 1, -12587.34, "-12\u202f587,3"),
        ([3e20], 0, 3.5e20, "3,50000e+20"),
        ([9], 0, -0.01, "0,0"),
    ],
)
def test_numbers_have_the_decimal_mark_of_the_table(
    script_page: Page, values, decimals, number, written
) -> None:
    shown = script_page.evaluate(FIGURES, [series(values, decimals, mark=","), [number]])
    assert shown[0][0] == written


@pytest.mark.parametrize(
    ("mark", "grouping", "written"),
    [(",", ".", "12.587,3"), (".", "’", "12’587.3"), (",", "", "12\u202f587,3")],
)
def test_thousands_are_grouped_like_those_of_the_table(
    script_page: Page, mark: str, grouping: str, written: str
) -> None:
    data = series([1480.5], 1, mark=mark, grouping=grouping)
    assert script_page.evaluate(FIGURES, [data, [12587.34]])[0][0] == written


@pytest.mark.parametrize(
    ("values", "decimals", "number", "in_file"),
    [
        ([1480, 1520], 0, 1541.1763827, 1541.2),
        ([0, 1, 2], 0, 0.123456789, 0.1),
        ([10_630.64, 10_011.5], 2, 10_433.3333, 10_433.33),
        ([12.345678901, 14.0], 9, 13.123456789, 13.1235),
        ([1.25, 1480.5], 2, 40.00000000000001, 40),
        ([1e-9], 9, 1.23456789e-9, 1.23456789e-9),
    ],
)
def test_a_file_has_the_decimals_of_the_data_and_none_that_mean_nothing(
    script_page: Page, values, decimals, number, in_file
) -> None:
    assert script_page.evaluate(FIGURES, [series(values, decimals), [number]])[0][2] == in_file


def test_numbers_have_the_unit_of_the_data(script_page: Page) -> None:
    costs = series([1480.5], 2, unitBefore="$", unitAfter="")
    shares = series([14.5], 1, unitBefore="", unitAfter="%")
    assert script_page.evaluate(FIGURES, [costs, [-5]])[0][0] == "-$5.00"
    assert script_page.evaluate(FIGURES, [shares, [12.34]])[0][0] == "12.3%"


@pytest.mark.parametrize(
    ("described", "start"),
    [
        (
            series([20.5], 1),
            "Fast: next 3 months. April 2026: 20.0 (95 % between 18.0 and 22.0); June",
        ),
        (series([20.5], 1, unitAfter="%"), "Fast: next 3 months. April 2026: 20.0% (95% "),
        (series([20.5], 1, step=2), "Fast: next 3 periods of 2 months. April 2026: 20.0"),
        (
            series([20.5], 1, frequency="Monthly") | {"frequency": "Daily", "noun": "day"},
            "Fast: next 3 days. 2026-04-01: 20.0",
        ),
    ],
)
def test_a_forecast_is_one_sentence(script_page: Page, described, start: str) -> None:
    sentence = script_page.evaluate(SENTENCE, [described, FORECAST, "Fast", 0.95])
    assert sentence.startswith(start)
    unit = described["reading"].get("unitAfter", "")
    space = "" if unit == "%" else " "
    assert sentence.endswith(f"21.4{unit} (95{space}% between 15.2{unit} and 27.9{unit}).")


@pytest.mark.parametrize(
    ("pattern", "name"),
    [("{month:2}/{day:2}/{year:4}", "Week of 2026-04-01"), ("W{week:2}", "2026-04-01")],
)
def test_a_week_is_called_a_week_unless_its_dates_say_so(script_page: Page, pattern, name) -> None:
    form = {"date_form": {"pattern": pattern}}
    described = series([20], 0, frequency="Weekly", chosen=form) | WEEKS
    sentence = script_page.evaluate(SENTENCE, [described, FORECAST, None, 0.95])
    assert sentence.startswith(f"Forecast for the next 3 weeks. {name}: 20 (")


@pytest.mark.parametrize(("last", "name"), [(31, "April 2026"), (30, "2026-04-30")])
def test_the_last_day_of_each_month_stands_for_the_month(script_page: Page, last, name) -> None:
    ends = {"forecast_timestamps": [f"2026-{end}T00:00:00" for end in ("04-30", "05-31", "06-30")]}
    days = f"""async ([series, ...others]) => {{
        series.reading.points = [{{value: 20, seconds: Date.UTC(2026, 2, {last}) / 1000}}];
        return await ({SENTENCE})([series, ...others]);
    }}"""
    sentence = script_page.evaluate(days, [series([20], 0), FORECAST | ends, None, 0.95])
    assert sentence.startswith(f"Forecast for the next 3 months. {name}: 20 (")


def test_percentages_have_the_decimal_mark_of_the_table(script_page: Page) -> None:
    german = series([1], 0, mark=",", unitAfter=" %")
    assert script_page.evaluate(APART, [german, [0.036, 0.95], ["1", "2"]]) == ["3,6 %", "95 %"]


def test_the_sentence_of_one_period_has_no_total(script_page: Page) -> None:
    newest = {name: column[-1:] for name, column in FORECAST.items()}
    sentence = script_page.evaluate(SENTENCE, [series([20], 0), newest, "Fast", 0.9])
    assert sentence == "Fast: next month 21 (90 % between 15 and 28)."


@pytest.mark.parametrize(
    ("length", "start"),
    [
        (3, "Forecast for the next 3 months. April 2026: 20 (95 % between 18 and 22); June"),
        (1, "Forecast for the next month: 20 (95 % between 18 and 22)."),
    ],
)
def test_the_only_forecast_is_not_named_after_its_model(
    script_page: Page, length, start: str
) -> None:
    response = {name: column[:length] for name, column in FORECAST.items()}
    assert script_page.evaluate(SENTENCE, [series([20], 0), response, None, 0.95]).startswith(start)


@pytest.mark.parametrize(
    ("scores", "usual", "text", "best"),
    [
        (
            {"a": 9, "b": 9.1, "c": 12, "seasonal_naive": 14},
            225,
            "General and Fast are equally good here: off by 9.0 on average, 4 % of the mean "
            "value. Seasonal naive is off by 14.",
            ["a", "b"],
        ),
        (
            {"b": 8, "a": 9, "seasonal_naive": 14},
            0,
            "Fast is the best here: off by 8.0 on average. Seasonal naive is off by 14.",
            ["b"],
        ),
        (
            {"seasonal_naive": 7, "b": 8, "a": 9},
            100,
            "Seasonal naive is better here than every model: it is off by 7.0 on "
            "average, Fast by 8.0.",
            ["seasonal_naive"],
        ),
        (
            {"b": 10, "seasonal_naive": 10.1, "a": 12},
            100,
            "No model is clearly better here than seasonal naive: Fast is off by 10 on "
            "average, 10 % of the mean value, seasonal naive by 10.",
            ["b"],
        ),
        (
            {"a": 100, "b": 102, "seasonal_naive": 140},  # not under 2 % of the smaller
            0,
            "General is the best here: off by 100 on average. Seasonal naive is off by 140.",
            ["a"],
        ),
        (
            {"a": 1.9e-14, "b": 12, "seasonal_naive": 1.7e-14},  # the error of rounding
            100,
            "No model is clearly better here than seasonal naive: General is off by 0 on average, "
            "0 % of the mean value, seasonal naive by 0.",
            ["a"],
        ),
        (
            {"a": 4.04, "b": 3.96, "seasonal_naive": 6},  # 4.0 and 4.0
            250,
            "Fast and General are equally good here: off by 4.0 on average, 1.6 % of the mean "
            "value. Seasonal naive is off by 6.0.",
            ["b", "a"],
        ),
        (
            {"a": 0, "b": 0, "seasonal_naive": 0},
            1,
            "No model is clearly better here than seasonal naive: General and Fast are "
            "off by 0 on average, 0 % of the mean value, seasonal naive by 0.",
            ["a", "b"],
        ),
    ],
)
def test_a_backtest_says_which_model_is_best_and_what_is_a_tie(
    script_page: Page, scores, usual, text: str, best: list[str]
) -> None:
    assert script_page.evaluate(JUDGE, [scores, usual, 5]) == {"text": text, "best": best}


@pytest.mark.parametrize(
    ("frequency", "length", "horizon"),
    [
        ("Monthly", 115, 12),
        ("Monthly", 20, 6),
        ("Monthly", 23, 7),
        ("Monthly", 24, 12),  # a whole year, where there are two
        ("Monthly", 34, 12),
        ("Quarterly", 7, 2),
        ("Quarterly", 8, 4),
        ("Quarterly", 17, 4),
        ("Quarterly", 30, 8),
        ("Daily", 735, 28),
        ("Hours", 800, 48),
        ("Yearly", 2, 1),
        ("Seconds", 10_000, 60),
    ],
)
def test_the_horizon_fits_the_data(script_page: Page, frequency, length, horizon) -> None:
    assert script_page.evaluate(HORIZON, [frequency, length]) == horizon


@pytest.mark.parametrize(
    ("delimiter", "mark", "written"),
    [
        (";", ",", "day;a;b\r\n1.2.;1,5;x.y\r\n"),
        ("\t", ",", "day;a;b\r\n1.2.;1,5;x.y\r\n"),
        (";", ".", "day;a;b\r\n1.2.;1.5;x.y\r\n"),
        (",", ".", "day,a,b\r\n1.2.,1.5,x.y\r\n"),
        (",", ",", "day;a;b\r\n1.2.;1,5;x.y\r\n"),
    ],
)
def test_the_file_has_the_form_of_the_data(
    script_page: Page, delimiter, mark, written: str
) -> None:
    rows = [["1.2.", 1.5, "x.y"]]
    assert script_page.evaluate(CSV, [{"delimiter": delimiter, "mark": mark}, rows]) == written


@pytest.mark.parametrize(
    ("shares", "written", "percents"),
    [
        ([0.0141, 0.0159], ["1.4", "1.6"], ["1.4 %", "1.6 %"]),
        ([0.1041, 0.1038], ["10.41", "10.38"], ["10.41 %", "10.38 %"]),
        ([0.104, 0.1041], ["10", "10"], ["10 %", "10 %"]),
        ([0, 2e-12, 0.5], ["0", "0", "5"], ["0 %", "0 %", "50 %"]),
    ],
)
def test_percents_distinguish_what_the_errors_distinguish(
    script_page: Page, shares: list[float], written: list[str], percents: list[str]
) -> None:
    assert script_page.evaluate(APART, [series([1], 0), shares, written]) == percents


def test_an_error_of_computing_is_none_where_most_values_are_zero(script_page: Page) -> None:
    [[_, error, _]] = script_page.evaluate(FIGURES, [series([0, 0, 0, 12], 0), [1.9e-14]])
    assert float(error) == 0


@pytest.mark.parametrize(("step", "horizon"), [(1, 60), (5, 60), (15, 96), (30, 48), (1440, 1)])
def test_minutes_with_a_long_step_are_forecast_for_a_day(script_page: Page, step, horizon) -> None:
    fitting = (
        """async step => (await import(at("horizon.js"))).fittingHorizon("Minutes", 1000, {step})"""
    )
    assert script_page.evaluate(fitting, step) == horizon


@pytest.mark.parametrize(
    ("frequency", "step", "missing", "length", "horizon"),
    [
        ("Minutes", 30, 1764, 2564, 336),
        ("Minutes", 15, 1764, 2564, 672),
        ("Minutes", 5, 1764, 2564, 60),
        ("Hours", 1, 700, 1008, 168),
        ("Hours", 1, 200, 300, 48),
        ("Hours", 1, 7, 1008, 48),
        ("Daily", 1, 700, 1008, 28),
    ],
)
def test_series_with_closing_times_are_forecast_for_a_week(
    script_page: Page, frequency, step, missing, length, horizon
) -> None:
    fitting = """async ([frequency, length, series]) =>
        (await import(at("horizon.js"))).fittingHorizon(frequency, length, series)"""
    known = {"step": step, "missing": missing, "max": 1000}
    assert script_page.evaluate(fitting, [frequency, length, known]) == horizon
