"""Attacks on the sign-in form: guessing, enumeration of members, unusual passwords."""

import sqlite3

import pytest
from sqlalchemy.orm import Session

from app.core.database import db
from app.identity.accounts.accounts import get_account
from app.identity.members import management, passwords
from app.identity.suspension import suspend_account
from app.web.dashboard.cookies import SESSION
from tests.support.keys import ACTOR, make_account
from tests.support.members import EMAIL, PASSWORD, make_member, text_of
from tests.web.dashboard.attacks.support import paths, stored_data

UNGUESSABLE = "".join(chr(33 + number * 37 % 90) for number in range(64))


def enter(client, email=EMAIL, password=PASSWORD, environ_base=None, headers=None, **fields):
    form = {"email": email, "password": password} | fields
    return client.post(
        "/account/sign-in", data=form, environ_base=environ_base or {}, headers=headers
    )


def set_password(app, client, password: str, email: str = EMAIL):
    with app.app_context(), Session(db.engine) as session, session.begin():
        token = management.invite_member(
            session, ACTOR, get_account(session, "default").id, email
        ).token
    return client.post("/account/invitation", data={"token": token, "password": password})


@pytest.fixture
def kinds(app) -> list[str]:
    """Addresses of every kind, all equally long; the right password is `PASSWORD`, if any."""
    make_account(app, "acme", None)
    make_member(app, "admi@example.com")
    make_member(app, "view@example.com", "viewer")
    make_member(app, "invi@example.com", password=None)
    make_member(app, "away@example.com", account="acme")
    make_member(app, "both@example.com")
    make_member(app, "both@example.com", account="acme")
    with app.app_context(), Session(db.engine) as session, session.begin():
        suspend_account(session, ACTOR, "acme")
    return [f"{name}@example.com" for name in ("admi", "view", "invi", "away", "both", "none")]


def test_a_rejection_shows_by_no_word_status_or_header_who_is_a_member(app, kinds) -> None:
    responses = set()
    for number, email in enumerate(kinds):
        response = enter(
            app.test_client(), email, "wrong wrong wrong", {"REMOTE_ADDR": f"192.0.2.{number}"}
        )
        headers = {(n, v) for n, v in response.headers.items() if "Request" not in n}
        headers = {(n, v) for n, v in headers if "RateLimit" not in n}
        responses.add(
            (response.status_code, response.text.replace(email, "…"), tuple(sorted(headers)))
        )
    ((status, text, headers),) = responses
    assert (status, "do not match" in text, "Set-Cookie" in str(headers)) == (403, True, False)


def test_a_rejection_computes_a_hash_for_every_address(app, kinds, monkeypatch) -> None:
    computed = []

    class Counting:
        def verify(self, *compared: str) -> bool:
            computed.append(compared[0])
            return real.verify(*compared)

        def __getattr__(self, name: str) -> object:
            return getattr(real, name)

    real = passwords.hasher
    monkeypatch.setattr(passwords, "hasher", Counting())
    for email, number in zip(kinds, (1, 1, 1, 1, 2, 1), strict=True):
        computed.clear()
        assert enter(app.test_client(), email, "wrong wrong wrong").status_code == 403
        assert len(computed) == number, email


def test_no_hash_is_computed_while_the_database_is_locked_against_others(
    app, database_url, monkeypatch
) -> None:
    """Otherwise password guesses would block the counting of calls."""
    make_member(app)
    locks = []

    def is_right(*_compared: str) -> bool:
        with sqlite3.connect(database_url.removeprefix("sqlite:///"), timeout=0) as other:
            other.execute("BEGIN IMMEDIATE")
            locks.append(other.in_transaction)
            other.rollback()
        return False

    monkeypatch.setattr(passwords, "is_correct", is_right)
    assert enter(app.test_client()).status_code == 403
    assert locks == [True]


def test_pages_do_not_wait_for_the_write_lock(full_app, database_url, admin) -> None:
    with sqlite3.connect(database_url.removeprefix("sqlite:///")) as writer:
        writer.execute("BEGIN IMMEDIATE")
        for path in paths(full_app, "GET"):
            assert admin.get(path).status_code in (200, 404), path  # 404: no link, no provider
        writer.rollback()


@pytest.mark.parametrize(
    "header", ["X-Forwarded-For", "Forwarded", "X-Real-Ip", "Client-Ip", "True-Client-Ip"]
)
def test_a_forged_address_does_not_begin_the_count_again(app, header) -> None:
    """With TRUSTED_PROXIES=0, as here, headers about the address are ignored."""
    responses = [
        enter(app.test_client(), f"{n}@example.com", headers={header: f"192.0.2.{n}"}).status_code
        for n in range(11)
    ]
    assert responses == [403] * 10 + [429]


def test_spellings_of_an_address_share_one_count(app) -> None:
    make_member(app)
    spellings = [EMAIL, EMAIL.upper(), f" {EMAIL}", f"{EMAIL}\t", "Ada@Example.com"] * 2
    for number, email in enumerate(spellings):
        enter(app.test_client(), email, "wrong wrong wrong", {"REMOTE_ADDR": f"192.0.2.{number}"})
    assert enter(app.test_client()).status_code == 429


def test_neighbours_of_one_ipv6_network_share_one_count(app) -> None:
    for number in range(10):
        at = {"REMOTE_ADDR": f"2001:db8::{number + 1:x}"}
        enter(app.test_client(), f"{number}@example.com", environ_base=at)
    at = {"REMOTE_ADDR": "2001:db8::ffff"}
    assert enter(app.test_client(), environ_base=at).status_code == 429


def test_failures_of_one_member_do_not_lock_out_others(app) -> None:
    make_member(app)
    make_member(app, "vic@example.com")
    for number in range(11):
        at = {"REMOTE_ADDR": f"192.0.2.{number}"}
        enter(app.test_client(), EMAIL, "wrong wrong wrong", at)
    at = {"REMOTE_ADDR": "198.51.100.1"}
    assert enter(app.test_client(), "vic@example.com", environ_base=at).status_code == 303


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("email", "' OR '1'='1' --"),
        ("email", "%"),
        ("email", f"{EMAIL}\r\nSet-Cookie: forecast-session=x"),
        ("email", f"{EMAIL}\x00"),
        ("email", f"{EMAIL},eve@example.com"),
        ("email", "аda@example.com"),  # Cyrillic
        ("email", "x" * 60_000),
        ("password", ""),
        ("password", f"{PASSWORD}\x00"),
        ("password", f"{PASSWORD} "),
        ("password", PASSWORD.upper()),
        ("password", "x" * 1_025),
        ("account", "acme"),
        ("account", "default\x00"),
        ("account", "' OR 1=1 --"),
    ],
)
def test_nothing_but_the_address_and_its_password_signs_in(app, client, field, value) -> None:
    make_member(app)
    make_account(app, "acme", None)
    response = enter(client, **{field: value})
    assert response.status_code in (400, 403)
    assert "Set-Cookie" not in response.headers
    assert "SQL" not in response.text


def test_the_first_of_two_fields_counts(app, client) -> None:
    make_member(app)
    form = {"email": [EMAIL, "eve@example.com"], "password": ["wrong wrong wrong", PASSWORD]}
    assert client.post("/account/sign-in", data=form).status_code == 403


@pytest.mark.parametrize("body", ["json", "multipart", "query"])
def test_a_body_that_is_not_a_form_does_not_sign_in(app, client, body) -> None:
    make_member(app)
    form = {"email": EMAIL, "password": PASSWORD}
    sent = {
        "json": {"json": form},
        "multipart": {"data": b"--x\r\nbroken", "content_type": "multipart/form-data; boundary=x"},
        "query": {"query_string": form, "data": {}},
    }[body]
    response = client.post("/account/sign-in", **sent)
    assert (response.status_code, SESSION in str(response.headers)) == (403, False)


@pytest.mark.parametrize(
    ("password", "status"),
    [
        ("x" * 11, 400),
        ("x" * 1_025, 400),
        ("x" * 40_000, 400),
        ("x" * 1_000_000, 413),
        (f" {EMAIL.upper()} ", 400),
        ("twelve chars\x00", 400),
        ("x" * 1_024, 400),
        (" " * 12, 400),
        (UNGUESSABLE * 16, 303),
        ("  many   blanks   inside  ", 303),
        ("".join(map(chr, range(0x1F600, 0x1F600 + 7 * 12, 7))), 303),
        ("пароль из букв", 303),
    ],
)
def test_a_password_is_accepted_unchanged_or_rejected(app, client, password, status) -> None:
    make_member(app)
    assert set_password(app, client, password).status_code == status
    taken = enter(app.test_client(), password=password).status_code == 303
    assert taken == (status == 303)
    assert enter(app.test_client()).status_code == (403 if taken else 303)


def test_a_password_is_the_same_from_every_keyboard(app, client) -> None:
    """Systems send ü as one character, or as u and a combining mark."""
    set_password(app, client, "gr\u00fcner Schl\u00fcssel")
    assert enter(app.test_client(), password="gru\u0308ner Schlu\u0308ssel").status_code == 303


def test_sign_in_reveals_no_account_before_the_password(app, client) -> None:
    make_account(app, "acme", None)
    make_member(app)
    make_member(app, account="acme")
    assert "acme" not in text_of(enter(client, password="wrong wrong wrong"))


def test_an_invited_member_without_a_password_has_none(app, client) -> None:
    make_member(app, password=None)
    for password in ("", "None", "null", passwords.DUMMY_HASH, "!" * 12):
        assert enter(client, password=password).status_code == 403
    assert stored_data(app)["sessions"] == []
