"""Release 1.2 runs beside this one: its worker finds nothing to undo in the monitors' webhooks."""

import json

import pytest
from sqlalchemy import delete, select, text, update

from app.core.database import db
from app.delivery.models import Webhook, WebhookDelivery
from app.watching.models.monitors import MonitorRow
from tests.support.watching import delete_monitor
from tests.watching.monitors.feeding import ACCOUNT, NAME, URL, history, make, put_webhook, send

OTHER_URL = "https://other.example.com/hook"
# The condition by which 1.2 finds changes of 1.1 (`adopt_webhooks` in its former.py).
CHANGED = """
SELECT monitors.name FROM monitors
LEFT JOIN monitor_webhooks ON monitor_webhooks.monitor_id = monitors.id
LEFT JOIN webhooks ON webhooks.id = monitor_webhooks.webhook_id
WHERE webhook_url IS DISTINCT FROM CASE WHEN webhooks.format = 'standard' THEN url END
OR webhook_secret IS DISTINCT FROM CASE WHEN webhooks.format = 'standard' THEN secret END
"""
pytestmark = pytest.mark.usefixtures("each_database")


@pytest.fixture(autouse=True)
def release_1_2_undoes_nothing(context):
    """Run the query of 1.2 after each test."""
    yield
    with db.engine.connect() as connection:
        assert connection.scalars(text(CHANGED)).all() == []


def mirrored_monitor(name=NAME):
    with db.engine.connect() as connection:
        query = select(MonitorRow.webhook_url).where(MonitorRow.name == name)
        return connection.scalar(query)


def stored_monitor(name="ops"):
    with db.engine.connect() as connection:
        query = select(Webhook.__table__).where(Webhook.name == name)
        return connection.execute(query).one_or_none()


def test_a_named_webhook_and_its_changes_are_mirrored_to_each_monitor() -> None:
    put_webhook()
    make(webhook="ops")
    make("disk", webhook="ops")
    assert mirrored_monitor() == mirrored_monitor("disk") == URL
    put_webhook(url=OTHER_URL)
    assert mirrored_monitor() == mirrored_monitor("disk") == OTHER_URL


def test_a_monitor_that_names_another_webhook_or_none_is_mirrored() -> None:
    put_webhook()
    make(webhook="ops")
    make(webhook=put_webhook("night", OTHER_URL))
    assert mirrored_monitor() == OTHER_URL
    make()
    assert mirrored_monitor() is None


def test_a_chat_is_mirrored_as_none_because_1_2_reads_only_signed_ones() -> None:
    make(webhook=put_webhook(form="text"))
    assert mirrored_monitor() is None
    put_webhook()
    assert mirrored_monitor() == URL


def test_a_monitors_own_webhook_of_1_2_stays_once_another_monitor_uses_it() -> None:
    put_webhook()
    with db.engine.begin() as connection:
        connection.execute(update(Webhook).values(is_managed=True))
    make(webhook="ops")
    assert not stored_monitor().is_managed


def test_a_deleted_monitor_takes_its_messages_along_but_not_those_of_others() -> None:
    put_webhook()
    for name in (NAME, "disk"):
        make(name, history=history(96), webhook="ops")
        send([0], [400.0], name)
    delete_monitor(ACCOUNT, NAME)
    with db.engine.connect() as connection:
        payloads = connection.scalars(select(WebhookDelivery.payload)).all()
    assert [json.loads(payload)["data"]["monitor"] for payload in payloads] == ["disk"]
    with db.engine.begin() as connection:
        connection.execute(delete(MonitorRow))
    assert stored_monitor() is not None
