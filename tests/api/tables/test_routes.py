"""POST /tables/forecast over HTTP: the files that it returns, and the tables that it rejects."""

import datetime as dt

import pytest

from tests.api.tables.calls import (
    CSV,
    GERMAN,
    JSON,
    XLSX,
    fonts_of,
    forecast,
    panel,
    part_of,
    rows_of,
    sheet_of,
)
from tests.support.api import Api, details_of, first_defect
from tests.tables.tables import workbook

SHORT = "day,a,b\n" + "\n".join(
    f"2024-01-{day:02},{day},{day if day > 6 else ''}" for day in range(1, 11)
)


def test_a_wide_forecast_has_the_bounds_beside_each_series(api: Api) -> None:
    answer = forecast(api, GERMAN)
    assert (answer.mimetype, answer.get_data()[:3]) == (CSV, b"\xef\xbb\xbf")
    assert answer.headers["Content-Disposition"] == 'attachment; filename="forecast.csv"'
    header, *rows = rows_of(answer, ";")
    bounds = "lower_bound", "upper_bound"
    names = [
        name for store in ("Nord", "Süd") for name in (store, *(f"{store}_{b}" for b in bounds))
    ]
    assert header == ["Monat", *names]
    assert [row[0] for row in rows] == ["01.01.2025", "01.02.2025", "01.03.2025"]
    for row in rows:
        numbers = [float(cell.replace(",", ".")) for cell in row[1:]]
        assert all("." not in cell for cell in row[1:])
        assert numbers[1] <= numbers[0] <= numbers[2]
        assert numbers[4] <= numbers[3] <= numbers[5]


def test_a_long_table_has_a_row_for_each_series_and_date(api: Api) -> None:
    header, *rows = rows_of(forecast(api, panel(2)))
    assert header == ["shop", "month", "sales", "lower_bound", "upper_bound"]
    months = ["2021-01-01", "2021-02-01", "2021-03-01"]
    assert [row[:2] for row in rows] == [[shop, month] for shop in ("s0", "s1") for month in months]


def test_the_numbers_are_those_of_a_forecast_of_each_series(api: Api) -> None:
    [series] = forecast(api, panel(1), "confidence=0.8", accept=JSON).get_json()["series"]
    months = [f"2020-{month:02}-01T00:00:00" for month in range(1, 13)]
    body = {
        "series": [{"timestamps": months, "values": [10 + month % 3 for month in range(12)]}],
        **dict.fromkeys(("data_frequency", "forecast_frequency"), "Monthly"),
        "forecast_horizon": 3,
        "confidence": 0.8,
    }
    single = api.forecast(body, X_Model_Id="forecast-model-2").get_json()
    assert {name: series[name] for name in single} == single


def test_history_is_written_above_the_forecast_on_request(api: Api) -> None:
    rows = rows_of(forecast(api, panel(2), "history=true"))[1:]
    assert len(rows) == 30
    assert rows[11] == ["s0", "2020-12-01", "12", "", ""]
    assert "" not in rows[12]
    [series] = forecast(api, panel(1), "history=true", accept=JSON).get_json()["series"]
    assert series["history"]["values"][11] == 12


def test_the_sum_is_a_series_of_its_own_with_an_interval(api: Api) -> None:
    rows = rows_of(forecast(api, panel(4), "sum=true"))[1:]
    total = [row for row in rows if row[0] == "all"]
    assert len(total) == 3
    summed = "\n".join(
        ["month,sales"]
        + [f"2020-{m + 1:02}-01,{sum(10 + n + m % 3 for n in range(4))}" for m in range(12)]
    )
    single = rows_of(forecast(api, summed))[1:]
    assert [row[1:] for row in total] == single


def test_series_that_end_at_different_times_are_forecast_without_a_sum(
    api: Api,
) -> None:
    table = panel(2) + "".join(f"\nt,2020-{month:02}-01,{month % 4}" for month in range(1, 12))
    rows = rows_of(forecast(api, table, "sum=true"))[1:]
    [total] = [row for row in rows if row[0] == "all"]
    assert total[1:5] == ["", "", "", ""]
    assert "no sum: t ends at 2020-11-01" in total[5] or "ends at 2020-12-01" in total[5]
    assert all(row[2] for row in rows if row[0] != "all")


def test_a_series_that_cannot_be_forecast_keeps_its_rows_and_says_why(api: Api) -> None:
    answer = forecast(api, SHORT)
    header, *rows = rows_of(answer)
    assert header[-1] == "problem"
    assert [row[4:7] for row in rows] == [["", "", ""]] * 3
    assert rows[0][-1] == "b: has 4 points: send 10 or more"
    assert answer.headers["X-Forecast-Notice"].startswith("1 of 2 series could not be forecast")
    long = panel(1) + "".join(f"\nt,2020-{month:02}-01,1" for month in range(9, 13))
    rows = [row for row in rows_of(forecast(api, long)) if row[0] == "t"]
    assert [row[1:5] for row in rows] == [[f"2021-0{month}-01", "", "", ""] for month in (1, 2, 3)]
    assert {row[5] for row in rows} == {"has 4 points: send 10 or more"}


def test_a_workbook_has_dates_and_numbers_and_its_texts_are_never_formulas(api: Api) -> None:
    rows = [["Day", "=1+1"], *([dt.date(2024, 1, day).isoformat(), day] for day in range(1, 13))]
    answer = forecast(api, workbook({"a": rows}), accept=XLSX)
    assert answer.mimetype == XLSX
    header, first, *_ = sheet_of(answer)
    assert header == ["Day", "=1+1", "=1+1_lower_bound", "=1+1_upper_bound"]
    assert first[0] == dt.date(2024, 1, 13)
    assert all(isinstance(cell, float) for cell in first[1:])


@pytest.mark.parametrize("table", [GERMAN, panel(2)], ids=["wide", "long"])
def test_no_format_of_a_workbook_is_empty_which_excel_takes_for_damage(
    api: Api, table: str
) -> None:
    assert b'formatCode=""' not in part_of(forecast(api, table, accept=XLSX), "styles")


@pytest.mark.parametrize("table", [GERMAN, panel(2)], ids=["wide", "long"])
def test_the_header_of_a_workbook_is_bold_and_forecasts_have_a_colour(api: Api, table: str) -> None:
    answer = forecast(api, table, "history=true", accept=XLSX)
    header, *rows = fonts_of(answer)
    assert set(header) == {"bold"}
    forecasts = [any(cell for cell in row[-2:]) for row in sheet_of(answer)[1:]]
    assert [set(row) for row in rows] == [{"coloured"} if is_ else {""} for is_ in forecasts]
    assert 0 < sum(forecasts) < len(forecasts)


def test_remarks_are_the_second_sheet_of_a_workbook_and_counted_in_a_header(api: Api) -> None:
    table = panel(1) + "\nTotal,,132"
    answer = forecast(api, table, accept=XLSX)
    assert len(sheet_of(answer, 1)) == 1
    read = "1 remark on how the table was read"
    assert answer.headers["X-Forecast-Notice"] == f"{read}: see the sheet Notes"
    shown = forecast(api, table)
    assert (
        shown.headers["X-Forecast-Notice"]
        == f"{read}: send Accept: application/json to see the text"
    )
    assert len(forecast(api, table, accept=JSON).get_json()["remarks"]) == 1


@pytest.mark.parametrize("name", ["=HYPERLINK(1)", "+a", "-x", "@SUM(A1)"])
def test_a_text_that_looks_like_a_formula_gets_an_apostrophe(api: Api, name: str) -> None:
    rows = rows_of(forecast(api, panel(2, name=name)))
    assert {row[0] for row in rows[1:]} == {f"'{name}0", f"'{name}1"}


@pytest.mark.parametrize(
    ("accept", "expected"),
    [
        (None, CSV), ("*/*", CSV), ("text/*", CSV), ("application/pdf", CSV), (JSON, JSON),
        (f"{CSV};q=0.1, {XLSX}", XLSX), ("text/html, */*;q=0.8", CSV),
    ],
)  # fmt: skip
def test_accept_decides_about_the_form(api: Api, accept: str | None, expected: str) -> None:
    assert forecast(api, panel(1), accept=accept).mimetype == expected


def test_a_month_that_is_not_over_is_a_remark_and_no_rejection(api: Api) -> None:
    today = dt.datetime.now(tz=dt.UTC).date()
    months = [(today.year - 2 + n // 12, n % 12 + 1) for n in range(24 + today.month)]
    text = "month,sales\n" + "".join(f"{year}-{month:02},{month}\n" for year, month in months)
    for until, count in (("", 1), (f"&until={today:%Y-%m}-01", 0)):
        query = f"horizon=2{until}"
        remarks = forecast(api, text.encode(), query, accept=JSON).get_json()["remarks"]
        assert [remark["code"] for remark in remarks] == ["unfinished_period"] * count


def test_remarks_are_those_of_reading_with_their_suggestions(api: Api) -> None:
    marked = "month,sales\n" + "".join(f"2020-{month:02},{month}\n" for month in range(1, 12))
    marked += "2020-12 (p),14"
    [remark] = forecast(api, marked, accept=JSON).get_json()["remarks"]
    text = "If they are plans, send until=2020-11-01."
    assert remark["suggestion"] == {"parameter": "until", "value": "2020-11-01", "text": text}
    assert remark["remark"] == "The last date is marked “(p)”, and read like the others."
    read = api.request("POST", "/read", marked.encode(), Content_Type=CSV)
    assert [remark] == read.get_json()["remarks"]
    notes = sheet_of(forecast(api, marked, accept=XLSX), 1)
    assert notes == [[f"{remark['remark']} {text}"]]


def test_open_questions_are_all_listed_with_their_choices(api: Api) -> None:
    table = "Day;Sales\n" + "\n".join(f"{day:02}/01/2024;{day}.480" for day in range(1, 13))
    details = details_of(forecast(api, table), 422)
    asked = {
        error["field"]: [choice["value"] for choice in error["choices"]]
        for error in details["errors"]
    }
    assert set(asked["decimal"]) == {"point", "comma"}
    assert details["field"] == details["errors"][0]["field"]
    for error in details["errors"]:
        assert error["issue"] == f"{error['question']} Send {error['field']}=… in the query."
    answers = "&".join(f"{name}={values[0]}" for name, values in asked.items())
    assert forecast(api, table, answers).status_code == 200


def test_rows_of_two_shops_that_share_few_dates_may_be_two_series(api: Api) -> None:
    north = [f"2024-01-{day:02},North,{day % 7}" for day in range(1, 31)]
    south = [f"2024-01-{day:02},South,5" for day in range(1, 4)]
    table = "\n".join(["day,shop,sales", *north, *south])
    errors = details_of(forecast(api, table), 422)["errors"]
    assert {error["field"] for error in errors} == {"layout", "duplicates"}
    response = forecast(api, table, "layout=long")
    assert response.headers["X-Forecast-Notice"] == "1 of 2 series could not be forecast"
    assert forecast(api, table, "duplicates=sum").status_code == 200


def test_missing_dates_are_asked_about_if_nothing_can_be_forecast(
    api: Api,
) -> None:
    table = panel(1).replace("s0,2020-05-01,11\n", "")
    [error] = details_of(forecast(api, table), 422)["errors"]
    assert (error["field"], [choice["value"] for choice in error["choices"]]) == (
        "fill",
        ["linear", "previous", "zero"],
    )
    assert len(rows_of(forecast(api, table, "fill=linear"))) == 4


@pytest.mark.parametrize(
    ("query", "status", "field", "issue"),
    [
        ("horizon=0", 400, "horizon", "Must be between 1 and 1,000"),
        ("horizon=1001", 400, "horizon", "Must be between 1 and 1,000"),
        ("horizon=many", 400, "horizon", "whole number"),
        ("horizon=3&confidence=1.5", 400, "confidence", "between 0.1 and 0.99"),
        ("horizon=3&history=yes", 400, "history", "true or false"),
        ("horizon=3&decimal=dot", 400, "decimal", "unknown choice"),
        ("horizon=3&sheet=a", 400, "sheet", "only a workbook has sheets"),
        ("horizon=3&columns=sale", 400, "columns", "did you mean sales?"),
        ("horizon=3&holidays=XX", 422, "holidays", "unknown holidays"),
        ("horizon=3&forecast_horizon=3", 400, "forecast_horizon", "send it as horizon"),
        ("horizon=3&per=week-total", 400, "per", "leave it out"),
    ],
)
def test_a_wrong_parameter_is_named_with_its_remedy(
    api: Api, query: str, status: int, field: str, issue: str
) -> None:
    named, why, _ = first_defect(forecast(api, panel(2), query), status)
    assert named == field
    assert issue in why


def test_a_horizon_is_required(api: Api) -> None:
    answer = api.request("POST", "/tables/forecast", panel(1).encode(), Content_Type=CSV)
    field, why, _ = first_defect(answer, 400)
    assert (field, why) == ("horizon", "missing: send a whole number from 1 to 1,000")


def test_a_thousand_periods_begin_with_those_of_a_hundred(api: Api) -> None:
    table = panel(1, points=36)
    hundred, thousand = (
        forecast(api, table, f"horizon={n}", accept=JSON).get_json()["series"][0]["median"]
        for n in (100, 1000)
    )
    assert (len(hundred), len(thousand)) == (100, 1000)
    assert thousand[:100] == pytest.approx(hundred, rel=1e-9)


def test_a_sheet_that_is_not_there_is_named_with_those_that_are(api: Api) -> None:
    book = workbook({"Sales": [["day", "n"], ["2024-01-01", 1], ["2024-01-02", 2]]})
    _, why, _ = first_defect(forecast(api, book, "sheet=Costs"), 400)
    assert why == "unknown sheet; send one of Sales"


def test_a_table_of_which_nothing_can_be_forecast_says_why_for_each_series(api: Api) -> None:
    errors = details_of(forecast(api, panel(2, points=5)), 422)["errors"]
    assert [error["issue"] for error in errors] == [
        f"s{n} has 5 points: send 10 or more" for n in (0, 1)
    ]


def test_filled_values_do_not_count_towards_those_that_a_forecast_needs(api: Api) -> None:
    rows = [f"2024-01-{day:02},{day}" for day in range(1, 18) if day % 2]
    table = "\n".join(["day,sales", *rows]).replace("2024-01-03,3\n", "")
    [error] = details_of(forecast(api, table, "fill=linear"), 422)["errors"]
    assert "has 8 points, the others are filled in: send 10 or more" in error["issue"]


def test_a_body_that_is_not_a_table_is_rejected_as_by_read(api: Api) -> None:
    assert details_of(forecast(api, "Shop,Sales\nNorth,12\n"), 422)["field"] == "body"


def test_more_series_than_the_lane_takes_are_rejected_with_the_bound(api: Api) -> None:
    table = "n,d,y\n" + "\n".join(
        f"{n:x},2024-01-{day:02},1" for n in range(20_001) for day in range(1, 11)
    )
    assert "at most 20,000 series" in details_of(forecast(api, table), 413)["issue"]


def test_too_many_rows_for_a_workbook_are_rejected_with_the_possible_horizon(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.api.tables.compute.MAX_FORECAST_ROWS", 100)
    issue = details_of(forecast(api, panel(20), "horizon=6"), 422)["issue"]
    assert "at most 100 are returned; send a horizon of at most 5, or fewer series" in issue


def test_years_past_9999_are_a_problem_of_their_series(api: Api) -> None:
    table = "year,a\n" + "\n".join(f"{year}-01-01,{year % 5}" for year in range(9985, 10_000))
    header, *rows = rows_of(forecast(api, table))
    assert header[-1] == "problem"
    assert "year 9999" in rows[0][-1]


def test_a_key_without_the_permission_is_rejected(app, make_key) -> None:
    answer = forecast(Api(app, make_key("write")), panel(1))
    assert details_of(answer, 403)["required"] == ["read"]


def test_a_wide_table_of_series_without_common_dates_is_rejected_early(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.api.tables.compute.MAX_WIDE_NUMBERS", 10_000)
    columns = range(12)  # each ends where the next one begins
    rows = [["day", *(f"c{n}" for n in columns)]]
    for day in range(12 * len(columns)):
        cells = ("5" if day // 12 == n else "" for n in columns)
        rows.append([str(dt.date(2015, 1, 1) + dt.timedelta(day)), *cells])
    table = "\n".join(map(",".join, rows))
    answer = forecast(api, table, "horizon=100")
    assert "different dates" in details_of(answer, 422)["issue"]
    # JSON has no rows in which the others would be empty.
    body = forecast(api, table, "horizon=100", accept=JSON).get_json()
    assert [len(series["median"]) for series in body["series"]] == [100] * len(columns)


def test_long_names_are_not_repeated_without_bound(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.api.tables.compute.MAX_REPEATED_CHARACTERS", 1_000)
    table = panel(2, name="n" * 90)
    assert forecast(api, table, "horizon=5").status_code == 200
    issue = details_of(forecast(api, table, "horizon=6"), 422)["issue"]
    assert "1,092 characters, at most 1,000" in issue
    details_of(forecast(api, table, "horizon=5&history=true"), 422)
    assert forecast(api, table, "horizon=6", accept=JSON).status_code == 200, "has each name once"
