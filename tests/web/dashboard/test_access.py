"""Access to pages and forms, and the pages of rejections."""

import re

import pytest
from sqlalchemy import event, select, text
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from app.core.database import db
from app.delivery.models import WebhookDelivery
from app.identity.accounts.audit import AuditEvent
from app.identity.members import sessions
from app.watching.models.monitors import MonitorPoint
from app.web.dashboard.access import PUBLIC_VIEWS, member
from tests.support.faults import busy_error, interruption
from tests.support.members import sign_in, text_of
from tests.support.settings import change_settings
from tests.web.dashboard.keys.keyring import make

PAGES = ["/account", "/account/members", "/account/password"]
CHANGES = ["/account/members/invite", "/account/members/1/role", "/account/members/1/remove"]
# Each changes what the fixture `owned` has made, or creates one more.
OWNED_CHANGES = [
    "/account/webhooks",
    "/account/webhooks/ops/change",
    "/account/webhooks/ops/delete",
    "/account/new-monitor",
    "/account/monitors/cpu/settings",
    "/account/monitors/cpu/mute",
    "/account/monitors/cpu/delete",
    "/account/new-source",
    "/account/sources/prod/change",
    "/account/sources/prod/delete",
    "/account/sources/prod/new-query",
    "/account/sources/prod/queries/rate/change",
    "/account/sources/prod/queries/rate/mute",
    "/account/sources/prod/queries/rate/delete",
]
CHANGE_FORM = {
    "name": "new",
    "url": "https://new.example.com",
    "format": "text",
    "data_frequency": "Hours",
    "alert_severity": "60",
    "credentials": "none",
    "query": "rate(x[5m])",
    "step": "60",
    "mute": "1h",
}


@pytest.mark.parametrize("path", PAGES)
def test_a_visitor_who_is_not_signed_in_is_redirected_to_the_form(client, path) -> None:
    response = client.get(path)
    assert (response.status_code, response.location) == (302, f"/account/sign-in?next={path}")


@pytest.fixture
def undeclared_view(app) -> None:
    """Add a view to the dashboard that declares no access."""
    view = {"rule": "/account/bare", "endpoint": "dashboard.bare", "methods": ["GET", "POST"]}
    app.add_url_rule(**view, view_func=lambda: f"for {member().email}")


@pytest.mark.usefixtures("undeclared_view")
def test_a_view_that_says_nothing_of_sign_in_is_for_members(client, request) -> None:
    response = client.get("/account/bare?a=1")
    assert (response.status_code, response.location) == (
        302,
        "/account/sign-in?next=/account/bare?a%3D1",
    )
    rejected = client.post("/account/bare")
    assert rejected.status_code == 403
    assert "ended" in text_of(rejected)


@pytest.mark.usefixtures("undeclared_view")
def test_views_accept_forms_of_their_own_session_only_by_default(app) -> None:
    ada = sign_in(app)
    assert ada.get("/account/bare").text == "for ada@example.com"
    assert ada.client.post("/account/bare").status_code == 403
    assert ada.post("/account/bare").text == "for ada@example.com"


def test_every_view_under_account_is_for_members(app) -> None:
    below = [rule for rule in app.url_map.iter_rules() if rule.rule.startswith("/account")]
    assert len(below) > 10
    assert {rule.endpoint.partition(".")[0] for rule in below} == {"dashboard"}


def test_the_views_that_are_open_to_all_are_there_and_no_form_but_for_sign_in(app) -> None:
    methods = {rule.endpoint: rule.methods for rule in app.url_map.iter_rules()}
    assert methods.keys() >= PUBLIC_VIEWS
    forms = {endpoint for endpoint in PUBLIC_VIEWS if "POST" in methods[endpoint]}
    ways = {"dashboard.sign_in_by_password", "dashboard.invitation"}
    assert forms == ways | {"dashboard.unknown_page"}


@pytest.fixture
def change_meanwhile(app, monkeypatch):
    """Commit a change of the members after a request has passed its checks."""

    def arrange(change: str) -> None:
        find_session = sessions.find_session

        def find(engine, token):
            found_member = find_session(engine, token)
            with engine.begin() as connection:
                connection.execute(text(change))
            return found_member

        monkeypatch.setattr(sessions, "find_session", find)

    return arrange


def trail(app) -> list[str]:
    with app.app_context(), Session(db.engine) as session:
        return list(session.scalars(select(AuditEvent.action)))


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ("UPDATE members SET role = 'viewer'", "your role is viewer"),
        ("DELETE FROM members", "this session has ended"),
        ("DELETE FROM sessions", "this session has ended"),
        ("UPDATE sessions SET last_seen_at = '2020-01-01'", "this session has ended"),
    ],
)
@pytest.mark.parametrize("path", [*CHANGES, "/account/keys/new", "/account/keys/1/revoke"])
def test_an_admin_demoted_meanwhile_changes_nothing(
    app, admin, change_meanwhile, path, change, expected
) -> None:
    make(app)
    before = trail(app)
    change_meanwhile(change)
    form = {"email": "x@example.com", "role": "viewer", "permissions": ["read"]}
    response = admin.post(path, form)
    assert response.status_code == 403
    assert expected in text_of(response).lower()
    assert trail(app) == before


@pytest.fixture
def owned(prod, admin) -> None:
    """Make a webhook, a monitor, and a source with a query."""
    for path, name in {
        "webhooks": "ops",
        "new-monitor": "cpu",
        "sources/prod/new-query": "rate",
    }.items():
        assert admin.post(f"/account/{path}", CHANGE_FORM | {"name": name}).status_code == 303


@pytest.mark.usefixtures("owned")
@pytest.mark.parametrize("path", OWNED_CHANGES)
def test_the_role_is_checked_in_the_transaction_of_the_change(app, admin, path) -> None:
    transactions: list[str] = []

    def begin(_connection: object) -> None:
        transactions.append("")

    def record(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        transactions[-1] += statement

    event.listen(db.engine, "begin", begin)
    event.listen(db.engine, "before_cursor_execute", record)
    # A webhook that is saved is also tested.
    form = CHANGE_FORM | {"url": "https://a.example.com", "alert_severity": "70", "do": "test"}
    assert admin.post(path, form).status_code in (303, 307)
    changes = [sent for sent in transactions if "INSERT INTO audit_events" in sent]
    messages = [sent for sent in transactions if "INSERT INTO deliveries" in sent]
    assert bool(messages) == (path in ("/account/webhooks", "/account/webhooks/ops/change"))
    # A source is deleted after its queries: a deletion that has begun is completed.
    checked = changes[:1] if path.endswith("sources/prod/delete") else changes
    assert checked
    assert all("SELECT members.role" in sent for sent in (*checked, *messages))


@pytest.mark.usefixtures("owned")
@pytest.mark.parametrize(
    "path", ["webhooks/ops/test", "monitors/cpu/points", "sources/prod/queries/rate/test"]
)
def test_a_member_demoted_meanwhile_sends_no_test_and_appends_no_points(
    app, admin, change_meanwhile, path
) -> None:
    admin.post(
        "/account/sources/prod/queries/rate/change",
        {"query": "rate(x[5m])", "step": "60", "alert_severity": "60", "webhook": "ops"},
    )
    change_meanwhile("UPDATE members SET role = 'viewer'")
    rejected = admin.post(f"/account/{path}", {"table": "date,x\n2026-01-01,1\n2026-01-02,2"})
    assert rejected.status_code == 403
    assert "your role is viewer" in text_of(rejected).lower()
    with Session(db.engine) as session:
        assert session.scalars(select(WebhookDelivery.id)).all() == []
        assert session.scalars(select(MonitorPoint.index)).all() == []


def test_a_removed_member_is_signed_out_everywhere(admin, change_meanwhile) -> None:
    change_meanwhile("DELETE FROM members")
    response = admin.post("/account/sign-out-everywhere")
    assert response.status_code == 403
    assert "Signed out" in text_of(response)


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Sec-Fetch-Site": "same-origin", "Origin": "null"},
        {"Sec-Fetch-Site": "same-origin", "Origin": "http://localhost"},
        {"Origin": "http://localhost"},
    ],
)
def test_a_form_from_the_dashboard_is_accepted(admin, headers) -> None:
    assert admin.post("/account/sign-out", headers=headers).status_code == 303


@pytest.mark.parametrize("path", ["/account/", "/account/nothing", "/account/keys/../../etc"])
def test_an_unknown_page_gets_an_html_404(admin, path) -> None:
    response = admin.get(path)
    assert (response.status_code, response.mimetype) == (404, "text/html")


def test_an_unknown_page_repeats_nothing_of_its_address(client) -> None:
    assert "alert" not in client.get("/account/<script>alert(1)</script>").text


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("GET", "/account/sign-out", "POST"),
        ("GET", "/account/members/1/remove", "POST"),
        ("POST", "/account/members", "GET"),
        ("DELETE", "/account/sign-in", "GET, POST"),
    ],
)
def test_a_wrong_method_says_which_is_right(admin, method, path, allowed) -> None:
    response = admin.client.open(path, method=method)
    assert (response.status_code, response.headers["Allow"]) == (405, allowed)
    assert response.mimetype == "text/html"


@pytest.mark.parametrize(
    "error", [OperationalError("x", {}, Exception("secret")), ValueError("secret")]
)
def test_an_internal_error_is_a_page_without_a_stack(admin, monkeypatch, error) -> None:
    def fail(*_arguments: object) -> None:
        raise error

    monkeypatch.setattr(sessions, "find_session", fail)
    response = admin.get("/account")
    assert (response.status_code, response.mimetype) == (500, "text/html")
    assert "secret" not in response.text
    assert "Traceback" not in response.text
    assert response.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize(("method", "path"), [("get", ""), ("post", "/sign-out")])
@pytest.mark.parametrize("error", [interruption(), busy_error()])
def test_an_unavailable_database_gives_a_page_that_says_when_to_retry(
    admin, monkeypatch, error, method, path
) -> None:
    def fail(*_arguments: object) -> None:
        raise error

    monkeypatch.setattr(sessions, "find_session", fail)
    response = getattr(admin, method)(f"/account{path}")
    assert (response.status_code, response.mimetype) == (503, "text/html")
    assert int(response.headers["Retry-After"]) > 0
    assert re.search("[Tt]he database (is|was) .* send it again in", text_of(response))


def test_a_database_that_fails_does_not_promise_that_nothing_was_changed(
    admin, monkeypatch
) -> None:
    def fail(*_arguments: object) -> None:
        raise OperationalError("COMMIT", {}, Exception("the connection is gone"))

    monkeypatch.setattr(sessions, "find_session", fail)
    response = admin.post("/account/members/invite", {"email": "x@example.com"})
    assert response.status_code == 500
    assert "first check whether your change was saved" in text_of(response)


def test_an_api_key_opens_no_page(client, key) -> None:
    response = client.get("/account", headers={"Authorization": f"Bearer {key}"})
    assert response.status_code == 302


def test_pages_are_limited_by_address(app) -> None:
    change_settings(app, pages_per_minute=2)
    browser = sign_in(app)
    responses = [browser.get("/account") for _ in range(3)]
    assert [response.status_code for response in responses] == [200, 200, 429]
    assert responses[-1].mimetype == "text/html"
    assert responses[-1].headers["Cache-Control"] == "no-store"


def test_forms_are_still_served_from_a_database_that_a_newer_release_has_migrated(
    app, admin
) -> None:
    with app.app_context(), db.engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    assert admin.post("/account/keys/new", {"permissions": ["read"]}).status_code == 201
