"""What Alertmanagers are told: open alerts again and again, closed ones for a while, no others."""

import datetime as dt
import socket
import time

import pytest
from sqlalchemy import select, update

from app.core.database import db
from app.identity.accounts.models import Account
from app.watching.models.sources import QUERIES, SERIES, SOURCES, query_name
from app.watching.monitors.limits import Limit
from app.watching.monitors.tables import EVENTS, STATES
from app.watching.sources import alertmanagers
from app.watching.sources.source_reader import get_source
from app.watching.sources.source_records import SourceSettings
from tests.support.fake_prometheus import error
from tests.support.keys import ACTOR, make_account
from tests.support.settings import change_settings
from tests.support.watching import (
    evaluate_limits,
    notify_alertmanagers,
    put_query,
    put_source,
)
from tests.watching.sources.source_queries import (
    HISTORY,
    QUERY_SETTINGS,
    STEP,
    calm_value,
    events,
    first_step,
    make_query,
    make_source,
    monitors,
    poll,
)

pytestmark = pytest.mark.usefixtures("each_database")


@pytest.fixture
def faults(server, now):
    """A series that is learned; it is at 500 while there is a fault."""
    begun = []
    labels = {"service": 'a"b', "monitor": "own", "__name__": "x", "1st": "y"}
    server.add_series(lambda at: 500.0 if begun and at >= begun[0] else calm_value(at), **labels)
    make_source(server.url, alertmanagers=[server.url, f"{server.url}/second"])
    make_query()
    poll(now, steps=1)
    return begun


def break_it(faults, now) -> None:
    faults.append(first_step(now) + STEP)
    poll(now, steps=1)


def iso(moment):
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}"


def test_without_an_alert_nobody_is_told(server, faults) -> None:
    assert notify_alertmanagers() == 0
    assert server.told == []


def test_an_open_alert_is_told_to_each_alertmanager_each_time_and_ends_by_itself(
    server, now, faults, context
) -> None:
    url = "https://forecast.example.com"
    change_settings(context, public_url=url, account_dashboard=True)
    break_it(faults, now)
    assert notify_alertmanagers() == 0
    assert notify_alertmanagers() == 0
    assert len(server.told) == 4
    (alert,) = server.told[0]
    (monitor,) = monitors()
    (event,) = events(monitor.name)
    assert alert["labels"] == {
        "alertname": "SeriesAnomalous",
        "monitor": monitor.name,
        "query": "rate",
        "account": "default",
        "service": 'a"b',
        "exported_monitor": "own",
        "_1st": "y",
    }
    assert alert["startsAt"] == event.start
    assert alert["endsAt"] == iso(now() + dt.timedelta(hours=1))
    assert alert["generatorURL"] == f"https://forecast.example.com/account/monitors/{monitor.name}"
    told = alert["annotations"]
    assert (told["kind"], told["direction"], told["value"]) == (event.kind, "up", "500")
    assert 98 < float(told["expected"]) < 102
    assert "service=a" in told["summary"]
    assert f": 500 instead of {told['expected']}, severity " in told["summary"]


def test_a_closed_alert_is_told_with_its_end_for_fifteen_minutes(server, now, faults) -> None:
    break_it(faults, now)
    faults.clear()
    for _ in range(30):
        poll(now, steps=1)
        (event, *_) = events(monitors()[0].name)
        if event.closed_at:
            break
    notify_alertmanagers()
    assert server.told[-1][0]["endsAt"] == iso(event.closed_at)
    now.move(minutes=16)
    server.told.clear()
    notify_alertmanagers()
    assert server.told == []


def test_an_event_below_a_threshold_is_not_told(server, now, faults) -> None:
    make_query(alert_min_deviation=1e6)
    break_it(faults, now)
    assert events(monitors()[0].name)
    notify_alertmanagers()
    assert server.told == []


def test_a_threshold_that_is_raised_ends_the_alerts_below_it(server, now, faults) -> None:
    break_it(faults, now)
    with db.engine.begin() as connection:
        connection.execute(update(EVENTS).values(severity=85.06))
    for threshold, hours in ((85.1, 1), (85.2, 0)):  # 85.1 is what is shown
        make_query(alert_severity=threshold)
        notify_alertmanagers()
        ends = [alert["endsAt"] for alert in server.told[-1]]
        assert ends == [iso(now() + dt.timedelta(hours=hours))]


def test_a_muted_query_and_a_suspended_account_tell_nobody(server, now, faults) -> None:
    break_it(faults, now)
    make_query(muted_until=now() + dt.timedelta(hours=1))
    notify_alertmanagers()
    make_query()
    with db.engine.begin() as connection:
        connection.execute(update(Account).values(suspended_at=now()))
    notify_alertmanagers()
    assert server.told == []


def test_a_source_that_cannot_be_read_for_five_minutes_is_one_alert(server, now, faults) -> None:
    server.behave = error(503, "unavailable", "starting up")
    poll(now, steps=5)
    notify_alertmanagers()
    assert server.told == []
    poll(now, steps=2)
    notify_alertmanagers()
    ((alert,), _) = server.told
    assert alert["labels"] == {
        "alertname": "SourceFailing",
        "source": "prod",
        "account": "default",
    }
    assert "starting up" in alert["annotations"]["summary"]
    # Nothing is told about the repair, so it ends soon by itself.
    assert alert["endsAt"] == iso(now() + dt.timedelta(minutes=5))


def test_a_failing_source_has_the_problem_and_the_time_of_the_query_that_fails_longest(
    server, now, faults
) -> None:
    make_query("second")
    for name, problem, minutes in (("rate", "no response", 20), ("second", "a redirect", 10)):
        failing = update(QUERIES).where(query_name() == name)
        since = now() - dt.timedelta(minutes=minutes)
        with db.engine.begin() as connection:
            connection.execute(
                failing.values(state="failing", problem=problem, failing_since=since)
            )
    notify_alertmanagers()
    ((alert,), _) = server.told
    assert alert["annotations"]["summary"] == "prod cannot be read: no response"
    assert alert["startsAt"] == iso(now() - dt.timedelta(minutes=20))


def test_an_alertmanager_that_fails_or_may_not_be_told_hinders_no_other(server, now, context):
    server.add_series(calm_value)
    urls = ["http://127.0.0.1:1", "https://10.0.0.7", server.url]
    make_source(server.url, alertmanagers=urls)
    make_query()
    poll()
    server.add_series(lambda _at: 500.0)
    poll(now, steps=1)
    assert notify_alertmanagers() == 2
    assert len(server.told) == 1
    server.status = 500
    assert notify_alertmanagers() == 3


def failures():
    """Return the Alertmanagers that fail, by their port."""
    failing = get_source(1, "prod").failing_alertmanagers
    return {alertmanager.url.rpartition(":")[2]: alertmanager for alertmanager in failing}


def test_an_alertmanager_that_accepts_nothing_is_shown_before_there_is_an_alert(server, now):
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


def test_no_more_alerts_than_fit_are_told_at_once(server, now, monkeypatch) -> None:
    monkeypatch.setattr("app.watching.sources.alerts.MAX_ALERTS_PER_REQUEST", 2)
    begun = []
    for number in range(3):
        server.add_series(
            lambda at: 500.0 if begun and at >= begun[0] else calm_value(at), n=str(number)
        )
    make_source(server.url, alertmanagers=[server.url])
    make_query()
    poll(now, steps=1)
    break_it(begun, now)
    notify_alertmanagers()
    assert sorted(map(len, server.told)) == [1, 2]


def test_alertmanagers_that_hang_hold_up_those_of_no_other_account(
    server, now, faults, context, monkeypatch
) -> None:
    monkeypatch.setattr(alertmanagers, "REQUEST_SECONDS", 0.5)
    monkeypatch.setattr(alertmanagers, "ACCOUNT_SECONDS", 1.0)
    break_it(faults, now)
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
    assert len(server.told) == 2
    assert time.monotonic() - began < 5  # one after another they take 16


def test_malformed_rows_hold_up_no_other_alert(server, now, caplog) -> None:
    begun = []
    for service in ("a", "b"):
        server.add_series(
            lambda at: 500.0 if begun and at >= begun[0] else calm_value(at), service=service
        )
    make_source(server.url, alertmanagers=[server.url, f"{server.url}/second"])
    make_query()
    poll(now, steps=1)
    break_it(begun, now)
    with db.engine.begin() as connection:
        first = select(SERIES.c.monitor_id).order_by(SERIES.c.monitor_id).limit(1)
        spoilt = SERIES.c.monitor_id == first.scalar_subquery()
        connection.execute(update(SERIES).where(spoilt).values(labels="not JSON"))
    for _ in range(2):
        assert notify_alertmanagers() == 0
    assert [[alert["labels"]["service"] for alert in told] for told in server.told] == [["b"]] * 4
    with db.engine.begin() as connection:
        connection.execute(update(SOURCES).values(alertmanagers="not JSON"))
    assert notify_alertmanagers() == 0
    tables = [
        record.fields["table"] for record in caplog.records if record.msg.startswith("a malf")
    ]
    assert tables == ["alerts of monitors", "sources"]


def test_a_monitor_with_events_but_without_a_grid_stops_no_pass(server, now, faults, caplog):
    break_it(faults, now)
    with db.engine.begin() as connection:
        connection.execute(update(STATES).values(axis=None))
    assert notify_alertmanagers() == 0
    assert server.told == []
    assert [record.fields["table"] for record in caplog.records if record.levelname == "ERROR"] == [
        "alerts of monitors"
    ]


def test_a_malformed_source_that_fails_holds_up_no_other(server, now, faults, caplog) -> None:
    break_it(faults, now)
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
    names = [[alert["labels"]["alertname"] for alert in told] for told in server.told]
    assert names == [["SeriesAnomalous"]] * 2
    assert [record.fields["table"] for record in caplog.records if record.levelname == "ERROR"] == [
        "sources"
    ]


def test_a_limit_ahead_is_an_alert_of_its_own_beside_that_of_the_values(server, now) -> None:
    begun = []
    start = first_step(now) - HISTORY * STEP
    server.add_series(
        lambda at: 500.0 if begun and at >= begun[0] else 40 + 0.1 * (at - start) / STEP
    )
    make_source(server.url, alertmanagers=[server.url])
    make_query(limit=Limit(upper=90.0, horizon=300))
    poll(now, steps=1)
    assert evaluate_limits() == 1
    notify_alertmanagers()
    ((alert,),) = server.told
    (event,) = events(monitors()[0].name)
    assert (event.kind, alert["labels"]["alertname"]) == ("limit_ahead", "LimitAhead")
    told = alert["annotations"]
    assert told["reached_at"] == event.reached_at
    summary = f"expected above the limit 90 from {event.reached_at}, probability "
    assert told["summary"].startswith(f"rate: {summary}")
    with db.engine.begin() as connection:  # as of a later forecast, which closes no event
        connection.execute(update(EVENTS).values(severity=45.0))
    notify_alertmanagers()
    assert server.told[-1][0]["endsAt"] == iso(now() + dt.timedelta(hours=1))
    begun.append(first_step(now) + STEP)
    poll(now, steps=1)
    assert evaluate_limits() == 1
    server.told.clear()
    notify_alertmanagers()
    names = {alert["labels"]["alertname"]: alert for alert in server.told[0]}
    assert set(names) == {"LimitReached", "SeriesAnomalous"}
    assert ": 500 is above the limit 90 since " in names["LimitReached"]["annotations"]["summary"]


def test_a_limit_of_a_query_that_is_removed_ends_the_events_of_its_monitors(server, now) -> None:
    start = first_step(now) - HISTORY * STEP
    server.add_series(lambda at: 40 + 0.1 * (at - start) / STEP)
    make_source(server.url)
    make_query(limit=Limit(upper=90.0, horizon=300))
    poll(now, steps=1)
    evaluate_limits()
    make_query()
    assert evaluate_limits() == 1
    assert [event.closed_as for event in events(monitors()[0].name)] == ["ended"]
    assert evaluate_limits() == 0


def test_labels_of_the_query_and_of_the_source_are_on_each_alert(server, now, context) -> None:
    begun = []
    server.add_series(
        lambda at: 500.0 if begun and at >= begun[0] else calm_value(at), team="own", pod="a"
    )
    source_settings = SourceSettings(
        server.url, None, None, [server.url], labels={"team": "x", "tier": "1"}
    )
    put_source(ACTOR, 1, "prod", source_settings)
    make_query(labels={"tier": "2"})
    poll(now, steps=1)
    begun.append(first_step(now) + STEP)
    poll(now, steps=1)
    notify_alertmanagers()
    labels = server.told[0][0]["labels"]
    assert (labels["team"], labels["tier"], labels["exported_team"]) == ("x", "2", "own")
    assert labels["pod"] == "a"
