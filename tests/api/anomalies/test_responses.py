"""Successful responses of POST /anomalies."""

import math
import time
from itertools import pairwise
from typing import Any

import pytest

from tests.support.api import Api, with_series
from tests.support.machine_speed import slowness
from tests.support.series import daily_body, detection_body, regular_body, with_a_season

ARRAYS = ["timestamps", "is_anomaly", "expected", "lower_bound", "upper_bound"]
ARRAYS += ["p_value", "severity"]
LISTS = ["events", "change_points", "periods"]
SPIKE, DIP, POINTS = 40, 70, 120
EXTREMES = {
    "all equal": [7] * 40,
    "all zero": [0] * 40,
    "nearly equal": [1e15 + (day % 2) for day in range(40)],
    "the largest allowed": [1e100 if day % 3 else -1e100 for day in range(40)],
    "close to nothing": [5e-324 if day % 3 else 1e-300 for day in range(40)],
    "one outlier": [1e12 if day == 20 else day % 5 for day in range(40)],
    "counts, mostly zero": [int(day % 10 == 0) for day in range(40)],
    "twenty points": [day % 7 for day in range(20)],
    "half of it elsewhere": [100 * (day >= 20) + day % 3 for day in range(40)],
}


def noisy_body(points: int = POINTS, **parameters: Any) -> dict[str, Any]:
    """Return a body of daily values with a weekly season, one spike and one dip."""
    values = with_a_season(points)
    if points > DIP:
        values[SPIKE] += 30
        values[DIP] -= 30
    return detection_body(with_series(daily_body(points), values=values), **parameters)


def checked_detection(api: Api, body: dict[str, Any]) -> dict[str, Any]:
    """Return the detection of ``body`` after the checks that hold for all detections."""
    response = api.anomalies(body)
    assert response.status_code == 200, response.get_data(as_text=True)
    detection: dict[str, Any] = response.get_json()
    assert list(detection) == ARRAYS + LISTS
    assert_sound(detection, body)
    return detection


def assert_sound(response: dict[str, Any], body: dict[str, Any]) -> None:
    """Check that arrays are parallel, flags agree with the band, and events do not overlap."""
    column = body["series"][0]
    judged_points = 1 if body.get("detect") == "last" else len(column["values"])
    assert {len(response[name]) for name in ARRAYS} == {judged_points}
    assert response["timestamps"] == column["timestamps"][-judged_points:]
    rate, direction = body.get("false_alarm_rate", 0.001), body.get("direction", "both")
    values = column["values"][-judged_points:]
    rows = zip(values, *(response[name] for name in ARRAYS[1:]), strict=True)
    for value, flag, expected, lower, upper, p_value, severity in rows:
        assert all(math.isfinite(number) for number in (expected, lower, upper))
        assert lower <= expected <= upper
        above, below = value > upper, value < lower
        assert flag == {"both": above or below, "up": above, "down": below}[direction]
        assert flag == (p_value < rate)
        assert 0 <= p_value <= 1
        assert 0 <= severity <= 100
    for event in response["events"]:
        assert set(event) == {"start", "end", "kind", "direction", "peak_timestamp", "severity"}
        start, peak, end = (
            column["timestamps"].index(event[name]) for name in ("start", "peak_timestamp", "end")
        )
        assert start <= peak <= end
    assert all(before["end"] < after["start"] for before, after in pairwise(response["events"]))


def test_a_spike_and_a_dip_are_found_with_their_events(api: Api) -> None:
    body = noisy_body()
    verdicts = checked_detection(api, body)
    times = body["series"][0]["timestamps"]
    flagged = [i for i, flag in enumerate(verdicts["is_anomaly"]) if flag]
    assert flagged == [SPIKE, DIP]
    kinds = [
        (event["kind"], event["direction"], event["peak_timestamp"]) for event in verdicts["events"]
    ]
    assert kinds == [("spike", "up", times[SPIKE]), ("dip", "down", times[DIP])]
    assert verdicts["periods"] == [7]


@pytest.mark.parametrize(("direction", "indices"), [("up", [SPIKE]), ("down", [DIP])])
def test_only_the_side_that_is_asked_for_is_flagged(
    api: Api, direction: str, indices: list[int]
) -> None:
    verdicts = checked_detection(api, noisy_body(direction=direction))
    assert [i for i, flag in enumerate(verdicts["is_anomaly"]) if flag] == indices
    assert {event["direction"] for event in verdicts["events"]} == {direction}


def test_a_shift_is_a_change_point_with_its_two_levels(api: Api) -> None:
    values = with_a_season(200)
    values[120:] = [value + 40 for value in values[120:]]
    body = detection_body(with_series(daily_body(200), values=values))
    verdicts = checked_detection(api, body)
    (change,) = verdicts["change_points"]
    assert set(change) == {"timestamp", "before", "after", "p_value"}
    assert body["series"][0]["timestamps"].index(change["timestamp"]) in range(118, 123)
    assert change["after"] - change["before"] == pytest.approx(40, abs=4)
    assert 0 <= change["p_value"] < 0.05
    assert "level_shift" in {event["kind"] for event in verdicts["events"]}


def test_only_the_last_point_is_judged(api: Api) -> None:
    body = noisy_body()
    quiet = checked_detection(api, body | {"detect": "last"})
    assert quiet["is_anomaly"] == [False]
    assert quiet["change_points"] == []
    body["series"][0]["values"][-1] += 60
    loud = checked_detection(api, body | {"detect": "last"})
    assert loud["is_anomaly"] == [True]
    assert [event["end"] for event in loud["events"]] == loud["timestamps"]


def test_the_defaults_are_those_of_the_documents(api: Api) -> None:
    chosen = {"detect": "all", "false_alarm_rate": 0.001, "direction": "both"}
    assert api.anomalies(noisy_body()).data == api.anomalies(noisy_body(**chosen)).data


def test_a_higher_rate_makes_the_band_narrower(api: Api) -> None:
    widths = []
    for rate in (0.0001, 0.001, 0.01, 0.1):
        verdicts = checked_detection(api, noisy_body(false_alarm_rate=rate))
        widths.append(verdicts["upper_bound"][0] - verdicts["lower_bound"][0])
    assert widths == sorted(widths, reverse=True)
    assert len({*widths}) == 4


@pytest.mark.parametrize("rate", [0.0001, 0.0012345678, 0.05, 0.1, 0.001])
@pytest.mark.parametrize("detect", ["all", "last"])
def test_flag_band_and_p_value_agree_in_the_numbers_that_are_sent(
    api: Api, rate: float, detect: str
) -> None:
    checked_detection(api, noisy_body(false_alarm_rate=rate, detect=detect))


@pytest.mark.parametrize("detect", ["all", "last"])
def test_the_same_request_gives_the_same_bytes(api: Api, detect: str) -> None:
    first, second = (api.anomalies(noisy_body(detect=detect)) for _ in range(2))
    assert first.data == second.data


@pytest.mark.parametrize("suffix", ["Z", "+05:30", ".000Z"])
def test_timestamps_come_back_as_they_were_sent(api: Api, suffix: str) -> None:
    body = noisy_body()
    column = body["series"][0]
    column["timestamps"] = [text + suffix for text in column["timestamps"]]
    assert checked_detection(api, body)["events"][0]["start"] == column["timestamps"][SPIKE]


@pytest.mark.parametrize("detect", ["all", "last"])
@pytest.mark.parametrize("values", EXTREMES.values(), ids=EXTREMES.keys())
def test_no_finite_series_makes_numbers_that_are_not(
    api: Api, values: list[float], detect: str
) -> None:
    body = with_series(daily_body(len(values)), values=values)
    checked_detection(api, detection_body(body, detect=detect))


@pytest.mark.timing
@pytest.mark.parametrize(("points", "seconds"), [(8_640, 0.3), (50_000, 2)])
def test_long_series_are_judged_in_time(api: Api, points: int, seconds: float) -> None:
    body = detection_body(regular_body("Minutes", points))
    body["series"][0]["values"] = with_a_season(points, period=1440)
    client, sent = api.app.test_client(), {"Authorization": f"Bearer {api.key}"}
    started = time.process_time()  # the engine is in this process
    response = client.post("/anomalies", json=body, headers=sent)
    assert time.process_time() - started < seconds * slowness()
    assert response.status_code == 200
    assert len(response.data) < 110 * points
