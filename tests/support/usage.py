"""The usage in the database, and an immediate flush for tests."""

from typing import Any

from flask import Flask
from sqlalchemy import Engine, func, select

from app.api.callers.usage import flusher_of
from app.core.database.engine import Rows
from app.identity.usage.models import UsageHour
from app.identity.usage.tally import UsageModel


def flush(app: Flask) -> Flask:
    """Write the counts of ``app`` to the database and return it."""
    flusher_of(app).flush()
    return app


def rows(engine: Engine, model: UsageModel) -> Rows:
    """Return all rows of a table of usage, in the order of its primary key."""
    table: Any = model.__table__
    with engine.connect() as connection:
        return connection.execute(select(table).order_by(*table.primary_key)).all()


def calls_of(engine: Engine, key_id: int) -> int:
    """Return the calls of a key over all hours."""
    total = select(func.coalesce(func.sum(UsageHour.calls), 0)).where(UsageHour.key_id == key_id)
    with engine.connect() as connection:
        return int(connection.scalar(total) or 0)
