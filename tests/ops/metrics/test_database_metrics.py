"""What `/metrics` reads from the database: deliveries and the states of monitors."""

import datetime as dt

import pytest
from flask import Flask
from sqlalchemy import Engine, insert
from sqlalchemy.exc import OperationalError

from app import create_app
from app.core.database import utcnow
from app.delivery.heartbeat import record_heartbeat
from app.delivery.models import TEST_MESSAGE_TYPE
from app.watching.models.monitors import MonitorLimit
from app.watching.monitors.settings.monitor_records import MonitorEventKind
from app.watching.sources.source_records import SourceSettings
from tests.delivery.deliveries import (
    add_delivery,
    add_event,
    add_monitor,
    add_webhook,
    change,
    engine_of,
    suspend_default,
)
from tests.support.api import Api
from tests.support.keys import ACTOR
from tests.support.metrics import Counts, read
from tests.support.watching import notify_alertmanagers, put_source

URL = "https://hooks.example.com/"
HOUR = dt.timedelta(hours=1)
SMALL_EVENT, ALERT = 7, 8
OPENMETRICS = "application/openmetrics-text; version=1.0.0"
pytestmark = pytest.mark.usefixtures("each_database")


def metrics_of(app: Flask) -> Counts:
    """Return what is metrics_of of the database."""
    response = Api(app).request("GET", "/metrics")
    assert response.status_code == 200
    content = read(response.get_data(as_text=True))
    assert content["forecast_web_workers"] >= 0
    return {
        name: value
        for name, value in content.items()
        if name.startswith(("forecast_webhook", "forecast_monitor_state", "forecast_monitor_alert"))
    }


def test_nothing_under_way_is_reported_as_zero(app: Flask) -> None:
    assert metrics_of(app) == {
        "forecast_webhook_deliveries{state=pending}": 0,
        "forecast_webhook_deliveries{state=failed}": 0,
        "forecast_webhook_oldest_pending_seconds": 0,
        "forecast_webhook_delay_seconds": 0,
    }


def test_a_worker_has_its_age_and_one_that_never_ran_an_infinite_one(
    app: Flask, engine: Engine
) -> None:
    def backup_age() -> float:
        text = Api(app).request("GET", "/metrics").get_data(as_text=True)
        return read(text)["forecast_worker_heartbeat_age_seconds"]

    assert backup_age() == float("inf")
    record_heartbeat(engine)
    assert backup_age() == pytest.approx(0, abs=30)


def test_a_source_has_the_number_of_its_alertmanagers_that_fail(app: Flask, engine: Engine) -> None:
    with app.app_context():
        for name, urls in (("prod", ["http://127.0.0.1:1", "http://127.0.0.1:2"]), ("none", [])):
            put_source(ACTOR, 1, name, SourceSettings("https://example.com", None, None, urls))
        notify_alertmanagers()
    text = Api(app).request("GET", "/metrics").get_data(as_text=True)
    results = {k: v for k, v in read(text).items() if "alertmanagers" in k}
    assert results == {"forecast_source_alertmanagers_failing{account=default,source=prod}": 2}


def test_a_limit_that_cannot_be_evaluated_has_the_time_since_and_none_of_a_suspended_account(
    app: Flask, engine: Engine
) -> None:
    def failing_seconds() -> float:
        text = Api(app).request("GET", "/metrics").get_data(as_text=True)
        return read(text)["forecast_monitor_limit_failing_seconds"]

    assert failing_seconds() == 0
    limit = {"monitor_id": add_monitor(engine), "due_at": utcnow(), "low_evaluations": 0}
    with engine.begin() as connection:
        connection.execute(insert(MonitorLimit), limit | {"failing_since": utcnow() - HOUR})
    assert failing_seconds() == pytest.approx(3600, abs=60)
    suspend_default(engine)
    assert failing_seconds() == 0


def test_deliveries_are_counted_by_state_and_the_oldest_pending_one_has_its_age(
    app: Flask, engine: Engine
) -> None:
    now = utcnow()
    monitor = add_webhook(engine, URL)
    ids = [add_delivery(engine, monitor, now - 2 * HOUR) for _ in range(4)]
    change(engine, ids[0], next_attempt_at=now + HOUR)
    change(engine, ids[1], next_attempt_at=now - HOUR)
    change(engine, ids[2], next_attempt_at=None, delivered_at=now)
    change(engine, ids[3], next_attempt_at=None, failed_at=now)
    result = metrics_of(app)
    assert result["forecast_webhook_deliveries{state=pending}"] == 2
    assert result["forecast_webhook_deliveries{state=failed}"] == 1
    assert result["forecast_webhook_oldest_pending_seconds"] == pytest.approx(7200, abs=60)
    assert result["forecast_webhook_delay_seconds"] == pytest.approx(3600, abs=60)


def test_a_failed_test_message_raises_no_alert(app: Flask, engine: Engine) -> None:
    failed = add_delivery(engine, add_webhook(engine, URL), message_type=TEST_MESSAGE_TYPE)
    change(engine, failed, next_attempt_at=None, failed_at=utcnow())
    assert metrics_of(app)["forecast_webhook_deliveries{state=failed}"] == 0


def test_no_alert_is_sent_for_a_suspended_account(app: Flask, engine: Engine) -> None:
    before = metrics_of(app)
    overdue = {"newest_at": utcnow() - 2 * HOUR, "overdue_at": utcnow() - HOUR}
    add_monitor(engine, overdue)
    webhook = add_webhook(engine, URL)
    add_delivery(engine, webhook, utcnow() - 2 * HOUR)
    change(engine, add_delivery(engine, webhook), next_attempt_at=None, failed_at=utcnow())
    assert metrics_of(app) != before
    suspend_default(engine)
    assert metrics_of(app) == before


def test_an_attempt_that_is_still_to_come_is_not_late(app: Flask, engine: Engine) -> None:
    delivery = add_delivery(engine, add_webhook(engine, URL), utcnow())
    change(engine, delivery, next_attempt_at=utcnow() + HOUR)
    assert metrics_of(app)["forecast_webhook_delay_seconds"] == 0


@pytest.mark.parametrize(
    ("state", "value"),
    [
        ({"is_learning": True}, 0),
        ({"is_learning": False}, 1),
        ({"is_learning": False, "open_event_id": 7}, 2),
        ({"is_learning": True, "open_event_id": 7}, 2),
        ({"is_learning": False, "open_event_id": 7, "overdue_at": utcnow() - HOUR}, 3),
        ({"is_learning": False, "overdue_at": utcnow() + HOUR}, 1),
    ],
)
def test_each_monitor_has_its_state_under_its_account_and_name(
    app: Flask, engine: Engine, state: dict[str, object], value: int
) -> None:
    add_monitor(engine, state, name="cpu")
    assert metrics_of(app)["forecast_monitor_state{account=default,monitor=cpu}"] == value


@pytest.mark.parametrize(
    ("state", "columns", "value"),
    [
        ({}, {}, 0),
        ({"open_event_id": SMALL_EVENT}, {}, 0),
        ({"open_event_id": ALERT}, {}, 1),
        ({"overdue_event_id": ALERT}, {}, 1),
        ({"open_event_id": ALERT}, {"muted_until": utcnow() + HOUR}, 0),
        ({"open_event_id": ALERT}, {"muted_until": utcnow() - HOUR}, 1),
        ({"overdue_at": utcnow() - HOUR}, {}, 1),
        ({"overdue_at": utcnow() - HOUR}, {"muted_until": utcnow() + HOUR}, 0),
    ],
)
def test_a_monitor_alerts_only_while_an_alert_is_open_or_its_points_are_overdue(
    app: Flask, engine: Engine, state: dict[str, object], columns: dict[str, object], value: int
) -> None:
    monitor_id = add_monitor(engine, state, name="cpu", **columns)
    for number in (SMALL_EVENT, ALERT):
        add_event(engine, monitor_id, number, is_alert=number == ALERT)
    assert metrics_of(app)["forecast_monitor_alert{account=default,monitor=cpu}"] == value


@pytest.mark.parametrize(("closed", "value"), [({}, 1), ({"closed_at": utcnow()}, 0)])
def test_an_open_alert_about_a_limit_is_an_alert_of_its_monitor(
    app: Flask, engine: Engine, closed: dict[str, object], value: int
) -> None:
    monitor_id = add_monitor(engine, {}, name="disk")
    with engine.begin() as connection:
        connection.execute(insert(MonitorLimit).values(monitor_id=monitor_id, due_at=utcnow()))
    add_event(engine, monitor_id, ALERT, kind=MonitorEventKind.LIMIT_AHEAD, is_alert=True, **closed)
    assert metrics_of(app)["forecast_monitor_alert{account=default,monitor=disk}"] == value


def test_a_setting_leaves_the_names_of_monitors_out(database_url: str, engine: Engine) -> None:
    add_monitor(engine)
    silent = create_app(database_url=database_url, monitor_metrics=False)
    assert not [name for name in metrics_of(silent) if name.startswith("forecast_monitor")]
    engine_of(silent).dispose()


def test_a_database_that_is_unavailable_leaves_all_other_metrics(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail_to_connect(*_arguments: object, **_values: object) -> None:
        raise OperationalError(None, None, OSError("connection refused"))

    monkeypatch.setattr("app.ops.metrics.database_metrics.read_rows", fail_to_connect)
    assert metrics_of(app) == {}


def test_openmetrics_ends_once(app: Flask, engine: Engine) -> None:
    add_monitor(engine)
    text = Api(app).request("GET", "/metrics", Accept=OPENMETRICS).get_data(as_text=True)
    assert text.count("# EOF") == 1
    assert text.endswith("# EOF\n")
    assert "forecast_monitor_state{" in text
