"""The SQL database: one engine for keys, usage and counters, with SQLite or PostgreSQL."""

from app.core.database.base import Base, UtcDateTime, iso_string, moment_of, utcnow
from app.core.database.engine import db, engine_options, init_database, prepare_engine

__all__ = [
    "Base",
    "UtcDateTime",
    "db",
    "engine_options",
    "init_database",
    "iso_string",
    "moment_of",
    "prepare_engine",
    "utcnow",
]
