"""One malformed row stops no worker: the others are noted, sent and adopted."""

import datetime as dt
import json

import pytest
from sqlalchemy import insert, select, update

from app.core.database import db
from app.delivery.models import WebhookDelivery
from app.delivery.secrets import new_message_id, new_secret
from app.watching.monitors import former, mutes, overdue
from app.watching.monitors.models import FormerDelivery, MonitorRow, MonitorWebhook
from app.watching.monitors.mutes import send_withheld
from app.watching.monitors.overdue import open_overdue_events
from tests.watching.monitors.feeding import NAME, NOW, events, history, make, send

URL = "https://example.com/hook"
EVENT = {"id": 7, "kind": "spike", "start": "s", "end": None, "severity": 60.0}
GOOD = json.dumps({"type": "event.opened", "data": {"monitor": NAME, "event": EVENT}})
MALFORMED = ["", "not JSON", "{}", "[]", "7", '{"data": null}', '{"data": {"monitor": "cpu"}}']
UNKNOWN = "Fortnights"


@pytest.fixture
def database_url(each_database):
    return each_database


@pytest.fixture
def at_once(monkeypatch):
    """Only one row is read at once: a malformed one may not take the place of the next."""
    for module in (former, mutes, overdue):
        monkeypatch.setattr(module, "MAX_BATCH_MONITORS", 1)


def spoil(name, **columns):
    with db.engine.begin() as connection:
        connection.execute(update(MonitorRow).where(MonitorRow.name == name).values(columns))


def logged(caplog):
    return [record.fields["table"] for record in caplog.records if record.msg.startswith("a malf")]


def send_by_former(monitor_id, payload):
    with db.engine.begin() as connection:
        values = {"monitor_id": monitor_id, "event_id": 7, "message_id": new_message_id()}
        values |= {"type": "event.opened", "payload": payload, "attempts": 0}
        values |= {"created_at": NOW, "next_attempt_at": NOW}
        connection.execute(insert(FormerDelivery).values(values))


def column(of):
    with db.engine.connect() as connection:
        return connection.scalars(select(of)).all()


def test_messages_of_release_1_1_are_adopted_beside_malformed_ones(caplog):
    monitor_id = make(webhook_url=URL).monitor.id
    for payload in [GOOD, *MALFORMED, GOOD]:
        send_by_former(monitor_id, payload)
    former.adopt()
    assert column(WebhookDelivery.payload) == [GOOD, GOOD]
    assert column(FormerDelivery.id) == []
    assert logged(caplog) == ["webhook_deliveries"] * len(MALFORMED)
    former.adopt()
    assert len(logged(caplog)) == len(MALFORMED)


@pytest.mark.parametrize("databases", ["sqlite"], indirect=True)  # PostgreSQL checks types
def test_messages_of_release_1_1_with_malformed_times_are_dropped(caplog):
    monitor_id = make(webhook_url=URL).monitor.id
    for _ in range(2):
        send_by_former(monitor_id, GOOD)
    with db.engine.begin() as connection:
        connection.exec_driver_sql(
            "UPDATE webhook_deliveries SET created_at = 'yesterday' WHERE id = 1"
        )
    former.adopt()
    assert column(WebhookDelivery.payload) == [GOOD]
    assert logged(caplog) == ["webhook_deliveries"]


def test_webhooks_of_release_1_1_are_adopted_behind_a_malformed_one(at_once, caplog, monkeypatch):
    for name in ("bad", "good"):
        make(name)
        spoil(name, webhook_url=URL, webhook_secret=new_secret())
    adopt_webhook = former._adopt_webhook

    def adopt(account_id, name):
        if name == "bad":
            raise ValueError
        adopt_webhook(account_id, name)

    monkeypatch.setattr(former, "_adopt_webhook", adopt)
    for _ in range(3):
        former.adopt_webhooks()
    with db.engine.connect() as connection:
        query = select(MonitorRow.name).join(MonitorWebhook)
        assert connection.scalars(query).all() == ["good"]
    assert logged(caplog) == ["monitors with webhooks of release 1.1"]


def test_monitors_are_overdue_behind_a_malformed_one(at_once, now, caplog):
    for name in ("bad", "good"):
        make(name)
        send([11], [1.0], name)
    spoil("bad", data_frequency=UNKNOWN)
    now.move(hours=2)
    assert sum(open_overdue_events() for _ in range(3)) == 1
    assert [event.kind for event in events("good")] == ["overdue"]
    assert logged(caplog) == ["monitors that are overdue"]


def test_monitors_send_what_they_withheld_behind_a_malformed_one(at_once, now, caplog):
    for name in ("bad", "good"):
        make(name, history=history(480), muted_until=NOW + dt.timedelta(hours=1), webhook_url=URL)
        send([11], [60.0], name)
    spoil("bad", data_frequency=UNKNOWN)
    now.move(hours=2)
    assert sum(send_withheld() for _ in range(3)) == 1
    (payload,) = column(WebhookDelivery.payload)
    assert json.loads(payload)["data"]["monitor"] == "good"
    assert logged(caplog) == ["monitors that were muted"]
