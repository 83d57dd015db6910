"""The statements, transactions and round trips of a request to the stores."""

import contextlib

import pytest
import redis

from app.core.api_keys import generate_key
from app.core.database import db
from tests.support.keys import make_account, post, verify
from tests.support.series import daily_body
from tests.support.statements import Asked, record

SERVICES = pytest.mark.services
DATABASE_KINDS = ["sqlite", pytest.param("postgresql", marks=SERVICES)]
WARM_UP = 10  # requests after which every statement is prepared

LOOK_UP_AND_COUNT_USE, LIMIT, LOOK_AT_LIMIT = 1, 1, 1
pytestmark = pytest.mark.usefixtures("each_database")
BODIES = {"200": (200, daily_body()), "400": (400, {}), "422": (422, daily_body(points=5))}
WITH_REDIS = {
    "forecast, 200": (200, 1_000, lambda client, key: post(client, key, daily_body())),
    "forecast, 400": (400, 1_000, post),
    "forecast, 429": (429, 1, post),
    "verify, 200": (200, 1_000, verify),
}


@pytest.fixture(params=DATABASE_KINDS)
def databases(request):
    """Both kinds of database."""
    return request.getfixturevalue(f"{request.param}_databases")


@pytest.fixture
def settings():
    return {"anonymous_per_minute": WARM_UP + 1}


@pytest.fixture
def last_statements(app):
    """Return the statements of the last of some equal requests, and its response."""
    with app.app_context():
        recorded = record(db.engine)

    def send_repeatedly(send):
        for _ in range(WARM_UP):
            send()
        recorded.clear()
        return send().status_code, recorded.asked()

    return send_repeatedly


@pytest.fixture
def key_of(app, make_key):
    """Create a key of an account with a limit of ``per_minute`` requests."""

    def make(per_minute):
        name = make_account(app, f"acme{per_minute}", "enterprise", per_minute, 10_000, 10_000)
        return make_key("read", account_name=name)

    return make


def single_transactions(statements):
    """Return statements as transactions of one statement each."""
    return Asked(statements, statements)


@pytest.mark.parametrize(("status", "body"), BODIES.values(), ids=BODIES)
def test_a_forecast_is_one_statement_for_its_key_and_one_for_its_limits(
    last_statements, client, key, status, body
) -> None:
    response = last_statements(lambda: post(client, key, body))
    assert response == (status, single_transactions(LOOK_UP_AND_COUNT_USE + LIMIT))


def test_a_tier_costs_no_statement_more(last_statements, client, key_of) -> None:
    key = key_of(1_000)
    response = last_statements(lambda: post(client, key))
    assert response == (400, single_transactions(LOOK_UP_AND_COUNT_USE + LIMIT))


def test_a_rejected_request_looks_at_its_limit_after_it(last_statements, client, key_of) -> None:
    key = key_of(1)
    response = last_statements(lambda: post(client, key))
    assert response == (429, single_transactions(LOOK_UP_AND_COUNT_USE + LIMIT + LOOK_AT_LIMIT))


def test_a_missing_permission_costs_no_statement_more(last_statements, client, make_key) -> None:
    key = make_key("write")
    response = last_statements(lambda: post(client, key))
    assert response == (403, single_transactions(LOOK_UP_AND_COUNT_USE + LIMIT))


def test_verify_looks_at_the_limit_and_does_not_count(last_statements, client, key) -> None:
    response = last_statements(lambda: verify(client, key))
    assert response == (200, single_transactions(LOOK_UP_AND_COUNT_USE + LOOK_AT_LIMIT))


def test_an_unknown_key_costs_the_look_up_and_its_address_a_count(last_statements, client) -> None:
    unknown = generate_key()
    response = last_statements(lambda: post(client, unknown))
    assert response == (401, single_transactions(LOOK_UP_AND_COUNT_USE + LIMIT))


def test_without_a_key_nothing_is_looked_up(last_statements, client) -> None:
    response = last_statements(lambda: client.get("/nothing"))
    assert response == (404, single_transactions(LIMIT))


@pytest.fixture
def redis_counters(settings, redis_url) -> None:
    """Counters are in Redis."""
    settings["ratelimit_storage_uri"] = redis_url


@contextlib.contextmanager
def commands(url):
    """Record the names of the commands that clients send in a block, not those inside scripts."""
    sent = []
    with redis.from_url(url) as server, server.monitor() as monitor:
        yield sent
        redis.from_url(url).echo("end")
        for command in monitor.listen():
            name = command["command"].split()[0]
            if name == "ECHO":
                break
            if command["client_type"] != "lua":
                sent.append(name)


@pytest.mark.services
@pytest.mark.parametrize(("status", "per_minute", "send"), WITH_REDIS.values(), ids=WITH_REDIS)
@pytest.mark.usefixtures("redis_counters")
def test_with_counters_in_redis_the_limit_is_one_script_and_no_statement(
    last_statements, client, key_of, redis_url, status, per_minute, send
) -> None:
    key = key_of(per_minute)
    response = last_statements(lambda: send(client, key))
    assert response == (status, single_transactions(LOOK_UP_AND_COUNT_USE))
    with commands(redis_url) as sent:
        assert send(client, key).status_code == status
    assert [name for name in sent if name not in ("HELLO", "CLIENT")] == ["EVALSHA"]
