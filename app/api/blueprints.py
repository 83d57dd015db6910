"""The blueprints of the API; one row for each folder of endpoints."""

from app.api import anomalies, forecast, health, metrics, verify

BLUEPRINTS = (
    forecast.blueprint,
    anomalies.blueprint,
    verify.blueprint,
    health.blueprint,
    metrics.blueprint,
)
UNCOUNTED = (health.blueprint.name, metrics.blueprint.name)
"""Those that take no key and count against no limit."""
