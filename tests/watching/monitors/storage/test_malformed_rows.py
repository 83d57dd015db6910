"""A malformed row does not stop a worker: the others are processed."""

import datetime as dt
import json

import pytest
from sqlalchemy import select, update

from app.core.database import db
from app.delivery.models import WebhookDelivery
from app.watching.models.monitors import MonitorRow
from app.watching.monitors.worker import due
from tests.support.watching import open_overdue_events, release_withheld
from tests.watching.monitors.feeding import NOW, events, history, make, put_webhook, send

UNKNOWN = "Fortnights"
pytestmark = pytest.mark.usefixtures("each_database")


@pytest.fixture
def single_rows(monkeypatch) -> None:
    """Read one row at a time: a malformed one must not replace the next."""
    monkeypatch.setattr(due, "MAX_DUE_MONITORS", 1)


def spoil(name, **columns) -> None:
    with db.engine.begin() as connection:
        connection.execute(update(MonitorRow).where(MonitorRow.name == name).values(columns))


def log_entries(caplog):
    return [record.fields["table"] for record in caplog.records if record.msg.startswith("a malf")]


def column(source):
    with db.engine.connect() as connection:
        return connection.scalars(select(source)).all()


def test_monitors_are_overdue_behind_a_malformed_one(single_rows, now, caplog) -> None:
    for name in ("bad", "good"):
        make(name)
        send([11], [1.0], name)
    spoil("bad", data_frequency=UNKNOWN)
    now.move(hours=2)
    assert sum(open_overdue_events() for _ in range(3)) == 1
    assert [event.kind for event in events("good")] == ["overdue"]
    assert log_entries(caplog) == ["monitors that are overdue"]


def test_a_bug_in_the_visit_of_a_monitor_is_no_malformed_row_and_stops_no_other(
    single_rows, now, caplog, monkeypatch
) -> None:
    for name in ("bad", "good"):
        make(name)
        send([11], [1.0], name)
    finish = due.finish_and_write_events

    def finish_unless_bad(context, stored, grid, ledger):
        if stored.name == "bad":
            raise ZeroDivisionError
        return finish(context, stored, grid, ledger)

    monkeypatch.setattr(due, "finish_and_write_events", finish_unless_bad)
    now.move(hours=2)
    assert sum(open_overdue_events() for _ in range(3)) == 1
    assert [event.kind for event in events("good")] == ["overdue"]
    (error,) = [record for record in caplog.records if record.levelname == "ERROR"]
    assert (error.msg, error.exc_info[0]) == (
        "a row is skipped: unexpected error",
        ZeroDivisionError,
    )


def test_monitors_send_what_they_withheld_behind_a_malformed_one(single_rows, now, caplog) -> None:
    for name in ("bad", "good"):
        make(
            name,
            history=history(480),
            muted_until=NOW + dt.timedelta(hours=1),
            webhook=put_webhook(),
        )
        send([11], [60.0], name)
    spoil("bad", data_frequency=UNKNOWN)
    now.move(hours=2)
    assert sum(release_withheld() for _ in range(3)) == 1
    (payload,) = column(WebhookDelivery.payload)
    assert json.loads(payload)["data"]["monitor"] == "good"
    assert log_entries(caplog) == ["monitors that were muted"]
