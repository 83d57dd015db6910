"""Release 1.1 runs beside this one: both see the webhooks of each other, and no message is lost."""

import json
from contextlib import closing

import pytest
from sqlalchemy import delete, func, insert, select, update

from app.core.database import db
from app.delivery import registry as webhooks
from app.delivery.models import Format, Webhook, WebhookDelivery
from app.delivery.secrets import new_message_id, new_secret
from app.watching.monitors.former import adopt
from app.watching.monitors.models import FormerDelivery, MonitorRow
from app.watching.monitors.queries import get_monitor
from app.watching.monitors.registry import delete_monitor, rotate_webhook_secret
from app.watching.monitors.webhooks import write_former_columns
from tests.watching.monitors.feeding import ACCOUNT, NAME, NOW, history, make, other_account, send

URL, OTHER = "https://example.com/hook", "https://other.example.com/hook"
PAYLOAD = {
    "type": "event.opened",
    "data": {
        "monitor": NAME,
        "event": {"id": 7, "kind": "spike", "start": "s", "end": None, "severity": 60.0},
    },
}


@pytest.fixture
def database_url(each_database):
    return each_database


def former(name=NAME):
    """What release 1.1 reads of the webhook of a monitor: the URL, and the secrets."""
    columns = (
        MonitorRow.webhook_url,
        MonitorRow.webhook_secret,
        MonitorRow.former_webhook_secret,
    )
    with db.engine.connect() as connection:
        return connection.execute(select(*columns).where(MonitorRow.name == name)).one()


def put_by_former(name=NAME, **columns):
    """What release 1.1 writes when a monitor is changed."""
    with db.engine.begin() as connection:
        connection.execute(update(MonitorRow).where(MonitorRow.name == name).values(columns))


def stored(name=NAME):
    """The row of a webhook; None without one."""
    with db.engine.connect() as connection:
        query = select(Webhook.__table__).where(Webhook.name == name)
        return connection.execute(query).one_or_none()


def put_webhook(name="ops", url=URL, form=Format.STANDARD):
    """As the endpoint does."""
    with db.engine.begin() as connection:
        put = webhooks.put_webhook(connection, ACCOUNT, name, url, form)
        write_former_columns(connection, put.row)


def shown(name=NAME):
    monitor = get_monitor(ACCOUNT, name)
    return monitor.webhook, monitor.webhook_url


def send_by_former(monitor_id, **columns):
    """A message that release 1.1 has written."""
    values = {
        "monitor_id": monitor_id,
        "event_id": 7,
        "message_id": new_message_id(),
        "type": "event.opened",
        "payload": json.dumps(PAYLOAD),
        "created_at": NOW,
        "next_attempt_at": NOW,
        "attempts": 0,
    }
    with db.engine.begin() as connection:
        connection.execute(insert(FormerDelivery).values(values | columns))


def messages():
    with db.engine.connect() as connection:
        query = select(WebhookDelivery.__table__).order_by(WebhookDelivery.id)
        return connection.execute(query).all()


def left():
    with db.engine.connect() as connection:
        return connection.scalar(select(func.count()).select_from(FormerDelivery))


class TestWrittenForIt:
    """Release 1.1 reads what this release writes, also after a way back."""

    def test_a_url_with_its_secrets(self):
        secret = make(webhook_url=URL).webhook_secret
        assert former() == (URL, secret, None)
        new = rotate_webhook_secret(ACCOUNT, NAME)
        assert former() == (URL, new, secret)
        make()
        assert former() == (None, None, None)

    def test_a_webhook_that_is_named_and_its_changes(self):
        put_webhook()
        make(webhook="ops")
        make("disk", webhook="ops")
        put_webhook(url=OTHER)
        for name in (NAME, "disk"):
            assert former(name) == (OTHER, stored("ops").secret, None)

    def test_a_chat_is_none_to_it_as_it_would_send_something_else(self):
        put_webhook(form=Format.TEXT)
        make(webhook="ops")
        assert former() == (None, None, None)
        put_webhook()
        assert former() == (URL, stored("ops").secret, None)


class TestTakenFromIt:
    """This release takes over what release 1.1 writes meanwhile."""

    def test_nothing_where_nothing_was_changed(self):
        put_webhook()
        put_webhook("chat", form=Format.TEXT)
        make(webhook="ops")
        make("disk", webhook="chat")
        make("net", webhook_url=URL)
        make("none")
        before = [stored(name) for name in ("ops", "chat", "net", "none")]
        adopt()
        assert [stored(name) for name in ("ops", "chat", "net", "none")] == before
        assert shown() == ("ops", URL)
        assert shown("disk") == ("chat", URL)

    def test_a_webhook_of_a_monitor_that_had_none(self):
        make()
        secret = new_secret()
        put_by_former(webhook_url=URL, webhook_secret=secret)
        adopt()
        assert shown() == (NAME, URL)
        assert stored().secret == former().webhook_secret == secret
        assert stored().is_managed

    def test_another_url_and_a_rotated_secret(self):
        first = make(webhook_url=URL).webhook_secret
        second = new_secret()
        put_by_former(
            webhook_url=OTHER,
            webhook_secret=second,
            former_webhook_secret=first,
            former_secret_ends_at=NOW,
        )
        adopt()
        row = stored()
        assert (row.url, row.secret, row.former_secret) == (OTHER, second, first)
        assert row.former_secret_ends_at == NOW

    def test_that_a_monitor_has_none_any_longer(self):
        make(webhook_url=URL)
        put_webhook()
        make("disk", webhook="ops")
        for name in (NAME, "disk"):
            put_by_former(name, webhook_url=None, webhook_secret=None)
        adopt()
        assert shown() == shown("disk") == (None, None)
        assert stored() is None
        assert stored("ops") is not None

    def test_a_url_of_its_own_where_one_was_named(self):
        put_webhook()
        make(webhook="ops")
        make("disk", webhook="ops")
        put_by_former(webhook_url=OTHER, webhook_secret=new_secret())
        adopt()
        assert shown() == (NAME, OTHER)
        assert shown("disk") == ("ops", URL)

    def test_a_rotated_secret_of_one_that_others_name_too(self):
        put_webhook()
        make(webhook="ops")
        make("disk", webhook="ops")
        secret = new_secret()
        put_by_former(webhook_secret=secret)
        adopt()
        assert stored("ops").secret == former("disk").webhook_secret == secret
        assert shown() == shown("disk") == ("ops", URL)

    def test_only_of_the_account_that_it_is_of(self):
        other_account()
        make(account=2)
        make()
        put_by_former(webhook_url=URL, webhook_secret=new_secret())
        adopt()
        assert get_monitor(2, NAME).webhook == NAME
        with db.engine.connect() as connection:
            accounts = select(Webhook.account_id).order_by(Webhook.account_id)
            assert connection.scalars(accounts).all() == [1, 2]


class TestMessages:
    """Messages that release 1.1 has written are sent by this one, once."""

    def test_they_keep_their_ids_and_what_has_become_of_them(self):
        monitor_id = make(webhook_url=URL).monitor.id
        send_by_former(monitor_id, attempts=2, last_problem="returned 500")
        send_by_former(monitor_id, delivered_at=NOW, next_attempt_at=None)
        with closing(db.engine.connect()) as connection:
            ids = connection.scalars(select(FormerDelivery.message_id)).all()
        adopt()
        pending, delivered = messages()
        assert [pending.message_id, delivered.message_id] == ids
        assert (pending.attempts, pending.last_problem) == (2, "returned 500")
        assert (pending.next_attempt_at, delivered.delivered_at) == (NOW, NOW)
        assert pending.subject == f"monitor:{monitor_id}"
        assert pending.text == f"{NAME}: spike since s, severity 60"
        assert json.loads(pending.payload) == PAYLOAD
        assert left() == 0
        adopt()
        assert len(messages()) == 2

    def test_one_that_is_being_sent_is_left_until_its_lease_ends(self, now):
        monitor_id = make(webhook_url=URL).monitor.id
        now.at = NOW
        send_by_former(monitor_id, leased_until=NOW.replace(minute=1))
        adopt()
        assert (len(messages()), left()) == (0, 1)
        now.move(minutes=2)
        adopt()
        assert (len(messages()), left()) == (1, 0)
        assert messages()[0].leased_until is None

    def test_one_of_a_webhook_that_it_has_made_too(self):
        monitor_id = make().monitor.id
        put_by_former(webhook_url=URL, webhook_secret=new_secret())
        send_by_former(monitor_id)
        adopt()
        assert [row.webhook_id for row in messages()] == [stored().id]

    def test_one_without_a_webhook_is_dropped(self):
        send_by_former(make().monitor.id)
        adopt()
        assert (messages(), left()) == ([], 0)


def test_a_deleted_monitor_takes_its_messages_along_but_not_those_of_others():
    put_webhook()
    for name in (NAME, "disk"):
        make(name, history=history(96), webhook="ops")
        send([0], [400.0], name)
    delete_monitor(ACCOUNT, NAME)
    assert [json.loads(row.payload)["data"]["monitor"] for row in messages()] == ["disk"]
    with db.engine.begin() as connection:
        connection.execute(delete(MonitorRow))
    assert stored("ops") is not None
