"""Attacks on sessions: cookies that are planted, replayed, guessed, renamed or copied."""

import pytest
from sqlalchemy.orm import Session

from app.core.database import db
from app.identity.members import management
from app.identity.members.models import Role
from app.identity.members.tokens import hash_token
from app.identity.suspension import suspend_account
from app.ops.account_deletion import delete_account
from app.web.dashboard.cookies import FLOW, SESSION
from tests.support.keys import ACTOR
from tests.support.members import EMAIL, PASSWORD, browser_of, sign_in

NEW_PASSWORD = "another long password"


def change_in_account(app, change, *arguments) -> object:
    with app.app_context(), Session(db.engine) as session, session.begin():
        return change(session, ACTOR, *arguments)


def reset_password(app, admin) -> None:
    token = change_in_account(app, management.invite_member, 1, "vic@example.com").token
    form = {"token": token, "password": NEW_PASSWORD}
    assert app.test_client().post("/account/invitation", data=form).status_code == 303


ENDS = {
    "signing out": lambda app, admin, own: own.post("/account/sign-out"),
    "signing out everywhere": lambda app, admin, own: own.post("/account/sign-out-everywhere"),
    "ending the session": lambda app, admin, own: own.post("/account/sessions/2/end"),
    "another password": lambda app, admin, own: own.post(
        "/account/password", {"password": PASSWORD, "new_password": NEW_PASSWORD}
    ),
    "a reset": lambda app, admin, own: reset_password(app, admin),
    "removal": lambda app, admin, own: admin.post("/account/members/2/remove"),
    "suspension": lambda app, admin, own: change_in_account(app, suspend_account, "default"),
    "deletion": lambda app, admin, own: change_in_account(app, delete_account, "default"),
}


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS.keys())
def test_a_cookie_replayed_after_its_end_opens_nothing(app, admin, viewer, end) -> None:
    assert viewer.get("/account").status_code == 200
    end(app, admin, viewer)
    thief = app.test_client()
    thief.set_cookie(SESSION, viewer.token, domain="localhost")
    assert thief.get("/account").status_code == 302
    assert thief.get("/account/audit.csv").status_code == 302
    form = {"csrf_token": viewer.csrf_token}
    assert thief.post("/account/sign-out-everywhere", data=form).status_code == 403


def test_a_session_planted_in_a_browser_never_becomes_its_users(app, viewer) -> None:
    """Fixation: the victim signs in with the attacker's cookie in the browser."""
    sign_in(app)
    victim = app.test_client()
    victim.set_cookie(SESSION, viewer.token, domain="localhost")
    form = {"email": EMAIL, "password": PASSWORD}
    assert victim.post("/account/sign-in", data=form).status_code == 303
    assert victim.get_cookie(SESSION).value != viewer.token
    assert EMAIL in victim.get("/account").text
    assert viewer.get("/account").status_code == 302  # which has ended


@pytest.mark.parametrize(
    "name",
    ["Forecast-Session", "forecast-session%20", "__Host-forecast-session", "forecast_session"],
)
def test_a_token_under_another_name_opens_nothing(app, admin, name) -> None:
    cookie = {"Cookie": f"{name}={admin.token}"}
    assert app.test_client(use_cookies=False).get("/account", headers=cookie).status_code == 302


def test_a_cookie_of_plain_http_opens_nothing_over_https(app, admin) -> None:
    """A neighbouring host, or somebody on the network, can plant cookies without the prefix."""
    sent = {"Cookie": f"{SESSION}={admin.token}"}
    client = app.test_client(use_cookies=False)
    response = client.get("/account", headers=sent, base_url="https://forecast.example")
    assert response.status_code == 302


def test_one_of_two_cookies_of_the_name_counts_and_rights_are_never_mixed(
    app, admin, viewer
) -> None:
    cookies = f"{SESSION}={viewer.token}; {SESSION}={admin.token}"
    client = app.test_client(use_cookies=False)
    assert "vic@example.com" in client.get("/account", headers={"Cookie": cookies}).text
    for csrf_token in (admin.csrf_token, viewer.csrf_token):
        form = {"csrf_token": csrf_token, "email": "x@example.com"}
        response = client.post("/account/members/invite", data=form, headers={"Cookie": cookies})
        assert response.status_code == 403


def test_no_other_secret_is_a_session(app, admin, key) -> None:
    link = change_in_account(app, management.invite_member, 1, "new@example.com", Role.ADMIN).token
    stolen = hash_token(admin.token)  # from a dump of the database
    for value in (key, link, stolen, admin.csrf_token, PASSWORD, admin.token.swapcase()):
        sent = {"Cookie": f"{SESSION}={value}; {FLOW}={admin.token}"}
        client = app.test_client(use_cookies=False)
        assert client.get("/account", headers=sent).status_code == 302, value


def test_a_session_is_not_a_key_wherever_it_is_presented(app, admin) -> None:
    client = app.test_client(use_cookies=False)
    for sent in (
        {"Authorization": f"Bearer {admin.token}"},
        {"Authorization": f"Basic {admin.token}"},
        {"X-Api-Key": admin.token},
        {"Cookie": f"{SESSION}={admin.token}"},
    ):
        assert client.get("/keys", headers=sent).status_code == 401
        assert (
            client.post("/keys", json={"permissions": ["admin"]}, headers=sent).status_code == 401
        )


def test_headers_of_a_proxy_that_is_not_there_make_nothing_secure(app, admin) -> None:
    """With TRUSTED_PROXIES=0 headers about HTTPS are ignored."""
    forged = {
        "X-Forwarded-Proto": "https",
        "X-Forwarded-Host": "localhost",
        "Forwarded": "proto=https",
    }
    form = {"email": EMAIL, "password": PASSWORD}
    client = app.test_client()
    elsewhere = "http://forecast.example"
    response = client.post("/account/sign-in", data=form, headers=forged, base_url=elsewhere)
    assert (response.status_code, "Set-Cookie" in response.headers) == (403, False)


def test_a_member_who_comes_back_gets_no_old_session(app, admin) -> None:
    """Ids are not reused: the second member does not get sessions of the first."""
    gone = sign_in(app, "vic@example.com")
    admin.post("/account/members/2/remove")
    admin.post("/account/members/invite", {"email": "vic@example.com", "role": "admin"})
    assert gone.get("/account").status_code == 302
    assert browser_of(app, 3).get("/account").status_code == 200
