"""The page of members and sessions, and what its forms change."""

import re

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.core.database import db
from app.identity.accounts.audit import AuditEvent
from app.identity.members import sign_in as password_sign_in
from app.identity.members.models import Member
from tests.support.members import EMAIL, PASSWORD, browser_of, make_member, sign_in, text_of

VIEWER = "vic@example.com"
NEW_PASSWORD = "another long password"


@pytest.fixture(autouse=True)
def quick_rejections(monkeypatch) -> None:
    monkeypatch.setattr(password_sign_in, "REJECTION_SECONDS", 0)


def id_of(app, email: str) -> int:
    with app.app_context(), Session(db.engine) as session:
        return session.scalars(select(Member.id).where(Member.email == email)).one()


def details(app) -> list[str]:
    with app.app_context(), Session(db.engine) as session:
        events = session.scalars(select(AuditEvent).order_by(AuditEvent.id))
        return [f"{event.action}: {event.detail} by {event.member}" for event in events]


def link_of(page) -> str:
    return re.search(r"http://localhost(/account/invitation\?token=[\w-]{43})<", page.text)[1]


def test_the_page_of_members_shows_who_may_sign_in_and_the_sessions(app, admin, viewer) -> None:
    page = admin.get("/account/members")
    assert page.status_code == 200
    for part in (EMAIL, VIEWER, "(you)", "tests (this browser)", "127.0.0.1"):
        assert part in text_of(page)


def test_an_invitation_shows_a_link_once_that_works(app, admin, client) -> None:
    page = admin.post("/account/members/invite", {"email": "New@example.com", "role": "viewer"})
    assert page.status_code == 200
    link = link_of(page)
    assert 'data-copies="link"' in page.text
    assert 'name="email" type="email" value=""' in page.text
    assert "viewer invited" in text_of(admin.get("/account/members"))
    assert "token=" not in admin.get("/account/members").text
    assert "new@example.com" in text_of(client.get(link))
    assert f"member invited: new@example.com as viewer by {EMAIL}" in details(app)


@pytest.mark.parametrize(
    "email", ["", "nobody", "a b@example.com", "é@example.com", "a@b@c", "x" * 250 + "@ab.de"]
)
def test_an_email_that_is_not_an_address_is_not_invited(app, admin, email) -> None:
    page = admin.post("/account/members/invite", {"email": email, "role": "viewer"})
    assert page.status_code == 400
    assert "token=" not in page.text
    assert details(app) == []


def test_a_new_link_for_a_member_keeps_the_role(app, admin, viewer) -> None:
    link_of(admin.post("/account/members/invite", {"email": VIEWER}))
    assert "viewer" in text_of(viewer.get("/account"))


def test_a_role_holds_from_the_next_request_on(app, admin, viewer) -> None:
    path = f"/account/members/{id_of(app, VIEWER)}/role"
    assert admin.post(path, {"role": "admin"}).status_code == 303
    form = {"email": "x@example.com"}
    assert viewer.post("/account/members/invite", form).status_code == 200
    admin.post(path, {"role": "viewer"})
    assert viewer.post("/account/members/invite", form).status_code == 403
    assert f"role changed: {VIEWER} from viewer to admin by {EMAIL}" in details(app)


@pytest.mark.parametrize("role", ["", "owner", "ADMIN", "admin\x00"])
def test_an_unknown_role_is_rejected(app, admin, viewer, role) -> None:
    path = f"/account/members/{id_of(app, VIEWER)}/role"
    assert admin.post(path, {"role": role}).status_code == 400


def test_a_removed_member_is_out_immediately(app, admin, viewer) -> None:
    assert viewer.get("/account").status_code == 200
    path = f"/account/members/{id_of(app, VIEWER)}/remove"
    assert admin.post(path).location == "/account/members?done=removed"
    assert viewer.get("/account").status_code == 302
    assert viewer.post("/account/sign-out").status_code == 403
    assert admin.post(path).status_code == 404
    assert f"member removed: {VIEWER} by {EMAIL}" in details(app)


class TestTheLastAdmin:
    def test_the_last_admin_is_neither_removed_nor_demoted(self, app, admin, viewer) -> None:
        of_admin = f"/account/members/{id_of(app, EMAIL)}"
        for response in (
            admin.post(f"{of_admin}/remove"),
            admin.post(f"{of_admin}/role", {"role": "viewer"}),
            admin.post("/account/members/invite", {"email": EMAIL, "role": "viewer"}),
        ):
            assert response.status_code == 400
            assert f"{EMAIL} is the last admin" in text_of(response)
            assert "Who may sign in" in text_of(response)
        assert admin.get("/account").status_code == 200

    def test_an_admin_who_never_signed_in_does_not_count_as_another(self, app, admin) -> None:
        make_member(app, "new@example.com", password=None)
        path = f"/account/members/{id_of(app, EMAIL)}/remove"
        assert admin.post(path).status_code == 400

    def test_an_admin_can_leave_if_there_is_another(self, app, admin) -> None:
        sign_in(app, "second@example.com")
        assert admin.post(f"/account/members/{id_of(app, EMAIL)}/remove").status_code == 303
        assert admin.get("/account").status_code == 302


def test_one_session_is_ended_and_the_others_stay(app, admin) -> None:
    other = browser_of(app, id_of(app, EMAIL))
    response = admin.post("/account/sessions/2/end")
    assert response.location == "/account/members?done=session-ended"
    assert (admin.get("/account").status_code, other.get("/account").status_code) == (200, 302)
    assert admin.post("/account/sessions/1/end").location.startswith("/account/sign-in")
    assert admin.get("/account").status_code == 302


class TestChangingThePassword:
    def test_a_new_password_ends_all_other_sessions(self, app, admin, client) -> None:
        other = browser_of(app, id_of(app, EMAIL))
        form = {"password": PASSWORD, "new_password": NEW_PASSWORD}
        response = admin.post("/account/password", form)
        assert response.location == "/account/members?done=password-changed"
        assert admin.get("/account").status_code == 200
        assert other.get("/account").status_code == 302
        client.set_cookie("forecast-session", admin.token, domain="localhost")
        assert client.get("/account").status_code == 302
        assert "password set: in the dashboard by ada@example.com" in details(app)

    def test_a_new_password_ends_pending_invitations(self, admin, client) -> None:
        link = link_of(admin.post("/account/members/invite", {"email": EMAIL}))
        assert client.get(link).status_code == 200
        form = {"password": PASSWORD, "new_password": NEW_PASSWORD}
        assert admin.post("/account/password", form).status_code == 303
        assert client.get(link).status_code == 404

    @pytest.mark.parametrize(
        ("present", "new", "status"),
        [
            ("wrong wrong wrong", NEW_PASSWORD, 403),
            (PASSWORD, "short", 400),
            (PASSWORD, EMAIL, 400),
            (PASSWORD, "x" * 1_025, 400),
        ],
    )
    def test_a_rejected_password_change_changes_nothing(
        self, app, admin, present, new, status
    ) -> None:
        form = {"password": present, "new_password": new}
        response = admin.post("/account/password", form)
        assert response.status_code == status
        assert 'role="alert"' in response.text
        second = {"password": PASSWORD, "new_password": NEW_PASSWORD}
        assert admin.post("/account/password", second).status_code == 303

    def test_guesses_of_the_current_password_are_limited(self, admin) -> None:
        form = {"password": "wrong wrong wrong", "new_password": NEW_PASSWORD}
        responses = [admin.post("/account/password", form) for _ in range(11)]
        assert [response.status_code for response in responses] == [403] * 10 + [429]
        assert "then enter the password again" in text_of(responses[-1])
        assert 'name="new_password"' in responses[-1].text


def test_a_notice_says_nothing_that_the_address_brings(admin) -> None:
    assert "Member removed" in text_of(admin.get("/account/members?done=removed"))
    page = admin.get("/account/members?done=<script>alert(1)</script>").text
    assert "alert(1)" not in page
