"""Statements on pooled connections that have died."""

import contextlib

import psycopg
import pytest
from sqlalchemy import create_engine, literal, select

from app.database import engine_options, prepare_engine
from app.database.statements import Prepared

OTHERS = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"


@pytest.mark.services
def test_a_restart_that_ends_every_pooled_connection_costs_no_statement(postgresql_databases):
    url = postgresql_databases.migrated()
    engine = create_engine(url, **engine_options(url))
    prepare_engine(engine)
    ask = Prepared(select(literal(1).label("one")), engine.dialect)
    with contextlib.ExitStack() as stack:
        for _ in range(4):
            stack.enter_context(contextlib.closing(engine.pool.connect()))
    assert engine.pool.checkedin() == 4
    with psycopg.connect(url.replace("+psycopg", ""), autocommit=True) as admin:
        admin.execute(f"{OTHERS} AND pid <> pg_backend_pid()")
    assert [ask.run(engine) for _ in range(4)] == [[(1,)]] * 4
    assert engine.pool.checkedin() == 1
    engine.dispose()
