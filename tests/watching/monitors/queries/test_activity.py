"""The activity of an account's monitors, on both databases."""

from dataclasses import replace

import pytest
from sqlalchemy import update

from app.core.database import db
from app.delivery.models import WebhookDelivery
from app.watching.monitors.queries.activity import (
    MAX_COUNTED,
    ActivityCounts,
    count_activity,
    count_open_alerts,
    open_events,
    open_limits,
)
from app.watching.monitors.queries.monitor_queries import get_monitor
from app.watching.monitors.settings.limits import Limit
from tests.support.watching import evaluate_limits
from tests.watching.monitors.feeding import (
    ACCOUNT,
    NAME,
    NOW,
    events,
    history,
    make,
    other_account,
    put_webhook,
    send,
    waves,
)

pytestmark = pytest.mark.usefixtures("each_database")


def activity_of(name=NAME, account=ACCOUNT):
    monitor_id = get_monitor(account, name).id
    activity = count_activity([monitor_id])
    assert list(activity) == [monitor_id]
    return activity[monitor_id]


def end_deliveries(column) -> None:
    with db.engine.begin() as connection:
        connection.execute(
            update(WebhookDelivery)
            .where(WebhookDelivery.next_attempt_at.is_not(None))
            .values({column: NOW, "next_attempt_at": None})
        )


def test_events_and_messages_are_counted_by_monitor(now) -> None:
    other_account()
    make(history=history(96), webhook=put_webhook())
    make("calm")
    make("theirs", account=2, history=history(96), webhook=put_webhook(account=2))
    send([0], [400.0])
    send([0], [400.0], "theirs", account=2)
    recent = ActivityCounts(recent_events=1, recent_alerts=1, pending=1, messages=1)
    assert activity_of() == replace(recent, open_events=1, open_alerts=1)
    assert activity_of("calm") == ActivityCounts()
    end_deliveries("failed_at")
    send(range(1, 20), waves(20)[1:])
    assert activity_of() == replace(recent, failed=1, messages=2)
    end_deliveries("delivered_at")
    now.move(hours=25)
    assert activity_of() == ActivityCounts(failed=1, messages=2)


def test_events_that_are_not_alerts_are_counted_apart() -> None:
    make(history=history(96), webhook=put_webhook(), alert_min_deviation=1e6)
    send([0], [400.0])
    assert activity_of() == ActivityCounts(open_events=1, recent_events=1)


def test_open_alerts_are_counted_for_the_whole_account_those_of_limits_too() -> None:
    make(history=history(96), webhook=put_webhook())
    make("disk", history=history(96), limit=Limit(upper=10.5, horizon=24, probability=0.3))
    make("quiet", history=history(96), alert_min_deviation=1e6)
    for name in (NAME, "quiet"):
        send([0], [400.0], name)
    send([0], [10.0], "disk")
    assert evaluate_limits() == 1
    assert [event.kind for event in events("disk")] == ["limit_ahead"]
    assert count_open_alerts(ACCOUNT) == {NAME: 1, "disk": 1}
    assert (activity_of("disk").open_events, activity_of("disk").open_alerts) == (1, 1)
    assert count_open_alerts(2) == {}
    opened = [(name, event.kind) for name, event in open_events(ACCOUNT, [NAME, "disk", "quiet"])]
    assert sorted(opened[:2]) == [(NAME, "spike"), ("disk", "limit_ahead")]
    assert opened[2:] == [("quiet", "spike")]
    assert open_events(ACCOUNT, []) == open_events(2, [NAME]) == []
    assert open_limits(ACCOUNT) == {"disk": "limit_ahead"}


def test_only_the_newest_of_very_many_messages_are_read() -> None:
    make(history=history(96), webhook=put_webhook())
    send([0], [400.0])
    with db.engine.begin() as connection:
        row = dict(connection.execute(WebhookDelivery.__table__.select()).mappings().one())
        row.pop("id")
        connection.execute(WebhookDelivery.__table__.insert(), [row] * MAX_COUNTED)
    assert activity_of().pending == MAX_COUNTED
