"""`flask backups create`: whole copies while the service writes, which work when restored."""

import contextlib
import getpass
import os
import shutil
import sqlite3
import stat
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from app import create_app
from app.core.database import db
from tests.support.cli import attempt, run, run_failing
from tests.support.databases import (
    ON_POSTGRESQL,
    PostgresqlDatabases,
    SqliteDatabases,
    normalized_url,
)
from tests.support.keys import new_key, post, record_of, usage, verify
from tests.support.load import FORECAST, VERIFY, load
from tests.support.series import daily_body
from tests.support.server import run_server
from tests.support.services import STARTUP_SECONDS, wait_until

PASSWORD = "s3cret"
CLIENTS = 4
# Responses while a copy is made: more than clients that wait for its end get before and after it.
MIN_REQUESTS = 3 * CLIENTS


@pytest.fixture
def database_url(databases):
    """Both kinds of database, one after the other."""
    return databases.migrated()


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "backups"
    folder.mkdir()
    return folder


def restore(copy: Path, databases: SqliteDatabases | PostgresqlDatabases) -> str:
    """Do what `docs/running/backups.md` says and return the URL of the restored database."""
    url = databases.empty()
    if copy.suffix == ".db":
        shutil.copy(copy, url.removeprefix("sqlite:///"))
    else:
        target = f"--dbname={url.replace('+psycopg', '')}"
        words = ["pg_restore", "--exit-on-error", "--no-owner", target, str(copy)]
        subprocess.run(words, check=True)
    return url


@pytest.fixture
def copy_until(monkeypatch):
    """SQLite copies the few pages of a test's database in no time: let it last until …"""
    connect = sqlite3.connect

    def prolong_copy(ready) -> None:
        def connect_slowly(*arguments, **options):
            connection = connect(*arguments, **options)
            if "uri" in options:  # what is copied; its copy is opened by its path, when all is over
                connection.set_progress_handler(lambda: wait_until(ready, "responses"), 25)
            return connection

        monkeypatch.setattr(sqlite3, "connect", connect_slowly)

    return prolong_copy


@contextlib.contextmanager
def held_dump(url: str, ready: Callable[[], bool]) -> Iterator[None]:
    """Let a dump of PostgreSQL last until ``ready``: after its snapshot it locks all tables."""
    if not url.startswith("postgresql"):
        yield
        return
    is_locked = threading.Event()

    def keep_lock() -> None:
        with psycopg.connect(url.replace("+psycopg", "")) as connection:
            connection.execute("LOCK TABLE audit_events IN ACCESS EXCLUSIVE MODE")
            is_locked.set()
            wait_until(ready, "responses")

    thread = threading.Thread(target=keep_lock)
    thread.start()
    assert is_locked.wait(STARTUP_SECONDS)
    yield
    thread.join()


def test_a_copy_made_under_load_restores_keys_counts_and_usage(
    app, databases, database_url, folder, server_folder, copy_until
) -> None:
    key = new_key(database_url)
    with run_server(server_folder, database_url, WEB_CONCURRENCY="2") as server:
        with load(server.url, key, [FORECAST, VERIFY], clients=CLIENTS) as sent:
            wait_until(lambda: len(sent.calls) > MIN_REQUESTS, "a steady load")
            before = len(sent.calls)

            def is_ready() -> bool:
                return len(sent.calls) - before > MIN_REQUESTS

            copy_until(is_ready)
            with held_dump(database_url, is_ready):
                run(app, "backups", "create", str(folder))
            assert is_ready(), "nobody got a response while a copy was made"
        assert set(sent.statuses()) <= {200, 503}
    (copy,) = folder.iterdir()
    restored = restore(copy, databases)
    assert before <= usage(restored, key) <= usage(database_url, key) == len(sent.calls)
    restored_app = create_app(database_url=normalized_url(restored))
    client = restored_app.test_client()
    assert verify(client, key).status_code == 200
    assert post(client, key, daily_body()).status_code == 200
    run(restored_app, "keys", "revoke", str(record_of(restored_app, key).id))
    assert verify(client, key).status_code == 401
    with restored_app.app_context():
        db.engine.dispose()


def test_a_copy_is_only_for_its_owner_and_holds_no_key(app, key, folder) -> None:
    run(app, "backups", "create", str(folder))
    (copy,) = folder.iterdir()
    assert copy.stat().st_mode & 0o777 == 0o600
    assert key[12:].encode() not in copy.read_bytes()


def test_only_the_newest_are_kept_and_other_files_stay(app, folder) -> None:
    old = [f"forecast-service-2020-01-0{day}T00-00-00Z.db" for day in (1, 2, 3)]
    killed = "forecast-service-2020-01-02T12-00-00Z.part"
    for name in [*old, killed, "notes.db", "forecast-service-readme.txt"]:
        (folder / name).touch()
    os.utime(folder / killed, (0, 0))
    message = run(app, "backups", "create", str(folder), "--keep", "2")
    assert "2 old copies removed" in message
    (new,) = (
        {path.name for path in folder.iterdir()}
        - {*old, killed, "notes.db"}
        - {"forecast-service-readme.txt"}
    )
    assert {path.name for path in folder.iterdir()} == {
        new, old[2],
        "notes.db", "forecast-service-readme.txt",
    }  # fmt: skip


@pytest.fixture
def settings_file(tmp_path, monkeypatch):
    file = tmp_path / "environment"
    file.write_text("SECRETS_KEY=x\n")
    file.chmod(0o640)
    monkeypatch.setenv("FORECAST_SERVICE_SETTINGS", str(file))
    return file


@pytest.mark.parametrize("databases", ["sqlite"], indirect=True)
def test_a_backup_has_its_settings_beside_it_and_both_are_pruned_together(
    app, folder, settings_file
) -> None:
    """Without SECRETS_KEY the credentials in the copy are lost."""
    old = folder / "forecast-service-2020-01-01T00-00-00Z.db"
    for path in (old, old.with_suffix(".environment")):
        path.write_text("")
    run(app, "backups", "create", str(folder), "--keep", "1")
    copy, settings_copy = sorted(folder.iterdir())
    assert (copy.stem, copy.suffix, settings_copy.suffix) == (
        settings_copy.stem,
        ".db",
        ".environment",
    )
    assert copy.stem != old.stem
    assert settings_copy.read_text() == settings_file.read_text()
    assert settings_copy.stat().st_mode & 0o777 == 0o600


def test_a_copy_that_fails_leaves_no_settings(app_without_database, folder, settings_file) -> None:
    run_failing(app_without_database, "backups", "create", str(folder))
    assert list(folder.iterdir()) == []


@pytest.fixture
def app_without_database(databases, folder, tmp_path):
    """An application whose database is not there."""
    if isinstance(databases, SqliteDatabases):
        return create_app(database_url=f"sqlite:///{tmp_path / 'nothing.db'}")
    url = f"postgresql+psycopg://x:{PASSWORD}@127.0.0.1:1/x"
    return create_app(database_url=url)


def test_a_database_that_is_not_there_leaves_no_file_and_one_line(
    app_without_database, folder, tmp_path
) -> None:
    line = run_failing(app_without_database, "backups", "create", str(folder))
    assert PASSWORD not in line
    assert list(folder.iterdir()) == []
    assert not (tmp_path / "nothing.db").exists()


@pytest.mark.parametrize("databases", ["sqlite"], indirect=True)
def test_a_damaged_database_is_not_taken_for_a_copy(app, key, folder, database_url) -> None:
    file = Path(database_url.removeprefix("sqlite:///"))
    with sqlite3.connect(file) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    pages = bytearray(file.read_bytes())
    pages[4096 * 2 :] = os.urandom(len(pages) - 4096 * 2)
    file.write_bytes(pages)
    run_failing(app, "backups", "create", str(folder))
    assert list(folder.iterdir()) == []


@ON_POSTGRESQL
def test_without_the_servers_programs_one_line_says_what_to_install(app, folder, monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    assert "postgresql-client" in run_failing(app, "backups", "create", str(folder))


@ON_POSTGRESQL
def test_the_password_is_on_no_command_line(databases, database_url, folder, monkeypatch, tmp_path):
    spy = tmp_path / "pg_dump"
    spy.write_text(f'#!/bin/sh\necho "$@ $PGPASSWORD" > {tmp_path}/seen\nexit 1\n')
    spy.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    url = database_url.replace("forecast@", f"forecast:{PASSWORD}@")
    attempt(create_app(database_url=url), "backups", "create", str(folder))
    seen = (tmp_path / "seen").read_text()
    assert seen.count(PASSWORD) == 1
    assert seen.endswith(f"{PASSWORD}\n")


def test_the_folder_is_made_only_for_its_owner(app, tmp_path) -> None:
    folder = tmp_path / "new" / "backups"
    run(app, "backups", "create", str(folder))
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert len([*folder.iterdir()]) == 1


def test_a_folder_that_cannot_be_made_names_the_user(app, tmp_path) -> None:
    (tmp_path / "file").write_text("")
    result = app.test_cli_runner().invoke(args=["backups", "create", str(tmp_path / "file" / "x")])
    assert result.exit_code == 1
    assert f"the user {getpass.getuser()} cannot make" in result.output
