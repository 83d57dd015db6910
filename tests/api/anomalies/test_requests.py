"""POST /anomalies with wrong parameters is 400, with wrong data 422."""

from typing import Any

import pytest

from tests.support.api import Api, first_defect, with_series
from tests.support.series import daily_body, detection_body, regular_body

GOOD = detection_body(daily_body())
RATE = (
    "Must be between 0.0001 and 0.1: a fraction, not a percentage; send 0.01 for 1 %, 0.05 for 5 %"
)
NUMBER = "Must be a number, without quotes"
DETECT = "unknown choice: {} was sent; send one of all, last"
DIRECTION = "unknown direction: {} was sent; send one of both, up, down"
FIELDS = "series, data_frequency, detect, false_alarm_rate, direction"
UNKNOWN = f"unknown field: remove it or check its spelling; known are {FIELDS}"

WRONG: list[tuple[str, Any, str]] = [
    *(("false_alarm_rate", value, RATE) for value in (0, 0.00009, 0.11, 1, -0.01, 5)),
    *(("false_alarm_rate", value, NUMBER) for value in ("0.01", None, True)),
    *(("detect", value, DETECT.format(repr(value))) for value in ("entire", "", 1)),
    ("detect", "ALL", DETECT.format("'ALL'").replace("send", "did you mean all? send")),
    ("detect", None, DETECT.format("null")),
    ("direction", "above", DIRECTION.format("'above'")),
    ("direction", "Up", DIRECTION.format("'Up'").replace("send", "did you mean up? send")),
    ("direction", True, DIRECTION.format("true")),
    *((name, 1, UNKNOWN) for name in ("forecast_horizon", "confidence", "forecast_frequency")),
]


@pytest.mark.parametrize(("field", "value", "issue"), WRONG)
def test_a_wrong_parameter_is_named_with_what_to_send(
    api: Api, field: str, value: Any, issue: str
) -> None:
    assert first_defect(api.anomalies(GOOD | {field: value}), 400) == (field, issue, value)


@pytest.mark.parametrize("rate", [0.0001, 0.1])
def test_the_ends_of_the_rate_are_allowed(api: Api, rate: float) -> None:
    assert api.anomalies(GOOD | {"false_alarm_rate": rate}).status_code == 200


def test_a_series_of_nineteen_points_is_too_short(api: Api) -> None:
    assert api.anomalies(detection_body(daily_body(20))).status_code == 200
    field, issue, provided = first_defect(api.anomalies(detection_body(daily_body(19))), 422)
    assert field == "series[0].timestamps"
    assert issue == ("insufficient data points: 19 sent, at least 20 needed; send a longer history")
    assert provided == "array of 19 items"


def test_a_gap_is_named_by_the_first_timestamp_that_is_missing(api: Api) -> None:
    times, values = (GOOD["series"][0][name] for name in ("timestamps", "values"))
    body = with_series(GOOD, timestamps=times[:9] + times[10:], values=values[1:])
    field, issue, _provided = first_defect(api.anomalies(body), 422)
    assert field == "series[0].timestamps[9]"
    assert issue.startswith("missing entry: 2024-01-10T00:00:00 is missing")


def test_another_frequency_is_rejected_by_the_one_field_that_is_to_be_changed(api: Api) -> None:
    body = detection_body(regular_body("Hours")) | {"data_frequency": "Daily"}
    _field, issue, _provided = first_defect(api.anomalies(body), 422)
    assert issue.endswith("which is Hours, not Daily; send data_frequency Hours")


def test_a_series_over_the_limit_is_rejected(api: Api) -> None:
    field, issue, _provided = first_defect(
        api.anomalies(detection_body(regular_body("Minutes", 50_001))), 422
    )
    assert field == "series[0].timestamps"
    assert issue.startswith("too many data points: 50001 sent, at most 50000 allowed")
