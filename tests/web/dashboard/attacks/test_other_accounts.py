"""Attacks across accounts: the ids of one in the paths and forms of another."""

import re
from urllib.parse import quote

import pytest

from tests.support.keys import bearer, make_account
from tests.support.members import EMAIL, make_member, text_of
from tests.web.dashboard.attacks.support import EVERY_FIELD, IDS, paths, stored_data

NO_IDS = ["0", "99", "-1", "1e3", "1.0", "0x1", " 1", "1 ", "+1", "1;2", "1\x00", "1,2"]
NO_IDS += [str(2**31), str(2**63), "9" * 400, "1' OR '1'='1", "%31", "..", "one", "½"]
pytestmark = pytest.mark.usefixtures("each_database")


def test_another_accounts_ids_open_no_page(full_app, admin, other_admin) -> None:
    pages = paths(full_app, "GET", tuple(IDS))
    assert len(pages) >= 13
    for path in pages:
        assert admin.get(path).status_code == 200, path
        assert other_admin.get(path).status_code == 404, path


def test_another_accounts_ids_take_no_form(full_app, admin, viewer, other_admin) -> None:
    forms = paths(full_app, "POST", tuple(IDS))
    assert len(forms) >= 16
    before = stored_data(full_app)
    for path in forms:
        assert other_admin.post(path, EVERY_FIELD).status_code == 404, path
    assert stored_data(full_app) == before


def test_no_field_of_a_form_moves_it_to_another_account(full_app, admin, other_admin) -> None:
    before = stored_data(full_app)["api_keys"]
    fields = {"account": "default", "account_id": "1", "account_name": "default", "key_id": "1"}
    form = EVERY_FIELD | {"expires_in": "never"} | fields
    assert other_admin.post("/account/keys/new", form).status_code == 201
    assert other_admin.post("/account/members/invite", form).status_code == 200
    after = stored_data(full_app)
    assert [row for row in after["api_keys"] if row["account_id"] == 1] == before
    invited = [row for row in after["members"] if row["email"] == "x@example.com"]
    assert [row["account_id"] for row in invited] == [2]


def test_a_path_that_is_not_an_id_opens_nothing_and_breaks_nothing(full_app, admin) -> None:
    before = stored_data(full_app)
    for number in NO_IDS:
        odd = quote(number, safe="")
        for path in (f"/account/keys/{odd}", f"/account/keys/{odd}/revoke"):
            assert admin.get(path).status_code in (400, 404), path
            assert admin.post(path, EVERY_FIELD).status_code in (400, 404, 405), path
        for path in (f"members/{odd}/remove", f"members/{odd}/role", f"sessions/{odd}/end"):
            assert admin.post(f"/account/{path}", EVERY_FIELD).status_code in (400, 404), path
    assert stored_data(full_app) == before


def test_a_path_that_is_not_a_monitors_name_opens_nothing(full_app, admin) -> None:
    for name in ("\x00", "a\x00b", "../load", "load ", "' OR 1=1 --", "x" * 5_000):
        for part in ("", "/chart", "/delete"):
            path = f"/account/monitors/{quote(name, safe='')}{part}"
            assert admin.get(path).status_code in (400, 404), path


def test_a_query_of_odd_values_breaks_no_page(full_app, admin) -> None:
    names = ("search", "state", "sort", "direction", "page", "range", "after", "before", "action")
    names += ("actor", "key", "since", "until", "done", "next", "account", "token", "state", "code")
    for value in ("\x00", "-1", "9" * 30, "1e999", "' OR 1=1 --", "é" * 500, "x" * 20_000, "[]"):
        query = dict.fromkeys(names, value)
        for path in paths(full_app, "GET"):
            response = admin.get(path, query_string=query)
            assert response.status_code in (200, 302, 303, 400, 404), (path, value)


def test_the_pages_of_another_account_name_nothing_of_this_one(
    full_app, admin, other_admin
) -> None:
    form = {"permissions": "read", "expires_in": "never", "label": "payroll-batch"}
    admin.post("/account/keys/new", form)
    prefixes = [row["prefix"] for row in stored_data(full_app)["api_keys"]]
    for path in paths(full_app, "GET"):
        page = other_admin.get(path, query_string={"state": "all", "search": ""}).text
        for word in (EMAIL, "payroll", *prefixes, "/monitors/load"):
            assert word not in page, (path, word)


def test_a_cursor_past_another_accounts_events_shows_none_of_them(
    full_app, admin, other_admin
) -> None:
    admin.post("/account/keys/new", {"permissions": "read", "label": "payroll-batch"})
    last = max(row["id"] for row in stored_data(full_app)["audit_events"])
    for before in (last, last + 1, 2**31 - 1):
        page = other_admin.get(f"/account/audit?before={before}")
        assert (page.status_code, EMAIL in page.text) == (200, False)


def test_an_invitation_does_not_show_who_is_a_member_elsewhere(full_app, other_admin) -> None:
    pages = []
    for email in (EMAIL, "bob@example.com"):  # both as long
        make = other_admin.post("/account/members/invite", {"email": email, "role": "viewer"})
        assert make.status_code == 200
        pages.append(re.sub("token=[^ ]+", "token=…", text_of(make).replace(email, "…")))
    texts = {text.split("Who may sign in")[0].split("Link for")[1] for text in pages}
    assert len(texts) == 1
    assert "default" not in "".join(pages)


def test_a_key_of_another_account_manages_nothing_here(full_app, make_key) -> None:
    make_account(full_app, "acme", None)
    theirs = bearer(make_key("read", "write", "admin", account_name="acme"))
    client, before = full_app.test_client(), stored_data(full_app)
    for method, path in (
        ("GET", "/keys/1"), ("PATCH", "/keys/1"), ("DELETE", "/keys/1"), ("POST", "/keys/1/rotate"),
    ):  # fmt: skip
        body = {"PATCH": {"label": "x"}, "POST": {}}.get(method)
        assert client.open(path, method=method, json=body, headers=theirs).status_code == 404
    assert stored_data(full_app) == before


def test_a_weak_admin_key_gets_no_stronger_one_by_any_step(full_app, make_key) -> None:
    weak = bearer(make_key("admin"))
    client, before = full_app.test_client(), stored_data(full_app)["api_keys"]
    for body in (
        {"permissions": ["read"]}, {"permissions": ["admin", "write"]},
        {"permissions": ["admin", "admin", "read"]}, {"permissions": ["ADMIN"]},
        {"permissions": ["*"]}, {"permissions": []}, {"permissions": "admin,read"},
        {"permissions": ["admin"], "account": "acme"}, {"permissions": ["admin"], "id": 1},
    ):  # fmt: skip
        assert client.post("/keys", json=body, headers=weak).status_code in (400, 403), body
    assert client.post("/keys/1/rotate", json={}, headers=weak).status_code == 403
    widen = {"permissions": ["admin", "read", "write"]}
    assert client.patch("/keys/2", json=widen, headers=weak).status_code == 400
    assert stored_data(full_app)["api_keys"] == before


def test_a_member_of_two_accounts_sees_one_at_a_time(full_app, admin, other_admin) -> None:
    make_member(full_app, account="acme")
    assert "eve@example.com" not in admin.get("/account/members").text
    assert admin.post("/account/members/2/remove").status_code == 404
