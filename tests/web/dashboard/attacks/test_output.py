"""Attacks by input that is shown again: markup, formulas, header lines, redirects."""

import csv
import io
import re

import pytest
from sqlalchemy import update

from app.core.api_keys import generate_key
from app.core.database import db
from app.identity.accounts.models import Account, ApiKey
from app.identity.members.models import Member
from app.watching.models.monitors import MonitorRow
from app.web.dashboard.access import dashboard_path_or_home
from tests.support.members import EMAIL, PASSWORD, browser_of, make_member, sign_in
from tests.web.dashboard.attacks.support import paths, stored_data

MARKUP = "\"'><script>alert(1)</script><img src=x onerror=alert(2)>{{7*7}}${7*7}"
PROBES = ("<script>alert", "<img src=x", "49${", "{{49")
NEXTS = [
    "//evil.example", "///evil.example", "/\\evil.example", "\\\\evil.example", "https:evil",
    "https://evil.example/account", "http:///evil.example", "javascript:alert(1)", "data:,x",
    "/account@evil.example", "//localhost@evil.example/account", "/account.evil.example",
    "/account/../verify", "/account/%2e%2e/verify", "/account/.%2E/verify", "/accounts",
    "/account\r\nSet-Cookie: a=b", "/account\t", "\t//evil.example", " //evil.example",
    "//[", "https://[::1/account", "/account\\..\\x", "%2f%2fevil.example",
    "/%09/evil.example", "account", "?x", "#x", "/account\x00", "\u2028",
]  # fmt: skip


@pytest.mark.parametrize("path", NEXTS)
def test_next_never_redirects_off_site(app, path) -> None:
    with app.test_request_context():
        assert dashboard_path_or_home(path) == "/account"


def test_a_redirect_of_a_sign_in_is_one_line_of_this_host(app, client) -> None:
    make_member(app)
    for path in ("//evil.example", "/account/keys?a=\u00fc#x", "/account\r\nX-Evil: 1"):
        form = {"email": EMAIL, "password": PASSWORD, "next": path}
        response = client.post("/account/sign-in", data=form)
        assert response.status_code in (303, 400)
        assert response.headers.get("Location", "/account").startswith("/account")
        assert "X-Evil" not in response.headers


def test_no_address_of_a_page_is_markup_in_it(full_app, admin) -> None:
    names = ("done", "next", "search", "state", "sort", "direction", "page", "range", "after")
    names += ("action", "actor", "key", "since", "until", "before", "token", "account", "email")
    query = dict.fromkeys(names, MARKUP)
    for path in paths(full_app, "GET"):
        for browser in (admin.client, full_app.test_client()):
            page = browser.get(path, query_string=query).text
            assert not [probe for probe in PROBES if probe in page], path


def test_no_field_of_a_form_is_markup_in_its_response(full_app, admin) -> None:
    fields = ("email", "password", "new_password", "account", "role", "label", "permissions")
    fields += ("expires_in", "expires_at", "grace", "next", "token")
    for path in paths(full_app, "POST"):
        page = admin.post(path, dict.fromkeys(fields, MARKUP)).text
        assert not [probe for probe in PROBES if probe in page], path
        if admin.get("/account").status_code != 200:
            admin = browser_of(full_app, 1)  # that form was the one to sign out


def test_stored_markup_stays_text_on_every_page(full_app, admin) -> None:
    agent = {"User-Agent": MARKUP}
    form = {"email": EMAIL, "password": PASSWORD}
    full_app.test_client().post("/account/sign-in", data=form, headers=agent)
    assert (
        admin.post("/account/keys/new", {"label": MARKUP, "permissions": "read"}).status_code == 201
    )
    admin.post("/account/keys/1/change", {"label": MARKUP, "expires_in": "kept"})
    admin.post("/account/members/invite", {"email": "\"'><img@x.y", "role": "viewer"})
    count = 0
    for path in paths(full_app, "GET"):
        page = admin.get(path).text
        if path != "/account/audit.csv":  # a file, which no browser shows
            assert not [probe for probe in (*PROBES, "<img@") if probe in page], path
        count += "&lt;script&gt;alert" in page
    assert count >= 4  # keys, the key, its revocation, the audit trail, sessions


def test_no_form_takes_a_key_as_a_label_or_an_address_and_none_repeats_it(full_app, admin) -> None:
    key = generate_key()
    for path, form in (
        ("/account/keys/new", {"label": f"for {key}", "permissions": "read"}),
        ("/account/keys/1/change", {"label": f"for {key}", "expires_in": "kept"}),
        ("/account/members/invite", {"email": f"{key}@example.com", "role": "viewer"}),
    ):
        response = admin.post(path, form)
        assert response.status_code == 400, path
        assert "looks like an API key, which others would see" in response.text, path
        assert key not in response.text, path
    assert key not in str(stored_data(full_app))


def test_no_page_shows_a_key_in_a_name_that_was_stored_before_it_was_rejected(
    full_app, admin
) -> None:
    key = generate_key()
    with full_app.app_context(), db.engine.begin() as connection:
        connection.execute(update(ApiKey).values(label=f"for {key}"))
        connection.execute(update(MonitorRow).values(name=key))
        connection.execute(update(Account).values(name=f"account {key}"))
        connection.execute(update(Member).values(email=f"{key}@example.com"))
    count = 0
    for path in paths(full_app, "GET", name=key):
        page = admin.get(path).text
        assert key not in page, path
        count += f"{key[:11]}…" in page
    assert count >= 10
    rotated = admin.post("/account/keys/1/rotate", {"grace": "24h"}).text
    assert key not in rotated
    assert len(set(re.findall("ak_[0-9a-f]{64}", rotated))) == 1  # the new one


def test_a_key_in_a_user_agent_is_redacted(app) -> None:
    make_member(app)
    form, agent = {"email": EMAIL, "password": PASSWORD}, {"User-Agent": f"curl {generate_key()}"}
    app.test_client().post("/account/sign-in", data=form, headers=agent)
    (session,) = stored_data(app)["sessions"]
    assert re.fullmatch("curl ak_[0-9a-f]{8}…", session["user_agent"])


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20"])
def test_no_label_or_address_is_a_formula_in_the_file(app, admin, start) -> None:
    email = f"{start}cmd@x.y"
    admin.post("/account/keys/new", {"label": f"{start}cmd|' /C calc'!A0", "permissions": "read"})
    if email.isascii() and email.count("@") == 1:
        sign_in(app, email).post("/account/keys/new", {"permissions": "read"})
    rows = list(csv.reader(io.StringIO(admin.get("/account/audit.csv").text)))
    assert len(rows) > 1
    assert not [cell for row in rows for cell in row if cell.startswith(start)]


def test_no_label_makes_a_line_of_its_own_in_the_file(app, admin) -> None:
    admin.post("/account/keys/new", {"label": '","evil\u2028","', "permissions": "read"})
    admin.post("/account/keys/new", {"label": '","evil","', "permissions": "read"})
    rows = list(csv.reader(io.StringIO(admin.get("/account/audit.csv").text)))
    assert len(rows) == 1 + len(stored_data(app)["audit_events"])
    assert {len(row) for row in rows} == {7}


def test_a_long_or_unprintable_browser_name_is_cut(app) -> None:
    make_member(app)
    for agent in ("x" * 5_000, "a\tb\x7f\u202e", ""):
        form = {"email": EMAIL, "password": PASSWORD}
        client = app.test_client()
        sent = {"User-Agent": agent.encode().decode("latin-1")}
        assert client.post("/account/sign-in", data=form, headers=sent).status_code == 303
        assert client.get("/account/members").status_code == 200
    agents = [row["user_agent"] for row in stored_data(app)["sessions"]]
    assert max(map(len, agents)) == 200
    assert all(agent.isprintable() for agent in agents)


def test_a_new_key_is_on_one_page_once(full_app, admin) -> None:
    response = admin.post("/account/keys/new", {"label": "x", "permissions": "read"})
    secret = response.text.split("ak_")[1][:64]
    assert response.headers["Cache-Control"] == "no-store"
    for path in paths(full_app, "GET", key_id=2):
        assert secret not in admin.get(path).text, path
