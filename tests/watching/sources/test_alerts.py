"""The alerts that Alertmanagers get: open ones repeatedly, closed ones for a while."""

import datetime as dt

import pytest
from sqlalchemy import update

from app.core.database import db
from app.identity.accounts.models import Account
from app.watching.models.sources import QUERIES, query_name
from app.watching.monitors.settings.limits import Limit
from app.watching.monitors.storage.row_conversion import EVENTS
from app.watching.sources.alerts import exported_labels
from app.watching.sources.source_records import SourceSettings
from tests.support.fake_prometheus import error
from tests.support.keys import ACTOR
from tests.support.settings import change_settings
from tests.support.watching import evaluate_limits, notify_alertmanagers, put_source
from tests.watching.sources.source_queries import (
    HISTORY,
    STEP,
    begin_fault,
    calm_value,
    events,
    first_step,
    make_query,
    make_source,
    monitors,
    poll,
)

pytestmark = pytest.mark.usefixtures("each_database")


def iso(moment):
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}"


def test_without_an_alert_no_notification_is_sent(server, faults) -> None:
    assert notify_alertmanagers() == 0
    assert server.received == []


def test_open_alerts_are_repeated_to_every_alertmanager_and_expire(
    server, now, faults, context
) -> None:
    url = "https://forecast.example.com"
    change_settings(context, public_url=url, account_dashboard=True)
    begin_fault(faults, now)
    assert notify_alertmanagers() == 0
    assert notify_alertmanagers() == 0
    assert len(server.received) == 4
    (alert,) = server.received[0]
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
    received = alert["annotations"]
    assert (received["kind"], received["direction"], received["value"]) == (event.kind, "up", "500")
    assert 98 < float(received["expected"]) < 102
    assert "service=a" in received["summary"]
    assert f": 500 instead of {received['expected']}, severity " in received["summary"]


def test_a_closed_alert_is_sent_with_its_end_for_fifteen_minutes(server, now, faults) -> None:
    begin_fault(faults, now)
    faults.clear()
    for _ in range(30):
        poll(now, steps=1)
        (event, *_) = events(monitors()[0].name)
        if event.closed_at:
            break
    notify_alertmanagers()
    assert server.received[-1][0]["endsAt"] == iso(event.closed_at)
    now.move(minutes=16)
    server.received.clear()
    notify_alertmanagers()
    assert server.received == []


def test_an_event_below_a_threshold_is_not_sent(server, now, faults) -> None:
    make_query(alert_min_deviation=1e6)
    begin_fault(faults, now)
    assert events(monitors()[0].name)
    notify_alertmanagers()
    assert server.received == []


def test_a_threshold_that_is_raised_ends_the_alerts_below_it(server, now, faults) -> None:
    begin_fault(faults, now)
    with db.engine.begin() as connection:
        connection.execute(update(EVENTS).values(severity=85.06))
    for threshold, hours in ((85.1, 1), (85.2, 0)):  # 85.1 is what is shown
        make_query(alert_severity=threshold)
        notify_alertmanagers()
        ends = [alert["endsAt"] for alert in server.received[-1]]
        assert ends == [iso(now() + dt.timedelta(hours=hours))]


def test_labels_whose_exported_names_are_the_same_are_all_kept() -> None:
    labels = {"a": "1", "a.b": "2", "a_b": "3", "exported_a": "4"}
    assert exported_labels(labels, {"a"}) == {
        "exported_exported_a": "1",
        "exported_a_b": "2",
        "a_b": "3",
        "exported_a": "4",
    }


def test_a_muted_query_and_a_suspended_account_send_no_notification(server, now, faults) -> None:
    begin_fault(faults, now)
    make_query(muted_until=now() + dt.timedelta(hours=1))
    notify_alertmanagers()
    make_query()
    with db.engine.begin() as connection:
        connection.execute(update(Account).values(suspended_at=now()))
    notify_alertmanagers()
    assert server.received == []


def test_a_source_that_cannot_be_read_for_five_minutes_is_one_alert(server, now, faults) -> None:
    server.behave = error(503, "unavailable", "starting up")
    poll(now, steps=5)
    notify_alertmanagers()
    assert server.received == []
    poll(now, steps=2)
    notify_alertmanagers()
    ((alert,), _) = server.received
    assert alert["labels"] == {"alertname": "SourceFailing", "source": "prod", "account": "default"}
    assert "starting up" in alert["annotations"]["summary"]
    # The end is not sent, so the alert expires soon.
    assert alert["endsAt"] == iso(now() + dt.timedelta(minutes=5))


def test_a_failing_source_reports_its_longest_failing_query(server, now, faults) -> None:
    make_query("second")
    for name, problem, minutes in (("rate", "no response", 20), ("second", "a redirect", 10)):
        failing = update(QUERIES).where(query_name() == name)
        since = now() - dt.timedelta(minutes=minutes)
        with db.engine.begin() as connection:
            connection.execute(
                failing.values(state="failing", problem=problem, failing_since=since)
            )
    notify_alertmanagers()
    ((alert,), _) = server.received
    assert alert["annotations"]["summary"] == "prod cannot be read: no response"
    assert alert["startsAt"] == iso(now() - dt.timedelta(minutes=20))


def test_a_query_that_is_put_again_is_evaluated_again_only_for_another_limit(server, now) -> None:
    server.add_series(calm_value)
    limited = {"limit": Limit(upper=1e6, horizon=300)}
    make_query(**limited)
    poll()
    assert evaluate_limits() == 1
    make_query(**limited, alert_severity=70)
    assert evaluate_limits() == 0
    make_query(limit=Limit(upper=2e6, horizon=300))
    assert evaluate_limits() == 1


def test_a_limit_ahead_is_an_alert_of_its_own_beside_that_of_the_values(server, now) -> None:
    started = []
    start = first_step(now) - HISTORY * STEP
    server.add_series(
        lambda at: 500.0 if started and at >= started[0] else 40 + 0.1 * (at - start) / STEP
    )
    make_source(server.url, alertmanagers=[server.url])
    make_query(limit=Limit(upper=90.0, horizon=300))
    poll(now, steps=1)
    assert evaluate_limits() == 1
    notify_alertmanagers()
    ((alert,),) = server.received
    (event,) = events(monitors()[0].name)
    assert (event.kind, alert["labels"]["alertname"]) == ("limit_ahead", "LimitAhead")
    received = alert["annotations"]
    assert received["reached_at"] == event.reached_at
    summary = f"expected above the limit 90 from {event.reached_at}, probability "
    assert received["summary"].startswith(f"rate: {summary}")
    with db.engine.begin() as connection:  # as of a later forecast, which closes no event
        connection.execute(update(EVENTS).values(severity=45.0))
    notify_alertmanagers()
    assert server.received[-1][0]["endsAt"] == iso(now() + dt.timedelta(hours=1))
    started.append(first_step(now) + STEP)
    poll(now, steps=1)
    assert evaluate_limits() == 1
    server.received.clear()
    notify_alertmanagers()
    names = {alert["labels"]["alertname"]: alert for alert in server.received[0]}
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
    started = []
    server.add_series(
        lambda at: 500.0 if started and at >= started[0] else calm_value(at), team="own", pod="a"
    )
    source_settings = SourceSettings(
        server.url, None, None, [server.url], labels={"team": "x", "tier": "1"}
    )
    put_source(ACTOR, 1, "prod", source_settings)
    make_query(labels={"tier": "2"})
    poll(now, steps=1)
    started.append(first_step(now) + STEP)
    poll(now, steps=1)
    notify_alertmanagers()
    labels = server.received[0][0]["labels"]
    assert (labels["team"], labels["tier"], labels["exported_team"]) == ("x", "2", "own")
    assert labels["pod"] == "a"
