"""The examples of errors: each is sent, and its response compared with the documented one."""

import base64
import io
from collections.abc import Callable

import orjson
import pytest
from flask import Flask
from sqlalchemy import text

from app.api.endpoints.dialect import error_examples
from app.api.errors.statuses import STATUSES, ErrorCode
from app.api.examples.recorded import EXAMPLES, REQUEST, ErrorExample, Origin
from app.compute.errors import EngineBusyError, EngineFailedError, EngineUnavailableError
from app.core.database import db
from app.identity.accounts.errors import TooManyError
from app.identity.usage.rows import TooManyRowsError
from app.watching.monitors.settings.errors import BusyMonitorError, FedMonitorError
from app.watching.sources.source_records import QueryFixedError
from tests.support.api import Api, make_engine_fail
from tests.support.example_resources import make_monitor, make_query, make_source, make_webhook
from tests.support.examples import assert_shown, example_named, send
from tests.support.faults import interruption
from tests.support.keys import bearer, make_account
from tests.support.settings import change_settings

POINTS_REQUEST = EXAMPLES.requests["points"]

SECRETS = (base64.urlsafe_b64encode(bytes(32)).decode(),)
NOW = 1_767_225_600  # 2026-01-01T00:00:00Z


# Responses of the web server and of nginx are tested with these.
OWN_ERRORS = [example for example in EXAMPLES.errors if example.by == Origin.SERVICE]
PLAIN = [example for example in OWN_ERRORS if not example.circumstance]


@pytest.mark.parametrize("example", PLAIN, ids=lambda example: example.name)
def test_a_request_gets_the_error_that_is_shown(api: Api, example: ErrorExample) -> None:
    assert_shown(send(api, example), example)


class TestInCircumstances:
    """Errors that depend on more than the request, each in its own test."""

    def test_every_circumstance_has_its_test(self) -> None:
        assert {example.name for example in OWN_ERRORS if example.circumstance} == {
            "body-incomplete", "body-stalled", "body-too-large", "too-many-data-points",
            "missing-permission", "plain-http", "limit-used-up", "too-many-without-key",
            "forecast-took-too-long", "database-away", "unexpected", "too-many-waiting",
            "engines-restarted", "database-restarted", "metrics-elsewhere",
            "unhealthy", "not-ready",
            "monitor-has-points", "too-many-monitors", "point-off-the-grid",
            "offset-against-none", "too-many-points", "monitor-busy",
            "webhook-in-use", "too-many-webhooks", "no-secret",
            "too-many-missing", "key-not-active", "grants-too-much", "too-much-usage",
            "monitor-fed", "source-moved", "too-many-sources", "unknown-query",
            "query-fixed", "too-many-queries",
        }  # fmt: skip

    def test_a_body_that_ends_early(self, app: Flask, key: str) -> None:
        example = example_named("body-incomplete")
        response = app.test_client().post(
            example.path,
            data=example.body,
            headers=bearer(key) | {"Content-Type": "application/json"},
            environ_overrides={"CONTENT_LENGTH": "434"},
        )
        assert_shown(response, example)

    def test_a_body_that_comes_to_a_halt(self, app: Flask, key: str) -> None:
        class Stalled(io.BytesIO):
            def read(self, _size: int = -1) -> bytes:
                raise TimeoutError

        example = example_named("body-stalled")
        response = app.test_client().post(
            example.path,
            input_stream=Stalled(),
            headers=bearer(key) | {"Content-Type": "application/json"},
            environ_overrides={"wsgi.input_terminated": True},  # as under gunicorn
        )
        assert_shown(response, example)

    def test_a_body_over_the_limit_is_rejected(self, api: Api) -> None:
        example = example_named("body-too-large")
        assert_shown(send(api, example, b" " * (4_194_304 + 1)), example)

    def test_a_series_over_the_limit_is_rejected(self, api: Api) -> None:
        example = example_named("too-many-data-points")
        column = {name: items[:1] * 50_001 for name, items in REQUEST["series"][0].items()}
        body = orjson.dumps(REQUEST | {"series": [column]})
        assert_shown(send(api, example, body), example)

    def test_a_key_without_the_permission_is_rejected(self, app: Flask, make_key: Callable) -> None:
        example = example_named("missing-permission")
        assert_shown(send(Api(app, make_key("write")), example), example)

    @pytest.mark.parametrize("settings", [{"require_https": True}])
    def test_plain_http_is_rejected(self, app: Flask, key: str) -> None:
        example = example_named("plain-http")
        assert_shown(send(Api(app, key), example), example)

    @pytest.mark.parametrize("settings", [{"ratelimit_storage_uri": "memory://"}])
    def test_limits_that_are_used_up(
        self, app: Flask, make_key: Callable, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        make_account(app, "small", "free")
        caller = Api(app, make_key("read", account_name="small"))
        used_up, without_key = example_named("limit-used-up"), example_named("too-many-without-key")
        monkeypatch.setattr("app.identity.limits.stores.memory.time.time", lambda: NOW)
        for _ in range(10):
            caller.forecast({})
        for _ in range(60):
            send(caller, without_key)
        monkeypatch.setattr("app.identity.limits.stores.memory.time.time", lambda: NOW + 18)
        assert_shown(send(caller, used_up), used_up)
        assert_shown(send(caller, without_key), without_key)

    @pytest.mark.parametrize(
        ("name", "error"),
        [
            ("forecast-took-too-long", EngineFailedError("no forecast within 30 s")),
            ("too-many-waiting", EngineBusyError(5.2)),
            ("engines-restarted", EngineUnavailableError()),
            ("unexpected", ZeroDivisionError()),
        ],
    )
    def test_an_engine_that_fails(self, app: Flask, key: str, name: str, error: Exception) -> None:
        make_engine_fail(app, error)
        assert_shown(send(Api(app, key), example_named(name)), example_named(name))

    def test_metrics_are_rejected_elsewhere(self, app: Flask) -> None:
        example = example_named("metrics-elsewhere")
        elsewhere = {"REMOTE_ADDR": "203.0.113.9"}
        assert_shown(app.test_client().get(example.path, environ_base=elsewhere), example)

    def test_a_node_whose_database_takes_no_writes(self, app: Flask) -> None:
        with app.app_context(), db.engine.begin() as connection:
            connection.execute(text("DROP TABLE rate_limit_windows"))
        assert_shown(send(Api(app), example_named("unhealthy")), example_named("unhealthy"))

    @pytest.mark.parametrize("settings", [{"ratelimit_storage_uri": "redis://127.0.0.1:1"}])
    def test_a_node_whose_limit_store_is_unavailable(self, app: Flask) -> None:
        assert_shown(send(Api(app), example_named("not-ready")), example_named("not-ready"))

    @pytest.mark.parametrize(
        "name", ["monitor-has-points", "point-off-the-grid", "too-many-missing"]
    )
    def test_a_monitor_that_has_points(self, app: Flask, key: str, name: str) -> None:
        caller = Api(app, key)
        make_monitor(caller, POINTS_REQUEST)
        assert_shown(send(caller, example_named(name)), example_named(name))

    def test_a_monitor_whose_first_point_had_no_offset_takes_none(
        self, app: Flask, key: str
    ) -> None:
        caller, example = Api(app, key), example_named("offset-against-none")
        make_monitor(caller, {"timestamps": ["2024-03-03T23:55:00"], "values": [1]})
        assert_shown(send(caller, example), example)

    def test_a_webhook_that_a_monitor_names_is_not_deleted(
        self, app: Flask, make_key: Callable
    ) -> None:
        caller, example = Api(app, make_key("write", "delete")), example_named("webhook-in-use")
        make_webhook(caller)
        make_monitor(caller, webhook="ops")
        assert_shown(send(caller, example), example)

    def test_a_webhook_whose_messages_are_not_signed_has_no_secret(
        self, app: Flask, key: str
    ) -> None:
        caller, example = Api(app, key), example_named("no-secret")
        make_webhook(caller, format="text")
        assert_shown(send(caller, example), example)

    @pytest.mark.parametrize(
        ("noun", "put"),
        [
            ("webhooks", "app.delivery.webhook_registry.put_webhook"),
            ("monitors", "app.watching.monitors.monitor_registry.put_monitor"),
        ],
    )
    def test_an_account_with_as_many_as_it_may_have(
        self, app: Flask, key: str, monkeypatch: pytest.MonkeyPatch, noun: str, put: str
    ) -> None:
        def reject(*_arguments: object, **_options: object) -> None:
            limit = getattr(app.config["SETTINGS"], f"{noun}_per_account")
            raise TooManyError(noun.removesuffix("s"), limit, f"{noun.upper()}_PER_ACCOUNT")

        monkeypatch.setattr(put, reject)
        example = example_named(f"too-many-{noun}")
        assert_shown(send(Api(app, key), example), example)

    def test_a_monitor_that_a_query_feeds_cannot_be_put(
        self, app: Flask, key: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def reject(*_arguments: object, **_options: object) -> None:
            raise FedMonitorError("checkout")

        monkeypatch.setattr("app.watching.monitors.monitor_registry.put_monitor", reject)
        example = example_named("monitor-fed")
        assert_shown(send(Api(app, key), example), example)

    @pytest.mark.parametrize("settings", [{"secrets_key": SECRETS}])
    def test_a_source_that_moves_without_its_credentials(self, app: Flask, key: str) -> None:
        caller, example = Api(app, key), example_named("source-moved")
        make_source(caller, url="https://prometheus.example.org")
        assert_shown(send(caller, example), example)

    @pytest.mark.parametrize("settings", [{"sources_per_account": 10, "queries_per_source": 50}])
    def test_an_account_with_as_many_sources_and_queries_as_it_may_have(
        self, app: Flask, key: str
    ) -> None:
        caller = Api(app, key)
        for number in range(10):
            make_source(caller, f"source-{number}", authorization=None)
        assert_shown(
            send(caller, example_named("too-many-sources")), example_named("too-many-sources")
        )
        change_settings(app, sources_per_account=11)
        make_source(caller, authorization=None)
        for number in range(50):
            make_query(caller, f"query-{number}")
        assert_shown(
            send(caller, example_named("too-many-queries")), example_named("too-many-queries")
        )

    def test_a_query_that_its_source_does_not_have_is_404(self, app: Flask, key: str) -> None:
        caller, example = Api(app, key), example_named("unknown-query")
        make_source(caller, authorization=None)
        assert_shown(send(caller, example), example)

    def test_a_query_with_monitors_keeps_its_step(
        self, app: Flask, key: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def reject(*_arguments: object, **_options: object) -> None:
            raise QueryFixedError("step")

        caller, example = Api(app, key), example_named("query-fixed")
        make_source(caller, authorization=None)
        monkeypatch.setattr("app.watching.sources.query_registry.put_query", reject)
        assert_shown(send(caller, example), example)

    def test_a_monitor_that_others_change_all_the_time_is_busy(
        self, app: Flask, key: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def collide(*_arguments: object) -> None:
            raise BusyMonitorError

        monkeypatch.setattr("app.api.monitors.point_routes.append.append_points", collide)
        example = example_named("monitor-busy")
        assert_shown(send(Api(app, key), example), example)

    def test_more_points_than_a_request_may_have_are_rejected(self, api: Api) -> None:
        example = example_named("too-many-points")
        body = orjson.dumps({name: items[:1] * 1_001 for name, items in POINTS_REQUEST.items()})
        assert_shown(send(api, example, body), example)

    def test_a_key_that_is_revoked_cannot_be_rotated(self, app: Flask, make_key: Callable) -> None:
        caller = Api(app, make_key("read", "admin"))
        make_key("read")
        assert caller.send("DELETE", "/keys/2").status_code == 204
        example = example_named("key-not-active")
        assert_shown(send(caller, example), example)

    def test_a_key_that_would_grant_what_it_lacks_is_rejected(
        self, app: Flask, make_key: Callable
    ) -> None:
        example = example_named("grants-too-much")
        assert_shown(send(Api(app, make_key("admin")), example), example)

    def test_more_usage_than_is_returned(self, api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
        def find_too_many(*_arguments: object) -> None:
            raise TooManyRowsError

        monkeypatch.setattr("app.api.usage.routes.usage_rows", find_too_many)
        example = example_named("too-much-usage")
        assert_shown(send(api, example), example)

    def test_a_database_that_is_unavailable(self, app: Flask, key: str) -> None:
        with app.app_context(), db.engine.begin() as connection:
            connection.execute(text("ALTER TABLE api_keys RENAME TO elsewhere"))
        example = example_named("database-away")
        assert_shown(send(Api(app, key), example), example)

    def test_a_database_that_is_restarted(self, api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
        def find(*_arguments: object) -> None:
            raise interruption()

        monkeypatch.setattr("app.api.keys.routes.key_records.list_keys", find)
        example = example_named("database-restarted")
        assert_shown(send(api, example), example)


def test_every_code_and_every_status_has_an_example(shared_app: Flask) -> None:
    assert {example.code for example in EXAMPLES.errors} == {*ErrorCode}
    assert {example.status for example in error_examples(shared_app)} == {*STATUSES}


def test_every_example_is_recorded(shared_app: Flask) -> None:
    """New ones are recorded by ``make examples``."""
    assert [example.name for example in error_examples(shared_app) if not example.response] == []


def test_no_two_examples_have_a_name(shared_app: Flask) -> None:
    names = [example.name for example in error_examples(shared_app)]
    assert len(names) == len({*names})
