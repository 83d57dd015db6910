"""POST /forecast with an invalid parameter is 400 INVALID_REQUEST (specification 7).

A row is what is sent, and the field, issue and provided value of the response's first defect.
"""

from typing import Any

import pytest

from app.timeseries.calendar.frequency import Frequency
from tests.support.api import Api, details_of, first_defect, with_entry, with_series
from tests.support.series import daily_body

WHOLE_NUMBER_ISSUE = "Must be a whole number, without quotes and without a fraction"
NUMBER = "Must be a number, without quotes"
HORIZON = "Must be between 1 and 100"
CONFIDENCE = "Must be between 0.1 and 0.99"
PERCENTAGE = f"{CONFIDENCE}: a fraction, not a percentage; send 0.95 for 95 %"
FREQUENCIES = "Seconds, Minutes, Hours, Daily, Weekly, Monthly, Quarterly, Yearly"
ONE_OBJECT = "send an array of one object with timestamps and values"
MISSING = {
    "series": f"missing: {ONE_OBJECT}",
    "forecast_horizon": "missing: send a whole number from 1 to 100",
    "data_frequency": f"missing: send one of {FREQUENCIES}",
    "forecast_frequency": f"missing: send one of {FREQUENCIES}",
}
FREQUENCY = f"invalid frequency: {{}} was sent; send one of {FREQUENCIES}"
NEAR_FREQUENCY = f"invalid frequency: {{}} was sent; did you mean {{}}? send one of {FREQUENCIES}"
ONE_SERIES = "Must be an array of exactly 1 series"
EXACTLY_ONE, SPLIT = (
    "Must hold exactly 1 series",
    "send many series as a table to POST /tables/forecast",
)
SERIES_OBJECT = "Must be an object with timestamps and values"
FIELDS = "series, forecast_horizon, data_frequency, forecast_frequency, confidence"
UNKNOWN = f"unknown field: remove it or check its spelling; known are {FIELDS}"
UNKNOWN_COLUMN = "unknown field: remove it or check its spelling; known are timestamps, values"

GOOD = daily_body()
ONE_COLUMN = GOOD["series"][0]
LONG_TEXT = "Dailyy" * 100
CUT_TEXT = LONG_TEXT[:199] + "…"

AS_SENT: list[tuple[str, str, list[Any]]] = [
    ("forecast_horizon", HORIZON, [0, -1, 101, 101.0, 150, 2**63, 1e300]),
    ("forecast_horizon", WHOLE_NUMBER_ISSUE, [12.5, "12", "", True, None]),
    ("confidence", CONFIDENCE, [0.09, 0, 0.991, 1, -0.5]),
    ("confidence", PERCENTAGE, [1.01, 95]),
    ("confidence", NUMBER, ["0.95", True, False, None]),
    *(
        ("data_frequency", FREQUENCY.format(repr(value)), [value])
        for value in ("", "D", 1, "a\0b", "annual")
    ),
    *(
        ("data_frequency", NEAR_FREQUENCY.format(repr(value), meant), [value])
        for value, meant in (("daily", "Daily"), ("Hourly", "Hours"), ("Daily ", "Daily"))
    ),
    ("data_frequency", FREQUENCY.format("null"), [None]),
    ("forecast_frequency", NEAR_FREQUENCY.format("'DAILY'", "Daily"), ["DAILY"]),
    ("forecast_frequency", FREQUENCY.format("true"), [True]),
    ("series", ONE_SERIES, [None, "series", 1]),
]
# Values that are provided as they were sent, and those that are cut or described.
WRONG_VALUES: list[tuple[str, Any, str, Any]] = [
    *((field, value, issue, value) for field, issue, values in AS_SENT for value in values),
    ("forecast_horizon", [12], WHOLE_NUMBER_ISSUE, "array of 1 item"),
    ("forecast_horizon", {"months": 12}, WHOLE_NUMBER_ISSUE, "object with 1 field"),
    ("confidence", [], NUMBER, "array of 0 items"),
    ("data_frequency", ["Daily"], FREQUENCY.format("array of 1 item"), "array of 1 item"),
    ("data_frequency", LONG_TEXT, FREQUENCY.format(repr(CUT_TEXT)), CUT_TEXT),
    ("series", {}, ONE_SERIES, "object with 0 fields"),
    ("series", ONE_COLUMN, ONE_SERIES, "object with 2 fields"),
    ("series", [], f"{EXACTLY_ONE}, not 0; {ONE_OBJECT}", "array of 0 items"),
    ("series", [ONE_COLUMN, ONE_COLUMN], f"{EXACTLY_ONE}, not 2; {SPLIT}", "array of 2 items"),
    ("series", [None, None], f"{EXACTLY_ONE}, not 2; {SPLIT}", "array of 2 items"),
]
MODELS = ", ".join([*(f"forecast-model-{n}" for n in (1, 2, 3, 4)), "seasonal_naive"])
SEVERAL = GOOD | {"forecast_horizon": 0, "confidence": 2, "data_frequency": "x", "y": 1}


@pytest.mark.parametrize(("field", "value", "issue", "provided"), WRONG_VALUES)
def test_a_wrong_parameter_is_named_with_what_to_send(
    api: Api, field: str, value: Any, issue: str, provided: Any
) -> None:
    response = api.forecast(GOOD | {field: value})
    assert first_defect(response, 400) == (field, issue, provided)
    assert type(response.get_json()["error"]["details"]["provided"]) is type(provided)


@pytest.mark.parametrize("entry", [None, 1, "text", [], [1], True])
def test_a_series_that_is_not_an_object_is_a_wrong_parameter(api: Api, entry: Any) -> None:
    field, issue, _provided = first_defect(api.forecast(GOOD | {"series": [entry]}), 400)
    assert (field, issue) == ("series[0]", SERIES_OBJECT)


@pytest.mark.parametrize(("field", "issue"), MISSING.items())
def test_a_missing_parameter_is_named_with_null_as_provided(
    api: Api, field: str, issue: str
) -> None:
    body = {name: value for name, value in GOOD.items() if name != field}
    assert first_defect(api.forecast(body), 400) == (field, issue, None)


def test_an_empty_object_lists_every_missing_parameter(api: Api) -> None:
    errors = details_of(api.forecast({}), 400)["errors"]
    assert [error["field"] for error in errors] == [*MISSING]


@pytest.mark.parametrize("name", ["horizon", "", "_schema", "a.b[0]"])
def test_an_unknown_field_is_named(api: Api, name: str) -> None:
    response = api.forecast(GOOD | {name: "x"})
    assert first_defect(response, 400) == (name, UNKNOWN, "x")


@pytest.mark.parametrize("name", ["Confidence", "confidence_level"])
def test_the_field_that_an_unknown_one_is_near_to_is_named(api: Api, name: str) -> None:
    response = api.forecast(GOOD | {name: 0.9})
    asked = UNKNOWN.replace("remove", "did you mean confidence? remove")
    assert first_defect(response, 400) == (name, asked, 0.9)
    response = api.forecast(GOOD | {name: 0.9, "confidence": 0.9})  # which so is not what was meant
    assert first_defect(response, 400) == (name, UNKNOWN, 0.9)


@pytest.mark.parametrize("name", ["model", "models", "model_id", "X-Model-Id"])
def test_a_model_in_the_body_gets_an_error_that_names_its_header(api: Api, name: str) -> None:
    response = api.forecast(GOOD | {name: "forecast-model-2"})
    issue = f"unknown field: name the model in the header X-Model-Id; known are {FIELDS}"
    assert first_defect(response, 400) == (name, issue, "forecast-model-2")


@pytest.mark.parametrize("name", ["name", "covariates", "_schema", "value"])
def test_an_unknown_field_of_the_series_is_a_wrong_parameter(api: Api, name: str) -> None:
    response = api.forecast(with_series(GOOD, **{name: [1, 2, 3]}))
    assert first_defect(response, 400) == (f"series[0].{name}", UNKNOWN_COLUMN, "array of 3 items")


def test_a_long_field_name_is_cut(api: Api) -> None:
    field, issue, _provided = first_defect(api.forecast(GOOD | {"x" * 5000: 1}), 400)
    assert (field, issue) == ("x" * 199 + "…", UNKNOWN)


@pytest.mark.parametrize("frequency", [name for name in Frequency if name != "Daily"])
def test_a_forecast_frequency_other_than_the_data_s_is_rejected(api: Api, frequency: str) -> None:
    response = api.forecast(GOOD | {"forecast_frequency": frequency})
    issue = "invalid frequency: Must equal data_frequency, which is Daily"
    assert first_defect(response, 400) == ("forecast_frequency", issue, frequency)


@pytest.mark.parametrize("name", ["forecast-model-5", "forecast-model-0", "1", "", "é"])
@pytest.mark.parametrize("header", ["X-Model-Id", "X-Model-Selector"])
def test_an_unlisted_model_is_rejected_by_the_header_that_was_sent(
    api: Api, header: str, name: str
) -> None:
    response = api.forecast(GOOD, **{"X_Model_Id": None, header.replace("-", "_"): name})
    issue = f"unknown model: {name!r} was sent; send one of {MODELS}"
    assert first_defect(response, 400) == (header, issue, name)


def test_an_unlisted_model_is_that_of_the_header_that_is_read(api: Api) -> None:
    response = api.forecast(GOOD, X_Model_Id="best", X_Model_Selector="worst")
    assert first_defect(response, 400)[::2] == ("X-Model-Id", "best")


@pytest.mark.parametrize("name", ["FORECAST-MODEL-1", "forecast-model-1,", "forecast_model_1"])
def test_the_model_that_an_unlisted_one_is_near_to_is_named(api: Api, name: str) -> None:
    response = api.forecast(GOOD, X_Model_Id=name)
    issue = f"unknown model: {name!r} was sent; did you mean forecast-model-1? send one of {MODELS}"
    assert first_defect(response, 400) == ("X-Model-Id", issue, name)


def test_a_long_model_name_is_cut(api: Api) -> None:
    _field, _issue, provided = first_defect(api.forecast(GOOD, X_Model_Id="m" * 4000), 400)
    assert provided == "m" * 199 + "…"


def test_there_are_no_other_frequencies_than_the_documents_name() -> None:
    assert ", ".join(Frequency) == FREQUENCIES


def test_every_wrong_parameter_is_listed_the_model_included(api: Api) -> None:
    errors = details_of(api.forecast(SEVERAL, X_Model_Id="best"), 400)["errors"]
    model, *fields = [error["field"] for error in errors]
    assert model == "X-Model-Id"
    assert {*fields} == {"forecast_horizon", "confidence", "data_frequency", "y"}


@pytest.mark.parametrize(
    "spoilt",
    [
        GOOD | {"forecast_horizon": 0},
        GOOD | {"unknown": 1},
        GOOD | {"data_frequency": "x", "forecast_frequency": "x"},
        GOOD | {"forecast_frequency": "Hours"},
        with_series(GOOD, unknown=1),
    ],
)
def test_a_wrong_parameter_wins_over_wrong_data(api: Api, spoilt: dict) -> None:
    response = api.forecast(with_entry(spoilt, "values", 3, None))
    first_defect(response, 400)
    errors = response.get_json()["error"]["details"]["errors"]
    assert errors[-1]["field"] == "series[0].values[3]"
    assert not errors[0]["field"].startswith(("series[0].values", "series[0].timestamps"))


def test_an_unlisted_model_wins_over_wrong_data(api: Api) -> None:
    response = api.forecast(with_entry(GOOD, "values", 3, None), X_Model_Id="best")
    assert first_defect(response, 400)[0] == "X-Model-Id"


def test_at_most_twenty_defects_are_listed(api: Api) -> None:
    body = GOOD | {f"field{number}": number for number in range(50)}
    errors = details_of(api.forecast(body), 400)["errors"]
    assert [error["field"] for error in errors] == [f"field{number}" for number in range(20)]


def test_a_body_full_of_unknown_fields_is_rejected_by_the_first(api: Api) -> None:
    names = [f"f{number}" for number in range(200_000)]
    response = api.forecast(with_series(GOOD, **dict.fromkeys(names, 1)))
    assert first_defect(response, 400) == ("series[0].f0", UNKNOWN_COLUMN, 1)
