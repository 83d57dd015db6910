"""Errors on Azure's paths: code and message at the top and in the error."""

import copy
from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import Engine

from app.compute.errors import EngineBusyError
from tests.api.callers.test_usage import assert_counted_by
from tests.api.dialects.azure_anomaly_detector.calls import azure, body
from tests.support.api import Api, details_of, error_of, make_engine_fail

GOOD = body(30)
FIRST = GOOD["series"][0]
DETECTS = ("entire", "last", "changepoint")
# A step, and its text in errors.
WRONG_STEPS = [
    ({"granularity": "daily", "customInterval": 2}, "2 days apart"),
    ({"granularity": "hourly", "customInterval": 48}, "2 days apart"),
    ({"granularity": "weekly"}, "1 week apart"),
    ({"granularity": "monthly", "customInterval": 5}, "5 months apart"),
    ({"granularity": "hourly"}, "1 hour apart"),
    ({"granularity": "microsecond"}, "1 millisecond apart"),
    ({"granularity": "microsecond", "customInterval": 3}, "3 milliseconds apart"),
]
WRONG_PARAMETERS: list[tuple[str, Any, str]] = [
    *(("granularity", value, "InvalidGranularity") for value in ("fortnightly", "", 5)),
    *(("customInterval", value, "InvalidCustomInterval") for value in (0, -1, 1.5, "5", True)),
    *(("period", value, "InvalidPeriod") for value in (-1, 1.5, "7")),
    ("period", 15, "InvalidModelArgument"),
]
WRONG_DETECTIONS: list[tuple[str, Any, str]] = [
    *(("sensitivity", value, "InvalidModelArgument") for value in (-1, 100, 85.5, "85")),
    *(("maxAnomalyRatio", value, "InvalidModelArgument") for value in (0, 0.5, -1, "0.25")),
    *(("imputeMode", value, "InvalidImputeMode") for value in ("mean", "", 1)),
    *(("imputeFixedValue", value, "InvalidImputeFixedValue") for value in ("0", 1e101)),
]
WRONG_CHANGE_POINTS: list[tuple[str, Any, str]] = [
    *(("threshold", value, "InvalidModelArgument") for value in (-0.1, 1.1, "0.9")),
    *(("stableTrendWindow", value, "InvalidModelArgument") for value in (2, 15, 5.5, "5")),
]


def with_point(index: int, **changes: Any) -> dict[str, Any]:
    changed = copy.deepcopy(GOOD)
    changed["series"][index] |= changes
    return changed


def with_swap() -> dict[str, Any]:
    changed = copy.deepcopy(GOOD)
    changed["series"][7], changed["series"][8] = changed["series"][8], changed["series"][7]
    return changed


# The body, the code, the field, and the start of the issue.
WRONG_SERIES: list[tuple[dict[str, Any], str, str, str]] = [
    ({"granularity": "daily"}, "RequiredSeries", "series", "missing: "),
    (GOOD | {"series": None}, "RequiredSeries", "series", "missing: "),
    (GOOD | {"series": {}}, "InvalidSeries", "series", "Must be an array of 12 points"),
    (GOOD | {"series": []}, "InvalidSeries", "series", "insufficient data points: 0 sent"),
    (body(11), "InvalidSeries", "series", "insufficient data points: 11 sent, at least 12"),
    (GOOD | {"series": [1] * 12}, "BadArgument", "series[0]", "not a point"),
    (with_point(3, value=None), "BadArgument", "series[3].value", "missing entry"),
    (with_point(3, value="5"), "BadArgument", "series[3].value", "not a number"),
    (with_point(3, value=True), "BadArgument", "series[3].value", "not a number"),
    (with_point(3, value=1e101), "InvalidSeries", "series[3].value", "magnitude above"),
    (with_point(3, timestamp="then"), "BadArgument", "series[3].timestamp", "invalid timestamp"),
    (with_point(3, timestamp=None), "BadArgument", "series[3].timestamp", "invalid timestamp"),
    (with_point(3, timestamp=5), "BadArgument", "series[3].timestamp", "invalid timestamp"),
    (with_swap(), "InvalidSeries", "series[8].timestamp", "timestamps must be in chronological"),
    (
        with_point(4, timestamp=GOOD["series"][3]["timestamp"]),
        "InvalidSeries", "series[4].timestamp", "duplicate timestamp",
    ),
    (
        with_point(4, timestamp="2024-01-05T01:00:00Z"),
        "InvalidSeries", "series[4].timestamp", "off the grid",
    ),
    (GOOD | {"granularity": "weekly"}, "InvalidSeries", "series[1].timestamp", "off the grid"),
    (GOOD | {"granularity": "monthly"}, "InvalidSeries", "series[1].timestamp", "off the grid"),
    (GOOD | {"granularity": "hourly"}, "InvalidSeries", "series[1].timestamp", "missing points"),
]  # fmt: skip


def assert_rejected(response: Any, code: str) -> tuple[str, str]:
    """Check both shapes and the ``code`` of a 400; return field and issue."""
    details = details_of(response, 400)
    top = response.get_json()
    assert top["code"] == top["error"]["code"] == code
    assert top["error"]["details"]["code"] == "INVALID_REQUEST"
    assert top["message"] == f"{details['field']}: {details['issue']}"
    return details["field"], details["issue"]


@pytest.mark.parametrize("version", ["v1.0", "v1.1"])
@pytest.mark.parametrize(("sent", "code", "field", "issue"), WRONG_SERIES)
def test_a_wrong_series_is_rejected_with_azure_s_code_and_our_place(
    api: Api, sent: dict, code: str, field: str, issue: str, version: str
) -> None:
    for detect in DETECTS:
        reported, issue_sent = assert_rejected(azure(api, detect, sent, version), code)
        assert reported == field
        assert issue_sent.startswith(issue)


@pytest.mark.parametrize(("step", "words"), WRONG_STEPS)
def test_the_step_of_the_points_is_reported_in_words(api: Api, step: dict, words: str) -> None:
    _field, issue = assert_rejected(azure(api, "entire", GOOD | step), "InvalidSeries")
    assert f" {words}" in issue


def test_a_step_finer_than_a_millisecond_is_reported_in_microseconds(api: Api) -> None:
    sent = with_point(1, timestamp="2024-01-01T00:00:00.000001Z") | {"granularity": "microsecond"}
    _field, issue = assert_rejected(azure(api, "entire", sent), "InvalidSeries")
    assert " 1 microsecond apart" in issue


@pytest.mark.parametrize(
    ("field", "value", "code", "detects"),
    [
        *((*wrong, DETECTS) for wrong in WRONG_PARAMETERS),
        *((*wrong, DETECTS[:2]) for wrong in WRONG_DETECTIONS),
        *((*wrong, DETECTS[2:]) for wrong in WRONG_CHANGE_POINTS),
    ],
)
def test_a_wrong_parameter_is_rejected_by_each_path_that_takes_it(
    api: Api, field: str, value: Any, code: str, detects: tuple[str, ...]
) -> None:
    for detect in detects:
        assert assert_rejected(azure(api, detect, GOOD | {field: value}), code)[0] == field


def test_filling_with_a_fixed_value_needs_that_value(api: Api) -> None:
    response = azure(api, "entire", GOOD | {"imputeMode": "fixed"})
    assert assert_rejected(response, "InvalidImputeFixedValue")[0] == "imputeFixedValue"


def test_change_points_need_a_granularity(api: Api) -> None:
    sent = {"series": GOOD["series"]}
    assert (
        assert_rejected(azure(api, "changepoint", sent), "RequiredGranularity")[0] == "granularity"
    )
    assert azure(api, "entire", sent).status_code == 200


def test_several_defects_are_all_listed(api: Api) -> None:
    response = azure(api, "entire", GOOD | {"sensitivity": 100, "customInterval": 0})
    fields = {error["field"] for error in details_of(response, 400)["errors"]}
    assert fields == {"sensitivity", "customInterval"}


@pytest.mark.parametrize(
    "sent", [b"", b"{", b"[]", b'{"series": [{"value": NaN}]}', b'{"series": 1e400}']
)
def test_a_body_that_is_not_a_json_object_is_rejected(api: Api, sent: bytes) -> None:
    response = azure(api, "entire", sent)
    error_of(response, 400)
    assert response.get_json()["code"] == "InvalidJsonFormat"


class TestOtherStatuses:
    """Errors other than 400 have their status as code; ``error_of`` checks both shapes."""

    def assert_shaped(self, response: Any, status: int) -> None:
        error = error_of(response, status)
        assert response.get_json()["code"] == error["code"] == str(status)

    def test_401_has_azures_error_shape(self, anonymous_api: Api) -> None:
        response = azure(anonymous_api, "entire", GOOD, Ocp_Apim_Subscription_Key="0" * 32)
        self.assert_shaped(response, 401)
        assert "0" * 32 not in response.get_data(as_text=True)
        assert response.get_json()["message"] == (
            "neither Ocp-Apim-Subscription-Key nor Authorization holds a valid key; "
            "send one, which is ak_ and 64 hexadecimal characters, in Ocp-Apim-Subscription-Key"
        )

    def test_403_has_azures_error_shape(self, app: Flask, make_key: Callable[..., str]) -> None:
        self.assert_shaped(azure(Api(app, make_key("write")), "entire", GOOD), 403)

    @pytest.mark.parametrize(
        "path",
        [
            "/anomalydetector", "/anomalydetector/", "/anomalydetector/v1.1",
            "/anomalydetector/v1.2/timeseries/entire/detect",
            "/anomalydetector/v1.1/multivariate/models",
            "/AnomalyDetector/v1.0/timeseries/entire/detect",
            "/ANOMALYDETECTOR",
        ],
    )  # fmt: skip
    def test_404_has_azures_error_shape(self, api: Api, path: str) -> None:
        response = api.request("POST", path, b"{}")
        self.assert_shaped(response, 404)
        assert list(response.get_json()) == ["code", "message", "error"]
        known = response.get_json()["message"].partition(" the endpoints are ")[2].split(", ")
        assert len(known) == 6
        assert all(name.startswith("POST /anomalydetector/v1.") for name in known)

    @pytest.mark.parametrize("path", ["/anomalydetectors", "/anomaly", "/v1/anomalydetector"])
    def test_a_404_elsewhere_has_only_our_shape(self, api: Api, path: str) -> None:
        assert list(api.request("POST", path, b"{}").get_json()) == ["error"]

    def test_405_has_azures_error_shape(self, api: Api) -> None:
        response = api.request("GET", "/anomalydetector/v1.1/timeseries/last/detect")
        self.assert_shaped(response, 405)

    def test_413_has_azures_error_shape(self, api: Api) -> None:
        self.assert_shaped(azure(api, "entire", b" " * 4_194_305), 413)

    def test_415_has_azures_error_shape(self, api: Api) -> None:
        self.assert_shaped(azure(api, "entire", b"{}", Content_Type="text/plain"), 415)

    @pytest.mark.parametrize("settings", [{"anonymous_per_minute": 1}])
    def test_429_has_azures_error_shape(self, app: Flask) -> None:
        azure(Api(app), "entire", GOOD)
        self.assert_shaped(azure(Api(app), "entire", GOOD), 429)

    def test_500_has_azures_error_shape(self, app: Flask, key: str) -> None:
        make_engine_fail(app, ZeroDivisionError())
        self.assert_shaped(azure(Api(app, key), "entire", GOOD), 500)

    def test_503_has_azures_error_shape(self, app: Flask, key: str) -> None:
        make_engine_fail(app, EngineBusyError())
        self.assert_shaped(azure(Api(app, key), "entire", GOOD), 503)


@pytest.mark.parametrize("point", [{"value": "a-word"}, {"a-word": 1}])
def test_failures_are_counted_by_schema_field_and_never_by_client_input(
    app: Flask, engine: Engine, isolated_api: Api, point: dict[str, Any]
) -> None:
    assert azure(isolated_api, "entire", {"series": [point] * 12}).status_code == 400
    assert_counted_by("series.value", "a-word", app, engine)
