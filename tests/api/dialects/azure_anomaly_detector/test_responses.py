"""The paths of Azure's Anomaly Detector, and responses with its fields."""

from typing import Any

import numpy as np
import pytest

from app.api.dialects.azure_anomaly_detector.routes import EXAMPLES
from tests.api.dialects.azure_anomaly_detector.calls import (
    DAY,
    DIP,
    FIRST,
    HOUR,
    SPIKE,
    azure,
    body,
    points,
)
from tests.support.api import Api
from tests.support.examples import assert_response_shown
from tests.support.series import with_a_season

V1_0 = {"period", "expectedValues", "upperMargins", "lowerMargins", "isAnomaly"}
V1_0 |= {"isNegativeAnomaly", "isPositiveAnomaly"}
LAST = {"period", "suggestedWindow", "expectedValue", "upperMargin", "lowerMargin", "isAnomaly"}
LAST |= {"isNegativeAnomaly", "isPositiveAnomaly"}
GRIDS: list[tuple[str, dict[str, Any], list[str]]] = [
    ("yearly", {}, [f"{1900 + i}-01-01T00:00:00Z" for i in range(30)]),
    ("monthly", {}, [f"{2020 + i // 12}-{i % 12 + 1:02}-01T00:00:00Z" for i in range(30)]),
    ("monthly", {"customInterval": 6}, [f"{2020 + i // 2}-0{i % 2 * 6 + 2}-28" for i in range(30)]),
    ("weekly", {}, [(FIRST + 7 * i * DAY).isoformat() for i in range(30)]),
    ("daily", {}, [(FIRST + i * DAY).date().isoformat() for i in range(30)]),
    ("hourly", {}, [(FIRST + i * HOUR).isoformat(" ") for i in range(30)]),
    ("minutely", {"customInterval": 5}, [(FIRST + i * HOUR / 12).isoformat() for i in range(30)]),
    ("minutely", {}, [f"2024-01-01T00:{i:02}:00.0000000Z" for i in range(30)]),
    ("perMinute", {}, [f"2024-01-01T00:{i:02}:00+00:00" for i in range(30)]),
    ("secondly", {}, [f"2024-01-01T00:00:{i:02}Z" for i in range(30)]),
    ("perSecond", {}, [f"2024-01-01T00:00:{i:02}.000Z" for i in range(30)]),
    ("microsecond", {}, [f"2024-01-01T00:00:00.{i:03}Z" for i in range(30)]),
    ("microsecond", {}, [f"2024-01-01T00:00:00.{i:06}Z" for i in range(30)]),
    ("Daily", {}, [(FIRST + i * DAY).isoformat() + "Z" for i in range(30)]),
    # In spring the clock skips an hour.
    (
        "hourly",
        {},
        [f"2024-03-30T{i:02}:00:00+01:00" for i in range(24)]
        + [f"2024-03-31T{i + (i > 1):02}:00:00+0{1 + (i > 1)}:00" for i in range(12)],
    ),
    ("daily", {}, [f"2024-03-{i:02}T00:00:00+0{1 + (i > 30)}:00" for i in range(12, 32)]),
]
EXTREMES = {
    "all equal": [7] * 40,
    "counts, mostly zero": [int(day % 10 == 0) for day in range(40)],
    "the largest allowed": [1e100 if day % 3 else -1e100 for day in range(40)],
    "one outlier": [1e12 if day == 20 else day % 5 for day in range(40)],
    "nearly equal": [1e15 + (day % 2) for day in range(40)],
}
# The version, endpoint and request of each recorded response.
SHOWN_EXAMPLES = {
    "entire": ("v1.1", "entire", "entire"),
    "entire-1.0": ("v1.0", "entire", "entire"),
    "last": ("v1.1", "last", "entire"),
    "last-1.0": ("v1.0", "last", "entire"),
    "changepoint": ("v1.1", "changepoint", "changepoint"),
}


def detect_entire(api: Api, sent: dict[str, Any], version: str = "v1.1") -> dict[str, Any]:
    response = azure(api, "entire", sent, version)
    assert response.status_code == 200, response.get_data(as_text=True)
    content: dict[str, Any] = response.get_json()
    if "series" in sent:
        assert_sound(content, [point["value"] for point in sent["series"]])
    return content


def assert_sound(response: dict[str, Any], values: list[float]) -> None:
    """Check that each point has an entry, and that flags and margins agree for a client."""
    expected, upper, lower = (
        np.array(response[name]) for name in ("expectedValues", "upperMargins", "lowerMargins")
    )
    assert len(expected) == len(upper) == len(lower) == len(values)
    assert (upper >= 0).all()
    assert (lower >= 0).all()
    above, below = values > expected + upper, values < expected - lower
    assert (np.array(response["isPositiveAnomaly"]) == above).all()
    assert (np.array(response["isNegativeAnomaly"]) == below).all()
    assert (np.array(response["isAnomaly"]) == (above | below)).all()
    if "severity" in response:
        severity = np.array(response["severity"])
        assert ((severity > 0) == (above | below)).all()
        assert (severity <= 1).all()


def flagged_indices(response: dict[str, Any]) -> list[int]:
    return [index for index, flag in enumerate(response["isAnomaly"]) if flag]


def test_entire_finds_a_spike_and_a_dip_and_the_period(api: Api) -> None:
    response = detect_entire(api, body())
    assert set(response) == V1_0 | {"severity"}
    assert flagged_indices(response) == [SPIKE, DIP]
    assert [response["isPositiveAnomaly"][i] for i in (SPIKE, DIP)] == [True, False]
    assert response["period"] == 7


def test_version_1_0_has_no_severity_and_is_else_the_same(api: Api) -> None:
    old, new = (detect_entire(api, body(), version) for version in ("v1.0", "v1.1"))
    assert set(old) == V1_0
    assert {name: new[name] for name in old} == old
    assert set(azure(api, "last", body(), "v1.0").get_json()) == LAST


def test_last_judges_the_last_point(api: Api) -> None:
    quiet = azure(api, "last", body()).get_json()
    assert set(quiet) == LAST | {"severity"}
    assert (quiet["isAnomaly"], quiet["severity"]) == (False, 0)
    assert (quiet["period"], quiet["suggestedWindow"]) == (7, 29)
    sent = body()
    sent["series"][-1]["value"] -= 60
    loud = azure(api, "last", sent).get_json()
    assert (loud["isAnomaly"], loud["isNegativeAnomaly"]) == (True, True)
    assert sent["series"][-1]["value"] < loud["expectedValue"] - loud["lowerMargin"]


def test_the_window_suggested_is_long_enough_to_be_sent(api: Api) -> None:
    response = azure(api, "last", body(period=2)).get_json()
    assert (response["period"], response["suggestedWindow"]) == (2, 12)


def shifted_series(**parameters: Any) -> dict[str, Any]:
    values = with_a_season(200)
    values[120:] = [value + 40 for value in values[120:]]
    return {"series": points(values), "granularity": "daily"} | parameters


def test_changepoint_finds_a_shift(api: Api) -> None:
    content = azure(api, "changepoint", shifted_series()).get_json()
    assert set(content) == {"period", "isChangePoint", "confidenceScores"}
    (index,) = (i for i, flag in enumerate(content["isChangePoint"]) if flag)
    assert index in range(118, 123)
    assert content["confidenceScores"][index] > 0.9
    assert sum(content["confidenceScores"]) == content["confidenceScores"][index]
    assert len(content["isChangePoint"]) == len(content["confidenceScores"]) == 200


@pytest.mark.parametrize(("parameter", "value"), [("threshold", 0), ("stableTrendWindow", 90)])
def test_changepoint_counts_fewer_by_threshold_and_window(
    api: Api, parameter: str, value: float
) -> None:
    content = azure(api, "changepoint", shifted_series(**{parameter: value})).get_json()
    assert not any(content["isChangePoint"])
    assert not any(content["confidenceScores"])


def test_a_higher_sensitivity_has_narrower_margins(api: Api) -> None:
    widths = [
        detect_entire(api, body(sensitivity=sensitivity))["upperMargins"][0]
        for sensitivity in (0, 50, 85, 95, 99)
    ]
    assert widths == sorted(widths, reverse=True)
    assert len({*widths}) == 5
    assert detect_entire(api, body())["upperMargins"][0] == widths[2]


@pytest.mark.parametrize(("ratio", "kept"), [(0.25, 2), (1.5 / 120, 1), (0.001, 1)])
def test_the_ratio_keeps_the_most_severe_and_always_one(api: Api, ratio: float, kept: int) -> None:
    sent = body(maxAnomalyRatio=ratio)
    sent["series"][SPIKE]["value"] += 100
    assert flagged_indices(detect_entire(api, sent)) == [SPIKE, DIP][:kept]


def body_without(sent: dict[str, Any], *indices: int) -> dict[str, Any]:
    kept = [point for index, point in enumerate(sent["series"]) if index not in indices]
    return sent | {"series": kept}


@pytest.mark.parametrize("mode", ["auto", "previous", "linear", "zero", "notFill"])
def test_missing_points_are_filled_and_the_others_judged(api: Api, mode: str) -> None:
    sent = body_without(body(imputeMode=mode), 20, 21, 90)
    response = detect_entire(api, sent)
    assert len(response["isAnomaly"]) == 117
    if mode in ("auto", "previous", "linear"):
        assert flagged_indices(response) == [SPIKE - 2, DIP - 2]
        assert response["period"] == 7


def test_a_fixed_value_fills_as_zero_does(api: Api) -> None:
    sent = body_without(body(), 20, 21)
    fixed = sent | {"imputeMode": "fixed", "imputeFixedValue": 0}
    assert detect_entire(api, fixed) == detect_entire(api, sent | {"imputeMode": "zero"})
    raised = fixed | {"imputeFixedValue": 100}
    assert detect_entire(api, raised) != detect_entire(api, fixed)


def test_without_granularity_timestamps_may_be_absent(api: Api) -> None:
    values = body()["series"]
    bare = [{"value": point["value"]} for point in values]
    response = detect_entire(api, {"series": bare, "period": 7})
    assert flagged_indices(response) == [SPIKE, DIP]
    assert response["period"] == 7
    assert response == detect_entire(api, {"series": bare, "granularity": "none", "period": 7})


@pytest.mark.parametrize(("granularity", "interval", "times"), GRIDS)
def test_a_grid_of_each_granularity_is_accepted(
    api: Api, granularity: str, interval: dict[str, Any], times: list[str]
) -> None:
    series = [{"timestamp": time, "value": i * i % 7} for i, time in enumerate(times)]
    content = detect_entire(api, {"series": series, "granularity": granularity} | interval)
    assert len(content["isAnomaly"]) == len(times)


def test_names_in_other_cases_nulls_and_unknown_fields_are_accepted(api: Api) -> None:
    """The queries of Power BI in Microsoft's tutorial send these."""
    series = [
        {name.title(): value for name, value in series.items()} for series in body()["series"]
    ]
    sent = {"Granularity": "daily", "Sensitivity": 95, "Series": series, "Period": None, "x": 1}
    assert detect_entire(api, sent) == detect_entire(api, body(sensitivity=95))


def test_names_of_points_may_differ_in_their_case(api: Api) -> None:
    series = [
        {"Timestamp": series["timestamp"], "value": series["value"]} for series in body()["series"]
    ]
    assert detect_entire(api, body() | {"series": series}) == detect_entire(api, body())


def test_a_body_of_text_json_is_accepted(api: Api) -> None:
    assert azure(api, "entire", body(), Content_Type="text/json").status_code == 200
    assert api.forecast(b"{}", Content_Type="text/json").status_code == 415


def test_a_path_behind_an_address_that_ends_in_a_slash_is_found(api: Api) -> None:
    path = "//anomalydetector/v1.1/timeseries/entire/detect"
    response = api.app.test_client().post(
        "/",
        json=body(),
        headers={"Authorization": f"Bearer {api.key}"},
        environ_overrides={"PATH_INFO": path},
    )
    assert response.status_code == 200


@pytest.mark.parametrize("detect", ["entire", "last", "changepoint"])
def test_the_same_request_gives_the_same_bytes(api: Api, detect: str) -> None:
    assert azure(api, detect, body()).data == azure(api, detect, body()).data


def test_twelve_points_are_enough(api: Api) -> None:
    for detect in ("entire", "last", "changepoint"):
        assert azure(api, detect, body(12)).status_code == 200


@pytest.mark.parametrize("sensitivity", [0, 99])
@pytest.mark.parametrize("ratio", [0.01, 0.49])
@pytest.mark.parametrize("values", EXTREMES.values(), ids=EXTREMES.keys())
def test_flags_and_margins_agree_regardless_of_the_numbers(
    api: Api, values: list[float], ratio: float, sensitivity: int
) -> None:
    sent = {"series": points(values), "granularity": "daily"}
    detect_entire(api, sent | {"maxAnomalyRatio": ratio, "sensitivity": sensitivity})


def test_fifty_thousand_points_are_accepted_and_one_more_is_not(api: Api) -> None:
    values = with_a_season(50_000, 1440)
    sent = {"series": points(values, HOUR / 60), "granularity": "minutely"}
    assert len(detect_entire(api, sent)["isAnomaly"]) == 50_000
    too_long = {"series": [{"value": 1}] * 50_001}
    assert azure(api, "entire", too_long).get_json()["code"] == "InvalidSeries"


@pytest.mark.parametrize("name", SHOWN_EXAMPLES)
def test_the_request_that_is_shown_gets_what_is_shown(api: Api, name: str) -> None:
    version, detect, request = SHOWN_EXAMPLES[name]
    response = azure(api, detect, EXAMPLES.requests[request], version=version)
    assert response.status_code == 200, response.text
    assert_response_shown(name, rounded_body(response.get_json()), EXAMPLES)


def rounded_body(content: dict[str, Any]) -> dict[str, Any]:
    """Return the body, its numbers except severities rounded to one decimal."""
    numbers = ("expectedValue", "upperMargin", "lowerMargin", "confidenceScores")
    return {
        name: np.round(column, 1).tolist() if name.startswith(numbers) else column
        for name, column in content.items()
    }
