"""The blueprints of the API; one row for each folder of endpoints."""

from app.api.anomalies.routes import blueprint as anomalies
from app.api.backtest.routes import blueprint as backtest
from app.api.explain.routes import blueprint as explain
from app.api.forecast.routes import blueprint as forecast
from app.api.health.routes import blueprint as health
from app.api.keys import blueprint as keys
from app.api.monitors import blueprint as monitors
from app.api.read.routes import blueprint as read
from app.api.sources import blueprint as sources
from app.api.tables.routes import blueprint as tables
from app.api.usage.routes import blueprint as usage
from app.api.verify.routes import blueprint as verify
from app.api.webhooks import blueprint as webhooks

BLUEPRINTS = (
    forecast, explain, backtest, anomalies, read, tables, monitors,
    webhooks, sources, keys, usage, verify, health,
)  # fmt: skip
