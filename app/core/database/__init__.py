"""The SQL database of the service, SQLite or PostgreSQL."""

from app.core.database.base import Base, UtcDateTime, aware_datetime, iso_string, utcnow
from app.core.database.engine import Database, db, make_engine, open_database

__all__ = [
    "Base", "Database", "UtcDateTime", "aware_datetime", "db", "iso_string", "make_engine",
    "open_database", "utcnow",
]  # fmt: skip
