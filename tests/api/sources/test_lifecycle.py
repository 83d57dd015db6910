"""The life of a source and its queries over HTTP, on both databases; rejected bodies."""

import base64
import json
import os
from collections.abc import Callable

import pytest
from flask import Flask
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.core.database import db
from app.identity.accounts.audit import AuditEvent
from app.watching.models.sources import SourceRow
from app.watching.sources.credentials_cipher import decrypt
from tests.support.api import Api, details_of, error_of

URL = "https://prometheus.example.com"
TOKEN = "s3cret-token"
BEARER = {"type": "bearer", "token": TOKEN}
KEYS = tuple(base64.urlsafe_b64encode(os.urandom(32)).decode() for _ in range(2))
QUERY = {"query": "sum by (service) (rate(http_requests_total[5m]))"}
pytestmark = pytest.mark.usefixtures("each_database")
WRONG = {
    "http to the world": {"url": "http://prometheus.example.com"},
    "a private address": {"url": "https://10.0.0.7"},
    "the cloud's metadata": {"url": "https://169.254.169.254"},
    "a password": {"url": "https://joe:secret@prometheus.example.com"},
    "a query": {"url": f"{URL}/?x=1"},
    "no URL": {"url": "prometheus"},
    "a header in the token": {"authorization": {"type": "bearer", "token": "a\r\nX-Evil: 1"}},
    "half of the credentials": {"authorization": {"type": "basic", "username": "joe"}},
    "credentials of two types": {"authorization": BEARER | {"username": "joe"}},
    "a string": {"authorization": TOKEN},
    "a header in the tenant": {"tenant": "a\nb"},
    "an Alertmanager inside": {"alertmanagers": ["https://10.0.0.7"]},
    "six Alertmanagers": {"alertmanagers": ["https://a.example"] * 6},
}
WRONG_QUERIES = {
    "no PromQL": {"query": " "},
    "too long": {"query": "x" * 4_001},
    "a step below the least": {"step": 14},
    "a step that does not divide a day": {"step": 700},
    "too much history": {"history": 10_001},
    "too long a delay": {"delay": 3_601},
    "no series": {"max_series": 0},
    "too many series": {"max_series": 501},
    "too severe": {"alert_severity": 101},
}
LABELS = {"team": "shop", "tier": "1"}


@pytest.fixture
def settings() -> dict[str, object]:
    return {"secrets_key": KEYS, "source_allowed_networks": ()}


@pytest.fixture
def caller(app: Flask, make_key: Callable[..., str]) -> Api:
    return Api(app, make_key("read", "write", "delete"))


def put(caller: Api, name: str = "prod", **settings: object):
    return caller.send("PUT", f"/sources/{name}", {"url": URL} | settings)


def put_query(caller: Api, name: str = "rate", source: str = "prod", **settings: object):
    return caller.send("PUT", f"/sources/{source}/queries/{name}", QUERY | settings)


def get(caller: Api, path: str = "/sources/prod") -> dict:
    response = caller.request("GET", path)
    assert response.status_code == 200
    return response.get_json()


def stored_source(app: Flask) -> SourceRow:
    with app.app_context(), Session(db.engine) as session:
        return session.scalars(select(SourceRow)).one()


def test_a_source_and_a_query_are_created_changed_and_deleted(caller: Api) -> None:
    response = put(
        caller, authorization=BEARER, tenant="team-a", alertmanagers=["https://a.example"]
    )
    assert response.status_code == 201
    assert get(caller) == response.get_json()
    assert get(caller)["authorization"] == {"type": "bearer"}
    assert put(caller).status_code == 200
    assert (get(caller)["tenant"], get(caller)["alertmanagers"]) == (None, [])

    asked = put_query(caller)
    assert asked.status_code == 201
    body = asked.get_json()
    defaults = {"step": 300, "history": 4032, "delay": 45, "max_series": 100, "alert_severity": 50}
    assert body == body | QUERY | defaults | {"state": "waiting", "source": "prod", "monitors": 0}
    changed = put_query(caller, step=60, alert_min_deviation=2.5, direction="up")
    assert changed.status_code == 200
    assert get(caller, "/sources/prod/queries/rate") == changed.get_json()
    assert get(caller)["queries"] == [{"name": "rate", "state": "waiting"}]

    assert caller.request("DELETE", "/sources/prod/queries/rate").status_code == 204
    error_of(caller.request("GET", "/sources/prod/queries/rate"), 404)
    put_query(caller)
    assert caller.request("DELETE", "/sources/prod").status_code == 204
    error_of(caller.request("GET", "/sources/prod"), 404)
    assert get(caller, "/sources") == {"sources": []}


@pytest.mark.parametrize("settings", [{"series_per_query": 10}])
def test_a_query_without_max_series_gets_what_the_operator_allows(caller: Api) -> None:
    put(caller)
    assert put_query(caller).get_json()["max_series"] == 10
    for number in (0, 11):
        details = details_of(put_query(caller, max_series=number), 422)
        assert (details["field"], details["issue"]) == ("max_series", "Must be between 1 and 10")


def test_credentials_are_stored_encrypted_and_in_no_response(app: Flask, caller: Api) -> None:
    basic = {"type": "basic", "username": "joe", "password": TOKEN}
    for authorization in (BEARER, basic):
        response = put(caller, authorization=authorization)
        assert TOKEN not in response.text
        sealed = stored_source(app).credentials
        assert TOKEN not in sealed
        assert TOKEN not in base64.urlsafe_b64decode(sealed).decode("latin-1")
        assert decrypt(sealed, KEYS).secret == TOKEN
    put(caller, authorization=None)
    assert stored_source(app).credentials is None


def test_credentials_that_are_left_out_are_kept_for_the_same_server_only(
    app: Flask, caller: Api
) -> None:
    put(caller, authorization=BEARER)
    sealed = stored_source(app).credentials
    assert put(caller, url=f"{URL}/prefix").status_code == 200
    assert stored_source(app).credentials == sealed
    for elsewhere in ("https://evil.example", f"{URL}:8443"):
        rejected = put(caller, url=elsewhere)
        assert details_of(rejected, 422)["field"] == "authorization"
    assert stored_source(app).url == f"{URL}/prefix"
    assert put(caller, url="https://evil.example", authorization=None).status_code == 200
    assert stored_source(app).credentials is None


@pytest.mark.parametrize("settings_sent", WRONG.values(), ids=WRONG.keys())
def test_a_source_that_is_rejected_names_the_field_and_no_secret(
    caller: Api, settings_sent: dict[str, object]
) -> None:
    rejected = put(caller, **settings_sent)
    field = details_of(rejected, 422)["field"]
    assert field.split("[")[0] == next(iter(settings_sent))
    assert TOKEN not in rejected.text
    assert "X-Evil" not in rejected.text


@pytest.mark.parametrize("settings_sent", WRONG_QUERIES.values(), ids=WRONG_QUERIES.keys())
def test_a_query_that_is_rejected_names_the_field(
    caller: Api, settings_sent: dict[str, object]
) -> None:
    put(caller)
    field = details_of(put_query(caller, **settings_sent), 422)["field"]
    assert field == next(iter(settings_sent))
    error_of(caller.request("GET", "/sources/prod/queries/rate"), 404)


def test_an_unknown_webhook_of_a_query_is_a_wrong_request(caller: Api) -> None:
    put(caller)
    assert details_of(put_query(caller, webhook="ops"), 400)["field"] == "webhook"
    error_of(caller.request("GET", "/sources/prod/queries/rate"), 404)


def test_sources_may_have_queries_of_the_same_name(caller: Api) -> None:
    for source in ("prod", "staging"):
        put(caller, source)
        assert put_query(caller, source=source, delay=len(source)).status_code == 201
    for source in ("prod", "staging"):
        assert put_query(caller, source=source, delay=len(source)).status_code == 200
        body = caller.request("GET", f"/sources/{source}/queries/rate").get_json()
        assert (body["source"], body["name"], body["delay"]) == (source, "rate", len(source))
        listed = caller.request("GET", f"/sources/{source}").get_json()["queries"]
        assert [query["name"] for query in listed] == ["rate"]
    assert caller.request("DELETE", "/sources/staging/queries/rate").status_code == 204
    assert caller.request("GET", "/sources/prod/queries/rate").status_code == 200
    error_of(caller.request("GET", "/sources/staging/queries/rate"), 404)


def test_a_query_names_a_webhook(caller: Api) -> None:
    put(caller)
    caller.send("PUT", "/webhooks/ops", {"url": "https://example.com/hook"})
    assert put_query(caller, webhook="ops").get_json()["webhook"] == "ops"
    assert put_query(caller).get_json()["webhook"] is None


@pytest.mark.parametrize("settings", [{"secrets_key": ()}])
def test_without_a_key_no_credentials_are_stored_but_sources_without(caller: Api) -> None:
    error_of(put(caller, authorization=BEARER), 503)
    assert put(caller, authorization=None).status_code == 201


@pytest.mark.parametrize("settings", [{"sources_per_account": 0}])
def test_an_operator_can_have_no_sources(caller: Api) -> None:
    assert "SOURCES_PER_ACCOUNT" in details_of(put(caller), 400)["issue"]


@pytest.mark.parametrize("path", ["/sources/prod", "/sources/prod/queries/rate"])
def test_an_unknown_field_is_400_beside_whatever_else_is_wrong(caller: Api, path: str) -> None:
    put(caller)
    body = {"url": "prometheus", "query": " ", "color": "red"}
    assert details_of(caller.send("PUT", path, body), 400)["issue"].startswith("unknown field")


def events(app: Flask) -> list[tuple[str, str, str]]:
    """Return the audit events of sources and queries, with their keys."""
    with app.app_context(), Session(db.engine) as session:
        trail = session.scalars(select(AuditEvent).order_by(AuditEvent.id))
        results = [event for event in trail if event.action.startswith(("source", "query"))]
        assert all(event.by_prefix and event.by_key_id for event in results)
        return [(event.account, event.action, event.detail) for event in results]


def test_the_audit_trail_says_which_key_changed_which_setting_and_no_secret(
    app: Flask, caller: Api
) -> None:
    put(caller, authorization=BEARER)
    put(caller, authorization=BEARER)  # nothing changes
    put(caller, authorization=BEARER | {"token": "another"}, tenant="team-a")
    put_query(caller)
    put_query(caller)
    put_query(caller, alert_severity=60, muted_until="2099-01-01T00:00:00Z")
    caller.request("DELETE", "/sources/prod")
    recorded = events(app)
    assert recorded == [
        ("default", "source created", "prod"),
        ("default", "source changed", "prod: tenant, authorization"),
        ("default", "query created", "prod/rate"),
        ("default", "query changed", "prod/rate: alert_severity, muted_until"),
        ("default", "query deleted", "prod/rate"),
        ("default", "source deleted", "prod"),
    ]


def test_rejected_changes_leave_no_event_in_the_trail(app: Flask, caller: Api) -> None:
    put(caller)
    put_query(caller, step=7)
    caller.request("DELETE", "/sources/staging")
    assert events(app) == [("default", "source created", "prod")]


def test_labels_of_alerts_are_stored_with_sources_and_queries_and_reset_by_a_put(
    caller: Api,
) -> None:
    assert put(caller, labels=LABELS).get_json()["labels"] == LABELS
    assert put_query(caller, labels={"tier": "2"}).get_json()["labels"] == {"tier": "2"}
    assert put(caller).get_json()["labels"] == {}


@pytest.mark.parametrize(
    "labels",
    [
        [], "team=shop", None, {"team": 1}, {"team": ""}, {"team": "x" * 201},
        {"1st": "x"}, {"alertname": "x"}, {"a-b": "x"}, {"x" * 41: "y"},
        {f"label_{number}": "x" for number in range(11)},
    ],
)  # fmt: skip
def test_wrong_labels_are_rejected(caller: Api, labels: object) -> None:
    assert details_of(put(caller, labels=labels), 422)["field"] == "labels"


def test_the_example_in_a_message_about_null_is_json(caller: Api) -> None:
    issue = details_of(put(caller, labels=None), 422)["issue"]
    example = issue.partition("null was sent: send labels, such as ")[2]
    assert json.loads(example) == {"team": "shop"}


def test_conditions_of_alerts_have_bounds(caller: Api) -> None:
    put(caller)
    body = put_query(caller, alert_for=3, alert_min_relative=0.5).get_json()
    assert (body["alert_for"], body["alert_min_relative"]) == (3, 0.5)
    for wrong in ({"alert_for": 0}, {"alert_for": 1_001}, {"alert_min_relative": -0.1}):
        assert details_of(put_query(caller, **wrong), 422)["field"] == next(iter(wrong))


def test_a_user_and_a_password_may_have_any_letters(app: Flask, caller: Api) -> None:
    basic = {"type": "basic", "username": "Zoë", "password": "пароль €"}
    assert put(caller, authorization=basic).status_code == 201
    kept = decrypt(stored_source(app).credentials or "", KEYS)
    assert (kept.user, kept.secret) == ("Zoë", "пароль €")
    wrong = basic | {"password": "line\nbreak"}
    assert details_of(put(caller, authorization=wrong), 422)["field"] == "authorization"
    token = {"type": "bearer", "token": "пароль"}
    assert details_of(put(caller, authorization=token), 422)["field"] == "authorization"


def test_a_webhook_that_a_query_without_monitors_names_cannot_be_deleted(caller: Api) -> None:
    put(caller)
    caller.send("PUT", "/webhooks/ops", {"url": "https://example.com/hook"})
    put_query(caller, webhook="ops")
    details = details_of(caller.request("DELETE", "/webhooks/ops"), 409)
    assert (details["monitors"], details["queries"]) == ([], ["prod/rate"])
    assert get(caller, "/sources/prod/queries/rate")["webhook"] == "ops"
    put_query(caller)
    assert caller.request("DELETE", "/webhooks/ops").status_code == 204
