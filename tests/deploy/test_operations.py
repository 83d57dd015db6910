"""The page on metrics and alerts names what the service has: no more, no less."""

import io
import logging
import re

import orjson
import pytest
import yaml
from flask import Flask
from prometheus_client import Metric

from app.core.instruments import REGISTRY
from app.watching.monitors.settings.states import STATE_NUMBERS, State
from tests.deploy.shipped import DASHBOARDS, NAMES, queries_of, rules
from tests.support.api import Api
from tests.support.server import ROOT

PAGE = (ROOT / "docs" / "running" / "metrics-and-alerts.md").read_text()
DEFAULT_INTERVAL = 60  # Prometheus', in seconds
DASHBOARD = DASHBOARDS["forecast-service"]


def labels(stored: list[Metric]) -> dict[str, set[str]]:
    """Return the labels of each metric, by the name that its table shows."""
    results = {metric.name: set(metric.samples[0].labels) for metric in stored}
    for metric in REGISTRY._collector_to_names:  # the library has no public list
        name = metric._name + ("_total" if metric._type == "counter" else "")
        results[name] = set(metric._labelnames)
    return results


def scrape_configuration() -> dict:
    """Return the part of Prometheus' configuration that the page shows."""
    return yaml.safe_load(PAGE.split("```yaml\n")[1].split("```")[0])


def seconds(duration: str) -> int:
    """Return a duration as Prometheus writes it."""
    return int(duration[:-1]) * {"s": 1, "m": 60, "h": 3600, "d": 86_400}[duration[-1]]


def test_the_table_of_metrics_is_that_of_the_code_with_its_labels(
    database_metrics: list[Metric],
) -> None:
    rows = re.findall(r"^\| `(forecast_\w+)` \| ([^|]+) \|", PAGE, re.MULTILINE)
    assert {name: set(re.findall("`([a-z_]+)`", kind)) for name, kind in rows} == labels(
        database_metrics
    )
    kinds = {family.name: family.type for family in [*REGISTRY.collect(), *database_metrics]}
    for name, kind in rows:
        assert kind.startswith(kinds[name.removesuffix("_total")])


@pytest.mark.parametrize(("alert", "expression"), rules().items())
def test_an_alert_asks_for_metrics_that_exist(
    alert: str, expression: str, samples: set[str]
) -> None:
    assert set(NAMES.findall(expression)) <= samples


@pytest.mark.parametrize(
    "query", queries_of("forecast-service").values(), ids=queries_of("forecast-service")
)
def test_a_panel_of_the_dashboard_asks_for_metrics_that_exist(
    query: str, samples: set[str]
) -> None:
    assert set(NAMES.findall(query)) <= samples
    assert NAMES.search(query)


def test_the_dashboard_shows_sources_their_lag_and_how_many_monitors_are_absent() -> None:
    queries = queries_of("forecast-service").values()
    assert any("forecast_source_state" in query for query in queries)
    assert any("forecast_source_lag_seconds" in query for query in queries)
    absent = f"forecast_monitor_state) == {STATE_NUMBERS[State.ABSENT]}"
    assert any(absent in query for query in queries)


def test_the_panels_of_the_dashboard_lie_beside_each_other() -> None:
    taken = [
        (x, y)
        for panel in DASHBOARD["panels"]
        for place in [panel["gridPos"]]
        for x in range(place["x"], place["x"] + place["w"])
        for y in range(place["y"], place["y"] + place["h"])
    ]
    assert len(taken) == len(set(taken))
    assert all(x < 24 for x, _ in taken)
    assert len({panel["id"] for panel in DASHBOARD["panels"]}) == len(DASHBOARD["panels"])


@pytest.mark.parametrize("expression", rules().values(), ids=rules())
def test_the_window_of_an_alert_holds_several_scrapes_also_at_the_default_interval(
    expression: str,
) -> None:
    """A rise is seen between two scrapes; a window that holds only one never shows any."""
    windows = re.findall(r"\[(\w+)\]", expression)
    assert all(seconds(window) >= 4 * DEFAULT_INTERVAL for window in windows)


def test_the_page_scrapes_often_and_reads_the_alerts() -> None:
    (job,) = scrape_configuration()["scrape_configs"]
    assert f'job="{job["job_name"]}"' in rules()["ForecastServiceDown"]
    assert seconds(job["scrape_interval"]) < DEFAULT_INTERVAL
    assert scrape_configuration()["rule_files"] == ["alerts.yml"]


def test_the_queries_of_the_page_ask_for_metrics_that_exist(samples: set[str]) -> None:
    queries = re.findall(r"^\| [^|]+ \| `(.*)`", PAGE.split("first dashboard")[1], re.MULTILINE)
    asked = {name for query in queries for name in NAMES.findall(query)}
    assert len(asked) > 4
    assert asked <= samples


@pytest.mark.parametrize("alert", rules())
def test_the_page_says_under_the_name_of_an_alert_what_to_do(alert: str) -> None:
    assert f"\n### {alert}\n\n" in PAGE


def test_the_page_explains_no_alert_that_is_gone() -> None:
    assert set(re.findall(r"^### (Forecast\w+)$", PAGE, re.MULTILINE)) == set(rules())


def test_every_field_of_a_requests_line_is_explained(app: Flask) -> None:
    (handler,) = (h for h in logging.getLogger().handlers if type(h) is logging.StreamHandler)
    stream = io.StringIO()
    before = handler.setStream(stream)
    Api(app).verify()
    handler.setStream(before)
    line = orjson.loads(stream.getvalue().splitlines()[-1])
    table = PAGE.split("| Field | Meaning |")[1].split("```")[0]
    explained = {
        name
        for row in re.findall(r"^\| (`.*?`) \|", table, re.MULTILINE)
        for name in row.split("`")
    }
    assert set(line) - {"time", "level", "logger", "message"} == explained - {"", ", "}
