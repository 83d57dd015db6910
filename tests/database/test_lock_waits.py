"""Waits for a lock in the database: full while it may come free, brief once one was in vain."""

import contextlib
import sqlite3

import psycopg
import pytest
from sqlalchemy import Integer, column, create_engine, insert, literal, select, table, text
from sqlalchemy.exc import OperationalError

from app.database import engine_options, lock_waits, prepare_engine
from app.database.lock_waits import BRIEF_MS, LockWaits
from app.database.statements import Prepared

FULL_MS = 1_234
NOTES = table("notes", column("number", Integer))


@pytest.fixture
def waits():
    return LockWaits(FULL_MS)


def busy():
    error = sqlite3.OperationalError("database is locked")
    error.sqlite_errorcode = sqlite3.SQLITE_BUSY_SNAPSHOT
    return error


def fail(waits, error):
    """A statement that ends with ``error``."""
    with contextlib.suppress(type(error)), waits.turn(writes=True):
        raise error


def wait_of_the_next(waits):
    with waits.turn(writes=False) as wait_ms:
        return wait_ms


@pytest.fixture
def chosen(waits):
    """Another statement, which still waits fully; to be entered once one was in vain."""
    return waits.turn(writes=True)


IN_VAIN = {
    "SQLite's lock": busy(),
    "PostgreSQL's lock": psycopg.errors.LockNotAvailable(),
    "PostgreSQL's time": psycopg.errors.QueryCanceled(),
}


@pytest.mark.parametrize("error", IN_VAIN.values(), ids=IN_VAIN)
def test_after_a_wait_in_vain_one_statement_waits_fully_and_the_rest_briefly(waits, chosen, error):
    fail(waits, error)
    with chosen as wait_ms:
        assert wait_ms == FULL_MS
        assert wait_of_the_next(waits) == BRIEF_MS
    assert wait_of_the_next(waits) == FULL_MS


def test_any_number_waits_fully_while_none_was_in_vain(waits, chosen):
    fail(waits, sqlite3.IntegrityError())
    fail(waits, psycopg.errors.UniqueViolation())
    with chosen:
        assert wait_of_the_next(waits) == FULL_MS


def test_what_is_written_lets_all_wait_fully_again_and_what_is_read_does_not(waits, chosen):
    fail(waits, busy())
    with chosen:
        with waits.turn(writes=False):
            pass
        assert wait_of_the_next(waits) == BRIEF_MS
        with waits.turn(writes=True):
            pass
        assert wait_of_the_next(waits) == FULL_MS


def test_a_wait_in_vain_is_forgotten_when_nobody_waits_any_more(waits, chosen, monkeypatch):
    fail(waits, busy())
    later = lock_waits.time.monotonic() + lock_waits.STRAINED_SECONDS
    monkeypatch.setattr(lock_waits.time, "monotonic", lambda: later)
    with chosen:
        assert wait_of_the_next(waits) == FULL_MS


def test_a_statement_waits_as_long_as_it_is_given_and_knows_a_lock_when_it_meets_one(
    tmp_path, monkeypatch
):
    monkeypatch.setitem(lock_waits.FULL_MS, "sqlite", 20)
    file = tmp_path / "notes.db"
    url = f"sqlite:///{file}"
    engine = create_engine(url, **engine_options(url))
    prepare_engine(engine)
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE notes (number INTEGER)"))
    write = Prepared(
        insert(NOTES).from_select(["number"], select(literal(1))).returning(NOTES.c.number),
        engine.dialect,
    )
    wait = Prepared(text("PRAGMA busy_timeout").columns(column("ms", Integer)), engine.dialect)
    write.run(engine)
    assert wait.run(engine) == [(20,)]
    with contextlib.closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(OperationalError):
            write.run(engine)
        with lock_waits.lock_waits_of(engine.dialect).turn(writes=True):
            assert wait.run(engine) == [(BRIEF_MS,)]
    write.run(engine)
    assert wait.run(engine) == [(20,)]
