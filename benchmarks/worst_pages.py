"""The worst requests of pages: those of the largest account, by a member who is signed in."""

import re
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import urlencode

from flask import Flask
from sqlalchemy import select
from sqlalchemy.orm import Session
from werkzeug.routing import Rule

from app.api.endpoints.endpoint import endpoints_of
from app.core.database import db
from app.identity.accounts.models import Account
from app.identity.members import sessions
from app.identity.members.models import Member
from app.identity.members.sessions import Visitor
from app.watching.monitors.append import MAX_APPEND_POINTS
from app.web.dashboard.access import csrf_token
from app.web.dashboard.blueprint import MAX_FORM_BYTES
from app.web.dashboard.cookies import SESSION
from benchmarks.worst_bodies import STORED_APPENDS, VARIABLES, Case
from tests.support import monitors
from tests.support.databases import second_application
from tests.support.members import EMAIL, make_member

RULE_VARIABLE = re.compile(r"<(?:[^<>:]+:)?(\w+)>")
PAGE_VARIABLES = VARIABLES | {"webhook": "worst", "unknown": "x", "collection": "", "version": ""}
# What is a file, or leads to an identity provider.
NO_PAGES = ("/static/", "/account/oidc/")
STEP_SECONDS, HISTORY = "300", "100"
QUERY = {"query": "up", "step": STEP_SECONDS, "history": HISTORY, "max_series": "100"}


def _points_table() -> str:
    """Return a table of the newest points of the monitor, after those of `STORED_APPENDS`."""
    # The request of the same benchmark to POST /monitors/{name}/points appends some, too.
    first = (STORED_APPENDS + 1) * MAX_APPEND_POINTS
    points = monitors.points(monitors.noise_at_100(MAX_APPEND_POINTS, seed=4), first=first)
    rows = zip(points["timestamps"], points["values"], strict=True)
    return "\n".join(["time,value", *(f"{time},{value:.2f}" for time, value in rows)])


# Forms that cost more than their fields, by their paths: what they are sent with.
FORMS: dict[str, dict[str, dict[str, str]]] = {
    "/account/sign-in": {"a wrong password": {"email": EMAIL, "password": "wrong" * 10}},
    "/account/keys/new": {},
    "/account/members/invite": {},
    "/account/new-monitor": {},
    "/account/new-source": {},
    "/account/monitors/<name>/points": {"1,000 points": {"table": _points_table()}},
    "/account/sources/<source>/try": {"Try it": {}},
    "/account/sources/<source>/new-query": {
        "Try it, 100 series": QUERY | {"do": "try"},
        "Replay 3 days, 100 series": QUERY | {"do": "replay"},
    },
}


class Page(NamedTuple):
    """A page or a form as `app.api.endpoints.endpoint.Endpoint` has an endpoint."""

    method: str
    path: str

    @property
    def name(self) -> str:
        """Its method and path as people write them."""
        shown = RULE_VARIABLE.sub(lambda match: f"{{{match[1]}}}", self.path)
        return f"{self.method} {shown}"

    def filled_path(self) -> str:
        return RULE_VARIABLE.sub(lambda match: PAGE_VARIABLES[match[1]], self.path)


def pages_of(app: Flask) -> list[Page]:
    """Return the pages of the service, other than declared endpoints, and `FORMS`."""
    declared = endpoints_of(app)
    rules = [rule for rule in app.url_map.iter_rules() if _is_page(rule, {*declared})]
    pages = [Page("GET", rule.rule) for rule in rules if "GET" in (rule.methods or ())]
    return pages + [Page("POST", path) for path in FORMS]


def _is_page(rule: Rule, declared: set[str]) -> bool:
    return rule.endpoint not in declared and not rule.rule.startswith(NO_PAGES)


def cases_of_page(page: Page, token: str) -> Iterator[Case]:
    """Yield the worst requests of a page, with the token of a session."""
    headers = {"Cookie": f"{SESSION}={token}"}
    if page.method == "GET":
        yield Case("no body", None, headers)
        return
    headers["Content-Type"] = "application/x-www-form-urlencoded"
    session = {"csrf_token": csrf_token(token)}
    for name, fields in FORMS[page.path].items():
        yield Case(name, urlencode(session | fields).encode(), headers)
    start = urlencode(session).encode()
    many = b"".join(b"&x%d=" % number for number in range(MAX_FORM_BYTES // 8))
    yield Case("many fields", (start + many)[:MAX_FORM_BYTES], headers)


def sign_in(database_url: str) -> str:
    """Make a member of the newest account; return the token of a session."""
    with second_application(database_url) as app:
        with Session(db.engine) as session:
            account = session.scalars(select(Account.name).order_by(Account.id.desc())).first()
        member_id = make_member(app, account=str(account))
        with Session(db.engine) as session, session.begin():
            member = session.scalars(select(Member).where(Member.id == member_id)).one()
            return sessions.open_session(session, member, Visitor("127.0.0.1", "benchmarks", None))
