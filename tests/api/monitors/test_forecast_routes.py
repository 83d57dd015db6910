"""GET /monitors/{name}/forecast, limits, and the events that announce them, over HTTP."""

import datetime as dt
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from flask import Flask

from app.core.database import base
from app.watching.monitors.queries import stored_history
from app.watching.monitors.queries.stored_history import StoredHistory
from app.watching.monitors.worker import limit_events
from tests.support.api import Api, error_of, first_defect
from tests.support.monitors import START, STEP, Monitor, timestamp
from tests.support.watching import evaluate_limits

POINTS = 260
HORIZON = 48
LIMIT = {"upper": 95, "horizon": HORIZON}
OPENED, CLOSED = "event.opened", "event.closed"
CROSSING = 275  # steps after which a filling disk is at 95 %


def filling(count: int, per_step: float = 0.2, seed: int = 1) -> list[float]:
    """Return the use of a disk that fills steadily from 40 %."""
    noise = np.random.default_rng(seed).normal(0, 0.3, count)
    values: list[float] = np.round(40 + per_step * np.arange(count) + noise, 3).tolist()
    return values


@pytest.fixture
def replay(monkeypatch: pytest.MonkeyPatch, shared_app: Flask) -> Iterator["Replay"]:
    """The service at a time that the test sets."""
    with shared_app.app_context():
        yield Replay(monkeypatch)


class Replay:
    """Points that arrive one by one; the worker evaluates limits after each."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._now = START.replace(tzinfo=dt.UTC)
        monkeypatch.setattr(base, "now", lambda _zone: self._now)

    def at(self, index: int) -> None:
        """Set the clock to an index of the grid."""
        self._now = (START + index * STEP).replace(tzinfo=dt.UTC)

    def run(self, monitor: Monitor, values: list[float], first: int) -> list[tuple[int, Any]]:
        """Append values; return the index at which each new state of a limit's event was seen."""
        seen: list[tuple[int, Any]] = []
        for index, value in enumerate(values, first):
            self.at(index)
            monitor.append([value], index)
            evaluate_limits()
            for event in events_about_limits(monitor):
                state = (event["kind"], event["closed_as"])
                if state not in [known for _, known in seen]:
                    seen.append((index, state))
        return seen


def events_about_limits(monitor: Monitor) -> list[dict[str, Any]]:
    """Return the events about the limit, oldest change first."""
    events = monitor.get("/events")["events"]
    return [event for event in events if event["kind"].startswith("limit_")]


def filling_disk(api: Api, count: int = POINTS, **settings: Any) -> Monitor:
    """Create a monitor of a disk that has been filling for ``count`` steps."""
    monitor = Monitor.create_with_webhook(api, **settings)
    monitor.append(filling(count))
    return monitor


class TestForecast:
    def test_a_monitors_forecast_continues_its_points_in_the_form_of_a_forecast(
        self, api: Api
    ) -> None:
        monitor = filling_disk(api)
        response = monitor.get("/forecast?horizon=3&confidence=0.5")
        assert response["forecast_timestamps"] == [timestamp(POINTS + step) for step in range(3)]
        assert (response["limit"], response["reached"]) == (None, None)
        body = {
            "series": [
                {
                    "timestamps": [timestamp(index) for index in range(POINTS)],
                    "values": filling(POINTS),
                }
            ],
            "data_frequency": "Minutes",
            "forecast_frequency": "Minutes",
            "forecast_horizon": 3,
            "confidence": 0.5,
        }
        usual = api.send("POST", "/forecast", body).get_json()
        assert {name: response[name] for name in usual} == usual

    def test_a_limit_is_reached_when_the_disk_is_full(self, api: Api) -> None:
        monitor = filling_disk(api, limit=LIMIT)
        response = monitor.get("/forecast")
        assert len(response["median"]) == HORIZON
        assert response["limit"] == {"upper": 95, "lower": None, "horizon": 48, "probability": 0.8}
        reached = response["reached"]["upper"]
        assert reached["p10"] <= reached["p50"] <= reached["p90"]
        assert timestamp(CROSSING - 5) <= reached["p50"] <= timestamp(CROSSING + 5)
        assert reached["probability"] > 0.95
        assert response["reached"]["lower"] is None

    def test_a_limit_that_is_far_away_is_not_reached(self, api: Api) -> None:
        monitor = filling_disk(api, limit={"upper": 500, "lower": -5})
        reached = monitor.get("/forecast?horizon=20")["reached"]
        for side in ("upper", "lower"):
            assert reached[side].pop("probability") < 0.01
            assert reached[side] == {"p10": None, "p50": None, "p90": None}

    def test_points_that_are_missing_or_late_count(self, api: Api) -> None:
        monitor = Monitor.create(api)
        values = filling(POINTS)
        monitor.append(values[:100])
        monitor.append(values[130:], 130)
        monitor.append(values[100:120], 100)
        whole = filling_disk(api).get("/forecast?horizon=12")["median"]
        assert monitor.get("/forecast?horizon=12")["median"] == pytest.approx(whole, rel=0.02)

    def test_too_few_points_are_422_that_says_how_many_it_needs(self, api: Api) -> None:
        monitor = Monitor.create(api)
        empty = api.request("GET", f"{monitor.path}/forecast")
        assert error_of(empty, 422)["code"] == "DATA_VALIDATION_ERROR"
        monitor.append(filling(9))
        few = api.request("GET", f"{monitor.path}/forecast")
        field, issue, provided = first_defect(few, 422)
        assert (field, provided) == ("points", 9)
        assert "needs 10" in issue
        monitor.append(filling(10)[9:], 9)
        assert len(monitor.get("/forecast")["median"]) == 72

    @pytest.mark.parametrize(
        ("query", "field"),
        [
            ("horizon=0", "horizon"),
            ("horizon=1001", "horizon"),
            ("horizon=1.5", "horizon"),
            ("confidence=0.05", "confidence"),
            ("confidence=nan", "confidence"),
            ("confidence=1e-1", "confidence"),
            ("steps=3", "steps"),
        ],
    )
    def test_a_wrong_parameter_is_400(self, api: Api, query: str, field: str) -> None:
        monitor = Monitor.create(api)
        response = api.request("GET", f"{monitor.path}/forecast?{query}")
        assert error_of(response, 400)["details"]["field"] == field

    def test_a_forecast_past_the_calendar_is_400_that_says_what_is_possible(self, api: Api) -> None:
        monitor = Monitor.create(api, data_frequency="Yearly", step=1)
        years = [f"{year}-01-01T00:00:00" for year in range(9985, 9996)]
        monitor.post({"timestamps": years, "values": list(range(11))})
        assert len(monitor.get("/forecast?horizon=4")["median"]) == 4
        response = api.request("GET", f"{monitor.path}/forecast?horizon=5")
        assert "at most 4" in error_of(response, 400)["details"]["issue"]

    def test_an_unknown_monitor_is_404(self, api: Api) -> None:
        assert api.request("GET", "/monitors/nothing/forecast").status_code == 404


class TestSettings:
    def test_a_limit_is_shown_and_reset_by_a_put_without_it(self, api: Api) -> None:
        monitor = Monitor.create(api, limit={"lower": 2.5, "horizon": 12, "probability": 0.5})
        assert monitor.get()["limit"] == {
            "upper": None,
            "lower": 2.5,
            "horizon": 12,
            "probability": 0.5,
        }
        assert monitor.put().get_json()["limit"] is None

    @pytest.mark.parametrize(
        ("limit", "field"),
        [
            ({}, "limit.upper"),
            ({"upper": None}, "limit.upper"),
            ({"upper": 1, "lower": 1}, "limit.lower"),
            ({"upper": "95"}, "limit.upper"),
            ({"upper": 1e101}, "limit.upper"),
            ({"upper": 95, "horizon": 0}, "limit.horizon"),
            ({"upper": 95, "horizon": 1001}, "limit.horizon"),
            ({"upper": 95, "probability": 1}, "limit.probability"),
            ({"upper": 95, "steps": 3}, "limit.steps"),
            (95, "limit"),
        ],
    )
    def test_a_wrong_limit_is_400_that_names_the_part(
        self, api: Api, limit: object, field: str
    ) -> None:
        response = Monitor(api, "wrong").put(limit=limit)
        assert error_of(response, 400)["details"]["field"] == field


class TestEvents:
    def test_a_disk_that_fills_steadily_is_announced_half_the_horizon_ahead(
        self, api: Api, replay: Replay
    ) -> None:
        values = filling(CROSSING + 15)
        crossing = next(index for index, value in enumerate(values) if value > 95)
        first = crossing - HORIZON - 12  # before it may be announced
        replay.at(first)
        monitor = filling_disk(api, first, limit=LIMIT)
        seen = replay.run(monitor, values[first:], first)
        assert [state for _, state in seen] == [
            ("limit_ahead", None),
            ("limit_ahead", "reached"),
            ("limit_reached", None),
        ]
        assert crossing - HORIZON - 8 < seen[0][0] <= crossing - HORIZON // 2
        assert {index for index, _ in seen[1:]} == {crossing}
        ahead, reached = sorted(events_about_limits(monitor), key=lambda event: event["id"])
        assert (ahead["direction"], ahead["is_alert"], ahead["deviation"]) == ("up", True, None)
        assert ahead["severity"] >= 80
        expected = dt.datetime.fromisoformat(ahead["reached_at"]).replace(tzinfo=None)
        assert abs(expected - (START + crossing * STEP)) < 8 * STEP
        assert (reached["peak_timestamp"], reached["severity"]) == (timestamp(crossing), 100)
        messages = monitor.get("/deliveries")["deliveries"][::-1]
        assert [(message["event_id"], message["type"]) for message in messages] == [
            (ahead["id"], OPENED),
            (ahead["id"], CLOSED),
            (reached["id"], OPENED),
        ]

    def test_a_disk_that_does_not_fill_has_no_limit_event(self, api: Api, replay: Replay) -> None:
        values = filling(POINTS + 120, per_step=0)
        replay.at(POINTS)
        monitor = Monitor.create(api, limit={"upper": 60, "lower": 20, "horizon": HORIZON})
        monitor.append(values[:POINTS])
        assert replay.run(monitor, values[POINTS:], POINTS) == []

    def test_an_announcement_ends_once_the_disk_was_cleaned_up(
        self, api: Api, replay: Replay
    ) -> None:
        monitor = filling_disk(api, limit=LIMIT)
        replay.at(POINTS)
        evaluate_limits()
        (opened,) = events_about_limits(monitor)
        assert opened["closed_as"] is None
        seen = replay.run(monitor, filling(60, per_step=0), POINTS)
        assert [state for _, state in seen] == [("limit_ahead", None), ("limit_ahead", "ended")]

    def test_two_values_back_within_the_limit_end_the_event(self, api: Api, replay: Replay) -> None:
        monitor = Monitor.create(api, limit={"upper": 60, "horizon": 12})
        replay.at(50)
        monitor.append([*filling(50, per_step=0), 61.0])
        evaluate_limits()
        assert [event["kind"] for event in events_about_limits(monitor)] == ["limit_reached"]
        seen = replay.run(monitor, [40.0, 61.0, 40.0, 40.1, 40.0], 51)
        assert [(index, closed) for index, (_, closed) in seen] == [(51, None), (54, "ended")]

    def test_a_limit_that_is_reached_on_the_other_side_was_not_the_one_announced(
        self, api: Api, replay: Replay
    ) -> None:
        monitor = filling_disk(api, limit={**LIMIT, "lower": 20})
        replay.at(POINTS)
        evaluate_limits()
        replay.run(monitor, [10.0], POINTS)
        ahead, reached = sorted(events_about_limits(monitor), key=lambda event: event["id"])
        assert (ahead["direction"], ahead["closed_as"]) == ("up", "ended")
        assert (reached["kind"], reached["direction"]) == ("limit_reached", "down")

    def test_the_alert_severity_decides_which_probability_is_an_alert(
        self, api: Api, replay: Replay
    ) -> None:
        limit = {"upper": 95, "horizon": 12, "probability": 0.01}
        monitor = filling_disk(api, alert_severity=100, limit=limit)
        replay.at(POINTS)
        evaluate_limits()
        events = events_about_limits(monitor)
        assert [event["is_alert"] for event in events] == [False] * len(events)
        assert monitor.get("/deliveries")["deliveries"] == []

    def test_a_muted_monitor_sends_its_announcement_when_that_ends(
        self, api: Api, replay: Replay
    ) -> None:
        monitor = filling_disk(api, limit=LIMIT, muted_until="2199-01-01T00:00:00Z")
        replay.at(POINTS)
        evaluate_limits()
        assert len(events_about_limits(monitor)) == 1
        assert monitor.get("/deliveries")["deliveries"] == []

    def test_a_limit_that_is_removed_ends_its_event_and_costs_nothing(
        self, api: Api, replay: Replay
    ) -> None:
        monitor = filling_disk(api, limit=LIMIT)
        replay.at(POINTS)
        evaluate_limits()
        assert monitor.put(webhook="ops").status_code == 200
        evaluate_limits()
        (event,) = events_about_limits(monitor)
        assert event["closed_as"] == "ended"

    def test_without_a_new_point_nothing_is_forecast_again(
        self, api: Api, replay: Replay, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        read: list[str] = []

        def read_history(account_id: int, name: str) -> StoredHistory:
            read.append(name)
            return stored_history.read_history(account_id, name)

        monkeypatch.setattr(limit_events, "read_history", read_history)
        monitor = filling_disk(api, limit=LIMIT)
        for index in (POINTS, POINTS + 500, POINTS + 1_000):
            replay.at(index)
            evaluate_limits()
        assert read.count(monitor.name) == 1
        monitor.append([90.0], POINTS)
        replay.at(POINTS + 1_001)
        evaluate_limits()
        assert read.count(monitor.name) == 2

    def test_prometheus_gets_the_time_when_the_limit_is_reached(
        self, api: Api, replay: Replay
    ) -> None:
        monitor = filling_disk(api, limit=LIMIT)
        replay.at(POINTS)
        evaluate_limits()
        text = api.request("GET", "/metrics/monitors").get_data(as_text=True)
        lines = dict(line.rsplit(" ", 1) for line in text.splitlines() if monitor.name in line)
        label = f'{{monitor="{monitor.name}"}}'
        assert float(lines[f"forecast_monitor_limit_probability{label}"]) > 0.8
        moment = float(lines[f"forecast_monitor_limit_reached_timestamp_seconds{label}"])
        crossing = (START + CROSSING * STEP).replace(tzinfo=dt.UTC).timestamp()
        assert abs(moment - crossing) < 8 * STEP.total_seconds()
