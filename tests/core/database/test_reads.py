"""Statements that only read, outside a session."""

import pytest
from sqlalchemy import func, literal, select, update

from app.core.database import make_engine
from app.core.database.engine import read_rows
from app.identity.accounts.models import Account
from tests.support.statements import Asked, record

QUERY = select(literal(1))


@pytest.fixture
def engine(each_database):
    engine = make_engine(each_database)
    yield engine
    engine.dispose()


def test_a_read_is_one_round_trip(engine) -> None:
    seen = record(engine)
    read_rows(engine, QUERY)
    seen.clear()
    assert read_rows(engine, QUERY) == [(1,)]
    assert seen.asked() == Asked(1, 1)


def test_a_read_waits_for_no_writer(engine) -> None:
    with engine.begin() as writer:
        writer.execute(update(Account).values(name=Account.name))
        assert read_rows(engine, select(func.count()).select_from(Account)) == [(1,)]
