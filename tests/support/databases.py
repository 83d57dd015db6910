"""New, migrated databases: copies of one migrated template."""

import contextlib
import itertools
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from flask import Flask
from flask_migrate import upgrade
from sqlalchemy import MetaData, create_engine, select

from app import create_app
from app.core.database import Base
from app.identity.accounts.models import DEFAULT_ACCOUNT

# Tests of what does not depend on the kind of database.
ON_SQLITE = pytest.mark.parametrize("databases", ["sqlite"], indirect=True)
POSTGRESQL = pytest.param("postgresql", marks=pytest.mark.services)
ON_POSTGRESQL = pytest.mark.parametrize("databases", [POSTGRESQL], indirect=True)

_numbers = itertools.count(1)


@contextlib.contextmanager
def second_application(url: str, **settings: Any) -> Iterator[Flask]:
    """Enter the context of a second application on the database of a running server."""
    app = create_app(
        database_url=normalized_url(url),
        ratelimit_storage_uri="memory://",
        **{"account_dashboard": False} | settings,
    )
    with app.app_context():
        from app.core.database import db

        try:
            yield app
        finally:
            db.engine.dispose()


def dump_values(url: str) -> str:
    """Return all values in the database except the hashes."""
    engine = create_engine(url)
    metadata = MetaData()
    with engine.connect() as connection:
        metadata.reflect(connection)
        lines = [
            str([value for name, value in row._mapping.items() if name != "key_hash"])
            for table in metadata.tables.values()
            for row in connection.execute(select(table))
        ]
    engine.dispose()
    return "\n".join(lines)


def migrate(url: str) -> None:
    """Run all migrations on the database of ``url``."""
    with second_application(url):
        upgrade()


def normalized_url(url: str) -> str:
    """Return the URL as the settings pass it to SQLAlchemy."""
    from app.core.setting_parsers import normalize_database_url

    return normalize_database_url(url)


class SqliteDatabases:
    """Databases as files in one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.template = folder / "template.db"
        migrate(f"sqlite:///{self.template}")

    def empty(self) -> str:
        """Return the URL of an empty database."""
        return f"sqlite:///{self.folder / f'test{next(_numbers)}.db'}"

    def migrated(self) -> str:
        """Return the URL of a new database with the newest schema."""
        url = self.empty()
        shutil.copy(self.template, url.removeprefix("sqlite:///"))
        return url

    @contextlib.contextmanager
    def lend(self) -> Iterator[str]:
        """Yield a migrated database, whose schema the test must not change."""
        yield self.migrated()


class PostgresqlDatabases:
    """Databases of one server."""

    def __init__(self, server: str) -> None:
        self.server = server
        self._spare: list[str] = []
        self._run("CREATE DATABASE template")
        migrate(f"{server}/template")

    def _run(self, statement: str) -> None:
        with psycopg.connect(f"{self.server}/postgres", autocommit=True) as connection:
            connection.execute(statement)

    def _create(self, template: str) -> str:
        name = f"test{next(_numbers)}"
        self._run(f"CREATE DATABASE {name} TEMPLATE {template}")
        return normalized_url(f"{self.server}/{name}")

    def empty(self) -> str:
        """Return the URL of an empty database."""
        return self._create("template0")

    def migrated(self) -> str:
        """Return the URL of a new database with the newest schema."""
        return self._create("template")

    @contextlib.contextmanager
    def lend(self) -> Iterator[str]:
        """Yield a migrated database, whose schema the test must not change.

        It is used again: a new one is 300 files, which take their time, also to be removed.
        """
        url = self._spare.pop() if self._spare else self.migrated()
        yield url
        with psycopg.connect(url.replace("+psycopg", "")) as connection:
            _empty(connection)
            default = "INSERT INTO accounts (name, created_at) VALUES (%s, now())"
            connection.execute(default, [DEFAULT_ACCOUNT])
        self._spare.append(url)


def _empty(connection: psycopg.Connection) -> None:
    """Delete all rows: TRUNCATE would write the files of all tables anew, most of them empty."""
    connection.execute("SET session_replication_role = replica")  # foreign keys are not checked
    is_used = (
        f"SELECT '{name}' WHERE EXISTS (SELECT FROM {name})" for name in Base.metadata.tables
    )
    for (name,) in connection.execute(" UNION ALL ".join(is_used)).fetchall():
        connection.execute(f"DELETE FROM {name}")
    restarts = (
        "SELECT format('ALTER SEQUENCE %I RESTART', sequencename) FROM pg_sequences"
        " WHERE last_value IS NOT NULL"
    )
    for (statement,) in connection.execute(restarts).fetchall():
        connection.execute(statement)
