"""Statements that only read, outside a session."""

import contextlib

import psycopg
import pytest
from sqlalchemy import func, literal, select, update

from app.core.database import make_engine
from app.core.database.engine import read_rows
from app.identity.accounts.models import Account
from tests.core.database.test_statements import OTHERS
from tests.support.statements import Asked, record

ONE = select(literal(1))


@pytest.fixture
def engine(each_database):
    engine = make_engine(each_database)
    yield engine
    engine.dispose()


def test_a_read_is_one_round_trip(engine) -> None:
    seen = record(engine)
    read_rows(engine, ONE)
    seen.clear()
    assert read_rows(engine, ONE) == [(1,)]
    assert seen.asked() == Asked(1, 1)


def test_a_read_waits_for_no_writer(engine) -> None:
    with engine.begin() as writer:
        writer.execute(update(Account).values(name=Account.name))
        assert read_rows(engine, select(func.count()).select_from(Account)) == [(1,)]


@pytest.mark.services
def test_a_restart_that_ends_every_pooled_connection_costs_no_read(postgresql_databases) -> None:
    url = postgresql_databases.migrated()
    engine = make_engine(url)
    with contextlib.ExitStack() as stack:
        for _ in range(4):
            stack.enter_context(contextlib.closing(engine.pool.connect()))
    with psycopg.connect(url.replace("+psycopg", ""), autocommit=True) as admin:
        admin.execute(f"{OTHERS} AND pid <> pg_backend_pid()")
    assert [read_rows(engine, ONE) for _ in range(4)] == [[(1,)]] * 4
    engine.dispose()
