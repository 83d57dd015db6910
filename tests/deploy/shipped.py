"""The rules and dashboards that the service ships."""

import re

import orjson
import yaml

from tests.support.server import ROOT

RULES = ROOT / "deploy" / "prometheus" / "alerts.yml"
NAMES = re.compile(r"\bforecast_[a-z_]+")
DASHBOARDS = {
    name: orjson.loads((ROOT / "deploy" / "grafana" / f"{name}.json").read_text())
    for name in ("forecast-service", "forecast-monitors")
}


def rules() -> dict[str, str]:
    """Return the alerts and their expressions."""
    groups = yaml.safe_load(RULES.read_text())["groups"]
    results = [(rule["alert"], rule["expr"]) for group in groups for rule in group["rules"]]
    assert len(results) == len(dict(results))
    return dict(results)


def queries_of(dashboard: str) -> dict[str, str]:
    """Return the queries of a dashboard of Grafana, by their panel's title and their letter."""
    return {
        f"{panel['title']} {target['refId']}": target["expr"]
        for panel in DASHBOARDS[dashboard]["panels"]
        for target in panel.get("targets", [])
    }
