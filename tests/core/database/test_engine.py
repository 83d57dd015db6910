"""A new SQLite file, and the folder made for it, are only their owner's."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask
from flask_migrate import Migrate, upgrade
from sqlalchemy import text

from app.api.service import init_database
from app.core.database import db
from app.core.database.engine import Database
from tests.support.server import ROOT


@pytest.fixture(autouse=True)
def usual_umask() -> Iterator[None]:
    """New files are readable by all, as on most systems."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def test_a_process_without_an_application_says_so() -> None:
    with pytest.raises(RuntimeError, match="this process has no database"):
        Database().engine.connect()


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def application(instance: Path, url: str) -> Flask:
    app = Flask("app", instance_path=str(instance))
    init_database(app, url)
    Migrate(app, db, directory=str(ROOT / "migrations"))
    return app


def test_the_service_makes_its_folder_and_a_migration_the_file_and_log_private(tmp_path) -> None:
    instance = tmp_path / "new" / "instance"
    with application(instance, "sqlite:///forecast.db").app_context():
        upgrade()
        with db.engine.connect() as connection:
            connection.execute(text("SELECT 1"))
            modes = {path.name: mode(path) for path in [instance, *instance.iterdir()]}
        db.engine.dispose()
    files = ["forecast.db", "forecast.db-wal", "forecast.db-shm"]
    assert modes == {"instance": 0o700} | dict.fromkeys(files, 0o600)


def test_an_existing_database_keeps_its_mode(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    file = tmp_path / "forecast.db"
    file.touch(0o640)
    with application(tmp_path, "sqlite:///forecast.db").app_context():
        upgrade()
        db.engine.dispose()
    assert (mode(tmp_path), mode(file)) == (0o755, 0o640)
