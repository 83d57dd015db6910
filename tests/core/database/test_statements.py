"""Statements on pooled connections that have died."""

import contextlib
import functools

import psycopg
import pytest
from sqlalchemy import (
    Column,
    Integer,
    MetaData,
    Table,
    bindparam,
    insert,
    literal,
    select,
)
from sqlalchemy.exc import IntegrityError, OperationalError
from sqlalchemy.orm import Session

from app.core.database import make_engine
from app.core.database.engine import read_rows
from app.core.database.interruptions import is_interruption
from app.core.database.statements import PreparedStatement, write_transaction
from tests.support.databases import ON_POSTGRESQL

SESSIONS = "FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
QUERY = select(literal(1).label("one"))


def end_others(url: str) -> None:
    """End every connection to a database, as a restart of the server does."""
    with psycopg.connect(url.replace("+psycopg", ""), autocommit=True) as admin:
        admin.execute(f"SELECT pg_terminate_backend(pid) {SESSIONS}")


@pytest.mark.services
@pytest.mark.parametrize(
    "run",
    [
        lambda engine: PreparedStatement(QUERY, engine.dialect).run(engine),
        lambda e: read_rows(e, QUERY),
    ],
    ids=["a statement", "a read"],
)
def test_a_restart_that_ends_every_pooled_connection_costs_nothing(postgresql_databases, run):
    url = postgresql_databases.migrated()
    engine = make_engine(url)
    with contextlib.ExitStack() as stack:
        for _ in range(4):
            stack.enter_context(contextlib.closing(engine.pool.connect()))
    assert engine.pool.checkedin() == 4
    end_others(url)
    assert [run(engine) for _ in range(4)] == [[(1,)]] * 4
    engine.dispose()


@pytest.mark.services
def test_a_connection_lent_while_another_is_found_dead_does_not_stay_open(postgresql_databases):
    url = postgresql_databases.migrated()
    engine = make_engine(url)
    pool = engine.pool
    statement = PreparedStatement(QUERY, engine.dialect)
    dead, lent = pool.connect(), pool.connect()
    pid = dead.driver_connection.info.backend_pid
    dead.close()
    with psycopg.connect(url.replace("+psycopg", ""), autocommit=True) as admin:
        admin.execute("SELECT pg_terminate_backend(%s)", [pid])
        assert statement.run(engine) == [(1,)]
        lent.close()
        # Each belongs to the pool that lends, which keeps five and closes the others.
        assert (
            len(admin.execute(f"SELECT pid {SESSIONS}").fetchall()) == engine.pool.checkedin() == 2
        )
    engine.dispose()


@pytest.fixture
def end_all(each_database):
    return functools.partial(end_others, each_database)


@pytest.fixture
def notes(each_database):
    """An engine, a table of numbers, and the statement that adds one."""
    engine = make_engine(each_database)
    table = Table("notes", MetaData(), Column("number", Integer, primary_key=True))
    table.create(engine)
    yield (
        engine,
        table,
        PreparedStatement(insert(table).values(number=bindparam("given")), engine.dialect),
    )
    table.drop(engine)
    engine.dispose()


def numbers(engine, table):
    with engine.connect() as connection:
        return sorted(connection.scalars(select(table.c.number)))


def add_all(engine, add, statements) -> None:
    with write_transaction(engine) as writes:
        for statement in statements:
            writes.run(add, given=statement)


def test_statements_of_a_transaction_are_committed_together(notes) -> None:
    engine, table, add = notes
    with write_transaction(engine) as writes:
        writes.run(add, given=1)
        writes.run_many(add, [{"given": 2}, {"given": 3}])
        writes.execute(insert(table).values(number=4))
        assert [row.number for row in writes.execute(select(table).order_by("number"))] == [
            *range(1, 5)
        ]
    assert numbers(engine, table) == [1, 2, 3, 4]


def test_an_exception_rolls_back_and_keeps_the_connection_usable(notes) -> None:
    engine, table, add = notes
    with pytest.raises(IntegrityError):
        add_all(engine, add, [1, 2, 2])
    assert numbers(engine, table) == []
    with write_transaction(engine) as writes:
        writes.run(add, given=3)
    assert numbers(engine, table) == [3]


@ON_POSTGRESQL
def test_a_transaction_begins_again_on_a_connection_that_lives(notes, end_all) -> None:
    engine, table, add = notes
    with write_transaction(engine) as writes:
        writes.run(add, given=1)
    end_all()
    with write_transaction(engine) as writes:
        writes.run(add, given=2)
    assert numbers(engine, table) == [1, 2]


def add_two(engine, table, add, *, then) -> None:
    with write_transaction(engine) as writes:
        writes.run(add, given=1)
        then()
        writes.run(add, given=2)


def add_two_in_a_session(engine, table, _add, *, then) -> None:
    with Session(engine) as session:
        session.execute(insert(table).values(number=1))
        then()
        session.execute(insert(table).values(number=2))


def add_one(engine, _table, add, *, then) -> None:
    with write_transaction(engine) as writes:
        writes.run(add, given=1)
        then()


def add_one_in_a_session(engine, table, _add, *, then) -> None:
    with Session(engine) as session:
        session.execute(insert(table).values(number=1))
        then()
        session.commit()


@ON_POSTGRESQL
@pytest.mark.parametrize("work", [add_two, add_two_in_a_session])
def test_a_restart_before_the_commit_undoes_everything_and_says_to_repeat(
    notes, end_all, work
) -> None:
    with pytest.raises(OperationalError) as cut:
        work(*notes, then=end_all)
    assert is_interruption(cut.value, is_read_only=False)
    assert numbers(*notes[:2]) == []


@ON_POSTGRESQL
@pytest.mark.parametrize("work", [add_one, add_one_in_a_session])
def test_a_restart_during_the_commit_is_never_reported_as_nothing_done(notes, end_all, work):
    with pytest.raises(OperationalError) as lost:
        work(*notes, then=end_all)
    assert not is_interruption(lost.value, is_read_only=False)


def read_in_a_session(engine, table, _add, *, then) -> None:
    with Session(engine) as session:
        session.execute(select(table))
        then()


@ON_POSTGRESQL
def test_a_restart_at_the_end_of_what_only_read_says_that_it_may_be_repeated(notes, end_all):
    with pytest.raises(OperationalError) as lost:
        read_in_a_session(*notes, then=end_all)
    assert is_interruption(lost.value, is_read_only=True)
