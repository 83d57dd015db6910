"""Alertmanagers that fail, hang or accept nothing, and rows that are malformed."""

import datetime as dt
import socket
import time

import pytest
from sqlalchemy import select, update

from app.core.database import db
from app.watching.models.sources import QUERIES, SERIES, SOURCES, query_name
from app.watching.monitors.storage.row_conversion import STATES
from app.watching.sources import alertmanagers
from app.watching.sources.source_reader import get_source
from app.watching.sources.source_records import SourceSettings
from tests.support.keys import ACTOR, make_account
from tests.support.watching import notify_alertmanagers, put_query, put_source
from tests.watching.sources.source_queries import (
    QUERY_SETTINGS,
    begin_fault,
    calm_value,
    make_query,
    make_source,
    poll,
)

pytestmark = pytest.mark.usefixtures("each_database")


def test_an_alertmanager_that_fails_or_may_not_be_notified_hinders_no_other(server, now, context):
    server.add_series(calm_value)
    urls = ["http://127.0.0.1:1", "https://10.0.0.7", server.url]
    make_source(server.url, alertmanagers=urls)
    make_query()
    poll()
    server.add_series(lambda _at: 500.0)
    poll(now, steps=1)
    assert notify_alertmanagers() == 2
    assert len(server.received) == 1
    server.status = 500
    assert notify_alertmanagers() == 3


def failures():
    """Return the Alertmanagers that fail, by their port."""
    failing = get_source(1, "prod").failing_alertmanagers
    return {alertmanager.url.rpartition(":")[2]: alertmanager for alertmanager in failing}


def test_an_unreachable_alertmanager_is_shown_before_the_first_alert(server, now):
    make_source(server.url, alertmanagers=["http://127.0.0.1:1", server.url])
    assert failures() == {}
    began = now()
    notify_alertmanagers()
    now.move(minutes=3)
    notify_alertmanagers()
    (port, failure), *others = failures().items()
    assert (port, others) == ("1", [])
    assert failure.problem == "cannot connect to the host"
    assert failure.failing_since == began.replace(microsecond=0)


def test_an_alertmanager_that_accepts_again_or_is_removed_is_no_longer_shown(server, now) -> None:
    make_source(server.url, alertmanagers=["http://127.0.0.1:1", server.url])
    server.status = 404
    notify_alertmanagers()
    assert {failure.problem for failure in failures().values()} == {
        "returned 404",
        "cannot connect to the host",
    }
    server.status = 200
    notify_alertmanagers()
    assert [*failures()] == ["1"]
    make_source(server.url, alertmanagers=[server.url])
    assert failures() == {}


def test_an_alertmanager_that_no_time_was_left_for_keeps_its_state(server, now, monkeypatch):
    make_source(server.url, alertmanagers=["http://127.0.0.1:1"])
    notify_alertmanagers()
    make_source(server.url, alertmanagers=["http://127.0.0.1:1", server.url])
    monkeypatch.setattr(alertmanagers, "ACCOUNT_SECONDS", -1.0)
    assert notify_alertmanagers() == 2
    assert [*failures()] == ["1"]


def test_alerts_are_sent_in_batches_that_fit(server, now, monkeypatch) -> None:
    monkeypatch.setattr("app.watching.sources.alerts.MAX_ALERTS_PER_REQUEST", 2)
    started = []
    for number in range(3):
        server.add_series(
            lambda at: 500.0 if started and at >= started[0] else calm_value(at), n=str(number)
        )
    make_source(server.url, alertmanagers=[server.url])
    make_query()
    poll(now, steps=1)
    begin_fault(started, now)
    notify_alertmanagers()
    assert sorted(map(len, server.received)) == [1, 2]


def test_alertmanagers_that_hang_hold_up_those_of_no_other_account(
    server, now, faults, context, monkeypatch
) -> None:
    monkeypatch.setattr(alertmanagers, "MAX_NOTIFY_SECONDS", 0.5)
    monkeypatch.setattr(alertmanagers, "ACCOUNT_SECONDS", 1.0)
    begin_fault(faults, now)
    with socket.create_server(("127.0.0.1", 0), backlog=256) as silent:
        hangs = f"http://127.0.0.1:{silent.getsockname()[1]}"
        for account in range(2, 2 + alertmanagers.MAX_ACCOUNTS // 2):
            make_account(context, f"slow-{account}", None)
            source_settings = SourceSettings(
                server.url, None, None, [f"{hangs}/{n}" for n in range(5)]
            )
            put_source(ACTOR, account, "slow", source_settings)
            put_query(ACTOR, account, "slow", "rate", QUERY_SETTINGS)
        failing = {"state": "failing", "failing_since": now() - dt.timedelta(hours=1)}
        with db.engine.begin() as connection:
            others = update(QUERIES).where(QUERIES.c.account_id != 1)
            connection.execute(others.values(failing | {"problem": "away"}))
        began = time.monotonic()
        assert notify_alertmanagers() == 5 * (alertmanagers.MAX_ACCOUNTS // 2)
    assert len(server.received) == 2
    assert time.monotonic() - began < 5  # sequentially they take 16


def test_malformed_rows_hold_up_no_other_alert(server, now, caplog) -> None:
    started = []
    for service in ("a", "b"):
        server.add_series(
            lambda at: 500.0 if started and at >= started[0] else calm_value(at), service=service
        )
    make_source(server.url, alertmanagers=[server.url, f"{server.url}/second"])
    make_query()
    poll(now, steps=1)
    begin_fault(started, now)
    with db.engine.begin() as connection:
        first = select(SERIES.c.monitor_id).order_by(SERIES.c.monitor_id).limit(1)
        spoilt = SERIES.c.monitor_id == first.scalar_subquery()
        connection.execute(update(SERIES).where(spoilt).values(labels="not JSON"))
    for _ in range(2):
        assert notify_alertmanagers() == 0
    assert [[alert["labels"]["service"] for alert in received] for received in server.received] == [
        ["b"]
    ] * 4
    with db.engine.begin() as connection:
        connection.execute(update(SOURCES).values(alertmanagers="not JSON"))
    assert notify_alertmanagers() == 0
    tables = [
        record.fields["table"] for record in caplog.records if record.msg.startswith("a malf")
    ]
    assert tables == ["alerts of monitors", "sources"]


def test_a_monitor_with_events_but_without_a_grid_stops_no_pass(server, now, faults, caplog):
    begin_fault(faults, now)
    with db.engine.begin() as connection:
        connection.execute(update(STATES).values(axis=None))
    assert notify_alertmanagers() == 0
    assert server.received == []
    assert [record.fields["table"] for record in caplog.records if record.levelname == "ERROR"] == [
        "alerts of monitors"
    ]


def test_a_malformed_source_that_fails_holds_up_no_other(server, now, faults, caplog) -> None:
    begin_fault(faults, now)
    make_source(server.url, alertmanagers=[f"{server.url}/third"], name="spoilt")
    make_query("other", source="spoilt")
    since = now() - dt.timedelta(hours=1)
    with db.engine.begin() as connection:
        failing = update(QUERIES).where(query_name() == "other")
        connection.execute(failing.values(state="failing", problem="away", failing_since=since))
        connection.execute(
            update(SOURCES).where(SOURCES.c.name == "spoilt").values(labels="not JSON")
        )
    assert notify_alertmanagers() == 0
    names = [[alert["labels"]["alertname"] for alert in received] for received in server.received]
    assert names == [["SeriesAnomalous"]] * 2
    assert [record.fields["table"] for record in caplog.records if record.levelname == "ERROR"] == [
        "sources"
    ]
