"""POST /read over HTTP: requests and responses, access, and cost."""

import pytest
from flask import Flask

from app.api.serving.decorator import BYTES_PER_REQUEST
from tests.support.api import Api, details_of, error_of, first_defect
from tests.support.keys import record_of
from tests.support.series import daily_body
from tests.tables.tables import workbook

CSV = b"day,sales\n2024-01-01,1\n2024-01-02,2\n2024-01-04,4\n2024-01-05,5\n"
OPEN = b"day;sales\n2024-01-01;1.480\n2024-01-02;2.120\n"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
BOOK = workbook({"a": [["day", "n"], ["2024-01-01", 1], ["2024-01-02", 2]]})
TYPES = (
    "text/csv", "text/csv; charset=utf-8", "text/plain", "text/tab-separated-values", XLSX,
    "application/json", "application/vnd.oasis.opendocument.spreadsheet",
    "application/vnd.ms-excel", "application/xml", "text/xml", "text/html",
    "application/octet-stream", "application/x-www-form-urlencoded",
)  # fmt: skip


def read(caller: Api, content: bytes = CSV, query: str = "", **headers: str | None):
    sent = {"Content_Type": "text/csv"} | headers
    return caller.request("POST", f"/read{query}", content, **sent)


def test_a_file_becomes_series_and_questions(anonymous_api: Api) -> None:
    body = read(anonymous_api).get_json()
    assert list(body) == ["series", "chosen", "questions", "remarks"]
    assert body["series"] == [
        {
            "name": "sales",
            "timestamps": [f"2024-01-0{day}T00:00:00" for day in (1, 2, 4, 5)],
            "values": [1, 2, 4, 5],
            "data_frequency": "Daily",
            "step": 1,
            "missing": ["2024-01-03T00:00:00"],
            "summary": "total",
        }
    ]
    [question] = body["questions"]
    assert (question["parameter"], question["required"]) == ("fill", False)
    assert question["choices"][0] == {
        "value": "linear",
        "meaning": "straight lines",
        "example": "2024-01-03 becomes 3",
    }


def test_an_answer_closes_a_question(anonymous_api: Api) -> None:
    body = read(anonymous_api, OPEN).get_json()
    assert (body["series"], body["chosen"]["decimal"]) == ([], None)
    [question] = body["questions"]
    assert (question["parameter"], question["required"]) == ("decimal", True)
    values = {"comma": [1480, 2120], "point": [1.48, 2.12]}
    assert [choice["value"] for choice in question["choices"]] == [*values]
    for answer, expected in values.items():
        second = read(anonymous_api, OPEN, f"?decimal={answer}").get_json()
        assert second["series"][0]["values"] == expected
        assert second["questions"][0]["required"] is False


@pytest.mark.parametrize("media_type", TYPES)
def test_csv_and_workbooks_may_have_any_of_the_types(anonymous_api: Api, media_type: str) -> None:
    for content in (CSV, BOOK):
        assert read(anonymous_api, content, Content_Type=media_type).status_code == 200


@pytest.mark.parametrize("media_type", ["multipart/form-data", "image/png", None])
def test_another_type_gets_the_list_of_types(anonymous_api: Api, media_type: str | None) -> None:
    issue = details_of(read(anonymous_api, Content_Type=media_type), 415)["issue"]
    assert "one of text/csv, text/plain" in issue


def test_a_form_with_a_file_gets_415_that_says_how_to_send_the_file(anonymous_api: Api) -> None:
    issue = details_of(read(anonymous_api, Content_Type="multipart/form-data; boundary=x"), 415)[
        "issue"
    ]
    assert "send the bytes of the file as the body, as curl's --data-binary does" in issue


def test_a_compressed_body_gets_415(anonymous_api: Api) -> None:
    error_of(read(anonymous_api, Content_Encoding="gzip"), 415)


def test_a_body_over_the_limit_gets_413(anonymous_api: Api) -> None:
    assert "send a shorter table" in details_of(read(anonymous_api, b"1" * 4_194_305), 413)["issue"]


def test_a_table_that_is_too_large_once_it_is_unpacked_gets_413(anonymous_api: Api) -> None:
    rows = b"a\n" * 1_000_000 + b"," * 4_000
    assert "the table has 1,000,001 rows" in details_of(read(anonymous_api, rows), 413)["issue"]


def test_a_body_that_is_not_a_table_gets_422_with_the_position(anonymous_api: Api) -> None:
    details = details_of(read(anonymous_api, b"Shop,Sales\nNorth,12\n"), 422)
    assert (details["field"], details["row"], details["column"]) == ("body", 2, 1)
    assert len(details["errors"]) == 1
    picture = details_of(read(anonymous_api, b"\x89PNG\r\n\x1a\n", Content_Type="text/csv"), 422)
    assert "a picture (PNG)" in picture["issue"]
    assert "row" not in picture


@pytest.mark.parametrize(
    ("query", "field", "issue"),
    [
        ("?decimal=dot", "decimal", "unknown choice: 'dot' was sent"),
        ("?layout=wide", "layout", "send one of columns, long, pivot"),
        ("?timezone=Europe/Berln", "timezone", "did you mean Europe/Berlin?"),
        ("?timezone=../../etc/passwd", "timezone", "unknown time zone"),
        ("?header=first", "header", "whole number"),
        ("?header=-1", "header", "Must be 0 or more"),
        ("?year=20245", "year", "Must be between 1 and 9999"),
        ("?start=today", "start", "Must be a date"),
        ("?until=today", "until", "Must be a date"),
        ("?until=1999-01-01", "until", "no value is as early"),
        ("?unit=kg", "unit", "no column has several units"),
        ("?fill=zero&fill=linear", "fill", "sent 2 times"),
        ("?sheets=a", "sheets", "did you mean sheet?"),
        ("?sheet=a", "sheet", "only a workbook has sheets"),
        ("?columns=Sales", "columns", "did you mean sales?"),
        ("?dates=when", "dates", "there is no such column"),
        ("?header=9", "header", "no table below line 9"),
    ],
)
def test_a_wrong_answer_gets_400_on_its_parameter(
    anonymous_api: Api, query: str, field: str, issue: str
) -> None:
    parameter, why, _provided = first_defect(read(anonymous_api, query=query), 400)
    assert parameter == field
    assert issue in why


def test_dates_after_today_open_a_question(anonymous_api: Api) -> None:
    text = b"".join(b"%d-01-01,%d\n" % (year, year) for year in range(2015, 2100))
    body = read(anonymous_api, text).get_json()
    [question] = [question for question in body["questions"] if question["required"]]
    assert (question["parameter"], body["series"]) == ("until", [])
    assert "dates are after today: leave them out?" in question["question"]
    left_out, kept = (choice["value"] for choice in question["choices"])
    for until in (left_out, kept):
        [series] = read(anonymous_api, text, f"?until={until}").get_json()["series"]
        assert series["timestamps"][-1] == f"{until}T00:00:00"


def test_columns_may_be_sent_several_times(anonymous_api: Api) -> None:
    text = b"day,a,b,c\n2024-01-01,1,2,3\n2024-01-02,4,5,6\n"
    body = read(anonymous_api, text, "?columns=c&columns=a").get_json()
    assert [series["name"] for series in body["series"]] == ["c", "a"]


class TestWhoMayRead:
    def test_without_a_key_it_counts_like_a_page(self, app: Flask) -> None:
        visitor = Api(app)
        first = read(visitor)
        assert (first.status_code, first.headers["X-RateLimit-Limit"]) == (200, "1000")
        assert first.headers["X-RateLimit-Remaining"] == "999"
        assert visitor.request("GET", "/docs/errors").headers["X-RateLimit-Remaining"] == "998"

    @pytest.mark.parametrize("settings", [{"pages_per_minute": 2}])
    def test_beyond_the_pages_limit_it_gets_429(self, app: Flask, key: str) -> None:
        visitor = Api(app)
        assert [read(visitor).status_code for _ in range(3)] == [200, 200, 429]
        assert read(Api(app, key)).status_code == 200

    def test_with_a_key_it_counts_nothing_and_is_a_use(self, app: Flask, isolated_api: Api) -> None:
        assert read(isolated_api).headers["X-RateLimit-Limit"] == "100"
        assert isolated_api.remaining() == 100
        assert record_of(app, isolated_api.key).usage_count == 2

    @pytest.mark.parametrize("settings", [{"pages_per_minute": 3}])
    def test_an_account_may_send_as_much_a_minute_as_an_anonymous_address(
        self, app: Flask, make_key
    ) -> None:
        first, second = Api(app, make_key("read")), Api(app, make_key("delete"))
        large = CSV + b"#" * BYTES_PER_REQUEST
        assert [read(first, large).status_code, read(second).status_code] == [200, 200]
        response = read(first)
        details = details_of(response, 429)
        assert (details["limit"], response.headers["X-RateLimit-Limit"]) == (3, "3")
        assert 0 < int(response.headers["Retry-After"]) <= 60
        assert first.forecast(daily_body()).status_code == 200
        assert read(Api(app)).status_code == 200

    def test_a_key_with_any_permission_may_read_tables(self, app: Flask, make_key) -> None:
        assert read(Api(app, make_key("delete"))).status_code == 200

    def test_a_key_that_is_not_valid_is_rejected(self, app: Flask) -> None:
        error_of(read(Api(app, "ak_" + "0" * 64)), 401)

    @pytest.mark.parametrize("settings", [{"public_docs": False}])
    def test_without_public_pages_it_needs_a_key(self, app: Flask, key: str) -> None:
        error_of(read(Api(app)), 401)
        assert read(Api(app, key)).status_code == 200


def test_the_document_says_that_no_key_is_needed(anonymous_api: Api) -> None:
    document = anonymous_api.request("GET", "/openapi.json").get_json()
    operation = document["paths"]["/read"]["post"]
    assert operation["security"] == [{"ApiKey": []}, {}]
    assert set(operation["requestBody"]["content"]) == {
        media_type.partition(";")[0] for media_type in TYPES
    }
    columns = next(
        parameter for parameter in operation["parameters"] if parameter.get("name") == "columns"
    )
    assert columns["schema"]["type"] == "array"
    assert "No key is needed for `POST /read`" in document["info"]["description"]
