"""Monitors that are created, changed, listed and deleted; learned histories."""

import contextvars
import datetime as dt
import itertools
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from sqlalchemy import event, func, select

from app.anomalies.results import Direction
from app.core.database import Base, db
from app.delivery.webhook_records import NoSuchWebhookError
from app.identity.accounts.errors import TooManyError
from app.timeseries.calendar.frequency import Frequency
from app.watching.monitors.monitor_registry import change_monitor
from app.watching.monitors.queries.monitor_queries import get_monitor
from app.watching.monitors.settings.errors import GridFixedError, NoSuchMonitorError
from app.watching.monitors.settings.states import State
from tests.support.keys import ACTOR
from tests.support.watching import delete_monitor
from tests.watching.monitors.feeding import (
    ACCOUNT,
    HOURLY,
    NAME,
    NOW,
    are_all_judged,
    history,
    history_at,
    make,
    other_account,
    points,
    put_webhook,
    send,
    send_at,
    waves,
)


@pytest.fixture
def settings():
    return {"monitor_points_kept": 100, "monitors_per_account": 3}


@pytest.fixture(autouse=True)
def history_is_fresh(now) -> None:
    """Let the histories of these tests end an hour ago."""
    now.at = NOW - dt.timedelta(hours=12)


def test_changes_of_other_settings_at_the_same_time_are_all_kept() -> None:
    put_webhook()
    make()
    changes = {
        "alert_severity": 70.0,
        "alert_for": 3,
        "direction": Direction.UP,
        "false_alarm_rate": 0.01,
        "muted_until": NOW,
        "webhook": "ops",
    }
    run = contextvars.copy_context
    with ThreadPoolExecutor(len(changes)) as threads:
        done = [
            threads.submit(run().run, change_monitor, ACTOR, ACCOUNT, NAME, {name: value})
            for name, value in changes.items()
        ]
    assert [change.result() for change in done] == [None] * len(changes)
    assert get_monitor(ACCOUNT, NAME).settings == replace(HOURLY, **changes)


def test_a_change_is_rejected_as_a_replacement_is() -> None:
    make()
    send([0], [1.0])
    with pytest.raises(GridFixedError, match="every 1 of its data_frequency Hours"):
        change_monitor(ACTOR, ACCOUNT, NAME, {"step": 2})
    with pytest.raises(NoSuchWebhookError):
        change_monitor(ACTOR, ACCOUNT, NAME, {"alert_for": 3, "webhook": "gone"})
    with pytest.raises(NoSuchMonitorError):
        change_monitor(ACTOR, ACCOUNT, "gone", {"alert_for": 3})
    assert get_monitor(ACCOUNT, NAME).settings == HOURLY


def test_the_maximum_number_of_monitors_is_that_of_each_account() -> None:
    other_account()
    for name in "abc":
        make(name)
    with pytest.raises(TooManyError) as caught:
        make("d")
    assert caught.value.max_count == 3
    assert not make("a").is_new
    assert make("d", account=2).is_new


def test_a_deleted_monitor_is_deleted_with_its_points_and_events() -> None:
    of_monitors = [
        table
        for table in Base.metadata.tables.values()
        if any(key.column.table.name == "monitors" for key in table.foreign_keys)
    ]
    assert len(of_monitors) >= 5
    make(history=history(96), webhook=put_webhook())
    send([0], [40.0])
    delete_monitor(ACCOUNT, NAME)
    with pytest.raises(NoSuchMonitorError):
        get_monitor(ACCOUNT, NAME)
    with pytest.raises(NoSuchMonitorError):
        delete_monitor(ACCOUNT, NAME)
    with db.engine.connect() as connection:
        for table in of_monitors:
            assert connection.scalar(select(func.count()).select_from(table)) == 0, table.name


def test_a_monitor_made_after_one_was_deleted_is_another() -> None:
    first = make().monitor
    delete_monitor(ACCOUNT, NAME)
    assert make().monitor.id != first.id


def test_a_history_is_learned_from_and_its_newest_points_are_kept() -> None:
    put = make(history=history(240))
    assert put.notices == ()
    assert put.monitor.state == State.NORMAL
    assert put.monitor.points == 100
    assert put.monitor.last_point.timestamp == "2026-04-30T23:00:00Z"
    assert [point.value for point in points()] == waves(240)[-100:]
    assert {point.status for point in points()} == {"learning"}
    assert are_all_judged(send([0], waves(241)[-1:]))


def test_a_short_history_leaves_the_monitor_learning() -> None:
    assert make(history=history(12)).monitor.state == State.LEARNING
    send(range(40), waves(40))
    assert get_monitor(ACCOUNT, NAME).state == State.NORMAL


def test_a_history_is_learned_if_the_monitor_was_deleted_meanwhile() -> None:
    make()
    send([0], [1.0])
    engine, lent = db.engine, itertools.count(1)

    def change_meanwhile(*_connection) -> None:
        if next(lent) == 2:  # the first asks whether there are points, the second writes
            delete_monitor(ACCOUNT, NAME)

    event.listen(engine, "checkout", change_meanwhile)
    put = make(history=history(240))
    event.remove(engine, "checkout", change_meanwhile)
    assert put.is_new
    assert put.notices == ()
    assert put.monitor.state == State.NORMAL


def test_a_history_may_come_after_the_monitor_was_made() -> None:
    make()
    assert make(history=history(240)).monitor.state == State.NORMAL


def test_points_continue_where_a_history_of_business_days_ends() -> None:
    days = [f"2026-05-{day:02}T00:00:00" for day in (4, 5, 6, 7, 8, 11, 12, 13, 14, 15)]
    make(history=history_at(days, Frequency.DAILY), data_frequency=Frequency.DAILY)
    assert send_at("2026-05-18T00:00:00").points[0].index == 10
