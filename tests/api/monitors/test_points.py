"""POST /monitors/{name}/points: the verdicts of points, and the points that are rejected."""

import math
from typing import Any

import pytest

from app.anomalies.results import EventKind
from app.core.instruments import REGISTRY
from tests.support.api import Api, error_of, first_defect
from tests.support.monitors import LEARNED, Monitor, noise_at_100, points, timestamp
from tests.support.series import regular_body

COUNTED = "forecast_monitor_events_total"
NUMBERS = ("expected", "lower_bound", "upper_bound", "p_value", "severity")
COLUMNS = ("timestamps", "status", "is_anomaly", *NUMBERS)


@pytest.fixture
def monitor(api: Api) -> Monitor:
    return Monitor.create(api)


@pytest.fixture
def learned_monitor(monitor: Monitor) -> Monitor:
    """A monitor that has learned a level of 100 from ``LEARNED`` points."""
    monitor.append(noise_at_100(LEARNED))
    return monitor


class TestVerdicts:
    def test_each_point_gets_a_verdict(self, monitor: Monitor) -> None:
        sent = points(noise_at_100(400))
        body = monitor.post(sent).get_json()
        assert set(body) == {*COLUMNS, "state", "reason", "events"}
        assert body["timestamps"] == sent["timestamps"]
        assert {len(body[name]) for name in COLUMNS} == {400}
        assert body["status"][0] == "learning"
        assert body["status"][-1] == "judged"
        assert body["status"] == sorted(body["status"], reverse=True)
        assert (body["state"], body["events"]) == ("normal", [])

    def test_flag_band_and_p_value_agree_in_the_numbers_that_are_sent(self, api: Api) -> None:
        rate = 0.05
        monitor = Monitor.create(api, false_alarm_rate=rate)
        sent = points(noise_at_100(600))
        body = monitor.post(sent).get_json()
        assert any(body["is_anomaly"])
        rows = zip(sent["values"], *(body[name] for name in COLUMNS[1:]), strict=True)
        for value, status, flag, expected, lower, upper, p_value, severity in rows:
            assert lower <= expected <= upper
            assert flag == (not lower <= value <= upper)
            assert flag == (p_value < rate)
            assert 0 <= severity <= 100
            assert flag is False or status == "judged"

    def test_timestamps_come_back_as_they_were_sent(self, learned_monitor: Monitor) -> None:
        sent = {"timestamps": ["2100-03-05T04:40:00.000+02:00"], "values": [100]}
        assert learned_monitor.post(sent).get_json()["timestamps"] == sent["timestamps"]
        assert learned_monitor.get()["last_point"]["timestamp"] == timestamp(LEARNED)

    def test_no_number_is_minus_zero(self, monitor: Monitor) -> None:
        response = monitor.post(points([-0.0] * 30))
        assert b"-0.0" not in response.data
        assert b"-0.0" not in monitor.api.request("GET", f"{monitor.path}/points").data

    @pytest.mark.parametrize("value", [1e100, -1e100, 5e-324, 1e50, 0])
    def test_all_numbers_are_finite_regardless_of_the_values(
        self, monitor: Monitor, value: Any
    ) -> None:
        result = monitor.append([value if index % 3 else -value for index in range(400)])
        assert all(math.isfinite(number) for name in NUMBERS for number in result[name])

    @pytest.mark.parametrize(
        "frequency", ["Seconds", "Minutes", "Hours", "Daily", "Weekly", "Monthly", "Quarterly"]
    )
    def test_every_frequency_has_its_grid(self, api: Api, frequency: str) -> None:
        monitor = Monitor.create(api, data_frequency=frequency, step=1)
        series = regular_body(frequency)["series"][0]
        assert monitor.post(series).status_code == 200
        assert monitor.get()["last_point"]["timestamp"] == series["timestamps"][-1]


class TestKnownPoints:
    def test_a_point_sent_again_gets_its_first_verdict(self, learned_monitor: Monitor) -> None:
        first = learned_monitor.append([150.0], LEARNED)
        second = learned_monitor.append([150.0], LEARNED)
        assert second["status"] == ["duplicate"]
        assert [second[name] for name in NUMBERS] == [first[name] for name in NUMBERS]
        assert second["is_anomaly"] == first["is_anomaly"] == [True]
        assert learned_monitor.get()["points"] == LEARNED + 1


class TestGaps:
    def test_a_gap_is_stepped_over(self, learned_monitor: Monitor) -> None:
        response = learned_monitor.post(points([100.0], LEARNED + 5))
        assert response.get_json()["status"] == ["judged"]
        assert "X-Forecast-Notice" not in response.headers
        assert learned_monitor.get()["points"] == LEARNED + 1

    def test_after_more_than_two_seasons_learning_begins_again_and_says_so(
        self, learned_monitor: Monitor
    ) -> None:
        response = learned_monitor.post(points([100.0], LEARNED + 10_000))
        assert response.get_json()["status"] == ["learning"]
        assert response.get_json()["state"] == "learning"
        assert "learning has started again" in response.headers["X-Forecast-Notice"]


class TestEvents:
    def test_a_new_level_is_one_event_and_becomes_normal(self, learned_monitor: Monitor) -> None:
        shifted = [value + 40 for value in noise_at_100(300, seed=7)]
        assert learned_monitor.append(shifted, LEARNED)["state"] == "normal"
        (event,) = learned_monitor.get("/events")["events"]
        assert event["closed_as"] == "new_level"
        assert event["direction"] == "up"

    def test_a_reader_by_cursor_sees_an_event_open_and_close(
        self, learned_monitor: Monitor
    ) -> None:
        learned_monitor.append([160.0] * 3, LEARNED)
        (open_one,) = learned_monitor.get("/events")["events"]
        assert open_one["end"] is open_one["closed_as"] is open_one["closed_at"] is None
        assert learned_monitor.get(f"/events?after={open_one['cursor']}")["events"] == []
        learned_monitor.append(noise_at_100(60, seed=3), LEARNED + 3)
        (closed,) = learned_monitor.get(f"/events?after={open_one['cursor']}")["events"]
        assert closed["id"] == open_one["id"]
        assert closed["closed_as"] == "ended"
        assert closed["cursor"] > open_one["cursor"]

    def test_opened_events_are_counted_by_kind(self, learned_monitor: Monitor) -> None:
        def point_count() -> float:
            counts = (REGISTRY.get_sample_value(COUNTED, {"kind": kind}) for kind in EventKind)
            return sum(count or 0 for count in counts)

        before = point_count()
        learned_monitor.append([160.0] * 3, LEARNED)
        learned_monitor.append([160.0], LEARNED)
        learned_monitor.append(noise_at_100(60, seed=3), LEARNED + 3)
        assert point_count() == before + 1


class TestRejections:
    """A rejection names the index of the point, and nothing is stored."""

    @pytest.mark.parametrize(
        ("column", "entry", "issue"),
        [
            ("values", None, "missing entry: null is not a value"),
            ("values", "12", "not a number"),
            ("values", 1e101, "magnitude above 1e+100"),
            ("timestamps", "yesterday", "invalid timestamp format"),
            ("timestamps", 17, "invalid timestamp format"),
            ("timestamps", "2100-03-04T00:11:00Z", "2100-03-04T00:11:00Z is not on the time grid"),
            ("timestamps", "2100-03-04T00:10:00", "invalid timestamp format: the first timestamp"),
            ("timestamps", "2024-02-30T00:10:00Z", "invalid timestamp format: 2024-02-30 is no"),
        ],
    )
    def test_a_wrong_entry_is_named_and_nothing_of_its_batch_is_stored(
        self, monitor: Monitor, column: str, entry: Any, issue: str
    ) -> None:
        body = points([1.0, 2.0, 3.0, 4.0])
        body[column][2] = entry
        field, reported, provided = first_defect(monitor.post(body), 422)
        assert (field, provided) == (f"{column}[2]", entry)
        assert reported.startswith(issue)
        assert monitor.get()["points"] == 0

    def test_a_timestamp_off_the_grid_names_its_neighbours(self, learned_monitor: Monitor) -> None:
        body = {"timestamps": ["2100-03-05T09:02:00Z"], "values": [1.0]}
        field, issue, _provided = first_defect(learned_monitor.post(body), 422)
        assert field == "timestamps[0]"
        for word in ("2100-03-05T09:00:00Z", "2100-03-05T09:05:00Z", "5 minutes"):
            assert word in issue

    def test_an_offset_where_there_was_none_is_rejected(self, api: Api) -> None:
        monitor = Monitor.create(api)
        assert monitor.post(points([1.0], suffix="")).status_code == 200
        field, _issue, _provided = first_defect(monitor.post(points([1.0], first=1)), 422)
        assert field == "timestamps[0]"

    @pytest.mark.parametrize(
        ("number", "issue"),
        [
            (0, "insufficient data points: 0 sent, at least 1 needed"),
            (1001, "too many data points: 1001 sent, at most 1000 allowed"),
        ],
    )
    def test_too_few_and_too_many_points_are_rejected(
        self, monitor: Monitor, number: int, issue: str
    ) -> None:
        field, reported, _provided = first_defect(monitor.post(points([1.0] * number)), 422)
        assert field == "timestamps"
        assert reported.startswith(issue)

    def test_an_append_accepts_1000_points(self, monitor: Monitor) -> None:
        assert len(monitor.append(noise_at_100(1000))["status"]) == 1000

    def test_columns_of_other_lengths_are_rejected(self, monitor: Monitor) -> None:
        body = points([1.0, 2.0]) | {"values": [1.0]}
        field, issue, _provided = first_defect(monitor.post(body), 422)
        assert field == "values"
        assert issue.startswith("arrays must have equal length: 2 timestamps, 1 value;")

    @pytest.mark.parametrize("name", ["timestamps", "values"])
    def test_a_missing_column_is_named(self, monitor: Monitor, name: str) -> None:
        body = points([1.0])
        del body[name]
        assert first_defect(monitor.post(body), 422)[0] == name

    def test_an_unknown_field_is_named_with_those_that_are_known(self, monitor: Monitor) -> None:
        field, issue, _provided = first_defect(monitor.post(points([1.0]) | {"step": 5}), 400)
        assert field == "step"
        assert issue.endswith("known are timestamps, values")

    def test_bodies_are_rejected_in_the_order_of_a_forecast(self, monitor: Monitor) -> None:
        error_of(Monitor(Api(monitor.api.app), monitor.name).post(b"no JSON"), 401)
        path = f"{monitor.path}/points"
        error_of(monitor.api.send("POST", path, b"no JSON", Content_Type="text/plain"), 415)
        error_of(monitor.post(b"no JSON"), 400)
        error_of(monitor.post(b" " * 4_194_305), 413)
