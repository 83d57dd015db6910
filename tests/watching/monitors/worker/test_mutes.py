"""The messages that a mute withholds, and that are sent after it, on both databases."""

import datetime as dt
import json

import pytest
from sqlalchemy import select

from app.core.database import db
from app.delivery.models import WebhookDelivery
from app.watching.monitors.queries.monitor_queries import get_monitor
from app.watching.monitors.storage.row_conversion import EVENTS
from tests.support.watching import open_overdue_events, release_withheld
from tests.watching.monitors.feeding import (
    ACCOUNT,
    NAME,
    NOW,
    events,
    history,
    make,
    put_webhook,
    send,
    waves,
)

HOUR = dt.timedelta(hours=1)
pytestmark = pytest.mark.usefixtures("each_database")


def mute(until, **settings):
    return make(webhook=put_webhook(), muted_until=until, **settings)


def messages_sent():
    with db.engine.connect() as connection:
        query = select(WebhookDelivery.payload).order_by(WebhookDelivery.id)
        messages = map(json.loads, connection.scalars(query))
        return [
            (
                message["type"].removeprefix("event."),
                message["data"]["event"]["kind"],
                message["data"]["state"],
            )
            for message in messages
        ]


def messages_withheld():
    with db.engine.connect() as connection:
        return connection.scalars(select(EVENTS.c.id).where(EVENTS.c.is_withheld)).all()


@pytest.fixture(autouse=True)
def learned_monitor() -> None:
    make(history=history(480), webhook=put_webhook())


def test_an_event_still_open_when_a_mute_ends_is_sent_without_another_point(now) -> None:
    mute(NOW + HOUR)
    (event,) = send([11], [60.0]).events
    assert (messages_sent(), event.is_alert, release_withheld()) == ([], False, 0)
    now.move(hours=1)
    assert release_withheld() == 1
    (changed,) = events()
    assert (changed.id, changed.is_alert) == (event.id, True)
    assert changed.cursor > event.cursor
    assert messages_sent() == [("opened", "spike", "anomalous")]
    assert release_withheld() == 0
    send(range(12, 40), waves(40)[12:])
    assert messages_sent()[1:] == [("closed", "spike", "normal")]


def test_the_next_point_sends_it_if_it_comes_first(now) -> None:
    mute(NOW + HOUR)
    send([11], [60.0])
    now.move(hours=1)
    (changed,) = send([12], [60.0]).events
    assert changed.is_alert
    assert [message[0] for message in messages_sent()] == ["opened"]
    assert release_withheld() == 0


def test_an_event_that_opened_and_closed_while_muted_is_never_sent(now) -> None:
    mute(NOW + HOUR)
    send(range(20), [60.0, *waves(20)[1:]])
    now.move(hours=1)
    assert (release_withheld(), messages_sent()) == (0, [])
    assert [(event.closed_as, event.is_alert) for event in events()] == [("ended", False)]


def test_a_receiver_that_got_an_opening_gets_its_closing(now) -> None:
    send([11], [60.0])
    mute(NOW + HOUR)
    send(range(12, 40), waves(40)[12:])
    assert [message[0] for message in messages_sent()] == ["opened"]
    mute(NOW + 2 * HOUR)
    now.move(hours=1)
    assert release_withheld() == 0, "it is muted for longer now"
    mute(None)
    assert release_withheld() == 1
    assert [message[0] for message in messages_sent()] == ["opened", "closed"]
    assert (release_withheld(), messages_withheld()) == (0, [])


def test_a_monitor_still_overdue_when_its_mute_ends_sends_that_it_is_overdue(now) -> None:
    send([11], waves(12)[11:])
    mute(NOW + 5 * HOUR)
    now.move(hours=4)
    assert open_overdue_events() == 1
    assert messages_sent() == []
    now.move(hours=1)
    assert release_withheld() == 1
    assert messages_sent() == [("opened", "overdue", "overdue")]
    send([17], waves(18)[17:])
    assert [message[:2] for message in messages_sent()] == [
        ("opened", "overdue"),
        ("closed", "overdue"),
    ]


def test_an_event_below_the_thresholds_after_a_mute_is_not_sent(now) -> None:
    mute(NOW + HOUR)
    send([11], [60.0])
    now.move(hours=1)
    mute(NOW, alert_min_deviation=1e6)
    assert release_withheld() == 1
    assert (messages_sent(), messages_withheld()) == ([], [])


def test_a_point_that_comes_at_the_same_time_changes_nothing_of_what_is_sent(now, monkeypatch):
    from app.watching.monitors.worker import due

    mute(NOW + HOUR)
    send([11], [60.0])
    now.move(hours=1)
    read = due.read_stored

    def change_meanwhile(*arguments, **options):
        stored = read(*arguments, **options)
        send([12], [60.0])
        return stored

    monkeypatch.setattr(due, "read_stored", change_meanwhile)
    assert release_withheld() == 0
    assert [message[0] for message in messages_sent()] == ["opened"]
    assert get_monitor(ACCOUNT, NAME).points == 482
