"""`backups restore`: one command, checked before anything is replaced, and the old one is kept."""

import os
import signal
import sqlite3
import stat
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest
from cryptography.fernet import Fernet
from flask_migrate import upgrade
from sqlalchemy import make_url, select

from app import create_app
from app.core.database import db
from app.core.database.revisions import known_revisions
from app.ops.database.backups import back_up
from app.ops.settings_file import read_settings_file
from app.watching.models.sources import SourceRow
from app.watching.sources.source_records import Authorization, SourceSettings
from tests.support import preloaded_programs
from tests.support.cli import restore_as_this_user, run, run_failing, run_json
from tests.support.databases import ON_POSTGRESQL, ON_SQLITE, normalized_url, second_application
from tests.support.keys import ACTOR
from tests.support.operator_host import WORKER_STOPPED, put_systemctl, write_settings_file
from tests.support.settings import change_settings
from tests.support.watching import put_source

ENDLESS = (
    "WITH RECURSIVE numbers(version_num) AS "
    "(SELECT 1 UNION ALL SELECT version_num FROM numbers) SELECT version_num FROM numbers"
)
STOP = "stop forecast-service.socket forecast-service.service"
START = "start forecast-service.socket forecast-service.service"


@pytest.fixture(autouse=True)
def commands_of_a_loaded_process(monkeypatch) -> None:
    """A restore migrates by commands that are forks of a process with the libraries."""
    runner = SimpleNamespace(run=preloaded_programs.run)
    monkeypatch.setattr("app.ops.cli.restore.subprocess", runner)


@pytest.fixture
def database_url(databases):
    """Both kinds of database, one after the other."""
    return databases.migrated()


@pytest.fixture
def copy(app, tmp_path) -> Path:
    """A copy of a database with the account `kept`; the database has `later` too."""
    run(app, "accounts", "create", "kept")
    run(app, "backups", "create", str(tmp_path / "backups"))
    run(app, "accounts", "create", "later")
    (backup,) = (tmp_path / "backups").glob("*.d*")
    return backup


@pytest.fixture
def settings_file(tmp_path, monkeypatch, database_url) -> Path:
    restore_as_this_user(monkeypatch)
    return write_settings_file(tmp_path, monkeypatch, database_url)


@pytest.fixture
def units(settings_file, tmp_path, monkeypatch):
    """Let all units but the worker's run, and return what is done to them."""
    calls = put_systemctl(tmp_path, monkeypatch, WORKER_STOPPED)
    return lambda: [line for line in calls.read_text().splitlines() if "is-active" not in line]


def copies_of(app, database_url) -> list[str]:
    """Return the databases that a restore has made."""
    name = make_url(database_url).database
    query = f"SELECT datname FROM pg_database WHERE datname LIKE '{name}\\_%%'"
    with app.app_context(), db.engine.connect() as connection:
        return list(connection.exec_driver_sql(query).scalars())


def names(app) -> list[str]:
    """Return the accounts of the database."""
    return [row["name"] for row in run_json(app, "accounts", "list")]


def file_of(url: str) -> Path:
    return Path(url.removeprefix("sqlite:///"))


@ON_SQLITE
def test_the_copy_is_in_place_and_the_database_before_is_kept(app, copy, database_url) -> None:
    message = run(app, "backups", "restore", str(copy))
    assert names(app) == ["default", "kept"]
    file = file_of(database_url)
    (before,) = file.parent.glob(f"{file.name}.before-*[Z]")
    assert f"\nDATABASE_URL=sqlite:///{before} forecast-service keys audit\n" in message
    assert names(create_app(database_url=f"sqlite:///{before}")) == ["default", "kept", "later"]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert not file.with_name(f"{file.name}.new").exists()
    assert copy.exists()


@ON_SQLITE
def test_the_wal_of_a_database_is_moved_with_it(app, copy, database_url) -> None:
    file = file_of(database_url)
    with app.app_context():
        db.engine.dispose()
    file.write_bytes(b"not a database: it could not be opened, and so not closed")
    Path(f"{file}-wal").write_bytes(b"changes of the old one")
    Path(f"{file}-shm").write_bytes(b"")
    run(app, "backups", "restore", str(copy))
    (before,) = file.parent.glob(f"{file.name}.before-*[Z]")
    assert Path(f"{before}-wal").read_bytes() == b"changes of the old one"
    assert names(app) == ["default", "kept"]


@ON_SQLITE
def test_a_copy_of_an_older_release_is_migrated(app, databases, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("app.ops.cli.restore.subprocess", subprocess)
    with second_application(databases.empty()):
        upgrade(revision=known_revisions()[-2])
        older = back_up(db.engine.url, tmp_path, None)
    run(app, "backups", "restore", str(older))
    assert names(app) == ["default"]  # which a command says of the newest schema only


@ON_SQLITE
def test_a_backup_with_undecryptable_secrets_is_rejected_until_they_are_given_up(
    app, tmp_path, database_url, units, monkeypatch
) -> None:
    lost, present = (Fernet.generate_key().decode() for _ in range(2))
    change_settings(app, secrets_key=(lost,))
    source_settings = SourceSettings(
        "https://p.example.com", Authorization("bearer", "token"), None, []
    )
    with app.app_context():
        put_source(ACTOR, 1, "prod", source_settings)
        copy = back_up(db.engine.url, tmp_path, None)
        db.engine.dispose()
    monkeypatch.setenv("SECRETS_KEY", present)
    line = run_failing(app, "backups", "restore", str(copy))
    assert "nothing was restored: no key of SECRETS_KEY decrypts" in line
    assert line.endswith("--forget-credentials removes these credentials")
    assert units() == []
    file = file_of(database_url)
    assert list(file.parent.glob(f"{file.name}.[nb]*")) == []
    monkeypatch.setenv("SECRETS_KEY", f"{present},{lost}")
    run(app, "backups", "restore", str(copy))
    monkeypatch.setenv("SECRETS_KEY", present)
    run(app, "backups", "restore", str(copy), "--forget-credentials")
    with app.app_context(), db.engine.connect() as connection:
        assert connection.scalars(select(SourceRow.credentials)).all() == [None]


@ON_SQLITE
def test_a_database_that_is_in_use_is_not_replaced(app, copy, database_url) -> None:
    with sqlite3.connect(file_of(database_url)) as other:
        other.execute("SELECT count(*) FROM accounts").fetchone()
        line = run_failing(app, "backups", "restore", str(copy))
    other.close()
    assert "is in use; stop the service" in line
    assert names(app) == ["default", "kept", "later"]


def damage(copy: Path) -> None:
    content = bytearray(copy.read_bytes())
    content[4096 * 2 :] = os.urandom(len(content) - 4096 * 2)
    copy.write_bytes(content)


def cut_copy(copy: Path) -> None:
    copy.write_bytes(copy.read_bytes()[:6000])


def make_newer(copy: Path) -> None:
    with sqlite3.connect(copy) as database:
        database.execute("UPDATE alembic_version SET version_num = '9999'")
    database.close()


def make_foreign(copy: Path) -> None:
    copy.unlink()
    with sqlite3.connect(copy) as database:
        database.execute("CREATE TABLE notes (x)")
    database.close()


@ON_SQLITE
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (damage, "is damaged"),
        (cut_copy, "is damaged"),
        (make_newer, "is of a newer release, with revision 9999"),
        (make_foreign, "or of another program"),
        (lambda copy: copy.write_text("notes"), "is not a copy of a SQLite database"),
        (Path.unlink, "does not exist"),
    ],
    ids=["damaged", "cut", "newer", "another program", "text", "missing"],
)
def test_an_incomplete_copy_changes_nothing(app, copy, database_url, change, message) -> None:
    change(copy)
    assert message in run_failing(app, "backups", "restore", str(copy))
    file = file_of(database_url)
    assert names(app) == ["default", "kept", "later"]
    assert list(file.parent.glob(f"{file.name}.[nb]*")) == []


@ON_SQLITE
def test_a_migration_that_fails_leaves_the_database_as_it_is(
    app, copy, database_url, monkeypatch
) -> None:
    monkeypatch.setattr("app.ops.cli.restore.sys.executable", "/bin/false")
    assert "could not be migrated" in run_failing(app, "backups", "restore", str(copy))
    assert names(app) == ["default", "kept", "later"]
    file = file_of(database_url)
    assert list(file.parent.glob(f"{file.name}.[nb]*")) == []


@ON_SQLITE
def test_units_are_stopped_only_for_the_exchange_and_restarted_after_errors(
    app, copy, units, database_url
) -> None:
    run(app, "backups", "restore", str(copy))
    assert units() == [STOP, START]
    with sqlite3.connect(file_of(database_url)) as other:
        other.execute("SELECT count(*) FROM accounts").fetchone()
        assert "is in use" in run_failing(app, "backups", "restore", str(copy))
    other.close()
    assert units() == [STOP, START] * 2


def a_view_that_never_ends(database) -> None:
    database.execute("DROP TABLE alembic_version")
    database.execute(f"CREATE VIEW alembic_version AS {ENDLESS}")


def a_trigger_that_never_ends(database) -> None:
    database.execute(
        "CREATE TRIGGER t AFTER UPDATE ON alembic_version BEGIN INSERT INTO alembic_version "
        f"{ENDLESS}; END"
    )


def a_virtual_table(database) -> None:
    database.execute("CREATE VIRTUAL TABLE notes USING rtree(id, low, high)")


@ON_SQLITE
@pytest.mark.parametrize(
    ("hide", "message"),
    [
        (a_view_that_never_ends, "has the view 'alembic_version'"),
        (a_trigger_that_never_ends, "has the trigger 't'"),
        (a_virtual_table, "has the virtual table 'notes'"),
    ],
)
def test_a_copy_with_code_in_it_is_rejected_while_the_service_runs(
    app, copy, units, database_url, hide, message
) -> None:
    with sqlite3.connect(copy) as database:
        hide(database)
    database.close()
    assert message in run_failing(app, "backups", "restore", str(copy))
    assert units() == []
    assert names(app) == ["default", "kept", "later"]
    assert list(file_of(database_url).parent.glob("*.new*")) == []


@ON_SQLITE
def test_a_check_that_takes_too_long_ends_while_the_service_runs(
    app, copy, units, monkeypatch
) -> None:
    monkeypatch.setattr("app.ops.database.restore.MIN_CHECK_SECONDS", 0)
    monkeypatch.setattr("app.ops.database.restore.CHECK_BYTES_PER_SECOND", 1e12)
    monkeypatch.setattr("app.ops.database.restore.OPCODES_PER_CHECK", 1)
    assert "could not be checked within" in run_failing(app, "backups", "restore", str(copy))
    assert units() == []


@ON_SQLITE
def test_a_migration_that_never_ends_is_killed_while_the_service_runs(
    app, copy, units, monkeypatch, database_url
) -> None:
    monkeypatch.setattr("app.ops.cli.restore.restore_seconds", lambda _size: 1.0)
    monkeypatch.setattr("app.ops.cli.restore.make_migrator", lambda *_: lambda _url: signal.pause())
    assert "did not end within 1 s" in run_failing(app, "backups", "restore", str(copy))
    assert units() == []
    assert names(app) == ["default", "kept", "later"]
    assert list(file_of(database_url).parent.glob("*.new*")) == []


@ON_SQLITE
def test_a_backup_too_large_for_the_disk_is_rejected_before_writing(
    app, copy, units, monkeypatch
) -> None:
    monkeypatch.setattr("app.ops.database.restore.DISK_PER_COPY", 10**12)
    assert "free space on it" in run_failing(app, "backups", "restore", str(copy))
    assert units() == []


@ON_SQLITE
def test_a_pipe_in_the_place_of_a_copy_is_not_waited_for(app, tmp_path, units) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert "not a regular file" in run_failing(app, "backups", "restore", str(tmp_path / "pipe"))
    assert units() == []


@ON_POSTGRESQL
@pytest.mark.parametrize(
    ("code", "message"),
    [
        (f"CREATE VIEW notes AS {ENDLESS}", "has the 'relation notes'"),
        (
            "CREATE FUNCTION notes() RETURNS int LANGUAGE sql AS 'SELECT 1'",
            "has the 'function notes'",
        ),
    ],
)
def test_a_dump_with_code_in_it_is_rejected_and_leaves_no_database(
    app, databases, copy, tmp_path, settings_file, database_url, code, message
) -> None:
    with app.app_context(), db.engine.begin() as connection:
        connection.exec_driver_sql(code)
    (tmp_path / "hostile").mkdir()
    hostile = back_up(make_url(database_url), tmp_path / "hostile", None)
    assert message in run_failing(app, "backups", "restore", str(hostile))
    assert read_settings_file(settings_file)["DATABASE_URL"] == database_url
    assert copies_of(app, database_url) == []


@ON_POSTGRESQL
def test_a_dump_that_never_ends_is_ended_and_leaves_no_database(
    app, copy, tmp_path, settings_file, database_url, monkeypatch
) -> None:
    monkeypatch.setattr("app.ops.database.restore_postgresql.restore_seconds", lambda _size: 3.0)
    with app.app_context(), db.engine.begin() as connection:
        connection.exec_driver_sql(
            "CREATE FUNCTION waits(text) RETURNS text IMMUTABLE LANGUAGE plpgsql AS "
            "'BEGIN IF current_database() LIKE ''%%\\_%%'' THEN PERFORM pg_sleep(3600); END IF; "
            "RETURN $1; END'"
        )
        connection.exec_driver_sql("CREATE INDEX ON accounts (waits(name))")
    (tmp_path / "hostile").mkdir()
    hostile = back_up(make_url(database_url), tmp_path / "hostile", None)
    assert "did not end within" in run_failing(app, "backups", "restore", str(hostile))
    assert copies_of(app, database_url) == []


@ON_POSTGRESQL
def test_postgresql_gets_a_new_database_which_the_service_then_uses(
    app, copy, database_url, settings_file
) -> None:
    message = run(app, "backups", "restore", str(copy))
    values = read_settings_file(settings_file)
    restored = make_url(values["DATABASE_URL"])
    assert restored.database in message
    assert restored.database.startswith(f"{make_url(database_url).database}_")
    assert values["TRUSTED_PROXIES"] == "1"
    assert settings_file.read_text().startswith("# ours\n")
    assert stat.S_IMODE(settings_file.stat().st_mode) == 0o640
    other = create_app(database_url=normalized_url(values["DATABASE_URL"]))
    assert names(other) == ["default", "kept"]
    assert names(app) == ["default", "kept", "later"]
    with other.app_context():
        db.engine.dispose()


@ON_POSTGRESQL
def test_without_a_settings_file_it_says_where_the_name_belongs(app, copy, databases) -> None:
    empty = make_url(databases.empty()).database
    message = run(app, "backups", "restore", str(copy), "--into", empty)
    assert f"into the database {empty}. Put that name into DATABASE_URL" in message


@ON_POSTGRESQL
def test_a_damaged_dump_leaves_no_database(app, copy, database_url, settings_file) -> None:
    content = copy.read_bytes()
    copy.write_bytes(content[: len(content) // 2])
    assert "nothing was restored" in run_failing(app, "backups", "restore", str(copy))
    copy.write_text("notes")
    assert "pg_restore failed" in run_failing(app, "backups", "restore", str(copy))
    with app.app_context(), db.engine.connect() as connection:
        name = make_url(database_url).database
        query = f"SELECT datname FROM pg_database WHERE datname LIKE '{name}\\_%'"
        assert connection.exec_driver_sql(query.replace("%", "%%")).all() == []
    assert read_settings_file(settings_file)["DATABASE_URL"] == database_url


@ON_POSTGRESQL
def test_a_role_that_may_create_no_database_says_what_an_admin_runs(
    app, copy, monkeypatch, tmp_path, settings_file
) -> None:
    stub = tmp_path / "createdb"
    stub.write_text("#!/bin/sh\necho 'permission denied to create database' >&2\nexit 1\n")
    stub.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    line = run_failing(app, "backups", "restore", str(copy))
    assert "permission denied" in line
    assert "run `createdb --owner=" in line
    assert "--into" in line


@ON_POSTGRESQL
def test_a_dump_of_a_newer_release_is_rejected(app, copy, tmp_path, settings_file) -> None:
    newest = known_revisions()[-1]
    with app.app_context(), db.engine.begin() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    try:
        with app.app_context():
            (tmp_path / "newer").mkdir()
            newer = back_up(db.engine.url, tmp_path / "newer", None)
    finally:
        with app.app_context(), db.engine.begin() as connection:
            connection.exec_driver_sql(f"UPDATE alembic_version SET version_num = '{newest}'")
    assert "of a newer release" in run_failing(app, "backups", "restore", str(newer))
