"""The SQL database: one engine for keys, usage and counters, with SQLite or PostgreSQL."""

from app.core.database.base import Base, UtcDateTime, aware_datetime, iso_string, utcnow
from app.core.database.engine import Database, db, engine_options, open_database, prepare_engine

__all__ = [
    "Base", "Database", "UtcDateTime", "aware_datetime", "db", "engine_options", "iso_string",
    "open_database", "prepare_engine", "utcnow",
]  # fmt: skip
