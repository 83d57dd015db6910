"""The blueprints of the API; one row for each folder of endpoints."""

from app.api import (
    anomalies,
    backtest,
    explain,
    forecast,
    health,
    keys,
    monitors,
    read,
    sources,
    tables,
    usage,
    verify,
    webhooks,
)

BLUEPRINTS = (
    forecast.blueprint,
    explain.blueprint,
    backtest.blueprint,
    anomalies.blueprint,
    read.blueprint,
    tables.blueprint,
    monitors.blueprint,
    webhooks.blueprint,
    sources.blueprint,
    keys.blueprint,
    usage.blueprint,
    verify.blueprint,
    health.blueprint,
)
