"""The metrics that the service exports, as queries name them."""

import pytest
from prometheus_client import Metric
from sqlalchemy import Engine, update

from app import create_app
from app.core.database import db
from app.core.instruments import REGISTRY
from app.ops.metrics.database_metrics import DatabaseMetrics
from app.watching.models.sources import SourceQuery
from app.watching.sources.source_records import QuerySettings, SourceSettings
from tests.delivery.deliveries import add_monitor
from tests.support.databases import SqliteDatabases
from tests.support.keys import ACTOR
from tests.support.watching import put_query, put_source

PROMETHEUS = "https://prometheus.example.com"
SUFFIXES = {"counter": ("_total",), "gauge": ("",), "histogram": ("_bucket", "_count", "_sum")}


@pytest.fixture(scope="module")
def database_metrics(sqlite_databases: SqliteDatabases) -> list[Metric]:
    """The metrics that are read from the database, with a monitor in it."""
    app = create_app(database_url=sqlite_databases.migrated())
    with app.app_context():
        add_monitor(db.engine)
        add_query(db.engine)
        metrics = [*DatabaseMetrics(db.engine, has_monitors=True).collect()]
        db.engine.dispose()
    return metrics


def add_query(engine: Engine) -> None:
    """A query that was read."""
    query_settings = QuerySettings(query="up", step=300)
    put_source(ACTOR, 1, "prod", SourceSettings(PROMETHEUS, None, None, [PROMETHEUS]))
    put_query(ACTOR, 1, "prod", "up", query_settings)
    with engine.begin() as connection:
        connection.execute(update(SourceQuery).values(read_to=0))


@pytest.fixture(scope="module")
def samples(database_metrics: list[Metric]) -> set[str]:
    """All names that queries can ask for."""
    families = [*REGISTRY.collect(), *database_metrics]
    return {family.name + suffix for family in families for suffix in SUFFIXES[family.type]}
