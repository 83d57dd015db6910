"""GET /healthz: true to the state of the database, free of keys and of counts."""

import sqlite3
from collections.abc import Callable

import pytest
from flask import Flask

from app.api import health
from tests.support.api import Api, assert_standard_headers, details_of


@pytest.fixture(autouse=True)
def always_fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each request checks the database."""
    monkeypatch.setattr(health, "FRESH_SECONDS", 0.0)


@pytest.fixture
def settings() -> dict[str, object]:
    return {"anonymous_per_minute": 2}


@pytest.fixture
def probe(app: Flask) -> Callable:
    return lambda: Api(app).request("GET", "/healthz")


def test_a_healthy_service_answers_200_without_a_key(probe: Callable) -> None:
    answer = probe()
    assert (answer.status_code, answer.get_json()) == (200, {"status": "ok"})
    assert_standard_headers(answer)


def test_probes_never_use_up_the_limit_of_their_address(app: Flask, probe: Callable) -> None:
    assert {probe().status_code for _ in range(5)} == {200}
    assert Api(app).verify().headers["X-RateLimit-Remaining"] == "1"


def test_an_address_over_its_limit_is_still_told_the_state(app: Flask, probe: Callable) -> None:
    assert [Api(app).verify().status_code for _ in range(3)] == [401, 401, 429]
    assert probe().status_code == 200


def test_a_key_on_a_probe_is_not_looked_up_and_not_counted(app: Flask, key: str) -> None:
    from tests.support.keys import record_of

    assert Api(app, key).request("GET", "/healthz").status_code == 200
    assert record_of(app, key).usage_count == 0


def test_a_database_that_takes_no_writes_is_unhealthy_until_it_does(
    probe: Callable, database_url: str
) -> None:
    other = sqlite3.connect(database_url.removeprefix("sqlite:///"), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    assert "key store" in details_of(probe(), 503)["issue"]
    other.execute("ROLLBACK")
    other.close()
    assert probe().status_code == 200


def test_a_limit_store_that_is_away_does_not_make_the_service_unhealthy(database_url: str) -> None:
    from app import create_app

    app = create_app(database_url=database_url, ratelimit_storage_uri="redis://127.0.0.1:1/0")
    answer = Api(app).request("GET", "/healthz")
    assert answer.status_code == 200
    assert_standard_headers(answer)


def test_a_flood_of_probes_writes_once_a_second(
    probe: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "FRESH_SECONDS", 60.0)
    checks = []
    monkeypatch.setattr(health.Health, "_check", staticmethod(lambda: checks.append(1)))
    assert {probe().status_code for _ in range(5)} == {200}
    assert len(checks) == 1
