"""POST /sources/{source}/queries/{query}/trial: its response and errors; it stores nothing."""

import datetime as dt
import ipaddress
import threading
import time
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from flask import Flask

from app.api.examples.recorded import EXAMPLES
from app.watching.sources.backfill import NO_SERIES
from tests.support.api import Api, details_of, error_of, first_defect
from tests.support.fake_prometheus import FakePrometheus, error, fake_prometheus

QUERY_REPLAY = EXAMPLES.responses["query-replay"]

PATH = "/sources/prod/queries/rate/trial"
STEP, DAYS = 3_600, 3
SPIKE_STEPS_AGO = 30
HISTORY = {"query": "rate(x[5m])", "step": STEP, "history": 310, "days": DAYS}
# In steps before now, so that the series have the same shape at any time.
NOISE = np.random.default_rng(0).uniform(0, 2, 400)


@pytest.fixture
def settings() -> dict[str, object]:
    return {"source_allowed_networks": (ipaddress.ip_network("127.0.0.0/8"),)}


@pytest.fixture
def server() -> Iterator[FakePrometheus]:
    with fake_prometheus(time.time) as fake:
        yield fake


@pytest.fixture
def caller(app: Flask, make_key: Callable[..., str], server: FakePrometheus) -> Api:
    caller = Api(app, make_key("read", "write", "delete"))
    assert caller.send("PUT", "/sources/prod", {"url": server.url}).status_code == 201
    return caller


def calm_value(at: int) -> float:
    """Return a calm value."""
    return 100 + float(NOISE[steps_ago(at)])


def value_with_spike(at: int) -> float:
    """Return a value with one spike."""
    return calm_value(at) + (50 if steps_ago(at) == SPIKE_STEPS_AGO else 0)


def steps_ago(at: int) -> int:
    return int(time.time() // STEP) - at // STEP


def test_a_replay_says_which_alerts_there_would_have_been_and_stores_nothing(
    caller: Api, server: FakePrometheus
) -> None:
    server.add_series(value_with_spike, service="shop")
    server.add_series(calm_value, service="calm")
    response = caller.send("POST", PATH, HISTORY)
    assert response.status_code == 200
    body = response.get_json()
    assert body.keys() == QUERY_REPLAY.keys()
    assert (body["series"], body["replayed"], body["alerts"]) == (2, 2, 1)
    start, end = (dt.datetime.fromisoformat(body[name]) for name in ("start", "end"))
    assert end - start == dt.timedelta(days=DAYS) - dt.timedelta(seconds=STEP)
    calm, shop = sorted(body["results"], key=lambda result: result["labels"]["service"])
    assert shop.keys() == QUERY_REPLAY["results"][0].keys()
    assert (calm["alerts"], calm["points"], shop["alerts"]) == (0, DAYS * 24, 1)
    (event,) = (event for event in shop["events"] if event["is_alert"])
    assert event.keys() == QUERY_REPLAY["results"][0]["events"][0].keys()
    assert (event["kind"], event["direction"], event["alerted_at"]) == (
        "spike",
        "up",
        event["start"],
    )
    assert 45 < event["deviation"] < 55
    assert event["severity"] == round(event["severity"], 1)
    error_of(caller.request("GET", "/sources/prod/queries/rate"), 404)
    assert caller.request("GET", "/monitors").get_json()["monitors"] == []


@pytest.mark.parametrize(
    "thresholds",
    [{"alert_severity": 100}, {"alert_min_deviation": 60}, {"alert_for": 5}, {"direction": "down"}],
)
def test_a_threshold_that_the_event_does_not_reach_leaves_no_alert(
    caller: Api, server: FakePrometheus, thresholds: dict[str, object]
) -> None:
    server.add_series(value_with_spike)
    muted = {"muted_until": "2099-01-01T00:00:00Z"}
    assert caller.send("POST", PATH, HISTORY | muted).get_json()["alerts"] == 1
    assert caller.send("POST", PATH, HISTORY | thresholds).get_json()["alerts"] == 0


def test_a_query_that_returns_nothing_has_no_alert_and_a_notice(caller: Api) -> None:
    response = caller.send("POST", PATH, HISTORY)
    body = response.get_json()
    assert (body["series"], body["alerts"], body["results"]) == (0, 0, [])
    assert response.headers["X-Forecast-Notice"] == NO_SERIES


def test_a_replay_of_wrong_settings_names_the_field(caller: Api) -> None:
    for wrong in ({"days": 15}, {"days": 0}, {"step": 7}, {"alert_severity": 101}):
        (name,) = wrong
        assert first_defect(caller.send("POST", PATH, HISTORY | wrong), 422)[0] == name
    assert first_defect(caller.send("POST", PATH, {"query": "up", "day": 3}), 400)[0] == "day"


def test_rejected_queries_and_failing_sources_are_reported_in_the_words_of_the_source(
    caller: Api, server: FakePrometheus
) -> None:
    server.add_series(calm_value)
    server.behave = error(503, "unavailable", "starting up")
    assert "starting up" in details_of(caller.send("POST", PATH, HISTORY), 422)["issue"]
    server.behave = error(400, "bad_data", "1:3: parse error")
    issue = first_defect(caller.send("POST", PATH, HISTORY), 422)[1]
    assert "parse error" in issue


def test_too_many_series_or_points_are_rejected_with_the_bound(
    caller: Api, server: FakePrometheus
) -> None:
    for number in range(6):
        server.add_series(calm_value, n=str(number))
    few = caller.send("POST", PATH, HISTORY | {"max_series": 5})
    assert "6 series, more than the 5" in details_of(few, 422)["issue"]
    long = {"step": 15, "history": 10_000, "days": 14}
    issue = details_of(caller.send("POST", PATH, HISTORY | long), 422)["issue"]
    assert "more than the 500,000 points" in issue
    assert not [path for path, _, _ in server.requests if path.endswith("query_range")]


@pytest.mark.parametrize(
    ("bound", "points"), [("MAX_REPLAYED_POINTS", 800), ("MAX_JUDGED_POINTS", 150)]
)
def test_only_as_many_series_as_may_be_judged_are_replayed(
    caller: Api, server: FakePrometheus, monkeypatch: pytest.MonkeyPatch, bound: str, points: int
) -> None:
    monkeypatch.setattr(f"app.watching.sources.query_replay.{bound}", points)
    monkeypatch.setattr("app.watching.sources.backward_reads.MAX_SAMPLES", 600)  # several requests
    for number in range(4):
        server.add_series(value_with_spike if number == 1 else calm_value, n=str(number))
    body = caller.send("POST", PATH, HISTORY).get_json()
    assert (body["series"], body["replayed"], body["alerts"]) == (4, 2, 1)
    assert [result["labels"]["n"] for result in body["results"]] == ["0", "1"]


def test_an_account_has_one_replay_at_a_time(caller: Api, server: FakePrometheus) -> None:
    started, ended = threading.Event(), threading.Event()

    def hang(handler: object) -> None:
        started.set()
        ended.wait(5)

    server.behave = hang
    first = threading.Thread(target=caller.send, args=("POST", PATH, HISTORY))
    first.start()
    assert started.wait(5)
    response = caller.send("POST", PATH, HISTORY)
    assert "another check or replay" in details_of(response, 503)["issue"]
    assert response.headers["Retry-After"] == "5"
    ended.set()
    first.join()


def test_a_replay_needs_write_and_a_source(
    app: Flask, make_key: Callable[..., str], caller: Api
) -> None:
    error_of(Api(app, make_key("read")).send("POST", PATH, HISTORY), 403)
    error_of(caller.send("POST", "/sources/none/queries/rate/trial", HISTORY), 404)


def test_a_query_with_an_unknown_webhook_is_a_wrong_parameter_as_of_monitors(
    caller: Api, server: FakePrometheus
) -> None:
    server.add_series(calm_value)
    body = {"query": "rate(x[5m])", "webhook": "nobody"}
    rejected = caller.send("PUT", "/sources/prod/queries/rate", body)
    assert first_defect(rejected, 400)[0] == "webhook"
