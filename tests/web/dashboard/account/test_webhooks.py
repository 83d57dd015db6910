"""The page of webhooks: adding, testing and deleting them, and the last attempt."""

import datetime as dt

import pytest
from flask import Flask
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from app.core.database import db, utcnow
from app.delivery.models import Webhook, WebhookDelivery
from tests.support.keys import bearer
from tests.support.members import Browser, text_of

URL = "https://hooks.example.com/T0/secret-path"
FORM = {"name": "ops", "format": "text", "url": URL}


@pytest.fixture(autouse=True)
def context(app: Flask):
    with app.app_context():
        yield


def stored_webhooks() -> list[Webhook]:
    with Session(db.engine) as session:
        return list(session.scalars(select(Webhook)))


def test_a_chat_is_added_and_gets_a_test_message(admin: Browser) -> None:
    assert "No webhook yet" in text_of(admin.get("/account/webhooks"))
    done = admin.post("/account/webhooks", FORM)
    assert "The webhook is saved" in text_of(admin.get(done.location))
    assert [(webhook.name, webhook.url, webhook.format) for webhook in stored_webhooks()] == [
        ("ops", URL, "text")
    ]
    done = admin.post("/account/webhooks/ops/test")
    page = admin.get(done.location)
    assert "A test message is being sent" in text_of(page)
    assert "until-changed.js" in page.text
    assert "until-changed.js" not in admin.get("/account/webhooks").text
    with Session(db.engine) as session:
        sent = session.scalars(select(WebhookDelivery)).one()
    assert (sent.type, sent.text) == ("webhook.test", "ops: a test message; this webhook works")


@pytest.mark.parametrize(
    ("url", "chosen"),
    [
        ("https://hooks.slack.com/services/T0/B0/x", "text"),
        ("https://chat.googleapis.com/v1/spaces/x/messages?key=y", "text"),
        ("https://prod-1.westeurope.logic.azure.com:443/workflows/x", "teams"),
        (f"https://events.eu.pagerduty.com/v2/enqueue?routing_key={'k' * 32}", "pagerduty"),
    ],
)
def test_the_format_of_a_known_chat_is_that_of_its_address(
    admin: Browser, url: str, chosen: str
) -> None:
    assert '<option value="">Detect from the address' in admin.get("/account/webhooks").text
    form = FORM | {"format": "", "url": url, "do": "test"}
    page = admin.get(admin.post("/account/webhooks", form).location)
    assert [webhook.format for webhook in stored_webhooks()] == [chosen]
    assert "A test message is being sent" in text_of(page)
    with Session(db.engine) as session:
        assert session.scalars(select(WebhookDelivery)).one().type == "webhook.test"


@pytest.mark.parametrize("host", ["chat.example.com", "hooks.slack.com.example.com", "xslack.com"])
def test_the_format_of_another_address_is_to_be_chosen(admin: Browser, host: str) -> None:
    page = admin.post("/account/webhooks", FORM | {"format": "", "url": f"https://{host}/x"})
    assert page.status_code == 400
    assert "The address does not show which chat or service this is" in text_of(page)
    assert stored_webhooks() == []
    wrong = admin.post("/account/webhooks", FORM | {"format": "", "url": "http://[x"})
    assert 'id="url-error"' in wrong.text
    assert 'id="format-error"' not in wrong.text


def test_a_changed_webhook_gets_a_test_message(admin: Browser) -> None:
    admin.post("/account/webhooks", FORM)
    form = {"format": "text", "url": "https://other.example.com/hook", "do": "test"}
    done = admin.post("/account/webhooks/ops/change", form)
    assert "A test message is being sent" in text_of(admin.get(done.location))


def test_the_address_of_a_chat_is_a_secret_and_not_on_the_page(
    admin: Browser, viewer: Browser
) -> None:
    admin.post("/account/webhooks", FORM)
    for member in (admin, viewer):
        assert "secret-path" not in member.get("/account/webhooks").text


def test_the_secret_of_a_signed_one_is_shown_once(admin: Browser) -> None:
    page = admin.post("/account/webhooks", FORM | {"format": "standard"})
    assert page.status_code == 201
    secret = stored_webhooks()[0].secret
    assert secret in page.text
    assert secret not in admin.get("/account/webhooks").text


@pytest.mark.parametrize(
    "wrong", [{"name": "Ops!"}, {"url": "http://hooks.example.com"}, {"format": "fax"}]
)
def test_errors_of_a_webhook_are_beside_their_field(admin: Browser, wrong: dict[str, str]) -> None:
    page = admin.post("/account/webhooks", FORM | wrong)
    assert page.status_code == 400
    assert f'id="{next(iter(wrong))}-error"' in page.text
    assert stored_webhooks() == []


def test_a_new_webhook_never_replaces_one(admin: Browser) -> None:
    admin.post("/account/webhooks", FORM)
    second = admin.post("/account/webhooks", FORM | {"url": "https://other.example.com"})
    assert second.status_code == 400
    assert stored_webhooks()[0].url == URL


def test_the_url_of_a_webhook_in_use_can_be_changed_and_the_old_one_is_hidden(
    admin: Browser, client, key
) -> None:
    admin.post("/account/webhooks", FORM)
    body = {"data_frequency": "Hours", "webhook": "ops"}
    client.put("/monitors/cpu", json=body, headers=bearer(key))
    path = "/account/webhooks/ops/change"
    assert f'href="{path}"' in admin.get("/account/webhooks").text
    page = admin.get(path)
    assert 'value="text" selected' in page.text
    assert "secret-path" not in page.text
    wrong = admin.post(path, FORM | {"url": "http://hooks.example.com"})
    assert wrong.status_code == 400
    assert 'id="url-error"' in wrong.text
    done = admin.post(path, FORM | {"url": "https://other.example.com/hook"})
    assert "The webhook is changed" in text_of(admin.get(done.location))
    assert [webhook.url for webhook in stored_webhooks()] == ["https://other.example.com/hook"]
    monitor = client.get("/monitors/cpu", headers=bearer(key)).get_json()
    assert monitor["webhook"] == "ops"


def test_one_that_becomes_signed_shows_its_secret_once(admin: Browser) -> None:
    admin.post("/account/webhooks", FORM)
    page = admin.post("/account/webhooks/ops/change", FORM | {"format": "standard"})
    assert stored_webhooks()[0].secret in page.text


def test_no_webhook_is_made_by_a_change(admin: Browser) -> None:
    assert admin.get("/account/webhooks/ops/change").status_code == 404
    assert admin.post("/account/webhooks/ops/change", FORM).status_code == 404
    assert stored_webhooks() == []


def test_how_the_last_message_went_is_in_the_list(admin: Browser) -> None:
    admin.post("/account/webhooks", FORM)
    admin.post("/account/webhooks/ops/test")
    failed = {"attempted_at": utcnow() - dt.timedelta(seconds=1), "last_problem": "404 <b>"}
    with db.engine.begin() as connection:
        connection.execute(update(WebhookDelivery).values(failed))
    page = admin.get("/account/webhooks")
    assert "Failed" in text_of(page)
    assert "404 &lt;b&gt;" in page.text


def test_one_that_a_monitor_names_is_not_deleted(admin: Browser, client, key) -> None:
    admin.post("/account/webhooks", FORM)
    body = {"data_frequency": "Hours", "webhook": "ops"}
    client.put("/monitors/cpu", json=body, headers=bearer(key))
    rejected = admin.post("/account/webhooks/ops/delete")
    assert rejected.status_code == 409
    assert "ops gets the alerts of cpu: give them another webhook or none first." in text_of(
        rejected
    )
    admin.post("/account/monitors/cpu/delete")
    done = admin.post("/account/webhooks/ops/delete")
    assert "The webhook is deleted." in text_of(admin.get(done.location))
    assert stored_webhooks() == []
