"""GET /metrics/monitors: what Prometheus scrapes."""

import json
import re

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.support.api import Api, error_of
from tests.support.server import ROOT
from tests.watching.monitors.feeding import make, send, waves
from tests.watching.sources.source_queries import (
    HISTORY,
    STEP,
    calm_value,
    fill_calm_query,
    first_step,
    make_query,
    monitors,
    poll,
)

STRANGE = {"path": 'a"b\\c\nd', "script": "<script>alert(1)</script>", "query": "own"}


@pytest.fixture
def caller(app, key):
    return Api(app, key)


def scrape(caller):
    response = caller.request("GET", "/metrics/monitors")
    assert (response.status_code, response.mimetype) == (200, "text/plain")
    families = text_string_to_metric_families(response.text)
    return {family.name: family.samples for family in families}


def test_a_fed_monitor_has_the_labels_of_its_series_and_the_time_of_its_point(server, now, caller):
    server.add_series(calm_value, **STRANGE)
    make_query()
    poll(now, steps=1)
    (monitor,) = monitors()
    families = scrape(caller)
    (value,) = families["forecast_monitor_value"]
    assert value.labels == {
        "path": STRANGE["path"],
        "script": STRANGE["script"],
        "exported_query": "own",
        "query": "rate",
        "monitor": monitor.name,
    }
    assert value.timestamp == first_step(now)
    assert value.value == pytest.approx(calm_value(first_step(now)))
    numbers = {name: samples[0].value for name, samples in families.items()}
    bounds = [numbers[f"forecast_monitor_{name}"] for name in ("lower", "expected", "upper")]
    assert bounds == sorted(bounds)
    (state,) = families["forecast_monitor_state"]
    assert (state.value, state.timestamp) == (1, None)
    assert numbers["forecast_monitor_event_severity"] == 0


def test_an_open_event_has_its_severity_and_an_absent_series_no_point(server, now, caller) -> None:
    started = []
    server.add_series(lambda at: 500.0 if started and at >= started[0] else calm_value(at))
    server.add_series(calm_value, pod="other")
    make_query()
    poll(now, steps=1)
    started.append(first_step(now) + STEP)
    poll(now, steps=1)
    samples = scrape(caller)
    severities = {
        sample.labels["monitor"]: sample.value
        for sample in samples["forecast_monitor_event_severity"]
    }
    assert severities["rate"] > 50
    del server.series['{"pod": "other"}']
    poll(now, steps=7)
    states = {
        sample.labels["monitor"]: sample.value
        for sample in scrape(caller)["forecast_monitor_state"]
    }
    assert sorted(states.values()) == [2, 4]
    assert [sample.labels["monitor"] for sample in scrape(caller)["forecast_monitor_value"]] == [
        "rate"
    ]


def test_other_monitors_are_shown_by_name_and_learning_ones_without_a_band(now, caller) -> None:
    make("cpu")
    send(range(13), waves(13), name="cpu")
    make("new")
    samples = scrape(caller)
    assert {sample.labels["monitor"] for sample in samples["forecast_monitor_state"]} == {
        "cpu",
        "new",
    }
    assert [sample.labels for sample in samples["forecast_monitor_value"]] == [{"monitor": "cpu"}]
    assert samples["forecast_monitor_lower"] == samples["forecast_monitor_anomaly"] == []
    now.move(hours=2)
    assert scrape(caller)["forecast_monitor_value"] == []


def test_grafana_s_dashboard_asks_for_what_is_shown(server, now, caller) -> None:
    server.add_series(calm_value)
    make_query()
    poll(now, steps=1)
    dashboard = json.loads((ROOT / "deploy" / "grafana" / "forecast-monitors.json").read_text())
    asked = json.dumps(dashboard)
    names = set(re.findall(r"forecast_monitor_[a-z_]+", asked))
    assert len(names) > 5
    assert names <= set(scrape(caller))


def test_only_a_key_that_may_read_sees_the_monitors_of_its_account(app, make_key, caller, server):
    fill_calm_query(server, history=HISTORY)
    error_of(Api(app).request("GET", "/metrics/monitors"), 401)
    error_of(Api(app, make_key("write")).request("GET", "/metrics/monitors"), 403)
    before = caller.request("GET", "/metrics/monitors")
    after = caller.request("GET", "/metrics/monitors")
    left = [int(sample.headers["X-RateLimit-Remaining"]) for sample in (before, after)]
    assert left[0] - left[1] == 1
