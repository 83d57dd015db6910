"""Commands on a database that is not migrated, newer, no database or not there: one line each."""

import logging
import os
import subprocess
import sys

import pytest
from click.testing import CliRunner
from flask.cli import FlaskGroup
from flask_migrate import upgrade
from sqlalchemy import MetaData, inspect, text

from app import create_app
from app.core.database import db
from app.core.setting_parsers import normalize_database_url
from tests.support.cli import run_failing
from tests.support.keys import verify
from tests.support.server import ROOT

COMMANDS = [
    ["accounts", "list"], ["accounts", "create", "new"],
    ["accounts", "set-tier", "default", "free"],
    ["keys", "create", "--permissions", "read"],
    ["keys", "list", "--json"], ["keys", "audit"],
    *(["keys", command, "1"] for command in ("show", "rotate", "revoke")),
]  # fmt: skip
MIGRATING = [["db", "upgrade"], ["db", "check"], ["db", "downgrade"], ["db", "current"]]
UNREACHABLE = "postgresql+psycopg://x@127.0.0.1:1/x"


@pytest.fixture
def database_url(databases):
    return databases.migrated()


def rows_by_table():
    """Return all that the database holds, by table."""
    tables = MetaData()
    tables.reflect(db.engine)
    with db.engine.connect() as connection:
        return {
            name: connection.execute(table.select().order_by(*table.primary_key)).all()
            for name, table in tables.tables.items()
        }


def line_of_failure(code, stdout, stderr):
    """Return the one line on stderr that is all that a failed command says."""
    assert code != 0
    assert stdout == ""
    (line,) = stderr.splitlines()
    assert line.startswith("Error: ")
    return line


def run_in_shell(url, *words):
    """Run `flask …` in a shell of its own and return the one line on stderr of its failure."""
    environ = os.environ | {"DATABASE_URL": url}
    command = [sys.executable, "-m", "flask", *words]
    done = subprocess.run(
        command, cwd=ROOT, env=environ, capture_output=True, text=True, check=False
    )
    return line_of_failure(done.returncode, done.stdout, done.stderr)


def as_in_a_shell(url, *words):
    """Run `flask …` with the logs of a shell, but in this process: a shell takes seconds."""
    flask = FlaskGroup(create_app=lambda: create_app(database_url=normalize_database_url(url)))
    root = logging.getLogger()
    handlers = root.handlers[:]
    done = CliRunner().invoke(flask, words, env={"FLASK_RUN_FROM_CLI": "true"})
    root.handlers[:] = handlers
    return line_of_failure(done.exit_code, done.stdout, done.stderr)


class TestDatabaseThatIsNotMigrated:
    @pytest.fixture
    def database_url(self, databases):
        return databases.empty()

    def test_commands_on_an_unmigrated_database_name_db_upgrade(self, app) -> None:
        for words in COMMANDS:
            assert "not migrated; run `forecast-service db upgrade`" in run_failing(app, *words)
            with app.app_context():
                assert inspect(db.engine).get_table_names() == [], words

    def test_a_database_of_an_earlier_release_is_not_half_used(self, app) -> None:
        with app.app_context():
            upgrade(revision="0001")
            before = rows_by_table()
        for words in COMMANDS:
            assert "not migrated; run `forecast-service db upgrade`" in run_failing(app, *words)
            with app.app_context():
                assert rows_by_table() == before, words


class TestDatabaseThatIsNewerThanTheCode:
    @pytest.fixture
    def app(self, app, key):
        with app.app_context(), db.engine.begin() as connection:
            connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
        return app

    def test_no_command_touches_it_and_the_line_names_its_revision(self, app) -> None:
        with app.app_context():
            before = rows_by_table()
        for words in COMMANDS:
            line = run_failing(app, *words)
            assert "newer than this code" in line
            assert "9999" in line
            with app.app_context():
                assert rows_by_table() == before, words

    def test_migrations_do_not_touch_a_newer_database(self, app, database_url) -> None:
        with app.app_context():
            before = rows_by_table()
        for words in MIGRATING:
            assert "newer than this code, which does not know revision 9999" in as_in_a_shell(
                database_url, *words
            )
            with app.app_context():
                assert rows_by_table() == before, words

    def test_requests_are_still_served_from_a_newer_database(self, app, client, key) -> None:
        assert verify(client, key).status_code == 200


@pytest.mark.parametrize("words", [["db", "upgrade"], ["db", "check"], ["keys", "list"]])
@pytest.mark.parametrize(
    ("url", "problem"),
    [(UNREACHABLE, "refused"), ("sqlite:////no/such/folder/x.db", "unable to open database file")],
    ids=["unreachable PostgreSQL", "SQLite path that cannot be opened"],
)
def test_a_database_that_is_not_there_is_one_line(url, problem, words) -> None:
    line = as_in_a_shell(url, *words)
    assert problem in line
    assert line.startswith("Error: the database cannot be ")


@pytest.mark.parametrize("words", [["db", "upgrade"], ["keys", "list"]])
def test_a_file_that_is_not_a_database_is_named_as_such_and_unchanged(tmp_path, words) -> None:
    file = tmp_path / "notes.db"
    file.write_bytes(b"these are notes, not a database" * 99)
    assert "not a database" in as_in_a_shell(f"sqlite:///{file}", *words)
    assert file.read_bytes() == b"these are notes, not a database" * 99


@pytest.mark.services
@pytest.mark.parametrize("words", [["db", "upgrade"], ["keys", "list"]])
def test_a_postgresql_that_lacks_the_database_is_not_called_unmigrated(postgresql_databases, words):
    line = as_in_a_shell(f"{postgresql_databases.server}/nosuch", *words)
    assert 'database "nosuch" does not exist' in line
    assert "not migrated" not in line


def test_an_unknown_revision_is_not_blamed_on_the_database(database_url) -> None:
    assert "'nosuch'" in run_in_shell(database_url, "db", "upgrade", "nosuch")
