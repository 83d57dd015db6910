"""Alerts over HTTP: which events are sent, what a muted monitor sends, and why one learns."""

import dataclasses
from typing import Any

import pytest

from app.anomalies.streaming.detector import StreamDetector
from app.core.instruments import REGISTRY
from tests.support.api import Api
from tests.support.monitors import LEARNED, Monitor, restless

MUTED = "2099-12-31T00:00:00Z"
RELEARNED = "forecast_monitor_relearned_total"
OPENED, CLOSED = "event.opened", "event.closed"
# An incident that grows: it opens as small as it is found, and is then worse and worse.
GROWING = [105.0, 105.0, 106.0, 108.0, 112.0, 118.0, 126.0, 140.0, 160.0, 190.0]
INCIDENTS = [*GROWING, *restless(60, seed=3), 160.0, *restless(60, seed=4), *[130.0] * 60]


def learned(api: Api, **settings: Any) -> Monitor:
    """Return a monitor with a webhook that has learned a level of 100 from ``LEARNED`` points."""
    monitor = Monitor.create_with_webhook(api, **settings)
    monitor.append(restless(LEARNED))
    return monitor


def sent(monitor: Monitor) -> list[tuple[int, str]]:
    """Return the messages to the webhook, oldest first: about which event, and what they report."""
    messages = monitor.get("/deliveries")["deliveries"][::-1]
    return [(message["event_id"], message["type"]) for message in messages]


def events(monitor: Monitor) -> list[dict[str, Any]]:
    response: list[dict[str, Any]] = monitor.get("/events")["events"]
    return response


class TestThresholds:
    def test_a_large_spike_is_an_alert_at_the_default_and_sent_twice(self, api: Api) -> None:
        monitor = learned(api)
        (opened,) = monitor.append([160.0], LEARNED)["events"]
        assert opened["is_alert"]
        monitor.append(restless(60, seed=3), LEARNED + 1)
        (closed,) = events(monitor)
        assert closed["is_alert"]
        assert sent(monitor) == [(closed["id"], OPENED), (closed["id"], CLOSED)]

    @pytest.mark.parametrize("alerts", [{"alert_severity": 100}, {"alert_min_deviation": 1e6}])
    def test_an_event_that_does_not_reach_both_is_recorded_and_not_sent(
        self, api: Api, alerts: dict[str, float]
    ) -> None:
        monitor = learned(api, **alerts)
        opened = monitor.append([120.0], LEARNED)
        assert [event["is_alert"] for event in opened["events"]] == [False]
        assert opened["state"] == monitor.get()["state"] == "anomalous"
        monitor.append(restless(60, seed=3), LEARNED + 1)
        assert [(event["is_alert"], event["closed_as"]) for event in events(monitor)] == [
            (False, "ended")
        ]
        assert sent(monitor) == []

    def test_without_thresholds_every_event_is_sent(self, api: Api) -> None:
        monitor = learned(api, alert_severity=0, false_alarm_rate=0.05)
        monitor.append(restless(300, seed=9), LEARNED)
        opened = events(monitor)
        assert len(opened) > 1
        assert min(event["severity"] for event in opened) < 50
        assert {event_id for event_id, type_ in sent(monitor) if type_ == OPENED} == {
            event["id"] for event in opened
        }

    def test_the_deviation_is_that_of_the_value_at_the_peak(self, api: Api) -> None:
        monitor = learned(api)
        monitor.append(INCIDENTS, LEARNED)
        points = monitor.get("/points?order=desc&limit=1000")["points"]
        away = {point["timestamp"]: abs(point["value"] - point["expected"]) for point in points}
        for event in events(monitor):
            end = event["end"] or points[0]["timestamp"]
            within = [far for time, far in away.items() if event["start"] <= time <= end]
            assert event["deviation"] == away[event["peak_timestamp"]] == max(within) > 0

    def test_an_event_that_grows_is_sent_by_the_append_in_which_it_suffices(self, api: Api) -> None:
        probe, growth = learned(api), []
        for place, value in enumerate(GROWING):
            probe.append([value], LEARNED + place)
            growth.append(max((event["severity"] for event in events(probe)), default=0))
        opening = next(
            place for place, severity_of_point in enumerate(growth) if severity_of_point > 0
        )
        severity = (growth[opening] + growth[-1]) / 2
        enough = next(
            place for place, severity_of_point in enumerate(growth) if severity_of_point >= severity
        )
        assert enough > opening
        monitor = learned(api, alert_severity=severity)
        cursors = []
        for place, value in enumerate(GROWING):
            appended = monitor.append([value], LEARNED + place)
            cursors += [event["cursor"] for event in events(monitor)]
            assert [type_ for _, type_ in sent(monitor)] == [OPENED] * (place >= enough)
            if place == enough:
                assert [event["is_alert"] for event in appended["events"]] == [True]
        assert len(set(cursors)) == 2, "who reads events by cursor must see that it is an alert"

    def test_a_deviation_is_an_alert_once_it_has_lasted_long_enough(self, api: Api) -> None:
        short, long = (learned(api, alert_for=3) for _ in range(2))
        for place in range(3):
            long.append([160.0], LEARNED + place)
            assert [type_ for _, type_ in sent(long)] == [OPENED] * (place >= 2)
        short.append([160.0, *restless(60, seed=3)], LEARNED)
        assert [event["is_alert"] for event in events(short)] == [False]
        assert sent(short) == []

    @pytest.mark.parametrize(("share", "is_alert"), [(0.5, True), (0.7, False)])
    def test_a_deviation_is_compared_with_a_share_of_the_expected_value(
        self, api: Api, share: float, is_alert: bool
    ) -> None:
        monitor = learned(api, alert_min_relative=share)
        monitor.append([160.0], LEARNED)  # about 60 % above 100
        monitor.append(restless(60, seed=3), LEARNED + 1)
        assert [event["is_alert"] for event in events(monitor)] == [is_alert]

    def test_changed_thresholds_hold_from_the_next_point_on(self, api: Api) -> None:
        monitor = learned(api, alert_severity=100)
        monitor.append([160.0], LEARNED)
        assert monitor.put(webhook="ops", alert_severity=1).status_code == 200
        assert sent(monitor) == []
        monitor.append([160.0], LEARNED + 1)
        assert [type_ for _, type_ in sent(monitor)] == [OPENED]
        assert monitor.put(webhook="ops", alert_severity=100).status_code == 200
        monitor.append(restless(60, seed=3), LEARNED + 2)
        assert [type_ for _, type_ in sent(monitor)] == [OPENED, CLOSED]

    @pytest.mark.parametrize("alerts", [{}, {"alert_severity": 90}, {"alert_min_deviation": 10}])
    def test_the_messages_are_the_same_in_one_request_and_in_many(
        self, api: Api, alerts: dict[str, float]
    ) -> None:
        whole, parts, singly = (learned(api, **alerts) for _ in range(3))
        whole.append(INCIDENTS, LEARNED)
        for monitor, step in ((parts, 7), (singly, 1)):
            for first in range(0, len(INCIDENTS), step):
                monitor.append(INCIDENTS[first : first + step], LEARNED + first)

        def told(monitor: Monitor) -> list[tuple[str, str]]:
            starts = {event["id"]: event["start"] for event in events(monitor)}
            return [(starts[event_id], type_) for event_id, type_ in sent(monitor)]

        assert told(whole) == told(parts) == told(singly) != []


class TestMutes:
    def test_a_muted_monitor_records_and_sends_nothing(self, api: Api) -> None:
        monitor = learned(api, muted_until=MUTED)
        opened = monitor.append([160.0], LEARNED)
        monitor.append(restless(60, seed=3), LEARNED + 1)
        assert [event["id"] for event in events(monitor)] == [opened["events"][0]["id"]]
        assert not events(monitor)[0]["is_alert"]
        assert sent(monitor) == []

    def test_an_event_still_open_after_a_mute_is_sent_with_the_next_point(self, api: Api) -> None:
        monitor = learned(api, muted_until=MUTED)
        monitor.append([160.0], LEARNED)
        assert monitor.put(webhook="ops").get_json()["muted_until"] is None
        (event,) = monitor.append([160.0], LEARNED + 1)["events"]
        assert event["is_alert"]
        assert sent(monitor) == [(event["id"], OPENED)]

    def test_a_mute_in_the_past_mutes_nothing(self, api: Api) -> None:
        monitor = learned(api, muted_until="2026-01-01T00:00:00Z")
        assert monitor.append([160.0], LEARNED)["events"][0]["is_alert"]


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
        assert monitor.append(restless(LEARNED))["reason"] is None
        assert monitor.get()["reason"] is None

    def test_one_that_missed_two_seasons_says_so(self, api: Api) -> None:
        monitor = Monitor.create(api)
        monitor.append(restless(LEARNED))
        result = monitor.append([100.0], LEARNED + 10_000)
        assert (result["state"], result["reason"]) == ("learning", "gap")
        assert monitor.append([100.0], LEARNED + 10_001)["reason"] == "gap"
        assert monitor.get()["reason"] == "gap"
        assert monitor.put().get_json()["reason"] == "gap"

    def test_one_whose_series_has_changed_for_good_says_so_and_is_counted(
        self, api: Api, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monitor = Monitor.create(api)
        monitor.append(restless(LEARNED))
        judge = StreamDetector.update
        before = REGISTRY.get_sample_value(RELEARNED)

        def relearn(*arguments: Any) -> Any:
            return dataclasses.replace(judge(*arguments), relearns=True)

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
        monitor.append(restless(LEARNED))
        assert monitor.append([160.0], LEARNED)["reason"] is None
        assert (monitor.get()["state"], monitor.get()["reason"]) == ("anomalous", None)
