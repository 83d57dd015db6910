"""The thread that writes usage: on time, at the end, and after the database was unavailable."""

import logging

import pytest
from sqlalchemy.exc import OperationalError

from app.identity.usage import flusher as module
from app.identity.usage.flusher import Flusher
from tests.identity.usage.conftest import call
from tests.support.services import wait_until
from tests.support.usage import calls_of

SOON_SECONDS, NEVER_SECONDS = 0.01, 3_600.0


@pytest.fixture
def writes(monkeypatch):
    """Make the database unavailable with ``writes["away"] = True``, and count attempts."""
    state = {"away": False, "attempts": 0}
    write = module.write_tally

    def attempt(engine, tally) -> None:
        state["attempts"] += 1
        if state["away"]:
            raise OperationalError("INSERT", {}, Exception("connection refused"))
        write(engine, tally)

    monkeypatch.setattr(module, "write_tally", attempt)
    return state


@pytest.fixture
def database_url(sqlite_databases):
    return sqlite_databases.migrated()


def test_calls_are_written_every_few_seconds_by_a_thread(engine) -> None:
    flusher = Flusher(engine, interval_seconds=SOON_SECONDS)
    flusher.start()
    for number in (1, 2):
        flusher.record(call(7))
        wait_until(lambda number=number: calls_of(engine, 7) == number, "the write")
    flusher.stop()


def test_the_end_of_a_process_writes_what_is_left(engine) -> None:
    flusher = Flusher(engine, interval_seconds=NEVER_SECONDS)
    flusher.start()
    for _ in range(3):
        flusher.record(call(7))
    assert calls_of(engine, 7) == 0
    flusher.stop()
    assert calls_of(engine, 7) == 3


def test_an_unavailable_database_loses_no_call_and_is_logged_once(engine, writes, caplog) -> None:
    flusher = Flusher(engine, interval_seconds=SOON_SECONDS)
    writes["away"] = True
    flusher.start()
    flusher.record(call(7))
    wait_until(lambda: writes["attempts"] > 2, "several attempts")
    flusher.record(call(7))
    writes["away"] = False
    wait_until(lambda: calls_of(engine, 7) == 2, "the write")
    flusher.stop()
    records = [(record.levelno, record.message) for record in caplog.records]
    assert records == [
        (
            logging.ERROR,
            "usage is kept in memory until the database is available: connection refused",
        ),
        (logging.WARNING, "the database is available again; usage has been written"),
    ]


def test_usage_lost_at_the_end_is_logged(engine, writes, caplog) -> None:
    flusher = Flusher(engine, interval_seconds=NEVER_SECONDS)
    writes["away"] = True
    flusher.record(call(7))
    flusher.stop()
    assert "usage counted since the database failed is lost" in caplog.text


def test_a_defect_in_a_write_does_not_end_the_thread(engine, writes, monkeypatch, caplog) -> None:
    monkeypatch.setattr(module, "write_tally", lambda _engine, _tally: 1 / 0)
    flusher = Flusher(engine, interval_seconds=SOON_SECONDS)
    flusher.record(call(7))
    flusher.start()
    wait_until(lambda: "ZeroDivisionError" in caplog.text, "the defect")
    monkeypatch.undo()
    wait_until(lambda: calls_of(engine, 7) == 1, "the write")
    flusher.stop()


def test_usage_that_is_not_written_is_bounded_in_memory(engine, monkeypatch) -> None:
    monkeypatch.setattr(module, "MAX_WAITING_CALLS", 10)
    flusher = Flusher(engine)
    for _ in range(25):
        flusher.record(call(7))
    flusher.flush()
    assert calls_of(engine, 7) == 10


@pytest.mark.parametrize(
    ("failure", "logged"),
    [
        (OperationalError("DELETE", {}, Exception("read-only")), "be deleted: read-only"),
        (ZeroDivisionError(), "ZeroDivisionError"),
    ],
)
def test_old_usage_keeps_being_removed_after_a_logged_failure(
    engine, monkeypatch, caplog, failure, logged
) -> None:
    swept = []

    def sweep(*_arguments) -> None:
        swept.append(1)
        raise failure

    monkeypatch.setattr(module, "USAGE_SWEEP_SECONDS", 0.0)
    monkeypatch.setattr(module, "sweep_usage", sweep)
    flusher = Flusher(engine, interval_seconds=SOON_SECONDS)
    flusher.start()
    wait_until(lambda: len(swept) > 2, "sweeps, also after one that failed")
    flusher.stop()
    assert logged in caplog.text
