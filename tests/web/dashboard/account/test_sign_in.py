"""Sign-ins by password and by a link, and sign-outs."""

import logging
import re
import time

import pytest
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.core.database import db, utcnow
from app.identity.accounts.audit import AuditEvent
from app.identity.accounts.models import Account
from app.identity.members import management, sign_in
from app.identity.members.models import Invitation, MemberSession
from tests.support.keys import ACTOR, make_account
from tests.support.members import EMAIL, PASSWORD, browser_of, invite, make_member, text_of

NEW_PASSWORD = "another long password"
pytestmark = pytest.mark.usefixtures("each_database")


@pytest.fixture(autouse=True)
def quick_rejections(monkeypatch) -> None:
    monkeypatch.setattr(sign_in, "REJECTION_SECONDS", 0)


def enter(client, email=EMAIL, password=PASSWORD, **fields):
    form = {"email": email, "password": password} | fields
    return client.post("/account/sign-in", data=form)


def events(app) -> list[tuple[str, str | None]]:
    with app.app_context(), Session(db.engine) as session:
        query = select(AuditEvent.action, AuditEvent.member).order_by(AuditEvent.id)
        return [tuple(row) for row in session.execute(query)]


def test_the_right_password_signs_in_and_leaves_an_event(app, client) -> None:
    make_member(app)
    response = enter(client, email=f" {EMAIL.upper()} ")
    assert (response.status_code, response.location) == (303, "/account")
    assert client.get("/account").status_code == 200
    assert ("signed in", EMAIL) in events(app)


def test_signing_in_again_ends_the_session_that_the_browser_had(app, client) -> None:
    make_member(app)
    for _ in range(2):
        assert enter(client).status_code == 303
    with app.app_context(), Session(db.engine) as session:
        assert session.scalar(select(func.count()).select_from(MemberSession)) == 1


@pytest.mark.timing
def test_a_wrong_address_takes_as_long_as_a_wrong_password(app, client, monkeypatch) -> None:
    monkeypatch.setattr(sign_in, "REJECTION_SECONDS", 0.3)
    make_member(app)
    quickest = []
    for email in (EMAIL, "eve@example.com"):
        seconds = []
        for _ in range(4):
            start = time.monotonic()
            enter(client, email=email, password="no password at all")
            seconds.append(time.monotonic() - start)
        quickest.append(min(seconds))
    assert min(quickest) >= 0.3
    assert max(quickest) - min(quickest) < 0.1


def test_a_failure_is_recorded_without_what_was_typed(app, client, caplog) -> None:
    make_member(app)
    with caplog.at_level(logging.INFO):
        enter(client, password="hunter2 hunter2 hunter2")
        enter(client, email="hunter2@example.com")
    assert events(app) == [("sign-in failed", EMAIL)]
    assert caplog.text.count("sign-in failed") == 2
    assert "hunter2" not in caplog.text


class TestTooManyFailures:
    def test_the_first_of_a_minute_is_in_the_trail_and_the_log_has_all(
        self, app, client, caplog
    ) -> None:
        make_member(app)
        with caplog.at_level(logging.WARNING):
            for _ in range(3):
                enter(client, password="wrong wrong wrong")
        assert events(app) == [("sign-in failed", EMAIL)]
        assert caplog.text.count("sign-in failed") == 3

    def test_the_eleventh_of_an_address_is_rejected_even_with_the_right_password(
        self, app, client
    ) -> None:
        make_member(app)
        for number in range(10):
            assert enter(client, email=f"{number}@example.com").status_code == 403
        response = enter(client)
        assert response.status_code == 429
        assert 1 <= int(response.headers["Retry-After"]) <= 60
        assert re.search("wait [0-9]+ seconds?, then enter the password again", text_of(response))
        assert f'value="{EMAIL}"' in response.text
        assert 'name="password"' in response.text

    @pytest.mark.parametrize("email", [EMAIL, "nobody@example.com"])
    def test_the_eleventh_for_a_member_from_anywhere_is_rejected(self, app, email) -> None:
        make_member(app)
        for number in range(10):
            at = {"REMOTE_ADDR": f"192.0.2.{number}"}
            client = app.test_client()
            form = {"email": email, "password": "wrong wrong wrong"}
            client.post("/account/sign-in", data=form, environ_base=at)
        assert enter(app.test_client(), email=email).status_code == 429

    def test_a_successful_sign_in_does_not_count_as_a_failure(self, app, client) -> None:
        make_member(app)
        assert {enter(client).status_code for _ in range(12)} == {303}


class TestSeveralAccounts:
    def test_one_password_for_two_accounts_has_the_member_choose(self, app, client) -> None:
        make_account(app, "acme", None)
        make_member(app)
        make_member(app, account="acme")
        page = enter(client)
        assert page.status_code == 200
        assert "acme default" in text_of(page)
        assert enter(client, account="acme").status_code == 303
        assert "Account acme" in text_of(client.get("/account"))

    def test_each_of_two_passwords_opens_its_own_account(self, app, client) -> None:
        make_account(app, "acme", None)
        make_member(app)
        make_member(app, account="acme", password=NEW_PASSWORD)
        assert enter(client, password=NEW_PASSWORD).status_code == 303
        assert "Account acme" in text_of(client.get("/account"))

    def test_the_password_of_one_does_not_open_the_other(self, app, client) -> None:
        make_account(app, "acme", None)
        make_member(app)
        make_member(app, account="acme", password=NEW_PASSWORD)
        assert enter(client, account="acme").status_code == 403
        assert enter(client, account="no such").status_code == 403


def test_a_suspended_account_says_so_after_the_right_password_only(app, client) -> None:
    member = browser_of(app, make_member(app))
    assert member.get("/account").status_code == 200
    with app.app_context(), Session(db.engine) as session, session.begin():
        session.scalars(select(Account)).one().suspended_at = utcnow()
    assert member.get("/account").status_code == 302
    assert "suspended" in text_of(enter(client))
    assert "suspended" not in text_of(enter(client, password="wrong wrong wrong"))
    token = invite(app)
    response = client.post("/account/invitation", data={"token": token, "password": NEW_PASSWORD})
    assert response.status_code == 403
    assert "suspended" in text_of(response)


def test_a_sign_in_leads_to_the_page_that_was_asked_for(app, client) -> None:
    make_member(app)
    asked = client.get("/account/members?done=removed").location
    assert asked == "/account/sign-in?next=/account/members?done%3Dremoved"
    page = client.get(asked).get_data(as_text=True)
    assert 'name="next" value="/account/members?done=removed"' in page
    assert enter(client, next="/account/members").location == "/account/members"


def test_a_password_of_a_megabyte_is_rejected_unread(app, client) -> None:
    make_member(app)
    assert enter(client, password="x" * 2**20).status_code == 413
    assert enter(client, password="x" * 2_000).status_code == 403
    token = invite(app)
    form = {"token": token, "password": "x" * 1_025}
    assert client.post("/account/invitation", data=form).status_code == 400


def test_a_hash_by_older_parameters_is_renewed(app, client, monkeypatch) -> None:
    from argon2 import PasswordHasher

    from app.identity.members import passwords
    from app.identity.members.models import Member

    make_member(app)
    stronger = PasswordHasher(time_cost=2, memory_cost=8, parallelism=1)
    monkeypatch.setattr(passwords, "hasher", stronger)
    assert enter(client).status_code == 303
    with app.app_context(), Session(db.engine) as session:
        renewed = session.scalars(select(Member.password_hash)).one()
    assert not stronger.check_needs_rehash(renewed)
    assert enter(client).status_code == 303


class TestInvitation:
    def test_a_link_sets_the_password_and_signs_in(self, app, client) -> None:
        token = invite(app)
        page = client.get(f"/account/invitation?token={token}")
        assert EMAIL in text_of(page)
        form = {"token": token, "password": NEW_PASSWORD}
        response = client.post("/account/invitation", data=form)
        assert (response.status_code, response.location) == (303, "/account")
        assert client.get("/account").status_code == 200
        assert enter(app.test_client(), password=NEW_PASSWORD).status_code == 303
        assert ("password set", EMAIL) in events(app)

    def test_an_invitation_works_once(self, app, client) -> None:
        token = invite(app)
        form = {"token": token, "password": NEW_PASSWORD}
        assert client.post("/account/invitation", data=form).status_code == 303
        second = app.test_client().post("/account/invitation", data=form)
        assert second.status_code == 404
        assert "works once" in text_of(second)

    def test_an_invitation_ends_after_a_day(self, app, client) -> None:
        token = invite(app)
        with app.app_context(), Session(db.engine) as session, session.begin():
            session.scalars(select(Invitation)).one().expires_at = utcnow()
        form = {"token": token, "password": NEW_PASSWORD}
        assert client.post("/account/invitation", data=form).status_code == 404

    def test_a_newer_invitation_ends_the_older_one(self, app, client) -> None:
        old, new = invite(app), invite(app)
        assert client.get(f"/account/invitation?token={old}").status_code == 404
        assert client.get(f"/account/invitation?token={new}").status_code == 200

    def test_a_link_of_a_removed_member_no_longer_works(self, app, client) -> None:
        make_member(app, "boss@example.com")
        token = invite(app)
        with app.app_context(), Session(db.engine) as session, session.begin():
            account = session.scalars(select(Account)).one()
            member = management.get_member(session, account, EMAIL)
            management.remove_member(session, ACTOR, account.id, member.id)
        assert client.get(f"/account/invitation?token={token}").status_code == 404

    @pytest.mark.parametrize("password", ["", "eleven char", "ADA@example.com"])
    def test_an_unfit_password_leaves_the_link_usable(self, app, client, password) -> None:
        form = {"token": invite(app), "password": password}
        response = client.post("/account/invitation", data=form)
        assert response.status_code == 400
        assert 'role="alert"' in response.get_data(as_text=True)
        form["password"] = NEW_PASSWORD
        assert client.post("/account/invitation", data=form).status_code == 303


class TestSigningOut:
    def test_everywhere_ends_every_session_of_the_member_only(self, app, admin, viewer) -> None:
        other = browser_of(app, 1)
        assert admin.post("/account/sign-out-everywhere").status_code == 303
        assert (admin.get("/account").status_code, other.get("/account").status_code) == (302, 302)
        assert viewer.get("/account").status_code == 200
        assert ("all sessions ended", EMAIL) in events(app)

    def test_the_sessions_are_gone_from_the_database(self, app, admin) -> None:
        admin.post("/account/sign-out")
        with app.app_context(), Session(db.engine) as session:
            assert session.scalar(select(func.count(MemberSession.id))) == 0
