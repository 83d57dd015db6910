"""What is counted of a call over time: what `usage_count` counts, and no word of a client."""

import pytest
from sqlalchemy import select

from app.accounts.models import ApiKey
from app.usage.models import AccountDay, AccountHour, FailureDay, KeyAddress, KeyDay, UsageHour
from tests.support.keys import bearer, post, record_of, verify
from tests.support.statements import record
from tests.support.usage import calls_of, flushed, rows


@pytest.fixture
def database_url(each_database):
    return each_database


def fail(client, key, **options):
    """What the table of failures holds after a request that fails."""
    options = {"method": "POST", "path": "/forecast", "json": {}} | options
    response = client.open(headers=bearer(key), **options)
    assert response.status_code >= 400
    return response.status_code


def test_calls_are_written_to_every_table_and_their_sum_is_the_usage_count(
    app, engine, client, make_key
):
    key, other = make_key("read", "write"), make_key("read")
    for _ in range(3):
        verify(client, key)
        verify(client, other)
    post(client, key)
    post(client, other)
    client.get("/verify", headers=bearer("ak_" + "0" * 64))
    client.get("/nowhere", headers=bearer(key))
    client.get("/health", headers=bearer(key))
    flushed(app)
    mine, theirs = record_of(app, key), record_of(app, other)
    assert (mine.usage_count, theirs.usage_count) == (4, 4)
    assert [calls_of(engine, one.id) for one in (mine, theirs)] == [4, 4]
    account = mine.account_id
    hours = {row[2:] for row in rows(engine, UsageHour) if row[0] == account}
    assert hours == {
        (mine.id, "GET /verify", 2, 3),
        (mine.id, "POST /forecast", 4, 1),
        (theirs.id, "GET /verify", 2, 3),
        (theirs.id, "POST /forecast", 4, 1),
    }
    for model in (AccountHour, AccountDay):
        outcomes = {}
        for _, _, endpoint, status, _, calls in rows(engine, model):
            outcomes[endpoint, status] = outcomes.get((endpoint, status), 0) + calls
        assert outcomes == {
            ("GET /verify", 200): 6,
            ("POST /forecast", 400): 1,
            ("POST /forecast", 403): 1,
        }
    assert {row[2:] for row in rows(engine, KeyDay)} == {(mine.id, 4, 1), (theirs.id, 4, 1)}
    assert {row[2:] for row in rows(engine, FailureDay)} == {
        ("POST /forecast", 400, "horizon", mine.id, 1),
        ("POST /forecast", 403, "", theirs.id, 1),
    }
    addresses = rows(engine, KeyAddress)
    assert {(*row[:3], row[5]) for row in addresses} == {
        (account, mine.id, "127.0.0.1", 4),
        (account, theirs.id, "127.0.0.1", 4),
    }
    assert all(first <= last for *_, first, last, _ in addresses)


def test_a_second_write_adds_to_the_rows_of_the_first(app, engine, client, key):
    for number in (1, 2):
        post(client, key)
        flushed(app)
        assert [row[-1] for row in rows(engine, FailureDay)] == [number]
    (seen,) = rows(engine, KeyAddress)
    assert seen[-1] == 2
    assert calls_of(engine, record_of(app, key).id) == 2


def test_calls_that_a_limit_refuses_count_as_uses_do(app, engine, client, make_key):
    key = make_key("read")
    record_id = record_of(app, key).id
    with app.app_context():
        pass
    statuses = [post(client, key).status_code for _ in range(3)]
    flushed(app)
    assert calls_of(engine, record_id) == record_of(app, key).usage_count == len(statuses)


@pytest.mark.parametrize(
    ("request_of", "status", "field"),
    [
        ({"json": {"secret-field-of-mine": 1, "horizon": 2}}, 400, ""),
    ],
)
def test_x(app, engine, client, key, request_of, status, field):
    assert fail(client, key, **request_of) == status
    flushed(app)
    print(rows(engine, FailureDay))
