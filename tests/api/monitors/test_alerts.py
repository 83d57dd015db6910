"""Alerts over HTTP: the events that are sent, mutes, and the reasons for learning."""

import dataclasses
from typing import Any

import pytest

from app.anomalies.streaming.detector import StreamDetector
from app.core.instruments import REGISTRY
from tests.support.api import Api
from tests.support.monitors import LEARNED, Monitor, noise_at_100

RELEARNED = "forecast_monitor_relearned_total"
OPENED, CLOSED = "event.opened", "event.closed"
# An incident that grows: small when it is detected, then worse and worse.
GROWING = [105.0, 105.0, 106.0, 108.0, 112.0, 118.0, 126.0, 140.0, 160.0, 190.0]
INCIDENTS = [*GROWING, *noise_at_100(60, seed=3), 160.0, *noise_at_100(60, seed=4), *[130.0] * 60]


def learned_monitor(api: Api, **settings: Any) -> Monitor:
    """Return a monitor with a webhook that has learned a level of 100 from ``LEARNED`` points."""
    monitor = Monitor.create_with_webhook(api, **settings)
    monitor.append(noise_at_100(LEARNED))
    return monitor


def messages_sent(monitor: Monitor) -> list[tuple[int, str]]:
    """Return the event and the type of each message to the webhook, oldest first."""
    messages = monitor.get("/deliveries")["deliveries"][::-1]
    return [(message["event_id"], message["type"]) for message in messages]


def events(monitor: Monitor) -> list[dict[str, Any]]:
    response: list[dict[str, Any]] = monitor.get("/events")["events"]
    return response


class TestThresholds:
    def test_the_deviation_is_that_of_the_value_at_the_peak(self, api: Api) -> None:
        monitor = learned_monitor(api)
        monitor.append(INCIDENTS, LEARNED)
        points = monitor.get("/points?order=desc&limit=1000")["points"]
        away = {point["timestamp"]: abs(point["value"] - point["expected"]) for point in points}
        for event in events(monitor):
            end = event["end"] or points[0]["timestamp"]
            within = [far for time, far in away.items() if event["start"] <= time <= end]
            assert event["deviation"] == away[event["peak_timestamp"]] == max(within) > 0

    def test_a_deviation_is_an_alert_once_it_has_lasted_long_enough(self, api: Api) -> None:
        short, long = (learned_monitor(api, alert_for=3) for _ in range(2))
        for index in range(3):
            long.append([160.0], LEARNED + index)
            assert [type_ for _, type_ in messages_sent(long)] == [OPENED] * (index >= 2)
        short.append([160.0, *noise_at_100(60, seed=3)], LEARNED)
        assert [event["is_alert"] for event in events(short)] == [False]
        assert messages_sent(short) == []

    @pytest.mark.parametrize(("share", "is_alert"), [(0.5, True), (0.7, False)])
    def test_a_deviation_is_compared_with_a_share_of_the_expected_value(
        self, api: Api, share: float, is_alert: bool
    ) -> None:
        monitor = learned_monitor(api, alert_min_relative=share)
        monitor.append([160.0], LEARNED)  # about 60 % above 100
        monitor.append(noise_at_100(60, seed=3), LEARNED + 1)
        assert [event["is_alert"] for event in events(monitor)] == [is_alert]

    def test_changed_thresholds_hold_from_the_next_point_on(self, api: Api) -> None:
        monitor = learned_monitor(api, alert_severity=100)
        monitor.append([160.0], LEARNED)
        assert monitor.put(webhook="ops", alert_severity=1).status_code == 200
        assert messages_sent(monitor) == []
        monitor.append([160.0], LEARNED + 1)
        assert [type_ for _, type_ in messages_sent(monitor)] == [OPENED]
        assert monitor.put(webhook="ops", alert_severity=100).status_code == 200
        monitor.append(noise_at_100(60, seed=3), LEARNED + 2)
        assert [type_ for _, type_ in messages_sent(monitor)] == [OPENED, CLOSED]


class TestReasons:
    """Why a monitor is learning."""

    def test_a_new_monitor_learns_because_it_is_new(self, api: Api) -> None:
        monitor = Monitor.create(api)
        assert (monitor.get()["state"], monitor.get()["reason"]) == ("learning", "new")
        assert monitor.append([1.0])["reason"] == "new"
        listed = api.request("GET", "/monitors").get_json()["monitors"]
        assert monitor.get() in listed

    def test_one_that_has_learned_has_no_reason(self, api: Api) -> None:
        monitor = Monitor.create(api)
        assert monitor.append(noise_at_100(LEARNED))["reason"] is None
        assert monitor.get()["reason"] is None

    def test_one_that_missed_two_seasons_says_so(self, api: Api) -> None:
        monitor = Monitor.create(api)
        monitor.append(noise_at_100(LEARNED))
        result = monitor.append([100.0], LEARNED + 10_000)
        assert (result["state"], result["reason"]) == ("learning", "gap")
        assert monitor.append([100.0], LEARNED + 10_001)["reason"] == "gap"
        assert monitor.get()["reason"] == "gap"
        assert monitor.put().get_json()["reason"] == "gap"

    def test_one_whose_series_has_changed_for_good_says_so_and_is_counted(
        self, api: Api, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monitor = Monitor.create(api)
        monitor.append(noise_at_100(LEARNED))
        judge = StreamDetector.update
        before = REGISTRY.get_sample_value(RELEARNED)

        def relearn(*arguments: Any) -> Any:
            return dataclasses.replace(judge(*arguments), needs_relearning=True)

        with monkeypatch.context() as patch:
            patch.setattr(StreamDetector, "update", relearn)
            result = monitor.append([100.0], LEARNED)
        assert (result["state"], result["reason"]) == ("learning", "changed")
        assert (monitor.get()["state"], monitor.get()["reason"]) == ("learning", "changed")
        assert REGISTRY.get_sample_value(RELEARNED) == before + 1
        result = monitor.append([100.0], LEARNED + 1)
        assert (result["state"], result["reason"]) == ("normal", None)

    def test_an_event_hides_it_as_the_state_does(self, api: Api) -> None:
        monitor = Monitor.create(api)
        monitor.append(noise_at_100(LEARNED))
        assert monitor.append([160.0], LEARNED)["reason"] is None
        assert (monitor.get()["state"], monitor.get()["reason"]) == ("anomalous", None)
