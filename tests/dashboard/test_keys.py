"""The pages of keys: the list, one key, made, changed, rotated and revoked."""

import datetime as dt
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import Engine
from sqlalchemy.exc import OperationalError

from app.accounts.permissions import MEANINGS, Permission
from tests.dashboard.keyring import ago, labels, make, rotate, secret_of, stored
from tests.support.keys import bearer, make_account, post, verify
from tests.support.members import Browser, sign_in, text_of
from tests.support.usage import flushed

GOOD = {"label": "shop", "permissions": ["read", "write"], "expires_in": "90d"}
MARKUP = "<script>alert('x')</script> & \"co\""
FORMS = ("change", "rotate", "revoke")


def test_the_list_shows_what_there_is_to_know_of_a_key(
    app: Flask, admin: Browser, client: FlaskClient
) -> None:
    key_id, key = make(app, "shop", "read,admin", expires_at=ago(days=-20, minutes=-1))
    verify(client, key, environ_base={"REMOTE_ADDR": "192.0.2.7"})
    flushed(app)
    page = admin.get("/account/keys")
    shown = text_of(page)
    for part in ("shop", f"{key[:11]}…", "Active", "read", "admin", "in 20 days", "192.0.2.7"):
        assert part in shown
    assert "just now" in shown
    assert f'href="/account/keys/{key_id}"' in page.get_data(as_text=True)
    assert 'class="spark"' in page.get_data(as_text=True)
    assert key not in page.get_data(as_text=True)


def test_a_label_with_markup_is_text_everywhere(app: Flask, admin: Browser) -> None:
    key_id, _ = make(app, MARKUP, expires_at=ago(days=-3))
    for path in ("", "/keys", f"/keys/{key_id}", f"/keys/{key_id}/revoke"):
        page = admin.get(f"/account{path}").get_data(as_text=True)
        assert "<script>alert" not in page
        assert "&lt;script&gt;alert" in page


def test_the_list_is_filtered_by_state(app: Flask, admin: Browser) -> None:
    make(app, "active")
    make(app, "revoked", revoked_at=ago(days=1))
    make(app, "expired", expires_at=ago(days=1))
    make(app, "warned", expires_at=ago(days=-1))
    rotated, _ = make(app, "rotated")
    rotate(app, rotated)

    def found(state: str) -> set[str]:
        return set(labels(admin.get("/account/keys", query_string={"state": state})))

    assert found("working") == {"active", "warned", "rotated"}
    assert found("all") == {"active", "warned", "rotated", "revoked", "expired"}
    assert found("revoked") == {"revoked"}
    assert found("expired") == {"expired"}
    assert found("rotated") == {"rotated"}
    assert found("warned") == {"warned"}
    assert found("no such") == found("working")


def test_the_list_is_searched_by_label_and_by_the_start_of_a_key(
    app: Flask, admin: Browser
) -> None:
    make(app, "Shop, production")
    _, key = make(app, "warehouse")
    assert labels(admin.get("/account/keys?search=SHOP")) == ["Shop, production"]
    assert labels(admin.get(f"/account/keys?search={key[:9]}")) == ["warehouse"]
    nothing = admin.get("/account/keys?search=nobody")
    assert labels(nothing) == []
    assert "None of the 2 keys" in text_of(nothing)


def test_a_whole_key_that_was_found_somewhere_is_found_and_not_repeated(
    app: Flask, admin: Browser
) -> None:
    make(app, "shop")
    _, key = make(app, "leaked")
    page = admin.get(f"/account/keys?search={key}")
    assert labels(page) == ["leaked"]
    assert key not in page.get_data(as_text=True)


@pytest.mark.parametrize(
    ("query", "order"),
    [
        ("", "cab"),
        ("sort=created&direction=rising", "bac"),
        ("sort=label", "abc"),
        ("sort=label&direction=falling", "cba"),
        ("sort=expires", "bca"),
        ("sort=used", "bac"),
        ("sort=calls", "acb"),
        ("sort=no+such&direction=no+such", "cab"),
    ],
)
def test_the_list_is_sorted_as_its_address_says(
    app: Flask, admin: Browser, client: FlaskClient, query: str, order: str
) -> None:
    keys: dict[str, dict[str, Any]] = {
        "a": {"created_at": ago(days=2), "last_used_at": ago(days=1)},
        "b": {"created_at": ago(days=3), "expires_at": ago(days=-1)},
        "c": {"created_at": ago(days=1), "expires_at": ago(days=-2), "last_used_at": ago(days=9)},
    }
    made = {label: make(app, label, **columns) for label, columns in keys.items()}
    if "calls" in query:
        for label in "aac":
            verify(client, made[label][1])
        flushed(app)
    if "used" in query:
        verify(client, made["b"][1])
    assert "".join(labels(admin.get(f"/account/keys?{query}"))) == order


def test_a_long_list_has_pages_that_keep_filter_and_order(app: Flask, admin: Browser) -> None:
    for number in range(60):
        make(app, f"key {number:02}")
    make(app, "other")
    first = admin.get("/account/keys?search=key&sort=label")
    assert labels(first) == [f"key {number:02}" for number in range(50)]
    following = "/account/keys?search=key&amp;sort=label&amp;page=2"
    assert following in first.get_data(as_text=True)
    second = admin.get(following.replace("&amp;", "&"))
    assert labels(second) == [f"key {number:02}" for number in range(50, 60)]
    assert labels(admin.get("/account/keys?search=key&sort=label&page=99")) == labels(second)


@pytest.mark.parametrize("page", ["0", "-1", "x", "1" * 5000, "²"])
def test_a_page_that_is_no_number_is_the_first(app: Flask, admin: Browser, page: str) -> None:
    make(app, "shop")
    assert labels(admin.get("/account/keys", query_string={"page": page})) == ["shop"]


def test_the_form_says_what_each_permission_allows(admin: Browser) -> None:
    shown = text_of(admin.get("/account/keys/new"))
    for permission in Permission:
        assert MEANINGS[permission][1:] in shown
    assert "POST /forecast" in shown
    assert "DELETE /monitors/{name}" in shown


def test_a_new_key_is_shown_once_and_works(
    app: Flask, admin: Browser, client: FlaskClient, engine: Engine
) -> None:
    page = admin.post("/account/keys/new", GOOD)
    assert page.status_code == 201
    key = secret_of(page)
    answer = verify(client, key)
    assert answer.get_json()["apiKey"]["permissions"] == ["read", "write"]
    assert "curl -s &#39;http://localhost/verify&#39;" in page.get_data(as_text=True)
    assert page.headers["Cache-Control"] == "no-store"
    record = stored(engine, 1)
    assert record.label == "shop"
    assert record.expires_at is not None
    assert abs(record.expires_at - ago(days=-90)) < dt.timedelta(minutes=1)
    for path in ("", "/keys", "/keys/1", "/keys/1/revoke"):
        assert key not in admin.get(f"/account{path}").get_data(as_text=True)


def test_a_key_may_end_on_a_day_of_one_s_own_or_never(admin: Browser, engine: Engine) -> None:
    admin.post("/account/keys/new", GOOD | {"expires_in": "date", "expires_at": "2099-01-31"})
    assert stored(engine, 1).expires_at == dt.datetime(2099, 1, 31, 23, 59, 59, tzinfo=dt.UTC)
    admin.post("/account/keys/new", GOOD | {"expires_in": "never"})
    assert stored(engine, 2).expires_at is None


@pytest.mark.parametrize(
    ("wrong", "field", "message"),
    [
        ({"label": "x" * 10_000}, "label", "The label has 10,000 characters; send 200 at most."),
        ({"label": "a\x07b"}, "label", "control characters"),
        ({"permissions": []}, "permissions", "Choose at least one permission."),
        ({"permissions": ["read", "root"]}, "permissions", "Must be one of"),
        ({"expires_in": "1h"}, "expires_in", "Choose one of the list."),
        ({"expires_in": "kept"}, "expires_in", "Choose one of the list."),
        ({"expires_in": "date"}, "expires_at", "Choose a day"),
        ({"expires_in": "date", "expires_at": "31.1.2099"}, "expires_at", "Choose a day"),
        ({"expires_in": "date", "expires_at": "2020-01-31"}, "expires_at", "This day is past"),
    ],
)
def test_what_is_wrong_with_a_new_key_stands_beside_its_field_and_nothing_is_made(
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
    flushed(app)
    shown = text_of(admin.get(f"/account/keys/{key_id}"))
    for part in ("shop", "Active", "Minute 2 of 100", "192.0.2.1", "192.0.2.2", "400 POST"):
        assert part in shown
    assert MEANINGS[Permission.WRITE] in shown


def test_label_and_expiry_change(app: Flask, admin: Browser, engine: Engine) -> None:
    key_id, _ = make(app, "old", expires_at=ago(days=-5))
    form = {"label": "new", "expires_in": "kept"}
    before = stored(engine, key_id).expires_at
    answer = admin.post(f"/account/keys/{key_id}/change", form)
    assert (answer.status_code, answer.location) == (303, f"/account/keys/{key_id}?done=changed")
    assert "The key is changed." in text_of(admin.get(answer.location))
    assert stored(engine, key_id).label == "new"
    assert stored(engine, key_id).expires_at == before
    admin.post(f"/account/keys/{key_id}/change", form | {"expires_in": "never"})
    assert stored(engine, key_id).expires_at is None


def test_a_label_that_is_too_long_is_refused_where_it_was_typed(
    app: Flask, admin: Browser, engine: Engine
) -> None:
    key_id, _ = make(app, "old")
    page = admin.post(f"/account/keys/{key_id}/change", {"label": "x" * 10_000})
    assert page.status_code == 400
    assert 'id="label-error"' in page.get_data(as_text=True)
    assert stored(engine, key_id).label == "old"


def test_the_label_of_a_revoked_key_changes_and_its_expiry_does_not(
    app: Flask, admin: Browser, engine: Engine
) -> None:
    key_id, _ = make(app, "old", revoked_at=ago(days=1))
    path = f"/account/keys/{key_id}/change"
    assert admin.post(path, {"label": "new", "expires_in": "kept"}).status_code == 303
    page = admin.post(path, {"label": "newest", "expires_in": "30d"})
    assert page.status_code == 409
    assert "is revoked" in text_of(page)
    assert stored(engine, key_id).label == "new"


def test_a_rotated_key_and_its_successor_work_and_the_page_says_who_calls_with_which(
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
    flushed(app)
    for key_id in (old_id, old_id + 1):
        shown = text_of(admin.get(f"/account/keys/{key_id}"))
        before, after = shown.split("Old key")[1].split("New key")
        assert "192.0.2.1" in before
        assert "192.0.2.2" in after
        assert "Revoke the old key" in shown


def test_without_grace_the_old_key_ends_at_once(
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
        ("24h", {"revoked_at": ago(days=1)}, 409),
        ("24h", {"grace_ends_at": ago(days=-1)}, 409),
    ],
)
def test_what_stands_against_a_rotation_stands_beside_its_field(
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
    flushed(app)
    shown = text_of(admin.get(f"/account/keys/{key_id}/revoke"))
    assert "last used just now" in shown
    assert "from 192.0.2.9" in shown
    assert "1 call today" in shown
    assert verify(client, key).status_code == 200
    answer = admin.post(f"/account/keys/{key_id}/revoke")
    assert answer.status_code == 303
    assert "The key is revoked" in text_of(admin.get(answer.location))
    assert verify(client, key).status_code == 401


def test_a_key_that_was_never_used_stops_nothing(app: Flask, admin: Browser) -> None:
    key_id, _ = make(app)
    assert "never used: nothing stops" in text_of(admin.get(f"/account/keys/{key_id}/revoke"))


def test_revoking_twice_ends_as_revoking_once(app: Flask, admin: Browser) -> None:
    key_id, _ = make(app)
    for _ in range(2):
        answer = admin.post(f"/account/keys/{key_id}/revoke")
        assert answer.location == f"/account/keys/{key_id}?done=revoked"
    assert admin.get(f"/account/keys/{key_id}/revoke").status_code == 303


@pytest.mark.parametrize("what", ["another's", "7777", "2147483648", "9" * 30, "0", "-1", "x"])
def test_another_account_s_key_is_not_there(
    app: Flask, admin: Browser, client: FlaskClient, what: str
) -> None:
    make_account(app, "acme", None)
    key_id, key = make(app, "theirs", account="acme")
    path = f"/account/keys/{key_id if what.startswith('another') else what}"
    assert admin.get(path).status_code == 404
    assert admin.get(f"{path}/revoke").status_code == 404
    good = {"label": "mine", "expires_in": "never", "grace": "24h"}
    for form in FORMS:
        page = admin.post(f"{path}/{form}", good)
        assert page.status_code == 404
        assert "theirs" not in text_of(page)
    assert verify(client, key).status_code == 200
    assert labels(sign_in(app, account="acme").get("/account/keys")) == ["theirs"]


def test_a_viewer_sees_all_and_changes_nothing(
    app: Flask, viewer: Browser, client: FlaskClient
) -> None:
    key_id, key = make(app, "shop")
    assert labels(viewer.get("/account/keys")) == ["shop"]
    page = viewer.get(f"/account/keys/{key_id}")
    assert "Limits now" in text_of(page)
    forms = page.get_data(as_text=True).count("<form")
    assert forms == viewer.get("/account").get_data(as_text=True).count("<form") == 1
    assert viewer.get("/account/keys/new").status_code == 403
    assert viewer.get(f"/account/keys/{key_id}/revoke").status_code == 403
    assert viewer.post("/account/keys/new", GOOD).status_code == 403
    for form in FORMS:
        assert viewer.post(f"/account/keys/{key_id}/{form}", GOOD).status_code == 403
    assert client.get("/verify", headers=bearer(key)).status_code == 200
    assert labels(viewer.get("/account/keys?state=all")) == ["shop"]


@pytest.mark.parametrize("token", [None, "", "0" * 64, "of another session"])
def test_a_form_without_the_session_s_token_changes_nothing(
    app: Flask, admin: Browser, client: FlaskClient, token: str | None
) -> None:
    key_id, key = make(app, "shop")
    if token == "of another session":
        token = sign_in(app, "eve@example.com").csrf_token
    data = GOOD | {"grace": "0h"} | ({} if token is None else {"csrf_token": token})
    for path in ("new", *(f"{key_id}/{form}" for form in FORMS)):
        assert admin.client.post(f"/account/keys/{path}", data=data).status_code == 403
    assert verify(client, key).status_code == 200
    assert labels(admin.get("/account/keys?state=all")) == ["shop"]


@pytest.mark.parametrize("path", ["", "/keys", "/keys/1", "/keys/new", "/keys/1/revoke"])
def test_who_is_not_signed_in_is_sent_to_sign_in(client: FlaskClient, path: str) -> None:
    answer = client.get(f"/account{path}")
    assert answer.status_code == 302
    assert answer.location.startswith("/account/sign-in")


def test_a_revoked_key_ended_when_it_was_revoked(app: Flask, admin: Browser) -> None:
    ends = {"grace_ends_at": ago(hours=-23), "revoked_at": ago(days=3)}
    key_id, _ = make(app, "old", **ends)
    page = text_of(admin.get(f"/account/keys/{key_id}"))
    assert "Ended 3 days ago" in page
    assert f"Id, for the API and commands {key_id}" in page
    shown = page + text_of(admin.get("/account/keys?state=all"))
    assert "3 days ago" in shown
    assert "in 23 hours" not in shown
    assert "Never" not in shown.replace("Last used Never", "").replace("0 Never", "")


def test_a_new_key_is_shown_with_a_forecast_that_works_with_it(admin: Browser) -> None:
    form = {"permissions": ["read"], "expires_in": "90d"}
    page = admin.post("/account/keys/new", form)
    assert f"/forecast&#39; \\\n  --oauth2-bearer &#34;{secret_of(page)}&#34;" in page.text
    form["permissions"] = ["write"]
    assert "/forecast&#39;" not in admin.post("/account/keys/new", form).text


@pytest.mark.parametrize("is_rotated", [False, True])
def test_a_new_key_is_shown_even_if_the_database_fails_after_it_was_stored(
    app, admin, monkeypatch, is_rotated
):
    key_id, _ = make(app)

    def fail(*_arguments, **_options):
        raise OperationalError("", {}, Exception())

    for module in ("reading.sparklines", "reading.last_addresses", "looking"):
        monkeypatch.setattr(f"app.dashboard.keys.{module}", fail)
    if is_rotated:
        answer = admin.post(f"/account/keys/{key_id}/rotate", {"grace": "24h"})
    else:
        answer = admin.post("/account/keys/new", {"permissions": ["read"]})
    assert answer.status_code == 201
    assert secret_of(answer)
    assert ("It is the successor of" in text_of(answer)) == is_rotated
