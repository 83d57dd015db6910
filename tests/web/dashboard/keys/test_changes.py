"""The forms for keys: create, relabel, rotate, revoke."""

import datetime as dt
import re
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import Engine
from sqlalchemy.exc import OperationalError

from app.identity.accounts.permissions import PERMISSION_MEANINGS, Permission
from tests.support.keys import post, verify
from tests.support.members import Browser, text_of
from tests.support.usage import flush
from tests.web.dashboard.keys.keyring import key_row, labels, make, secret_of, time_ago

GOOD = {"label": "shop", "permissions": ["read", "write"], "expires_in": "90d"}
MARKUP = "<script>alert('x')</script> & \"co\""
NEW = "/account/keys/new"
FORMS = ("change", "rotate", "revoke")


def test_the_form_says_what_each_permission_allows(admin: Browser) -> None:
    text = text_of(admin.get("/account/keys/new"))
    for permission in Permission:
        assert PERMISSION_MEANINGS[permission][1:] in text
    assert "POST /forecast" in text
    assert "DELETE /monitors/{name}" in text


def test_the_form_suggests_a_label_that_can_be_distinguished_later(admin: Browser) -> None:
    day = dt.datetime.now(dt.UTC)
    label = rf"ada, \d+ {day:%b} {day.year}"
    assert re.search(f'name="label" type="text" value="{label}"', admin.get(NEW).text)


def test_a_new_key_is_shown_once_and_works(
    app: Flask, admin: Browser, client: FlaskClient, engine: Engine
) -> None:
    page = admin.post("/account/keys/new", GOOD)
    assert page.status_code == 201
    key = secret_of(page)
    response = verify(client, key)
    assert response.get_json()["apiKey"]["permissions"] == ["read", "write"]
    assert "curl -s &#39;http://localhost/verify&#39;" in page.get_data(as_text=True)
    assert page.headers["Cache-Control"] == "no-store"
    record = key_row(engine, 1)
    assert record.label == "shop"
    assert record.expires_at is not None
    assert abs(record.expires_at - time_ago(days=-90)) < dt.timedelta(minutes=1)
    for path in ("", "/keys", "/keys/1", "/keys/1/revoke"):
        assert key not in admin.get(f"/account{path}").get_data(as_text=True)


def test_a_key_may_end_on_a_day_of_one_s_own_or_never(admin: Browser, engine: Engine) -> None:
    admin.post("/account/keys/new", GOOD | {"expires_in": "date", "expires_at": "2099-01-31"})
    assert key_row(engine, 1).expires_at == dt.datetime(2099, 1, 31, 23, 59, 59, tzinfo=dt.UTC)
    admin.post("/account/keys/new", GOOD | {"expires_in": "never"})
    assert key_row(engine, 2).expires_at is None


@pytest.mark.parametrize(
    ("wrong", "field", "message"),
    [
        ({"label": "x" * 10_000}, "label", "The label has 10,000 characters; at most 200 are"),
        ({"label": "a\x07b"}, "label", "control characters"),
        ({"permissions": []}, "permissions", "Choose at least one permission."),
        ({"permissions": ["read", "root"]}, "permissions", "Must be one of"),
        ({"expires_in": "1h"}, "expires_in", "Choose one from the list."),
        ({"expires_in": "kept"}, "expires_in", "Choose one from the list."),
        ({"expires_in": "date"}, "expires_at", "Choose a day"),
        ({"expires_in": "date", "expires_at": "31.1.2099"}, "expires_at", "Choose a day"),
        (
            {"expires_in": "date", "expires_at": "2020-01-31"},
            "expires_at",
            "This day is in the past",
        ),
    ],
)
def test_errors_of_a_new_key_are_beside_their_field_and_nothing_is_made(
    app: Flask, admin: Browser, wrong: dict[str, Any], field: str, message: str
) -> None:
    page = admin.post("/account/keys/new", GOOD | {"label": "kept <b>"} | wrong)
    assert page.status_code == 400
    html = page.get_data(as_text=True)
    assert f'id="{field}-error"' in html
    assert message in text_of(page)
    assert html.count("autofocus") == 1
    assert f'aria-describedby="{field}-error' in html
    assert "kept &lt;b&gt;" in html or field == "label"
    assert labels(admin.get("/account/keys?state=all")) == []


def test_the_page_of_a_key_shows_its_life_limits_and_callers(
    app: Flask, admin: Browser, client: FlaskClient
) -> None:
    key_id, key = make(app, "shop", "read,write")
    for address in ("192.0.2.1", "192.0.2.2"):
        post(client, key, environ_base={"REMOTE_ADDR": address})
    flush(app)
    text = text_of(admin.get(f"/account/keys/{key_id}"))
    for part in ("shop", "Active", "Minute 2 of 100", "192.0.2.1", "192.0.2.2", "400 POST"):
        assert part in text
    assert PERMISSION_MEANINGS[Permission.WRITE] in text


def test_label_and_expiry_change(app: Flask, admin: Browser, engine: Engine) -> None:
    key_id, _ = make(app, "old", expires_at=time_ago(days=-5))
    form = {"label": "new", "expires_in": "kept"}
    before = key_row(engine, key_id).expires_at
    response = admin.post(f"/account/keys/{key_id}/change", form)
    assert (response.status_code, response.location) == (
        303,
        f"/account/keys/{key_id}?done=changed",
    )
    assert "Key saved." in text_of(admin.get(response.location))
    assert key_row(engine, key_id).label == "new"
    assert key_row(engine, key_id).expires_at == before
    admin.post(f"/account/keys/{key_id}/change", form | {"expires_in": "never"})
    assert key_row(engine, key_id).expires_at is None


def test_a_label_that_is_too_long_is_rejected_where_it_was_typed(
    app: Flask, admin: Browser, engine: Engine
) -> None:
    key_id, _ = make(app, "old")
    page = admin.post(f"/account/keys/{key_id}/change", {"label": "x" * 10_000})
    assert page.status_code == 400
    assert 'id="label-error"' in page.get_data(as_text=True)
    assert key_row(engine, key_id).label == "old"


def test_the_label_of_a_revoked_key_changes_and_its_expiry_does_not(
    app: Flask, admin: Browser, engine: Engine
) -> None:
    key_id, _ = make(app, "old", revoked_at=time_ago(days=1))
    path = f"/account/keys/{key_id}/change"
    assert admin.post(path, {"label": "new", "expires_in": "kept"}).status_code == 303
    page = admin.post(path, {"label": "newest", "expires_in": "30d"})
    assert page.status_code == 409
    assert "is revoked" in text_of(page)
    assert key_row(engine, key_id).label == "new"


def test_an_expiry_that_a_rotated_key_cannot_have_is_rejected_where_it_was_chosen(
    app: Flask, admin: Browser
) -> None:
    key_id, _ = make(app, "old", grace_ends_at=time_ago(days=-1))
    form = {"label": "new", "expires_in": "never"}
    page = admin.post(f"/account/keys/{key_id}/change", form)
    assert page.status_code == 409
    assert 'id="expires_in-error"' in page.text
    assert "send an earlier time" in text_of(page)
    assert 'value="new"' in page.text


def test_a_rotated_key_and_its_successor_work_and_their_callers_are_shown(
    app: Flask, admin: Browser, client: FlaskClient
) -> None:
    old_id, old = make(app, "shop")
    page = admin.post(f"/account/keys/{old_id}/rotate", {"grace": "7d"})
    assert page.status_code == 201
    new = secret_of(page)
    assert old not in page.get_data(as_text=True)
    assert "in 7 days" in text_of(page)
    for key, address in ((old, "192.0.2.1"), (new, "192.0.2.2")):
        assert verify(client, key, environ_base={"REMOTE_ADDR": address}).status_code == 200
    flush(app)
    for key_id in (old_id, old_id + 1):
        text = text_of(admin.get(f"/account/keys/{key_id}"))
        before, after = text.split("Old key")[1].split("New key")
        assert "192.0.2.1" in before
        assert "192.0.2.2" in after
        assert "Revoke the old key" in text


def test_without_grace_the_old_key_ends_immediately(
    app: Flask, admin: Browser, client: FlaskClient
) -> None:
    key_id, old = make(app)
    page = admin.post(f"/account/keys/{key_id}/rotate", {"grace": "0h"})
    assert "which has ended" in text_of(page)
    assert verify(client, old).status_code == 401
    assert verify(client, secret_of(page)).status_code == 200


@pytest.mark.parametrize(
    ("grace", "columns", "status"),
    [
        ("forever", {}, 400),
        ("24h", {"revoked_at": time_ago(days=1)}, 409),
        ("24h", {"grace_ends_at": time_ago(days=-1)}, 409),
    ],
)
def test_errors_of_a_rotation_are_beside_their_field(
    app: Flask, admin: Browser, grace: str, columns: dict[str, Any], status: int
) -> None:
    key_id, _ = make(app, **columns)
    page = admin.post(f"/account/keys/{key_id}/rotate", {"grace": grace})
    assert page.status_code == status
    assert 'id="grace-error"' in page.get_data(as_text=True)
    assert len(labels(admin.get("/account/keys?state=all"))) == 1


def test_a_revocation_says_first_what_stops(
    app: Flask, admin: Browser, client: FlaskClient
) -> None:
    key_id, key = make(app, "shop")
    verify(client, key, environ_base={"REMOTE_ADDR": "192.0.2.9"})
    flush(app)
    text = text_of(admin.get(f"/account/keys/{key_id}/revoke"))
    assert "last used just now" in text
    assert "from 192.0.2.9" in text
    assert "1 call today" in text
    assert verify(client, key).status_code == 200
    response = admin.post(f"/account/keys/{key_id}/revoke")
    assert response.status_code == 303
    assert "Key revoked" in text_of(admin.get(response.location))
    assert verify(client, key).status_code == 401


def test_a_key_that_was_never_used_stops_nothing(app: Flask, admin: Browser) -> None:
    key_id, _ = make(app)
    assert "never used, so nothing will stop working" in text_of(
        admin.get(f"/account/keys/{key_id}/revoke")
    )


def test_revoking_twice_ends_as_revoking_once(app: Flask, admin: Browser) -> None:
    key_id, _ = make(app)
    for _ in range(2):
        response = admin.post(f"/account/keys/{key_id}/revoke")
        assert response.location == f"/account/keys/{key_id}?done=revoked"
    assert admin.get(f"/account/keys/{key_id}/revoke").status_code == 303


@pytest.mark.parametrize("form", FORMS)
def test_forms_of_an_unknown_key_lead_to_the_list_of_keys(admin: Browser, form: str) -> None:
    page = admin.post(f"/account/keys/7/{form}", {"label": "x", "grace": "24h"})
    assert page.status_code == 404
    assert "account has no such key; start from the list of keys" in text_of(page)


def test_a_new_key_is_shown_with_a_forecast_that_works_with_it(admin: Browser) -> None:
    form = {"permissions": ["read"], "expires_in": "90d"}
    page = admin.post("/account/keys/new", form)
    assert f"/forecast&#39; \\\n  --oauth2-bearer &#34;{secret_of(page)}&#34;" in page.text
    form["permissions"] = ["write"]
    assert "/forecast&#39;" not in admin.post("/account/keys/new", form).text


@pytest.mark.parametrize("is_rotated", [False, True])
def test_a_new_key_is_shown_even_if_the_database_fails_after_it_was_stored(
    app, admin, monkeypatch, is_rotated
) -> None:
    key_id, _ = make(app)

    def fail(*_arguments, **_options) -> None:
        raise OperationalError("", {}, Exception())

    for module in ("queries.fetch_sparklines", "queries.fetch_last_addresses", "read_session"):
        monkeypatch.setattr(f"app.web.dashboard.keys.rows.{module}", fail)
    if is_rotated:
        response = admin.post(f"/account/keys/{key_id}/rotate", {"grace": "24h"})
    else:
        response = admin.post("/account/keys/new", {"permissions": ["read"]})
    assert response.status_code == 201
    assert secret_of(response)
    assert ("It replaces" in text_of(response)) == is_rotated
