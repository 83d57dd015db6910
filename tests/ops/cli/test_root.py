"""Commands that run as root in a folder of another user, who swaps files for links meanwhile."""

import contextlib
import os
import shutil
import sqlite3

import pytest

from app import create_app
from app.core.database import db
from app.core.database.revisions import known_revisions
from app.ops.settings_file import replace_value
from app.ops.setup.machine import Machine
from tests.support.cli import attempt, run
from tests.support.other_user import UID, as_root, shared_machine, swap_for_links

pytestmark = as_root
TRIES = 20
DATABASE = "forecast.db"
DATABASE_FILES = [f"{DATABASE}{ending}" for ending in (".new", "-wal", "-shm", ".new-wal", "")]
LINE = "DATABASE_URL=sqlite:////x.db\n"


@pytest.fixture
def machine():
    with shared_machine() as shared:
        yield shared


@pytest.fixture
def app_of(machine, sqlite_databases):
    """An application whose database is the stranger's."""

    def put() -> None:
        for path in machine.home.iterdir():
            path.unlink(missing_ok=True)
        fresh = machine.home.parent / DATABASE
        shutil.copy(sqlite_databases.template, fresh)
        os.chown(fresh, UID, UID)
        fresh.rename(machine.home / DATABASE)  # which follows no link

    put()
    app = create_app(database_url=f"sqlite:///{machine.home / DATABASE}")
    with app.app_context():
        db.engine.dispose()
    return app, put


@pytest.fixture
def copy(machine, sqlite_databases):
    copy = machine.home.parent / "copy.db"
    shutil.copy(sqlite_databases.template, copy)
    with sqlite3.connect(copy) as database:
        database.execute("PRAGMA journal_mode=DELETE")
    database.close()
    return copy


@pytest.fixture(autouse=True)
def quick_migration(monkeypatch) -> None:
    """Of no copy: what a migration does, it does as the user that the test is about.

    That user may not read a checkout in root's home, so the revisions are read before.
    """
    known_revisions()
    monkeypatch.setattr("app.ops.cli.restore.make_migrator", lambda *_words: lambda _url: None)


def make_by_setup(path) -> None:
    Machine(path.parent).write(path.name, LINE, 0o640)


def make_by_restore(path) -> None:
    replace_value(path, "DATABASE_URL", "sqlite:////x.db")


@pytest.mark.parametrize("names", [DATABASE_FILES[:1], DATABASE_FILES])
def test_a_restore_writes_and_gives_away_nothing_elsewhere(machine, app_of, copy, names) -> None:
    app, put = app_of
    with swap_for_links(machine, names):
        for _ in range(TRIES):
            attempt(app, "backups", "restore", str(copy))
            machine.assert_unharmed()
    put()
    run(app, "backups", "restore", str(copy))
    assert {path.stat().st_uid for path in machine.home.iterdir()} == {UID}


def test_a_copy_is_written_nowhere_else(machine, app_of) -> None:
    app, put = app_of
    with swap_for_links(machine):
        for _ in range(TRIES):
            attempt(app, "backups", "create", str(machine.home), "--keep", "1")
            machine.assert_unharmed()
            put()
    put()
    run(app, "backups", "create", str(machine.home))
    assert {path.stat().st_uid for path in machine.home.iterdir()} == {UID}


def test_everything_is_written_nowhere_else(machine, app_of, monkeypatch) -> None:
    app, put = app_of
    settings = machine.home.parent / "environment"
    settings.write_text(LINE)
    settings.chmod(0o644)
    monkeypatch.setenv("FORECAST_SERVICE_SETTINGS", str(settings))
    file = machine.home / "everything.tar"
    with swap_for_links(machine, [file.name, f"{file.name}.part", DATABASE]):
        for _ in range(TRIES):
            attempt(app, "backups", "create", "--everything", str(file))
            machine.assert_unharmed()
            put()
    put()
    run(app, "backups", "create", "--everything", str(file))
    assert file.stat().st_uid == UID
    assert file.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("names", [[".environment.new"], [".environment.new", "environment"]])
@pytest.mark.parametrize("write", [make_by_setup, make_by_restore])
def test_a_settings_file_is_written_nowhere_else_and_gives_nothing_away(
    machine, write, names
) -> None:
    path = machine.home / "environment"
    make_by_setup(path)
    with swap_for_links(machine, names):
        for _ in range(20 * TRIES):
            with contextlib.suppress(OSError):
                write(path)
            machine.assert_unharmed()
    path.unlink(missing_ok=True)
    make_by_setup(path)
    write(path)
    assert path.read_text() == LINE
