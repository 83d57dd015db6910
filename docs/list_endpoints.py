"""Write the tables of endpoints into docs/using/endpoints.md, from their declarations.

``python docs/list_endpoints.py``
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from flask import Flask

from app import create_app
from app.api.endpoints.endpoint import CallCost, Endpoint, endpoints_of
from docs.tables import Table

PAGES = {
    "Forecasting": "quick-start.md",
    "Tables": "tables.md",
    "Anomalies": "anomalies.md",
    "Monitors": "monitors.md",
    "Sources": "prometheus.md",
    "Webhooks": "webhooks.md",
    "Authentication": "quick-start.md#4-check-the-key",
    "Keys": "limits.md#manage-keys-over-http",
    "Usage": "limits.md#usage",
    "Agents": "agents.md",
    "TimeGPT": "migrating-from-timegpt.md",
    "Azure Anomaly Detector": "migrating-from-azure.md",
}
"""The page about the endpoints of each tag, in the order of the tables."""

HEADINGS = {"TimeGPT": "Nixtla's SDK (the API of TimeGPT)"}
"""What the tables call a tag that the pages name otherwise."""

OWN_PAGES = {
    "POST /backtest": "backtests.md",
    "POST /explain": "models.md#what-a-forecast-is-made-of",
    "GET /metrics/monitors": "prometheus.md#bands-in-grafana",
    "GET /monitors/{name}/forecast": "limits-ahead.md#when-will-it-be-reached",
}
"""The pages about some endpoints, where these are not the page of their tag; listed last."""

HEADER = "| Endpoint | Permission | Counts | What it does |\n|---|---|---|---|\n"


def table(app: Flask) -> Table:
    """Return the tables of what is not only rejected, by tag and path."""
    offered = [one for one in endpoints_of(app).values() if one.successes]
    tags = [*PAGES, *sorted({one.tag.name for one in offered} - PAGES.keys())]
    sections = [_section(tag, [one for one in offered if one.tag.name == tag]) for tag in tags]
    return Table("docs/using/endpoints.md", "endpoints", "\n".join(sections))


def _section(tag: str, endpoints: list[Endpoint]) -> str:
    """Return the heading and the table of the endpoints of a tag."""
    page = f" ([how]({PAGES[tag]}))" if tag in PAGES else ""
    ordered = sorted(endpoints, key=lambda one: (one.name in OWN_PAGES, one.path))
    rows = "".join(map(_row, ordered))
    return f"**{HEADINGS.get(tag, tag)}**{page}\n\n{HEADER}{rows}"


def _row(one: Endpoint) -> str:
    """Return the line of an endpoint."""
    permission = f"`{one.permission}`" if one.permission else "any key"
    if one.is_public:
        permission = "none, unless `PUBLIC_DOCS=0`"
    is_free = one.cost in (CallCost.NOTHING, CallCost.READING)
    counts = "by size" if one.time_limit_seconds else "no" if is_free else "yes"
    how = f" ([how]({OWN_PAGES[one.name]}))" if one.name in OWN_PAGES else ""
    return f"| `{one.name}` | {permission} | {counts} | {one.summary}{how} |\n"


if __name__ == "__main__":
    table(create_app()).write()
