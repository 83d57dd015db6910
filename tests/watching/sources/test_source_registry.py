"""The monitors of a query: only it changes them, and they are deleted with it."""

import json
from dataclasses import replace
from functools import partial

import pytest
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.core.database import db
from app.delivery.models import WebhookDelivery
from app.ops.account_deletion import delete_account
from app.watching.models.monitors import MonitorPoint, MonitorRow
from app.watching.models.sources import SourceQuery, SourceRow, SourceSeries
from app.watching.sources.query_registry import delete_query
from app.watching.sources.source_reader import get_query
from app.watching.sources.source_registry import delete_source
from tests.support.api import Api, details_of, error_of
from tests.support.keys import ACTOR
from tests.watching.sources.source_queries import (
    STEP,
    calm_value,
    first_step,
    make_query,
    make_source,
    monitors,
    poll,
)

HOOK = "https://example.com/hook"
OWNED = (MonitorRow, MonitorPoint, SourceSeries, SourceQuery, SourceRow)
pytestmark = pytest.mark.usefixtures("each_database")


@pytest.fixture
def caller(app, make_key):
    return Api(app, make_key("read", "write", "delete"))


@pytest.fixture
def fed_queries(server, now) -> None:
    """Two queries of a series each."""
    server.add_series(calm_value, service="shop")
    for name in ("rate", "other"):
        make_query(name, history=20)
    poll()


def count(model):
    with db.engine.connect() as connection:
        return connection.scalar(select(func.count()).select_from(model))


def test_only_the_query_changes_its_monitors(fed_queries, caller) -> None:
    name = next(monitor.name for monitor in monitors() if monitor.fed_by == "rate")
    body = {"data_frequency": "Minutes"}
    points = {"timestamps": ["2026-05-01T12:00:00Z"], "values": [1]}
    for rejected in (
        caller.send("PUT", f"/monitors/{name}", body),
        caller.send("POST", f"/monitors/{name}/points", points),
        caller.request("DELETE", f"/monitors/{name}"),
    ):
        assert "'rate'" in details_of(rejected, 409)["issue"]
    shown = caller.request("GET", f"/monitors/{name}").get_json()
    assert (shown["source"], shown["query"], shown["overdue_at"]) == ("prod", "rate", None)
    assert shown["labels"] == {"service": "shop"}
    listed = caller.request("GET", "/monitors").get_json()["monitors"]
    assert shown in listed


def test_the_promql_and_step_of_a_query_are_fixed_once_it_has_monitors(fed_queries, caller) -> None:
    path, body = "/sources/prod/queries/rate", {"query": "rate(x[5m])", "step": STEP}
    assert caller.send("PUT", path, body).status_code == 200
    for changed in ({"step": 300}, {"query": "up"}):
        rejected = details_of(caller.send("PUT", path, body | changed), 400)
        assert rejected["field"] == next(iter(changed))


def test_a_query_takes_its_monitors_along_and_leaves_the_others(fed_queries) -> None:
    delete_query(ACTOR, 1, "prod", "rate")
    assert [monitor.fed_by for monitor in monitors()] == ["other"]
    assert (count(SourceQuery), count(SourceSeries), count(MonitorPoint)) == (1, 1, 20)


def test_deleting_a_source_deletes_its_queries(fed_queries) -> None:
    delete_source(ACTOR, 1, "prod")
    assert [count(model) for model in OWNED] == [0] * len(OWNED)


@pytest.mark.parametrize("delete", [delete_source, partial(delete_query, name="rate")])
def test_a_deletion_is_completed_for_a_member_who_is_demoted_meanwhile(fed_queries, delete) -> None:
    def check_rights(connection) -> None:
        if connection.scalar(select(func.count()).select_from(MonitorRow)) < 2:
            raise PermissionError

    delete(replace(ACTOR, check_rights=check_rights), 1, "prod")
    left = 0 if delete is delete_source else 1
    assert (count(SourceRow), count(SourceQuery), count(MonitorRow)) == (left,) * 3


def test_an_account_takes_its_sources_along(fed_queries) -> None:
    with Session(db.engine) as session, session.begin():
        delete_account(session, ACTOR, "default")
    assert [count(model) for model in OWNED] == [0] * len(OWNED)


def test_all_monitors_of_a_query_notify_its_webhook(server, now, caller) -> None:
    started = []
    caller.send("PUT", "/webhooks/ops", {"url": HOOK, "format": "text"})
    for pod in "ab":
        server.add_series(
            lambda at: 500.0 if started and at >= started[0] else calm_value(at), pod=pod
        )
    make_query(webhook="ops")
    poll(now, steps=1)
    assert {monitor.settings.webhook for monitor in monitors()} == {"ops"}
    error_of(caller.request("DELETE", "/webhooks/ops"), 409)
    started.append(first_step(now) + STEP)
    poll(now, steps=1)
    assert count(WebhookDelivery) == 2
    with Session(db.engine) as session:
        message = session.scalars(select(WebhookDelivery).order_by(WebhookDelivery.text)).first()
    assert message.text.startswith("rate: pod=a: spike since ")
    assert ": 500 instead of " in message.text
    data = json.loads(message.payload)["data"]
    assert (data["source"], data["query"], data["labels"]) == ("prod", "rate", {"pod": "a"})
    assert data["value"] == 500
    make_query(webhook=None)
    assert {monitor.settings.webhook for monitor in monitors()} == {None}
    assert caller.request("DELETE", "/webhooks/ops").status_code == 204


def test_queries_of_the_same_name_feed_monitors_of_their_own(server, now, caller) -> None:
    server.add_series(calm_value)  # the same labels, so the names differ only by the query's
    for source in ("prod", "staging"):
        make_source(server.url, name=source)
        make_query(source=source)
    poll(now, steps=1)
    assert [monitor.name for monitor in monitors()] == ["rate", "staging-rate"]
    for name, source in (("rate", "prod"), ("staging-rate", "staging")):
        body = caller.request("GET", f"/monitors/{name}").get_json()
        assert (body["source"], body["query"]) == (source, "rate")
    make_query(source="staging", alert_severity=80.0)
    assert [monitor.settings.alert_severity for monitor in monitors()] == [50, 80]
    assert caller.request("DELETE", "/sources/prod/queries/rate").status_code == 204
    assert [monitor.name for monitor in monitors()] == ["staging-rate"]
    poll(now, steps=1)
    assert get_query(1, "staging", "rate").monitors == 1


def test_account_wide_names_are_short_and_unique_for_any_source_names(server) -> None:
    name = "q" * 40
    for source in ("prod", "a", "b" * 40, "c" * 40):
        make_source(server.url, name=source)
        make_query(name, source=source)
    make_source(server.url, name="d")
    make_query("e", source="d")
    make_query("d-e", source="d")
    make_query("e", source="prod")
    with db.engine.connect() as connection:
        names = connection.scalars(select(SourceQuery.name)).all()
    assert len(set(names)) == len(names) == 7
    assert max(map(len, names)) == 40
