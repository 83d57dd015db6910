"""The recorded usage of calls: the same count as `usage_count`, and no text of a client."""

import pytest

from app.identity.usage.models import (
    AccountDay,
    AccountHour,
    FailureDay,
    KeyAddress,
    KeyDay,
    UsageHour,
)
from app.identity.usage.tally import USAGE_MODELS
from tests.support.keys import bearer, make_account, post, record_of, verify
from tests.support.series import regular_body
from tests.support.statements import record
from tests.support.usage import calls_of, flush, rows

pytestmark = pytest.mark.usefixtures("each_database")
WORD = "secret-of-mine"


def test_calls_are_written_to_every_table_and_their_sum_is_the_usage_count(
    app, engine, client, make_key
) -> None:
    key, other = make_key("read", "write"), make_key("delete")
    for _ in range(3):
        verify(client, key)
        verify(client, other)
    post(client, key)
    post(client, other)
    client.get("/verify", headers=bearer("ak_" + "0" * 64))
    client.get("/nowhere", headers=bearer(key))
    client.get("/health", headers=bearer(key))
    flush(app)
    mine, theirs = record_of(app, key), record_of(app, other)
    assert (mine.usage_count, theirs.usage_count) == (4, 4)
    assert [calls_of(engine, key_.id) for key_ in (mine, theirs)] == [4, 4]
    account = mine.account_id
    assert {
        (row.key_id, row.endpoint, row.status_class, row.calls)
        for row in rows(engine, UsageHour)
        if row.account_id == account
    } == {
        (mine.id, "GET /verify", 2, 3),
        (mine.id, "POST /forecast", 4, 1),
        (theirs.id, "GET /verify", 2, 3),
        (theirs.id, "POST /forecast", 4, 1),
    }
    for model in (AccountHour, AccountDay):
        outcomes = {}
        for row in rows(engine, model):
            outcome = (row.endpoint, row.status)
            outcomes[outcome] = outcomes.get(outcome, 0) + row.calls
        assert outcomes == {
            ("GET /verify", 200): 6,
            ("POST /forecast", 400): 1,
            ("POST /forecast", 403): 1,
        }
    assert {(row.key_id, row.calls, row.errors) for row in rows(engine, KeyDay)} == {
        (mine.id, 4, 1),
        (theirs.id, 4, 1),
    }
    assert {
        (row.endpoint, row.status, row.field, row.key_id, row.calls)
        for row in rows(engine, FailureDay)
    } == {
        ("POST /forecast", 400, "series", mine.id, 1),
        ("POST /forecast", 403, "", theirs.id, 1),
    }
    addresses = rows(engine, KeyAddress)
    assert {(row.account_id, row.key_id, row.address, row.calls) for row in addresses} == {
        (account, mine.id, "127.0.0.1", 4),
        (account, theirs.id, "127.0.0.1", 4),
    }
    assert all(row.first_seen <= row.last_seen for row in addresses)


def test_a_second_write_adds_to_the_rows_of_the_first(app, engine, client, key) -> None:
    for number in (1, 2):
        post(client, key)
        flush(app)
        assert [row.calls for row in rows(engine, FailureDay)] == [number]
    (seen,) = rows(engine, KeyAddress)
    assert seen.calls == 2
    assert calls_of(engine, record_of(app, key).id) == 2


def test_calls_that_a_limit_rejects_count_as_uses_do(app, engine, client, make_key) -> None:
    make_account(app, "small", "enterprise", 1, 10, 10)
    key = make_key("read", account_name="small")
    statuses = [post(client, key).status_code for _ in range(3)]
    flush(app)
    assert statuses == [400, 429, 429]
    assert {row[3] for row in rows(engine, FailureDay)} == {400, 429}
    row = record_of(app, key)
    assert calls_of(engine, row.id) == row.usage_count == 3


def assert_counted_by(field, word, app, engine) -> None:
    """Check that the only failure names ``field``, and that the client's ``word`` is not stored."""
    flush(app)
    (failure,) = rows(engine, FailureDay)
    assert failure[4] == field
    assert all(word not in str(row) for model in USAGE_MODELS for row in rows(engine, model))


@pytest.mark.parametrize(
    ("path", "sent", "field"),
    [
        ("/forecast", {"json": {WORD: 1}}, "series"),
        ("/forecast", {"json": regular_body("Daily") | {WORD: 1}}, ""),
        ("/forecast", {"json": regular_body("Daily") | {"series": [{WORD: 1}]}}, "series"),
        ("/forecast", {"json": regular_body("Daily") | {"data_frequency": WORD}}, "data_frequency"),
        ("/forecast", {"json": regular_body("Daily") | {"confidence": [WORD]}}, "confidence"),
        (
            "/forecast",
            {"json": regular_body("Daily"), "headers": {"X-Model-Id": WORD}},
            "X-Model-Id",
        ),
        ("/forecast", {"data": WORD, "content_type": "application/json"}, ""),
        (f"/monitors/{WORD * 20}", {"method": "PUT", "json": {}}, "name"),
        (f"/monitors/{WORD}", {"method": "GET"}, ""),
        (f"/monitors/{WORD}/points?order={WORD}", {"method": "GET"}, "order"),
        (f"/monitors/{WORD}/points?{WORD}={WORD}", {"method": "GET"}, ""),
    ],
)
def test_failures_are_counted_by_schema_field_and_never_by_client_input(
    app, engine, client, key, path, sent, field
) -> None:
    options = {"method": "POST", **sent, "headers": bearer(key) | sent.get("headers", {})}
    assert client.open(path, **options).status_code in {400, 404, 422}
    assert_counted_by(field, WORD, app, engine)


class TestWithoutAddresses:
    """With ``USAGE_ADDRESSES=0`` no address is stored."""

    @pytest.fixture
    def settings(self):
        return {"usage_addresses": False}

    def test_no_address_is_stored_and_all_else_is(self, app, engine, client, key) -> None:
        verify(client, key)
        flush(app)
        assert rows(engine, KeyAddress) == []
        assert calls_of(engine, record_of(app, key).id) == 1


def test_a_caller_without_an_address_is_counted_without_one(app, engine, client, key) -> None:
    verify(client, key, environ_base={"REMOTE_ADDR": ""})
    verify(client, key, environ_base={"REMOTE_ADDR": "2001:db8:1:2:3:4:5:6"})
    flush(app)
    assert [row[2] for row in rows(engine, KeyAddress)] == ["2001:db8:1:2::/64"]
    assert calls_of(engine, record_of(app, key).id) == 2


@pytest.mark.parametrize("databases", ["sqlite"], indirect=True)
def test_counting_asks_the_database_nothing(app, engine, client, key, monkeypatch) -> None:
    statements = record(engine)
    engine.dispose()
    verify(client, key)
    statements.clear()
    verify(client, key)
    counted = statements.asked()
    monkeypatch.setattr("app.api.callers.usage.current_endpoint", lambda: None)
    statements.clear()
    verify(client, key)
    assert counted == statements.asked()
    assert counted.statements > 0
