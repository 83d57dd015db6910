"""The blueprints of the API; one row for each folder of endpoints."""

from app.api import (
    anomalies,
    backtest,
    forecast,
    health,
    keys,
    monitors,
    read,
    sources,
    usage,
    verify,
    webhooks,
)
from app.ops import metrics

BLUEPRINTS = (
    forecast.blueprint,
    backtest.blueprint,
    anomalies.blueprint,
    read.blueprint,
    monitors.blueprint,
    webhooks.blueprint,
    sources.blueprint,
    keys.blueprint,
    usage.blueprint,
    verify.blueprint,
    health.blueprint,
    metrics.blueprint,
)
UNCOUNTED = (health.blueprint.name, metrics.blueprint.name)
"""Those that take no key and count against no limit."""
