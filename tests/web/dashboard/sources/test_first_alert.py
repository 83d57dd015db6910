"""The page of a query says when its first alert is possible, and sends a test message."""

import datetime as dt
import re

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.core.database import base, db, utcnow
from app.delivery.models import WebhookDelivery
from app.watching.sources.source_checks import acquire_check_slot
from tests.support.fake_prometheus import FakePrometheus
from tests.support.members import Browser, text_of
from tests.watching.sources.source_queries import calm_value, poll_due
from tests.web.dashboard.sources.source_pages import SOURCE_SETTINGS, add_query

PATH = "/account/sources/prod/queries/rate"
WEBHOOK = {"name": "ops", "format": "text", "url": "https://hooks.example.com/T0"}
NOW = dt.datetime(2026, 11, 27, 2, 45, 10, tzinfo=dt.UTC)


@pytest.fixture
def settings() -> dict[str, object]:
    return SOURCE_SETTINGS


@pytest.fixture(autouse=True)
def now(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "now", lambda _zone: NOW)


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        (
            {"history": "310"},
            " A fault that starts now can be an alert from 27 Nov 2026, 02:47 UTC",
        ),
        ({"history": "310", "alert_for": "3"}, "an alert from 27 Nov 2026, 02:49 UTC on: "),
        ({"history": "4032", "step": "300"}, "from 27 Nov 2026, 02:51 UTC on: steps are 5 min"),
        ({"history": "30"}, "First it learns 270 points more: a fault that starts now can be "),
    ],
)
def test_a_live_query_says_when_a_fault_that_starts_now_can_be_an_alert(
    admin: Browser, prod: FakePrometheus, form: dict[str, str], expected: str
) -> None:
    prod.add_series(calm_value)
    add_query(admin, **form)
    assert "A fault that starts now" not in text_of(admin.get(PATH))
    poll_due()
    assert expected in text_of(admin.get(PATH))


def test_the_state_of_a_query_is_shown_without_a_reload(
    admin: Browser, prod: FakePrometheus
) -> None:
    add_query(admin)
    page = admin.get(PATH).text
    assert "account/monitor-list.js" in page
    assert "account/until-changed.js" in page
    assert re.search(r'<section id="state"[^>]* data-live>', page)


def test_a_test_alert_is_sent_from_the_page_of_the_query(
    admin: Browser, viewer: Browser, prod: FakePrometheus
) -> None:
    add_query(admin)
    assert "Send a test alert" not in admin.get(PATH).text
    admin.post("/account/webhooks", WEBHOOK)
    add_query(admin, name="sent", webhook="ops")
    path = PATH.replace("rate", "sent")
    assert "Send a test alert" in admin.get(path).text
    assert "Send a test alert" not in viewer.get(path).text
    assert viewer.post(f"{path}/test").status_code == 403
    page = admin.get(admin.post(f"{path}/test").location)
    assert "A test is being sent" in text_of(page)
    assert "until-changed.js" in page.text
    with Session(db.engine) as session:
        sent = session.scalars(select(WebhookDelivery)).one()
        assert sent.type == "webhook.test"
        sent.attempted_at = utcnow()
        session.commit()
    assert "Its last message: Accepted" in text_of(admin.get(path))


def test_a_test_alert_goes_to_all_alertmanagers_and_failures_are_shown(
    admin: Browser, prod: FakePrometheus
) -> None:
    closed = "http://127.0.0.1:9"
    admin.post(
        "/account/new-source",
        {"name": "paged", "url": prod.url, "alertmanagers": f"{prod.url}\n{closed}"}
        | {"credentials": "none", "labels": "team=shop"},
    )
    add_query(admin, "paged", labels="tier=1")
    path = PATH.replace("prod", "paged")
    assert "Send a test alert" in admin.get(path).text
    page = admin.get(admin.post(f"{path}/test").location)
    ((alert,),) = prod.received
    assert alert["labels"] == {
        "team": "shop",
        "tier": "1",
        "alertname": "ForecastTest",
        "query": "rate",
        "account": "default",
    }
    assert alert["endsAt"] == "2026-11-27T02:50:10Z"
    text = text_of(page)
    assert text.count("accepts no alerts") == 1
    assert f"{closed} accepts no alerts since" in text


def test_a_test_alert_waits_for_no_other_check_of_the_account(
    admin: Browser, prod: FakePrometheus
) -> None:
    admin.post("/account/webhooks", WEBHOOK)
    add_query(admin, webhook="ops")
    with acquire_check_slot(1):
        page = admin.post(f"{PATH}/test")
    assert page.status_code == 503
    with Session(db.engine) as session:
        assert session.scalars(select(WebhookDelivery)).all() == []
    assert "is running: try again when it has ended" in text_of(page)
