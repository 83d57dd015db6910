"""Members for tests, and signed-in clients."""

import re
from dataclasses import dataclass
from typing import Any

from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import select
from sqlalchemy.orm import Session
from werkzeug.test import TestResponse

from app.core.database import db, utcnow
from app.identity.accounts.accounts import get_account
from app.identity.accounts.models import DEFAULT_ACCOUNT
from app.identity.members import management, sessions
from app.identity.members.models import Member, Role
from app.identity.members.passwords import hash_password
from app.identity.members.sessions import Visitor
from app.web.dashboard.access import csrf_token
from app.web.dashboard.cookies import SESSION
from tests.support.keys import ACTOR

EMAIL = "ada@example.com"
PASSWORD = "a password of some length"
AGENT = "tests"


def make_member(
    app: Flask,
    email: str = EMAIL,
    role: str = "admin",
    account: str = DEFAULT_ACCOUNT,
    password: str | None = PASSWORD,
) -> int:
    """Make a member of ``account`` and return its id."""
    with app.app_context(), Session(db.engine) as session, session.begin():
        new_member = Member(
            account_id=get_account(session, account).id,
            email=email,
            role=role,
            password_hash=None if password is None else hash_password(password, email),
            created_at=utcnow(),
        )
        session.add(new_member)
        session.flush()
        return new_member.id


def invite(
    app: Flask, email: str = EMAIL, role: Role | None = None, account: str = DEFAULT_ACCOUNT
) -> str:
    """Invite a member to ``account``; return the token of the link."""
    with app.app_context(), Session(db.engine) as session, session.begin():
        account_id = get_account(session, account).id
        return management.invite_member(session, ACTOR, account_id, email, role).token


@dataclass(frozen=True)
class Browser:
    """A client that is signed in; its forms carry the CSRF token of its session."""

    client: FlaskClient
    token: str

    @property
    def csrf_token(self) -> str:
        return csrf_token(self.token)

    def get(self, path: str, **options: Any) -> TestResponse:
        return self.client.get(path, **options)

    def post(self, path: str, form: dict[str, Any] | None = None, **options: Any) -> Any:
        """Send a form as the dashboard's own page does."""
        return self.client.post(
            path, data={"csrf_token": self.csrf_token} | (form or {}), **options
        )


def browser_of(app: Flask, member_id: int) -> Browser:
    """Return a client with a session of the member, without the cost of a password."""
    with app.app_context(), Session(db.engine) as session, session.begin():
        result = session.scalars(select(Member).where(Member.id == member_id)).one()
        token = sessions.open_session(session, result, Visitor("127.0.0.1", AGENT, None))
    client = app.test_client()
    client.set_cookie(SESSION, token, domain="localhost")
    return Browser(client, token)


def sign_in(app: Flask, email: str = EMAIL, role: str = "admin", **options: Any) -> Browser:
    """Create a member; return a client with its session."""
    return browser_of(app, make_member(app, email, role, **options))


def text_of(response: TestResponse) -> str:
    """Return the text of a page, without markup and with single spaces."""
    return " ".join(re.sub(r"<[^>]*>", " ", response.get_data(as_text=True)).split())
