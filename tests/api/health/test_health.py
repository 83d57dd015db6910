"""GET /healthz and GET /readyz: correct, in bounded time, without keys and limits."""

import sqlite3
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import redis
from flask import Flask

from app import create_app
from app.api.health import probe
from app.api.health import routes as health
from app.compute.client import EngineClient
from app.compute.jobs import ENGINE_EXTENSION
from app.core.database import db
from app.delivery.heartbeat import record_heartbeat
from tests.support.api import Api, assert_standard_headers, details_of
from tests.support.keys import record_of
from tests.support.proxy import Proxy, run_proxy
from tests.support.services import postgresql_cluster, wait_until

PATHS = ["/healthz", "/readyz"]
BOUND_SECONDS = health.MAX_HEALTH_SECONDS + 3  # room for a busy machine


@pytest.fixture(autouse=True)
def without_cached_health(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let each request check the database."""
    monkeypatch.setattr(probe, "FRESH_SECONDS", 0.0)


@pytest.fixture
def settings() -> dict[str, object]:
    return {"anonymous_per_minute": 2}


@pytest.fixture(params=PATHS)
def send_probe(app: Flask, request: pytest.FixtureRequest) -> Callable:
    return lambda: Api(app).request("GET", request.param)


def test_a_healthy_service_responds_200_without_a_key(send_probe: Callable) -> None:
    response = send_probe()
    assert (response.status_code, response.get_json()["status"]) == (200, "ok")
    assert_standard_headers(response)


def test_probes_never_use_up_the_limit_of_their_address(app: Flask, send_probe: Callable) -> None:
    assert {send_probe().status_code for _ in range(5)} == {200}
    assert Api(app).verify().headers["X-RateLimit-Remaining"] == "1"


def test_an_address_over_its_limit_still_gets_the_state(app: Flask, send_probe: Callable) -> None:
    assert [Api(app).verify().status_code for _ in range(3)] == [401, 401, 429]
    assert send_probe().status_code == 200


@pytest.mark.parametrize("path", PATHS)
def test_a_key_on_a_probe_is_not_looked_up_and_not_counted(app: Flask, key: str, path: str) -> None:
    assert Api(app, key).request("GET", path).status_code == 200
    assert record_of(app, key).usage_count == 0


@pytest.mark.timing
def test_a_database_that_takes_no_writes_is_unhealthy_until_it_does(
    send_probe: Callable, database_url: str
) -> None:
    other = sqlite3.connect(database_url.removeprefix("sqlite:///"), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    started = time.monotonic()
    details_of(send_probe(), 503)
    assert time.monotonic() - started < BOUND_SECONDS
    other.execute("ROLLBACK")
    other.close()
    wait_until(lambda: send_probe().status_code == 200, "a new look at the database")


@pytest.fixture
def store_proxy(redis_url: str) -> Proxy:
    with run_proxy(redis_url) as proxy:
        yield proxy


@pytest.mark.services
@pytest.mark.timing
@pytest.mark.parametrize("fault", ["disconnect", "hang"])
def test_a_limit_store_that_is_unavailable_is_not_ready_but_healthy(
    database_url: str, store_proxy: Proxy, fault: str
) -> None:
    caller = Api(create_app(database_url=database_url, ratelimit_storage_uri=store_proxy.url))
    assert caller.request("GET", "/readyz").status_code == 200
    getattr(store_proxy, fault)()
    started = time.monotonic()
    details = details_of(caller.request("GET", "/readyz"), 503)
    assert time.monotonic() - started < BOUND_SECONDS
    assert (details["database"], details["limit_store"]) == ("ok", "away")
    assert str(store_proxy.port) not in str(details)
    assert caller.request("GET", "/healthz").status_code == 200
    store_proxy.restore()
    # A check that hung must end before the next one.
    wait_until(lambda: caller.request("GET", "/readyz").status_code == 200, "a ready service", 30)


@pytest.mark.services
def test_a_limit_store_that_takes_no_writes_is_not_ready(database_url: str, redis_url: str) -> None:
    caller = Api(create_app(database_url=database_url, ratelimit_storage_uri=redis_url))
    with redis.from_url(redis_url) as admin:
        admin.config_set("maxmemory", "1")
        try:
            assert details_of(caller.request("GET", "/readyz"), 503)["limit_store"] == "away"
        finally:
            admin.config_set("maxmemory", "0")
    assert caller.request("GET", "/readyz").status_code == 200


@pytest.mark.services
@pytest.mark.timing
def test_a_paused_database_is_reported_in_time_and_no_secret_is() -> None:
    from tests.support.databases import PostgresqlDatabases

    with postgresql_cluster() as cluster:
        url = PostgresqlDatabases(cluster.url).migrated().replace("forecast@", "forecast:pass@")
        caller = Api(create_app(database_url=url, ratelimit_storage_uri="memory://"))
        assert caller.request("GET", "/readyz").status_code == 200
        cluster.pause()
        for path in PATHS:
            started = time.monotonic()
            details = details_of(caller.request("GET", path), 503)
            assert time.monotonic() - started < BOUND_SECONDS
            assert "pass" not in str(details)
        cluster.resume()
    assert details["limit_store"] == "ok"


def test_engines_that_cannot_be_reached_are_not_ready_but_healthy(
    app: Flask, tmp_path: Path
) -> None:
    app.extensions[ENGINE_EXTENSION] = EngineClient(str(tmp_path / "no-socket"), 1.0)
    details = details_of(Api(app).request("GET", "/readyz"), 503)
    assert (details["engine"], details["database"]) == ("away", "ok")
    assert Api(app).request("GET", "/healthz").status_code == 200


def test_a_stopped_worker_is_reported_in_the_body_of_readyz_not_its_status(
    app: Flask,
) -> None:
    caller = Api(app)
    assert caller.request("GET", "/readyz").get_json()["worker"] == "away"
    with app.app_context():
        record_heartbeat(db.engine)
    response = caller.request("GET", "/readyz")
    assert (response.status_code, response.get_json()["worker"]) == (200, "ok")


def test_a_worker_whose_heartbeat_cannot_be_read_is_unknown(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail_to_connect(_engine: object) -> None:
        raise OSError

    for check in ("check_database", "check_worker"):
        monkeypatch.setattr(health, check, fail_to_connect)
    details = details_of(Api(app).request("GET", "/readyz"), 503)
    assert (details["database"], details["worker"]) == ("away", "unknown")
    assert "worker" not in details["issue"]


def test_a_flood_of_probes_writes_once_a_second(
    send_probe: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(probe, "FRESH_SECONDS", 60.0)
    checks: list[object] = []
    monkeypatch.setattr(health, "check_database", checks.append)
    assert {send_probe().status_code for _ in range(5)} == {200}
    assert len(checks) == 1


def test_a_check_that_hangs_is_not_asked_again_meanwhile(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "MAX_HEALTH_SECONDS", 0.05)
    checks, ended = [], threading.Event()

    def hang(engine: object) -> None:
        checks.append(engine)
        ended.wait(5)

    monkeypatch.setattr(health, "check_database", hang)
    assert {Api(app).request("GET", "/healthz").status_code for _ in range(4)} == {503}
    ended.set()
    assert len(checks) == 1


class TestOnAPlatform:
    """``REQUIRE_HTTPS``: the platform's own checks reach the process past its router."""

    @pytest.fixture
    def settings(self) -> dict[str, object]:
        return {"require_https": True}

    @pytest.mark.parametrize("path", [*PATHS, "/metrics"])
    def test_a_check_that_did_not_pass_the_router_is_served(self, app: Flask, path: str) -> None:
        assert Api(app).request("GET", path).status_code == 200

    @pytest.mark.parametrize("path", PATHS)
    def test_plain_http_through_the_router_is_rejected(self, app: Flask, path: str) -> None:
        response = Api(app).request("GET", path, X_Forwarded_Proto="http")
        assert "plain HTTP" in details_of(response, 403)["issue"]
        assert Api(app).request("GET", path, X_Forwarded_Proto="https").status_code == 200

    def test_other_paths_are_rejected_without_the_routers_header(self, app: Flask) -> None:
        assert Api(app).verify().status_code == 403
