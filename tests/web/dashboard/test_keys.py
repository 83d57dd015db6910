"""The pages of keys: the list, one key, made, changed, rotated and revoked."""

from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.support.keys import bearer, make_account, verify
from tests.support.members import Browser, sign_in, text_of
from tests.support.usage import flushed
from tests.web.dashboard.keyring import ago, labels, make, rotate

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
    text = text_of(page)
    for part in ("shop", f"{key[:11]}…", "Active", "read", "admin", "in 20 days", "192.0.2.7"):
        assert part in text
    assert "just now" in text
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
    keys_by_label = {label: make(app, label, **columns) for label, columns in keys.items()}
    if "calls" in query:
        for label in "aac":
            verify(client, keys_by_label[label][1])
        flushed(app)
    if "used" in query:
        verify(client, keys_by_label["b"][1])
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
def test_a_page_that_is_not_a_number_is_the_first(app: Flask, admin: Browser, page: str) -> None:
    make(app, "shop")
    assert labels(admin.get("/account/keys", query_string={"page": page})) == ["shop"]


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
def test_pages_of_keys_redirect_a_visitor_to_the_sign_in(client: FlaskClient, path: str) -> None:
    response = client.get(f"/account{path}")
    assert response.status_code == 302
    assert response.location.startswith("/account/sign-in")


def test_a_revoked_key_ended_when_it_was_revoked(app: Flask, admin: Browser) -> None:
    ends = {"grace_ends_at": ago(hours=-23), "revoked_at": ago(days=3)}
    key_id, _ = make(app, "old", **ends)
    page = text_of(admin.get(f"/account/keys/{key_id}"))
    assert "Ended 3 days ago" in page
    assert f"Id, for the API and commands {key_id}" in page
    text = page + text_of(admin.get("/account/keys?state=all"))
    assert "3 days ago" in text
    assert "in 23 hours" not in text
    assert "Never" not in text.replace("Last used Never", "").replace("0 Never", "")
