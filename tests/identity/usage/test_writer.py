"""Adding counts to the tables: by several processes at once, on both databases."""

import threading

import pytest
from sqlalchemy import create_engine, event
from sqlalchemy.exc import SQLAlchemyError

from app.core.database import make_engine
from app.identity.usage import writer
from app.identity.usage.models import (
    AccountDay,
    AccountHour,
    FailureDay,
    KeyAddress,
    KeyDay,
    UsageHour,
)
from app.identity.usage.tally import USAGE_MODELS, Tally
from app.identity.usage.writer import write_tally
from tests.identity.usage.conftest import DAY, HOUR, NOON, call
from tests.support.usage import calls_of, rows

MIDNIGHT = NOON - 12 * HOUR


def tally_of(*calls, times=1):
    tally = Tally()
    for counted in calls:
        tally.add(counted, times)
    return tally


def test_a_call_adds_to_its_hour_and_its_day(engine) -> None:
    late = NOON + HOUR - 1
    write_tally(engine, tally_of(call(7, at=late, status=201, bucket=4), times=2))
    write_tally(engine, tally_of(call(7, at=late + 1), call(7, at=late)))
    assert rows(engine, UsageHour) == [
        (1, NOON, 7, "POST /forecast", 2, 3),
        (1, NOON + HOUR, 7, "POST /forecast", 2, 1),
    ]
    assert rows(engine, AccountHour) == [
        (1, NOON, "POST /forecast", 200, 3, 1),
        (1, NOON, "POST /forecast", 201, 4, 2),
        (1, NOON + HOUR, "POST /forecast", 200, 3, 1),
    ]
    assert rows(engine, AccountDay) == [
        (1, MIDNIGHT, "POST /forecast", 200, 3, 2),
        (1, MIDNIGHT, "POST /forecast", 201, 4, 2),
    ]
    assert rows(engine, KeyDay) == [(1, MIDNIGHT, 7, 4, 0)]
    assert rows(engine, FailureDay) == []
    assert rows(engine, KeyAddress) == []


def test_a_day_ends_at_midnight_in_utc(engine) -> None:
    write_tally(engine, tally_of(call(at=MIDNIGHT - 1), call(at=MIDNIGHT)))
    assert [row[1] for row in rows(engine, KeyDay)] == [MIDNIGHT - DAY, MIDNIGHT]


def test_a_failure_is_counted_by_its_cause_and_its_owner(engine) -> None:
    for status, field, times in ((422, "series.values", 2), (500, "", 1), (399, "", 1)):
        write_tally(engine, tally_of(call(7, status=status, field=field), times=times))
    write_tally(engine, tally_of(call(8, status=422, field="series.values")))
    assert rows(engine, FailureDay) == [
        (1, MIDNIGHT, "POST /forecast", 422, "series.values", 7, 2),
        (1, MIDNIGHT, "POST /forecast", 422, "series.values", 8, 1),
        (1, MIDNIGHT, "POST /forecast", 500, "", 7, 1),
    ]
    assert [row[3:] for row in rows(engine, KeyDay)] == [(4, 3), (1, 1)]


def test_first_and_last_use_of_an_address_hold_for_any_order_of_writes(engine):
    for at, times in ((NOON, 1), (NOON - 50, 2), (NOON + 50, 3), (NOON, 1)):
        write_tally(engine, tally_of(call(7, address="192.0.2.1", at=at), times=times))
    together = tally_of(call(7, address="192.0.2.1", at=NOON + 60))
    together.add(call(7, address="192.0.2.1", at=NOON - 60), 1)
    write_tally(engine, together)
    assert rows(engine, KeyAddress) == [(1, 7, "192.0.2.1", NOON - 60, NOON + 60, 9)]


def test_more_than_one_transaction_is_written_wholly_and_once(engine, monkeypatch) -> None:
    monkeypatch.setattr(writer, "MAX_ROWS_PER_TRANSACTION", 7)
    tally = tally_of(*(call(key_id, status=400, address="192.0.2.1") for key_id in range(1, 30)))
    write_tally(engine, tally)
    assert not tally
    write_tally(engine, tally)
    assert [calls_of(engine, key_id) for key_id in range(1, 30)] == [1] * 29
    assert [len(rows(engine, model)) for model in USAGE_MODELS] == [29, 1, 1, 29, 29, 29]


def test_only_usage_that_could_not_be_written_is_kept(engine, monkeypatch) -> None:
    """The third transaction fails, then the database works again."""
    monkeypatch.setattr(writer, "MAX_ROWS_PER_TRANSACTION", 10)
    started = []

    @event.listens_for(engine, "begin", insert=True)
    def fail_once(connection) -> None:
        started.append(connection)
        if len(started) == 3:
            raise SQLAlchemyError("away")

    tally = tally_of(*(call(key_id) for key_id in range(1, 30)))
    with pytest.raises(SQLAlchemyError):
        write_tally(engine, tally)
    assert len(rows(engine, UsageHour)) == 20
    write_tally(engine, tally)
    assert [calls_of(engine, key_id) for key_id in range(1, 30)] == [1] * 29
    assert len(rows(engine, KeyDay)) == 29


def test_concurrent_writers_of_the_same_rows_do_not_deadlock(each_database) -> None:
    """Each has counted the same calls, in another order."""
    writers, keys, rounds = 4, 60, 5
    failed, start = [], threading.Barrier(writers)

    def work(number) -> None:
        engine = make_engine(each_database)
        order = [*range(1, keys + 1)][:: -1 if number % 2 else 1]
        try:
            start.wait()
            for _ in range(rounds):
                write_tally(
                    engine, tally_of(*(call(key, status=400, address="::1") for key in order))
                )
        except Exception as error:
            failed.append(error)
        finally:
            engine.dispose()

    threads = [threading.Thread(target=work, args=[number]) for number in range(writers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    engine = create_engine(each_database)
    assert {calls_of(engine, key) for key in range(1, keys + 1)} == {writers * rounds}
    engine.dispose()
