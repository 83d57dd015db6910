"""Attacks by forms: from other sites, without the token, by a viewer, by another method."""

import re

import pytest

from tests.support.members import browser_of, sign_in
from tests.web.dashboard.attacks.support import (
    EVERY_FIELD,
    OWN_FORMS,
    WITHOUT_A_SESSION,
    member_forms,
    paths,
    stored_data,
)

ELSEWHERE = {
    "a link from another site": {"Sec-Fetch-Site": "cross-site"},
    "a neighbouring host": {"Sec-Fetch-Site": "same-site", "Origin": "http://api.localhost"},
    "an old browser": {"Origin": "https://evil.example"},
    "a sandboxed frame": {"Origin": "null"},
    "a name that begins alike": {"Origin": "http://localhost.evil.example"},
    "a name before an @": {"Origin": "http://localhost@evil.example"},
    "another port": {"Origin": "http://localhost:1"},
    "another scheme": {"Origin": "https://localhost"},
    "no address": {"Origin": "http://["},
    "a form that a user opened": {"Sec-Fetch-Site": "none", "Origin": "https://evil.example"},
    "a forged origin": {"Sec-Fetch-Site": "cross-site", "Origin": "http://localhost"},
}


def test_a_form_of_another_site_changes_nothing_on_any_path(full_app, admin) -> None:
    before = stored_data(full_app)
    for path in paths(full_app, "POST"):
        for site, headers in ELSEWHERE.items():
            response = admin.post(path, EVERY_FIELD, headers=headers)
            assert response.status_code == 403, (path, site)
    assert stored_data(full_app) == before


def test_a_form_with_the_token_of_another_session_changes_nothing_on_any_path(
    full_app, admin, viewer
) -> None:
    second = browser_of(full_app, 1)
    forged = [None, "", " ", "0" * 64, admin.csrf_token[:-1], admin.csrf_token.upper(), "é" * 64]
    forged += [admin.token, viewer.csrf_token, second.csrf_token, f"{admin.csrf_token} "]
    before = stored_data(full_app)
    for path in member_forms(full_app):
        for token in forged:
            form = EVERY_FIELD if token is None else EVERY_FIELD | {"csrf_token": token}
            assert admin.client.post(path, data=form).status_code == 403, (path, token)
    assert stored_data(full_app) == before


def test_the_token_counts_only_in_the_form(full_app, admin) -> None:
    before, token = stored_data(full_app), admin.csrf_token
    for path in member_forms(full_app):
        for sent in (
            {"query_string": {"csrf_token": token}, "data": EVERY_FIELD},
            {"headers": {"X-CSRF-Token": token, "Csrf-Token": token}, "data": EVERY_FIELD},
            {"json": EVERY_FIELD | {"csrf_token": token}},
            {"data": f"csrf_token={token}", "content_type": "text/plain"},
            {"data": b"\x00\xff not a form", "content_type": "multipart/form-data; boundary=x"},
            {"data": b"csrf_token=" + token.encode(), "content_type": ""},
        ):
            assert admin.client.post(path, **sent).status_code == 403, (path, sent)
    assert stored_data(full_app) == before


def test_the_first_of_two_tokens_counts(full_app, admin) -> None:
    form = EVERY_FIELD | {"csrf_token": ["0" * 64, admin.csrf_token]}
    assert admin.client.post("/account/keys/new", data=form).status_code == 403


def test_a_viewer_changes_nothing_on_any_path(full_app, viewer) -> None:
    before = stored_data(full_app)
    for path in member_forms(full_app):
        if path not in OWN_FORMS and not path.endswith("/end"):
            response = viewer.post(path, EVERY_FIELD)
            assert (response.status_code, "role is viewer" in response.text) == (403, True), path
    assert viewer.post("/account/sessions/1/end").status_code == 404  # the admin's
    assert stored_data(full_app) == before


def test_a_viewer_sees_no_form_that_changes_the_account(full_app, viewer) -> None:
    own = {*OWN_FORMS, *WITHOUT_A_SESSION, "/account/sessions/2/end"}
    seen = 0
    for path in paths(full_app, "GET"):
        page = viewer.get(path)
        actions = re.findall(
            r'<form(?: id="[^"]*")? method="post"(?: action="([^"]*)")?', page.text
        )
        assert {action or path for action in actions} <= own, path
        seen += page.status_code == 200
    assert seen >= 12


def test_a_visitor_changes_nothing_on_any_path(full_app) -> None:
    before, client = stored_data(full_app), full_app.test_client()
    for path in member_forms(full_app):
        assert client.post(path, data=EVERY_FIELD).status_code == 403, path
    assert stored_data(full_app) == before


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS"])
def test_a_link_or_an_image_changes_nothing_on_any_path(full_app, admin, method) -> None:
    query = EVERY_FIELD | {"csrf_token": admin.csrf_token, "_method": "POST"}
    headers = {"X-HTTP-Method-Override": "POST", "X-Method-Override": "DELETE"}
    before = stored_data(full_app)
    for path in {*paths(full_app, "GET"), *paths(full_app, "POST")}:
        response = admin.client.open(
            path, method=method, query_string=query, data=query, headers=headers
        )
        assert response.status_code in (200, 302, 303, 400, 404, 405), path
    assert stored_data(full_app) == before


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE"])
def test_another_method_changes_nothing_on_any_path(full_app, admin, method) -> None:
    form, before = EVERY_FIELD | {"csrf_token": admin.csrf_token}, stored_data(full_app)
    for path in {*paths(full_app, "GET"), *paths(full_app, "POST")}:
        assert admin.client.open(path, method=method, data=form).status_code in (308, 405), path
    assert stored_data(full_app) == before


def test_head_equals_get_without_the_body(full_app, admin) -> None:
    for path in paths(full_app, "GET"):
        got, head = admin.get(path), admin.client.head(path)
        assert (head.status_code, head.data) == (got.status_code, b""), path


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"permissions": "root"}, 400),
        ({"permissions": ["read", "read"]}, 201),
        ({"permissions": ["read", "READ"]}, 400),
        ({"permissions": ""}, 400),
        ({"permissions": "read,write"}, 400),
        ({"label": "x" * 10_000}, 400),
        ({"label": "a\r\nX-Evil: 1"}, 400),
        ({"label": "a\x00b"}, 400),
        ({"expires_in": "1e9d"}, 400),
        ({"expires_in": "date", "expires_at": "2020-01-01"}, 400),
        ({"expires_in": "date", "expires_at": "99999-01-01"}, 400),
        ({"expires_in": "date", "expires_at": "9999-12-31"}, 201),
        ({"expires_in": "date", "expires_at": "2126-11-22T00:00:00Z"}, 400),
        ({"expires_in": "date", "expires_at": "1e309"}, 400),
        ({"expires_in": "date", "expires_at": "٢١٢٦-11-22"}, 400),
        ({"expires_in": "date", "expires_at": "' OR 1=1 --"}, 400),
        ({"expires_in": "kept"}, 400),
        ({"account": "acme", "account_id": "2", "id": "1", "key_hash": "0" * 64}, 201),
    ],
)
def test_a_new_key_has_what_the_form_may_say_and_nothing_else(app, admin, fields, status) -> None:
    form = {"permissions": "read", "expires_in": "never"} | fields
    assert admin.post("/account/keys/new", form).status_code == status
    keys = stored_data(app)["api_keys"]
    assert len(keys) == (status == 201)
    assert all(row["account_id"] == 1 and row["key_hash"] != "0" * 64 for row in keys)


def test_a_form_of_a_thousand_fields_or_of_64_kibibytes_is_rejected(app, admin) -> None:
    flood = "&".join(f"f{number}=1" for number in range(20_000))
    as_form = {"content_type": "application/x-www-form-urlencoded"}
    assert admin.client.post("/account/keys/new", data=flood, **as_form).status_code == 413
    many = {f"f{number}": "1" for number in range(1_500)}
    multipart = {"content_type": "multipart/form-data"}
    assert admin.client.post("/account/keys/new", data=many, **multipart).status_code == 413


def test_a_sign_in_form_of_another_site_gives_no_session(app) -> None:
    """Login CSRF: the victim would unknowingly work in the attacker's account."""
    sign_in(app)
    form = {"email": "ada@example.com", "password": EVERY_FIELD["password"]}
    headers = {"Sec-Fetch-Site": "cross-site"}
    response = app.test_client().post("/account/sign-in", data=form, headers=headers)
    assert (response.status_code, "Set-Cookie" in response.headers) == (403, False)
