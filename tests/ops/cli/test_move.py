"""`forecast-service db move`: what it says, what it rejects, and the settings afterwards."""

import stat
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner
from sqlalchemy import create_engine, inspect

from app import create_app
from app.core.database import db
from app.ops.cli.command import command
from app.ops.settings_file import read_settings_file
from tests.support.cli import run_json
from tests.support.databases import normalized_url
from tests.support.keys import new_key, post, usage, verify
from tests.support.operator_host import put_systemctl, write_settings_file
from tests.support.series import daily_body

pytestmark = pytest.mark.services
START = "Start the service: `systemctl start forecast-service.socket"


@pytest.fixture
def target(postgresql_databases) -> str:
    """As an operator writes it."""
    return postgresql_databases.empty().replace("+psycopg", "")


@pytest.fixture
def settings_file(tmp_path, monkeypatch, database_url) -> Path:
    return write_settings_file(tmp_path, monkeypatch, database_url)


@pytest.fixture
def systemctl(tmp_path, monkeypatch):
    """Write a systemctl that exits like a line of the shell."""
    write = partial(put_systemctl, tmp_path, monkeypatch)
    write("false")
    return write


def move(database_url, *words, typed=None):
    environ = {"DATABASE_URL": database_url}
    return CliRunner().invoke(command, ["db", "move", *words], env=environ, input=typed)


def rejection(done) -> str:
    """Return the one line of a command that has rejected."""
    assert (done.exit_code, done.stdout) == (1, "")
    (line,) = done.stderr.splitlines()
    return line


def is_empty(url) -> bool:
    engine = create_engine(normalized_url(url))
    try:
        return inspect(engine).get_table_names() == []
    finally:
        engine.dispose()


def test_keys_work_after_the_move_and_their_usage_continues(
    database_url, target, settings_file, systemctl
) -> None:
    key = new_key(database_url)
    before = create_app(database_url=database_url)
    assert post(before.test_client(), key, daily_body()).status_code == 200
    accounts = run_json(before, "accounts", "list")
    with before.app_context():
        db.engine.dispose()
    done = move(database_url, target)
    assert (done.exit_code, done.stderr) == (0, "")
    assert "           1 api_keys\n" in done.stdout
    assert START in done.stdout
    values = read_settings_file(settings_file)
    assert values == {"DATABASE_URL": target, "TRUSTED_PROXIES": "1"}
    assert settings_file.read_text().startswith("# ours\n")
    assert stat.S_IMODE(settings_file.stat().st_mode) == 0o640
    after = create_app(database_url=normalized_url(values["DATABASE_URL"]))
    assert verify(after.test_client(), key).status_code == 200
    assert post(after.test_client(), key, daily_body()).status_code == 200
    assert run_json(after, "accounts", "list") == accounts
    assert usage(normalized_url(target), key) == usage(database_url, key) + 2
    with after.app_context():
        db.engine.dispose()


def test_while_systemd_runs_a_unit_nothing_is_moved(
    database_url, target, settings_file, systemctl
) -> None:
    systemctl('[ "$1 $2" = "is-active forecast-service-worker.service" ]')
    before = settings_file.read_text()
    line = rejection(move(database_url, target))
    assert "systemd runs forecast-service-worker.service; stop the service with" in line
    assert "`systemctl stop forecast-service.socket" in line
    assert is_empty(target)
    assert settings_file.read_text() == before


def test_a_move_that_fails_leaves_the_settings_as_they_are(
    database_url, target, settings_file, systemctl
) -> None:
    before = settings_file.read_text()
    app = create_app(database_url=database_url)
    with app.app_context(), db.engine.connect() as connection:
        connection.exec_driver_sql("SELECT 1 FROM accounts").all()
        line = rejection(move(database_url, target))
    with app.app_context():
        db.engine.dispose()
    assert line.startswith("Error: nothing was moved: ")
    assert "another process has it open" in line
    assert is_empty(target)
    assert settings_file.read_text() == before


def test_without_a_settings_file_the_line_is_reported_without_the_password(
    database_url, target
) -> None:
    typed_url = target.replace("forecast@", "forecast:s3cret@")
    done = move(database_url, "-", typed=f"{typed_url}\n")
    assert (done.exit_code, done.stderr) == (0, "")
    assert "\nDATABASE_URL=postgresql+psycopg://forecast:***@" in done.stdout
    assert "s3cret" not in done.stdout
    assert not is_empty(target)


def test_settings_that_cannot_be_written_are_named_after_the_move(
    database_url, target, settings_file, systemctl, monkeypatch
) -> None:
    def fail(*_words) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("app.ops.cli.move.replace_value", fail)
    done = move(database_url, target)
    assert done.exit_code == 1
    assert f"all rows are moved, but DATABASE_URL in {settings_file} is as before" in done.stderr


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("sqlite:////x.db", "only a SQLite database is moved, to PostgreSQL"),
        ("mysql://x", "the target: set a URL of SQLite"),
        ("postgresql://[x", "the target: not a valid URL"),
    ],
)
def test_a_url_that_is_not_postgresql_is_rejected(database_url, url, message) -> None:
    assert message in rejection(move(database_url, url))


def test_a_database_that_is_in_postgresql_is_not_moved(target, postgresql_databases) -> None:
    line = rejection(move(postgresql_databases.migrated(), target))
    assert "DATABASE_URL is postgresql" in line


def test_the_help_says_how_a_running_service_is_found_out() -> None:
    done = CliRunner().invoke(command, ["db", "move", "--help"])
    assert "systemd runs one of its units" in " ".join(done.stdout.split())
    assert "any process has the SQLite file open" in " ".join(done.stdout.split())
    assert "move " in CliRunner().invoke(command, ["db", "--help"]).stdout
