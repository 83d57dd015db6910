"""Polls with a wrong clock, a suspended account, or rows that are malformed."""

import datetime as dt

import pytest
from sqlalchemy import text, update
from sqlalchemy.exc import DataError

from app.core.database import db
from app.core.database.malformed import MALFORMED_PROBLEM
from app.identity.accounts.models import Account
from app.watching.models.sources import QUERIES, SERIES
from app.watching.monitors.storage.row_conversion import STATES
from tests.watching.sources.source_queries import (
    DELAY,
    HISTORY,
    STEP,
    calm_value,
    fill_calm_query,
    first_step,
    make_query,
    poll,
    query,
    row,
)
from tests.watching.sources.test_polling import expect_every_step

pytestmark = pytest.mark.usefixtures("each_database")


def test_a_clock_that_is_wrong_by_two_minutes_does_not_matter(server, now) -> None:
    for skew in (-120, 120):
        server.now = lambda skew=skew: now().timestamp() + skew
        fill_calm_query(server, f"rate{skew}".replace("-", "m"), history=60)
        name = f"rate{skew}".replace("-", "m")
        last = int((now().timestamp() + skew - DELAY) // STEP * STEP)
        assert row(name).read_to == last
        due = row(name).next_poll_at.timestamp() + skew
        assert -1 <= due - (last + STEP + DELAY) <= STEP / 20 + 1


def test_a_clock_of_another_day_is_not_accepted(server, now) -> None:
    server.add_series(calm_value)
    server.now = lambda: now().timestamp() + 86_400 * 365
    make_query()
    poll()
    assert query().state == "failing"
    assert "clock" in query().problem


def test_queries_of_a_suspended_account_are_not_polled_and_catch_up_later(server, now, context):
    fill_calm_query(server)
    filled = first_step(now)

    def suspend(at) -> None:
        with db.engine.begin() as connection:
            connection.execute(update(Account).values(suspended_at=at))

    suspend(now())
    number = len(server.requests)
    poll(now, steps=3)
    assert len(server.requests) == number
    suspend(None)
    poll()
    expect_every_step("rate", filled - (HISTORY - 1) * STEP, filled + 3 * STEP)


def malformed_rows(caplog):
    return [
        record.fields["table"] for record in caplog.records if record.msg.startswith("a malformed")
    ]


def change(table, **columns) -> None:
    with db.engine.begin() as connection:
        connection.execute(update(table).values(columns))


@pytest.mark.parametrize("stored", ["", "not JSON"])
def test_a_malformed_series_makes_its_query_fail_once_an_hour(server, now, caplog, stored) -> None:
    server.add_series(calm_value, service="shop")
    make_query()
    poll()
    change(SERIES, labels=stored)
    make_query("other", query="rate(y[5m])")
    now.move(seconds=STEP)
    began = now()
    for _ in range(3):
        poll(now, steps=1)
    assert (query().state, query().failing_since) == ("failing", began)
    assert query().problem == "its row in the database is malformed"
    assert query("other").state == "live"
    assert malformed_rows(caplog) == ["source_queries"]
    now.move(hours=2)
    poll()
    assert malformed_rows(caplog) == ["source_queries"]


def test_a_bug_in_a_poll_makes_its_query_fail_and_is_logged_once(
    server, now, caplog, monkeypatch
) -> None:
    fill_calm_query(server)

    def fail(*_arguments, **_named):
        raise ZeroDivisionError

    with monkeypatch.context() as patched:
        patched.setattr("app.watching.sources.incremental.append_points", fail)
        now.move(seconds=STEP)
        began = now()
        for _ in range(3):
            poll(now, steps=1)
    assert (query().state, query().failing_since) == ("failing", began)
    assert query().problem == "the service failed, and its log has the details"
    errors = [record for record in caplog.records if record.levelname == "ERROR"]
    assert [error.exc_info[0] for error in errors] == [ZeroDivisionError]
    now.move(seconds=400)
    poll()
    assert (query().state, query().problem) == ("live", None)


def test_an_unexpected_error_of_the_database_in_a_poll_is_logged_without_its_text(
    server, caplog, monkeypatch
) -> None:
    def fail(*_arguments, **_named):
        raise DataError("UPDATE …", {}, Exception("DETAIL: Failing row contains (ak_secret)"))

    server.add_series(calm_value)
    make_query()
    monkeypatch.setattr("app.watching.sources.polling.backfill_query", fail)
    poll()
    assert query().problem == "the service failed, and its log has the details"
    (error,) = [record for record in caplog.records if record.levelname == "ERROR"]
    assert (error.msg, error.exc_info) == ("unexpected error in a poll", None)
    assert error.fields["problem"].startswith("DataError in polling.py:")
    assert "ak_secret" not in str(vars(error))


@pytest.mark.parametrize("databases", ["sqlite"], indirect=True)  # PostgreSQL checks types
@pytest.mark.parametrize(
    "column",
    [
        *QUERIES.c["read_to", "fill_to", "delay", "max_series"],
        *SERIES.c["since", "seen_to"],
        *STATES.c["revision", "points", "events"],
    ],
    ids=str,
)
def test_a_text_in_place_of_an_integer_is_a_malformed_row(server, now, caplog, column) -> None:
    fill_calm_query(server)
    change(column.table, **{column.name: text("'abc'")})
    now.move(seconds=STEP)
    poll(now, steps=3)
    stored = row()
    assert (stored.state, stored.problem) == ("failing", MALFORMED_PROBLEM)
    assert stored.next_poll_at - stored.failing_since == dt.timedelta(hours=1)
    assert malformed_rows(caplog) == ["source_queries"]


@pytest.mark.parametrize("databases", ["sqlite"], indirect=True)  # PostgreSQL checks types
def test_a_malformed_query_that_fails_without_a_time_gets_one(server, now, caplog) -> None:
    make_query()
    change(
        QUERIES,
        created_at=text("'yesterday'"),
        state="failing",
        problem=MALFORMED_PROBLEM,
        failing_since=None,
    )
    began = now()
    poll()
    now.move(hours=2)
    poll()
    assert malformed_rows(caplog) == []
    change(QUERIES, created_at=began)
    assert (query().state, query().failing_since) == ("failing", began)


@pytest.mark.parametrize("databases", ["sqlite"], indirect=True)  # PostgreSQL checks types
def test_a_query_whose_row_cannot_be_read_holds_up_no_other(server, now, caplog) -> None:
    server.add_series(calm_value, service="shop")
    make_query()
    change(QUERIES, created_at=text("'yesterday'"))
    make_query("other", query="rate(y[5m])")
    began = now()
    for _ in range(3):
        poll(now, steps=1)
    assert query("other").state == "live"
    assert malformed_rows(caplog) == ["source_queries"]
    change(QUERIES, created_at=began)
    assert (query().state, query().failing_since) == ("failing", began)
