"""POST /forecast with invalid data is 422 DATA_VALIDATION_ERROR.

A row is a spoilt series, and the field, issue and provided value of the first defect.
"""

from typing import Any

import pytest

from tests.support.api import Api, details_of, first_defect, with_entry, with_series
from tests.support.series import daily_body, regular_body

GOOD = daily_body()
ONE_COLUMN = GOOD["series"][0]
TIMES, VALUES = ONE_COLUMN["timestamps"], ONE_COLUMN["values"]

MISSING = "missing: send an array of 10 items or more"
ARRAY = "Must be an array of 10 items or more"
NO_NUMBER = "not a number: send an integer or a float, without quotes"
NULL_VALUE = "missing entry: null is not a value; send an integer or a float, without quotes"
NULL_TIME = "missing entry: null is not a value; send a string such as 2024-01-31T00:00:00"
NO_TEXT = "invalid timestamp format: send a string such as 2024-01-31T00:00:00"
NO_TIME = "invalid timestamp format: send YYYY-MM-DDTHH:MM:SS, for example 2024-01-31T00:00:00"
MAGNITUDE = "magnitude above 1e+100: send the series in larger units"
ENTRIES: list[tuple[str, Any, str, Any]] = [
    ("values", None, NULL_VALUE, None),
    *(("values", entry, NO_NUMBER, entry) for entry in ("12", "NaN", "", True, False, "x" * 200)),
    ("values", [1], NO_NUMBER, "array of 1 item"),
    ("values", {}, NO_NUMBER, "object with 0 fields"),
    ("values", "x" * 201, NO_NUMBER, "x" * 199 + "…"),
    *(("values", entry, MAGNITUDE, entry) for entry in (1.01e100, -1.01e100, 1e308)),
    ("timestamps", None, NULL_TIME, None),
    *(("timestamps", entry, NO_TEXT, entry) for entry in (1704067200, True)),
    ("timestamps", ["2024-01-01T00:00:00"], NO_TEXT, "array of 1 item"),
]


def too_few_points(number: int) -> str:
    return f"insufficient data points: {number} sent, at least 10 needed; send a longer history"


COLUMNS: list[tuple[str, Any, str, Any]] = [
    *((column, ..., MISSING, None) for column in ONE_COLUMN),
    *((column, None, ARRAY, None) for column in ONE_COLUMN),
    ("timestamps", TIMES[0], ARRAY, TIMES[0]),
    *(("values", sent, ARRAY, sent) for sent in (5, True, "1,2,3")),
    ("values", "1," * 200, ARRAY, "1," * 99 + "1…"),
    ("values", {"0": 1}, ARRAY, "object with 1 field"),
    *((column, [], too_few_points(0), "array of 0 items") for column in ONE_COLUMN),
    ("values", [1], too_few_points(1), "array of 1 item"),
    *(
        (column, sent[:9], too_few_points(9), "array of 9 items")
        for column, sent in ONE_COLUMN.items()
    ),
]


@pytest.mark.parametrize(("column", "sent", "issue", "provided"), COLUMNS)
def test_a_column_that_is_not_an_array_of_ten_is_named(
    api: Api, column: str, sent: Any, issue: str, provided: Any
) -> None:
    response = api.forecast(with_series(GOOD, **{column: sent}))
    assert first_defect(response, 422) == (f"series[0].{column}", issue, provided)


@pytest.mark.parametrize("index", [0, 17, 39])
@pytest.mark.parametrize(("column", "entry", "issue", "provided"), ENTRIES)
def test_a_wrong_entry_is_named_by_its_index(
    api: Api, column: str, entry: Any, issue: str, provided: Any, index: int
) -> None:
    response = api.forecast(with_entry(GOOD, column, index, entry))
    assert first_defect(response, 422) == (f"series[0].{column}[{index}]", issue, provided)


@pytest.mark.parametrize("value", [0, -0.0, 1, -1, 1e100, -1e100, 5e-324, 2**63, -(2**63)])
def test_every_finite_number_up_to_the_limit_is_a_value(api: Api, value: float) -> None:
    assert api.forecast(with_entry(GOOD, "values", 17, value)).status_code == 200


@pytest.mark.parametrize(("timestamps", "values"), [(40, 39), (39, 40), (10, 40), (40, 10)])
def test_unequal_lengths_are_rejected_with_both(api: Api, timestamps: int, values: int) -> None:
    body = with_series(GOOD, timestamps=TIMES[:timestamps], values=VALUES[:values])
    field, issue, provided = first_defect(api.forecast(body), 422)
    assert (field, issue) == unequal_lengths(timestamps, values)
    assert provided == f"array of {values} items"


def unequal_lengths(timestamps: int, values: int) -> tuple[str, str]:
    return "series[0].values", (
        f"arrays must have equal length: {timestamps} timestamps, {values} values; "
        "send one value for each timestamp"
    )


@pytest.mark.parametrize(
    ("timestamps", "values", "short"),
    [(10, 9, ["values"]), (9, 10, ["timestamps"]), (0, 10, ["timestamps"]), (8, 9, None)],
)
def test_unequal_lengths_are_listed_also_where_a_column_is_too_short(
    api: Api, timestamps: int, values: int, short: list[str] | None
) -> None:
    body = with_series(GOOD, timestamps=TIMES[:timestamps], values=VALUES[:values])
    errors = details_of(api.forecast(body), 422)["errors"]
    listed = [(error["field"], error["issue"]) for error in errors]
    lengths = {"timestamps": timestamps, "values": values}
    assert listed == [
        *((f"series[0].{name}", too_few_points(lengths[name])) for name in short or lengths),
        unequal_lengths(timestamps, values),
    ]


def test_unequal_lengths_are_listed_beside_more_wrong_entries_than_are_listed(api: Api) -> None:
    errors = details_of(api.forecast(with_series(GOOD, values=[None] * 39)), 422)["errors"]
    assert (errors[0]["field"], errors[0]["issue"]) == unequal_lengths(40, 39)
    assert [error["field"] for error in errors[1:]] == [f"series[0].values[{n}]" for n in range(19)]


def test_unequal_lengths_and_disorder_are_both_listed(api: Api) -> None:
    body = with_series(GOOD, timestamps=TIMES[::-1], values=VALUES[:-1])
    fields = {error["field"] for error in details_of(api.forecast(body), 422)["errors"]}
    assert {"series[0].values", "series[0].timestamps[1]"} <= fields


def test_defects_of_both_columns_are_listed(api: Api) -> None:
    body = with_entry(with_entry(GOOD, "values", 5, None), "timestamps", 7, "yesterday")
    fields = [error["field"] for error in details_of(api.forecast(body), 422)["errors"]]
    assert fields == ["series[0].timestamps[7]", "series[0].values[5]"]


def test_defects_of_different_kinds_in_one_column_are_all_listed(api: Api) -> None:
    """A client that corrects what is listed is not rejected again."""
    sent = with_series(
        GOOD,
        timestamps=["yesterday", None, *TIMES[2:]],
        values=[1e101, *VALUES[1:4], None, "5", -1e101, *VALUES[7:]],
    )
    errors = details_of(api.forecast(sent), 422)["errors"]
    assert [(error["field"], error["issue"]) for error in errors] == [
        ("series[0].timestamps[0]", NO_TIME),
        ("series[0].timestamps[1]", NULL_TIME),
        ("series[0].values[0]", MAGNITUDE),
        ("series[0].values[4]", NULL_VALUE),
        ("series[0].values[5]", NO_NUMBER),
        ("series[0].values[6]", MAGNITUDE),
    ]


def test_a_short_column_of_wrong_entries_says_both(api: Api) -> None:
    body = with_series(GOOD, values=[1, None, 3])
    issues = [error["issue"] for error in details_of(api.forecast(body), 422)["errors"]]
    assert issues == [too_few_points(3), unequal_lengths(40, 3)[1], NULL_VALUE]


@pytest.mark.parametrize("spoilt", [[None] * 40, ["1"] * 40, [1e101] * 40])
def test_the_first_twenty_of_many_wrong_entries_are_listed(api: Api, spoilt: list) -> None:
    errors = details_of(api.forecast(with_series(GOOD, values=spoilt)), 422)["errors"]
    assert [error["field"] for error in errors] == [f"series[0].values[{n}]" for n in range(20)]


def test_an_empty_series_object_misses_both_columns(api: Api) -> None:
    details = details_of(api.forecast(GOOD | {"series": [{}]}), 422)
    fields = [error["field"] for error in details["errors"]]
    assert fields == ["series[0].timestamps", "series[0].values"]
    assert details["provided"] is None


def test_one_point_more_than_the_longest_series_is_rejected(api: Api) -> None:
    response = api.forecast(regular_body("Minutes", 50_001))
    field, issue, provided = first_defect(response, 422)
    assert field == "series[0].timestamps"
    assert issue == (
        "too many data points: 50001 sent, at most 50000 allowed; send the most recent ones"
    )
    assert provided == "array of 50001 items"


def test_nothing_long_is_echoed(api: Api) -> None:
    body = with_series(GOOD, values=["x" * 100_000] * 40, timestamps=[{"a": "y" * 9999}] * 40)
    assert len(api.forecast(body).data) < 20_000


def test_the_defects_of_a_series_come_in_its_order(api: Api) -> None:
    spoilt = [None if index % 3 == 0 else value for index, value in enumerate(VALUES)]
    errors = details_of(api.forecast(with_series(GOOD, values=spoilt)), 422)["errors"]
    assert [error["field"] for error in errors] == [
        f"series[0].values[{index}]" for index in range(0, 40, 3)
    ]
