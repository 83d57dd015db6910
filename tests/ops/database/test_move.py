"""`db move`: every row of every table comes over, or the target stays empty."""

import datetime as dt
import sqlite3
from pathlib import Path

import psycopg
import pytest
from flask_migrate import upgrade
from sqlalchemy import create_engine, inspect, make_url, select

from app.core.database import Base
from app.core.database.revisions import known_revisions
from app.identity.accounts.models import Account, PermissionSet
from app.identity.accounts.permissions import Permission
from app.ops.cli.move import _migrate
from app.ops.database import move as moving
from app.ops.database.move import MoveError, move_database
from tests.support.databases import normalized_url, second_application

pytestmark = pytest.mark.services
MOMENT = dt.datetime(2026, 11, 24, 10, 51, 10, 123456, dt.UTC)


@pytest.fixture
def source(sqlite_databases):
    """The URL of a migrated SQLite database, in the context of an application."""
    url = sqlite_databases.migrated()
    with second_application(url):
        yield make_url(url)


@pytest.fixture
def target(postgresql_databases):
    return make_url(postgresql_databases.empty())


def path_of(url) -> Path:
    return Path(url.database)


def open_source(source):
    """Return a connection to SQLite with autocommit."""
    return sqlite3.connect(path_of(source), isolation_level=None)


def value(column, number):
    """Return a value of a column that its type, length and foreign key allow."""
    if isinstance(column.type, PermissionSet):
        return frozenset(Permission)
    kind = getattr(column.type, "impl", column.type).python_type
    if column.foreign_keys or (column.primary_key and kind is int):
        return number
    return {
        str: f"{number}ü\\N\t'日本\n"[: getattr(column.type, "length", None)],
        int: 32_000 + number,
        float: 0.1 + number,
        bool: bool(number % 2),
        bytes: bytes(range(256)),
        dt.datetime: MOMENT + dt.timedelta(days=number),
    }[kind]


def fill(source) -> None:
    """Two rows in each table: one with all columns, one with none that may be null."""
    engine = create_engine(source)
    with engine.begin() as connection:
        for table in Base.metadata.sorted_tables:
            for number in (11, 12):
                row = {
                    column.key: value(column, number)
                    for column in table.columns
                    if number == 11 or not column.nullable
                }
                if "successor_id" in row:
                    row["successor_id"] = 12  # the next one, as after a rotation
                connection.execute(table.insert().values(row))
    engine.dispose()


def rows_by_table(url) -> dict:
    """Return all rows by table."""
    engine = create_engine(url)
    try:
        with engine.connect() as connection:
            return {
                table.name: connection.execute(select(table).order_by(*table.primary_key)).all()
                for table in Base.metadata.sorted_tables
            }
    finally:
        engine.dispose()


def tables_of(url) -> list[str]:
    engine = create_engine(url)
    try:
        return inspect(engine).get_table_names()
    finally:
        engine.dispose()


def test_every_table_that_migrations_make_is_moved(source) -> None:
    """Rows of a table that no model has would be lost."""
    # Tables of 1.0 and of 1.1, which are empty.
    of_no_model = {"rate_limit_counters", "webhook_deliveries"}
    of_no_model |= {"alembic_version", "sqlite_sequence"}
    assert {*tables_of(source)} - of_no_model == {*Base.metadata.tables}


def test_all_rows_of_all_tables_come_over_as_they_are(source, target) -> None:
    fill(source)
    before = rows_by_table(source)
    counts = move_database(source, target, _migrate)
    assert rows_by_table(target) == before == rows_by_table(source)
    assert counts == {name: len(rows) for name, rows in before.items()}
    assert counts["accounts"] == 3
    assert min(counts.values()) == 2


def test_the_target_has_the_schema_of_this_release(source, target) -> None:
    move_database(source, target, _migrate)
    with psycopg.connect(target.render_as_string().replace("+psycopg", "")) as connection:
        result = connection.execute("SELECT version_num FROM alembic_version").fetchall()
    assert result == [(known_revisions()[-1],)]


def test_ids_are_not_used_again_even_those_of_deleted_rows(source, target) -> None:
    with open_source(source) as database:
        database.execute("INSERT INTO accounts (id, name, created_at) VALUES (50, 'x', '2026')")
        database.execute("DELETE FROM accounts WHERE id = 50")
    database.close()
    move_database(source, target, _migrate)
    engine = create_engine(target)
    with engine.begin() as connection:
        new = connection.execute(Account.__table__.insert().values(name="new", created_at=MOMENT))
        assert new.inserted_primary_key == (51,)
        usable = connection.exec_driver_sql("SELECT nextval('invitations_id_seq')").scalar()
        assert usable == 1  # no row ever
    engine.dispose()


def add_overlong(source) -> None:
    with open_source(source) as database:
        database.execute(
            "INSERT INTO accounts (name, created_at) VALUES (?, ?)",
            ["x" * 101, "2026-11-24 00:00:00.000000"],
        )
    database.close()


def add_malformed(source) -> None:
    with open_source(source) as database:
        database.execute("INSERT INTO accounts (name, created_at) VALUES ('x', 'yesterday')")
    database.close()


@pytest.mark.parametrize(
    ("add", "expected"),
    [
        (add_overlong, "table accounts cannot be copied: value too long"),
        (add_malformed, "table accounts cannot be copied: "),
    ],
)
def test_a_row_that_cannot_be_copied_is_named_and_the_target_stays_empty(
    source, target, add, expected
) -> None:
    add(source)
    with pytest.raises(MoveError, match=expected):
        move_database(source, target, _migrate)
    assert tables_of(target) == []


def test_a_copy_that_lost_rows_is_found_and_the_target_stays_empty(
    source, target, monkeypatch
) -> None:
    copy = moving._copy_table
    monkeypatch.setattr(
        moving,
        "_copy_table",
        lambda table, *between: table.name == "accounts" or copy(table, *between),
    )
    with pytest.raises(MoveError, match="the table accounts has 1 rows, 0 were copied"):
        move_database(source, target, _migrate)
    assert tables_of(target) == []


def test_what_cannot_be_read_after_the_rows_is_not_blamed_on_the_target(
    source, target, monkeypatch
) -> None:
    def read(_table, source, _target) -> None:
        source.exec_driver_sql("SELECT seq FROM damaged")

    monkeypatch.setattr(moving, "_continue_ids", read)
    with pytest.raises(MoveError, match=r"the table \w+ cannot be copied: no such table"):
        move_database(source, target, _migrate)
    assert tables_of(target) == []


def test_a_move_that_ends_in_the_middle_leaves_the_target_empty(
    source, target, monkeypatch
) -> None:
    def end(table, *_between) -> None:
        if table is Base.metadata.sorted_tables[-1]:
            raise KeyboardInterrupt

    monkeypatch.setattr(moving, "_continue_ids", end)
    with pytest.raises(KeyboardInterrupt):
        move_database(source, target, _migrate)
    assert tables_of(target) == []
    monkeypatch.undo()
    assert move_database(source, target, _migrate)["accounts"] == 1


@pytest.mark.parametrize("kind", ["TABLE notes (x int)", "VIEW notes AS SELECT 1"])
def test_a_target_that_is_not_empty_is_unchanged(source, target, kind) -> None:
    where = target.render_as_string().replace("+psycopg", "")
    with psycopg.connect(where) as connection:
        connection.execute(f"CREATE {kind}")
    with pytest.raises(MoveError, match="the target is not empty, it has 'notes'"):
        move_database(source, target, _migrate)
    with psycopg.connect(where) as connection:
        connection.execute("SELECT * FROM notes")
    assert tables_of(target) in (["notes"], [])


def test_a_target_that_is_not_in_utf_8_is_rejected(source, target, postgresql_databases) -> None:
    name = f"{target.database}_ascii"
    postgresql_databases._run(
        f"CREATE DATABASE {name} TEMPLATE template0 ENCODING SQL_ASCII LOCALE 'C'"
    )
    with pytest.raises(MoveError, match="stores strings in SQL_ASCII"):
        move_database(source, target.set(database=name), _migrate)


def test_a_target_that_cannot_be_reached_is_one_line_without_its_password(source) -> None:
    url = make_url(normalized_url("postgresql://x:s3cret@127.0.0.1:1/x"))
    with pytest.raises(MoveError, match=r"x cannot be used: .*Connection refused") as caught:
        move_database(source, url, _migrate)
    assert "s3cret" not in str(caught.value)


def test_a_database_that_a_process_has_open_is_not_moved_even_if_it_is_idle(source, target) -> None:
    """As the service has between two requests."""
    with sqlite3.connect(path_of(source)) as other:
        other.execute("PRAGMA journal_mode=WAL")
        other.execute("SELECT count(*) FROM accounts").fetchone()
        with pytest.raises(MoveError, match="another process has it open; stop the service"):
            move_database(source, target, _migrate)
    other.close()
    assert tables_of(target) == []
    assert move_database(source, target, _migrate)["accounts"] == 1


def test_writes_to_sqlite_are_blocked_meanwhile(source, target) -> None:
    """What is written after a table was copied would be lost."""
    errors = []

    def migrate(connection) -> None:
        _migrate(connection)
        with sqlite3.connect(path_of(source), timeout=0) as other:
            try:
                other.execute("SELECT count(*) FROM accounts").fetchone()
            except sqlite3.OperationalError as error:
                errors.append(str(error))
        other.close()

    move_database(source, target, migrate)
    assert errors == ["database is locked"]


def test_a_database_of_another_release_is_not_moved(source, target) -> None:
    with open_source(source) as database:
        database.execute("UPDATE alembic_version SET version_num = '9999'")
    database.close()
    with pytest.raises(MoveError, match="newer than this code"):
        move_database(source, target, _migrate)
    assert tables_of(target) == []


def test_a_database_that_is_not_migrated_is_not_moved(sqlite_databases, target) -> None:
    url = sqlite_databases.empty()
    with second_application(url):
        upgrade(revision=known_revisions()[-2])
    with pytest.raises(MoveError, match="not migrated; run `forecast-service db upgrade`"):
        move_database(make_url(url), target, _migrate)


def test_a_database_that_is_not_there_is_not_made(sqlite_databases, target) -> None:
    url = make_url(sqlite_databases.empty())
    with pytest.raises(MoveError, match="unable to open database file"):
        move_database(url, target, _migrate)
    assert not path_of(url).exists()
