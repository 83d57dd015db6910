"""Waits for a lock in the database: full while it may come free, brief once one was in vain."""

import contextlib
import os
import sqlite3
import threading

import psycopg
import pytest
from sqlalchemy import Integer, column, insert, literal, select, table, text
from sqlalchemy.exc import OperationalError

from app.core.database import lock_waits, make_engine
from app.core.database.lock_waits import SHORT_WAIT_MS, LockWaits, WriterQueue, is_busy_error
from app.core.database.statements import PreparedStatement
from tests.support.services import wait_until

FULL_MS = 1_234
NOTES = table("notes", column("number", Integer))


@pytest.fixture
def waits():
    return LockWaits(FULL_MS, has_one_writer=False)


def busy_error():
    error = sqlite3.OperationalError("database is locked")
    error.sqlite_errorcode = sqlite3.SQLITE_BUSY_SNAPSHOT
    return error


def fail(waits, error) -> None:
    """A statement that ends with ``error``."""
    with contextlib.suppress(type(error)), waits.limit_wait(is_write=True):
        raise error


def wait_of_the_next(waits):
    with waits.limit_wait(is_write=False) as wait_ms:
        return wait_ms


@pytest.fixture
def full_wait(waits):
    """Another statement, which still waits fully; to be entered once one was in vain."""
    return waits.limit_wait(is_write=True)


WAIT_ERRORS = {
    "SQLite's lock": busy_error(),
    "PostgreSQL's lock": psycopg.errors.LockNotAvailable(),
    "PostgreSQL's time": psycopg.errors.QueryCanceled(),
}


@pytest.mark.parametrize("error", WAIT_ERRORS.values(), ids=WAIT_ERRORS)
def test_after_a_failed_wait_one_statement_waits_fully_and_the_rest_briefly(
    waits, full_wait, error
) -> None:
    fail(waits, error)
    with full_wait as wait_ms:
        assert wait_ms == FULL_MS
        assert wait_of_the_next(waits) == SHORT_WAIT_MS
    assert wait_of_the_next(waits) == FULL_MS


def test_all_statements_wait_fully_before_the_first_failed_wait(waits, full_wait) -> None:
    fail(waits, sqlite3.IntegrityError())
    fail(waits, psycopg.errors.UniqueViolation())
    with full_wait:
        assert wait_of_the_next(waits) == FULL_MS


def test_a_write_that_succeeds_restores_full_waits_and_a_read_does_not(waits, full_wait) -> None:
    fail(waits, busy_error())
    with full_wait:
        with waits.limit_wait(is_write=False):
            pass
        assert wait_of_the_next(waits) == SHORT_WAIT_MS
        with waits.limit_wait(is_write=True):
            pass
        assert wait_of_the_next(waits) == FULL_MS


def test_a_failed_wait_is_forgotten_once_no_caller_waits(waits, full_wait, monkeypatch):
    fail(waits, busy_error())
    later = lock_waits.time.monotonic() + lock_waits.SHORT_WAITS_SECONDS
    monkeypatch.setattr(lock_waits.time, "monotonic", lambda: later)
    with full_wait:
        assert wait_of_the_next(waits) == FULL_MS


class TestWriterQueue:
    """The threads of a process get SQLite's lock in turn."""

    @staticmethod
    def until_waiting(queue, number) -> None:
        wait_until(lambda: len(queue._turns) == number, "a thread in the queue")

    def test_waiting_writers_are_served_in_the_order_of_their_arrival(self) -> None:
        queue, served = WriterQueue(), []

        def serve(number) -> None:
            assert queue.acquire(60)
            served.append(number)
            queue.release()

        assert queue.acquire(0)
        threads = [threading.Thread(target=serve, args=[number]) for number in range(20)]
        for waiting, thread in enumerate(threads, 2):
            thread.start()
            self.until_waiting(queue, waiting)
        queue.release()
        for thread in threads:
            thread.join()
        assert served == [*range(20)]

    def test_a_caller_that_gives_up_does_not_delay_those_behind(self) -> None:
        queue = WriterQueue()
        assert queue.acquire(0)
        assert not queue.acquire(0.001)
        behind = threading.Thread(target=lambda: queue.acquire(60) and queue.release())
        behind.start()
        self.until_waiting(queue, 2)
        queue.release()
        behind.join()
        assert queue.acquire(0)

    def test_a_statement_that_fails_leaves_the_queue(self) -> None:
        waits = LockWaits(FULL_MS, has_one_writer=True)
        fail(waits, busy_error())
        fail(waits, sqlite3.IntegrityError())
        assert waits._writers.acquire(0)

    def test_readers_do_not_queue(self) -> None:
        waits = LockWaits(FULL_MS, has_one_writer=True)
        with waits.limit_wait(is_write=True):
            assert wait_of_the_next(waits) == FULL_MS


def test_a_writer_that_waited_long_for_its_turn_waits_briefly_for_the_lock(monkeypatch) -> None:
    waits = LockWaits(FULL_MS, has_one_writer=True)
    clock = [lock_waits.time.monotonic()]
    monkeypatch.setattr(lock_waits.time, "monotonic", lambda: clock[0])
    acquire = waits._writers.acquire

    def acquire_after(seconds):
        clock[0] += seconds
        return acquire(0)

    for seconds, wait_ms in (
        (0.4 * FULL_MS / 1000, FULL_MS),
        (0.6 * FULL_MS / 1000, SHORT_WAIT_MS),
    ):
        monkeypatch.setattr(waits._writers, "acquire", lambda _, s=seconds: acquire_after(s))
        with waits.limit_wait(is_write=True) as given_ms:
            assert given_ms == wait_ms


class TestBusyOrStuck:
    """A lock timeout while others write is not an unreachable database."""

    @staticmethod
    def time_out(waits, meanwhile, monkeypatch):
        """Wait for 2 s, with something after 1.5 s of it, and return the error."""
        clock = [lock_waits.time.monotonic()]
        monkeypatch.setattr(lock_waits.time, "monotonic", lambda: clock[0])
        error = busy_error()
        with contextlib.suppress(sqlite3.OperationalError), waits.limit_wait(is_write=True):
            clock[0] += 1.5
            meanwhile()
            clock[0] += 0.5
            raise error
        with waits.limit_wait(is_write=False):  # one waits fully in any case
            return is_busy_error(OperationalError("", {}, error)), wait_of_the_next(waits)

    @staticmethod
    def write(waits) -> None:
        with waits.limit_wait(is_write=True):
            pass

    def test_a_write_of_this_process_shows_that_it_is_busy(self, waits, monkeypatch) -> None:
        outcome = self.time_out(waits, lambda: self.write(waits), monkeypatch)
        assert outcome == (True, FULL_MS)

    def test_a_write_of_another_process_shows_that_it_is_busy(self, waits, monkeypatch, tmp_path):
        waits.wal_path = tmp_path / "notes.db-wal"
        outcome = self.time_out(waits, waits.wal_path.touch, monkeypatch)
        assert outcome == (True, FULL_MS)

    def test_a_writer_without_a_write_is_stuck(self, waits, monkeypatch, tmp_path) -> None:
        waits.wal_path = tmp_path / "notes.db-wal"
        waits.wal_path.touch()
        os.utime(waits.wal_path, (0, 0))
        self.write(waits)
        assert self.time_out(waits, lambda: None, monkeypatch) == (False, SHORT_WAIT_MS)

    def test_a_pausing_writer_is_not_taken_for_a_stuck_one(self, waits, tmp_path) -> None:
        waits.wal_path = tmp_path / "notes.db-wal"
        fail(waits, busy_error())
        waits.wal_path.touch()
        half_a_second_ago = waits.wal_path.stat().st_mtime - 0.5
        os.utime(waits.wal_path, (half_a_second_ago, half_a_second_ago))
        error = busy_error()
        fail(waits, error)  # at once
        assert is_busy_error(OperationalError("", {}, error))


def test_threads_that_write_together_each_come_in_time(tmp_path) -> None:
    engine = make_engine(f"sqlite:///{tmp_path / 'notes.db'}")
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE notes (number INTEGER)"))
    write = PreparedStatement(insert(NOTES).values(number=1), engine.dialect)
    failures = []

    def write_by_turns() -> None:
        try:
            for _ in range(10):
                write.run(engine)
                with engine.begin() as connection:
                    connection.execute(insert(NOTES).values(number=2))
        except OperationalError as error:
            failures.append(error)

    threads = [threading.Thread(target=write_by_turns) for _ in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with engine.connect() as connection:
        written = connection.scalar(text("SELECT count(*) FROM notes"))
    assert (failures, written) == ([], 40 * 20)


def test_a_transaction_does_not_keep_the_brief_wait_of_a_statement(tmp_path, monkeypatch) -> None:
    engine = make_engine(f"sqlite:///{tmp_path / 'notes.db'}")
    ask = PreparedStatement(
        text("PRAGMA busy_timeout").columns(column("ms", Integer)), engine.dialect
    )
    waits = lock_waits.lock_waits_of(engine.dialect)
    monkeypatch.setattr(waits, "full_ms", SHORT_WAIT_MS)
    assert ask.run(engine) == [(SHORT_WAIT_MS,)]
    monkeypatch.setattr(waits, "full_ms", FULL_MS)
    with engine.begin() as connection:
        assert connection.scalar(text("PRAGMA busy_timeout")) == FULL_MS


def test_a_statement_waits_for_its_timeout_and_reports_a_lock_as_such(
    tmp_path, monkeypatch
) -> None:
    monkeypatch.setitem(lock_waits.FULL_WAIT_MS, "sqlite", 20)
    file = tmp_path / "notes.db"
    url = f"sqlite:///{file}"
    engine = make_engine(url)
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE notes (number INTEGER)"))
    write = PreparedStatement(
        insert(NOTES).from_select(["number"], select(literal(1))).returning(NOTES.c.number),
        engine.dialect,
    )
    wait = PreparedStatement(
        text("PRAGMA busy_timeout").columns(column("ms", Integer)), engine.dialect
    )
    write.run(engine)
    assert wait.run(engine) == [(20,)]
    with contextlib.closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(OperationalError):
            write.run(engine)
        with lock_waits.lock_waits_of(engine.dialect).limit_wait(is_write=True):
            assert wait.run(engine) == [(SHORT_WAIT_MS,)]
    write.run(engine)
    assert wait.run(engine) == [(20,)]
