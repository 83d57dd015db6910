"""The life of a monitor over HTTP, on both databases: created, fed, alerting, reset, deleted."""

from collections.abc import Callable

import pytest
from flask import Flask

from tests.support.api import Api, error_of
from tests.support.monitors import HOOK, LEARNED, Monitor, noise_at_100, points, timestamp

pytestmark = pytest.mark.usefixtures("each_database")


def test_a_monitor_learns_judges_notifies_and_is_deleted(
    app: Flask, make_key: Callable[..., str]
) -> None:
    api = Api(app, make_key("read", "write", "delete"))
    assert api.send("PUT", "/webhooks/ops", {"url": HOOK}).status_code == 201
    monitor = Monitor(api, "latency")
    response = monitor.put(direction="up", webhook="ops", series=[points(noise_at_100(LEARNED))])
    assert response.status_code == 201

    appended = monitor.append([170.0, 171.0, 170.0], LEARNED)
    assert appended["is_anomaly"] == [True] * 3
    assert appended["state"] == monitor.get()["state"] == "anomalous"
    assert monitor.append([170.0], LEARNED)["status"] == ["duplicate"]
    monitor.append(noise_at_100(60, seed=3), LEARNED + 3)
    assert monitor.get()["state"] == "normal"
    error_of(monitor.post(points([1.0, 2.0, None], LEARNED + 63)), 422)

    response = monitor.get()
    assert response["points"] == LEARNED + 63
    assert response["last_point"]["timestamp"] == timestamp(LEARNED + 62)
    graded = response["quality"]
    assert (graded["judged"], graded["promised"]) == (63, 0.999)
    assert graded["inside"] < 1
    page = monitor.get(f"/points?after={LEARNED - 1}&limit=3")["points"]
    assert [point["value"] for point in page] == [170.0, 171.0, 170.0]
    events = monitor.get("/events")["events"]
    assert all(event["closed_as"] for event in events)
    response = monitor.get("/deliveries")["deliveries"]
    assert {delivery["event_id"] for delivery in response} == {event["id"] for event in events}

    assert api.request("DELETE", monitor.path).status_code == 204
    assert api.request("GET", "/monitors").get_json() == {"monitors": []}
