"""The SQL database: one engine for keys, usage and counters, with SQLite or PostgreSQL."""

from app.core.database.base import Base, UtcDateTime, aware_datetime, iso_string, utcnow
from app.core.database.engine import db, engine_options, init_database, prepare_engine

__all__ = [
    "Base",
    "UtcDateTime",
    "aware_datetime",
    "db",
    "engine_options",
    "init_database",
    "iso_string",
    "prepare_engine",
    "utcnow",
]
