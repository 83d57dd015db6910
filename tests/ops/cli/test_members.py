"""``flask members``: what it prints, and who may sign in after it."""

import re

import pytest
from sqlalchemy.orm import Session

from app.core.database import db
from app.identity.accounts.audit import audit_trail
from tests.support.cli import run, run_failing, run_json
from tests.support.members import EMAIL, browser_of, make_member

PASSWORD = "a password of some length"
pytestmark = pytest.mark.usefixtures("each_database")


@pytest.fixture
def has_dashboard():
    return True


def token_of(printed: str) -> str:
    return re.search(r"^http\S+/account/invitation\?token=([\w-]{43})$", printed, re.MULTILINE)[1]


def test_an_invitation_prints_a_link_that_signs_in(app, client) -> None:
    url = ("--url", "https://forecast.example.com/")
    printed = run(app, "members", "invite", "default", "Ada@Example.com", *url)
    assert f"{EMAIL} is admin of default" in printed
    assert "https://forecast.example.com/account/invitation?token=" in printed
    form = {"token": token_of(printed), "password": PASSWORD}
    assert client.post("/account/invitation", data=form).status_code == 303
    assert client.get("/account").status_code == 200


@pytest.mark.parametrize("url", ["https://x.example/?a#b", "javascript:alert(1)"])
def test_a_link_to_no_address_is_rejected_and_the_earlier_one_works(app, client, url) -> None:
    token = token_of(run(app, "members", "invite", "default", EMAIL))
    assert "set an address" in run_failing(app, "members", "invite", "default", EMAIL, "--url", url)
    form = {"token": token, "password": PASSWORD}
    assert client.post("/account/invitation", data=form).status_code == 303


def test_quiet_prints_only_the_link(app) -> None:
    printed = run(app, "members", "invite", "default", EMAIL, "--quiet")
    assert printed == f"http://127.0.0.1:8000/account/invitation?token={token_of(printed)}\n"


@pytest.mark.parametrize(
    ("variable", "value", "url"),
    [
        ("BIND", "192.0.2.1:9000", "http://192.0.2.1:9000"),
        ("BIND", "[::]:9000", "http://[::1]:9000"),
        ("BIND", "unix:/run/service.sock", "http://127.0.0.1:8000"),
        ("PORT", "8001", "http://127.0.0.1:8001"),
        ("PUBLIC_URL", "https://forecast.example.com/", "https://forecast.example.com"),
    ],
)
def test_the_usual_link_is_where_people_reach_the_service(app, monkeypatch, variable, value, url):
    monkeypatch.setenv(variable, value)
    printed = run(app, "members", "invite", "default", EMAIL)
    assert f"\n{url}/account/invitation?token=" in printed
    assert f"{url}; use --url for another address." in printed


def test_the_first_member_is_admin_and_the_next_a_viewer(app) -> None:
    for email in (EMAIL, "bob@example.com"):
        run(app, "members", "invite", "default", email)
    run(app, "members", "invite", "default", "eve@example.com", "--role", "admin")
    roles = {row["email"]: row["role"] for row in run_json(app, "members", "list")}
    assert roles == {EMAIL: "admin", "bob@example.com": "viewer", "eve@example.com": "admin"}


def test_the_list_shows_everything_but_what_signs_in(app) -> None:
    make_member(app)
    token = token_of(run(app, "members", "invite", "default", "bob@example.com"))
    (ada, bob) = run_json(app, "members", "list", "--account", "default")
    assert list(ada.values()) == [1, "default", EMAIL, "admin", True, None]
    assert bob["has_password"] is False
    printed = run(app, "members", "list")
    assert token not in printed
    assert "argon2" not in printed


def test_a_role_holds_from_the_next_request_on(app) -> None:
    make_member(app)
    viewer = browser_of(app, make_member(app, "bob@example.com", "viewer"))
    assert viewer.post("/account/members/invite", {"email": "x@y.z"}).status_code == 403
    run(app, "members", "set-role", "default", "bob@example.com", "admin")
    assert viewer.post("/account/members/invite", {"email": "x@y.z"}).status_code == 200


def test_a_removed_member_is_out_immediately(app) -> None:
    make_member(app)
    browser = browser_of(app, make_member(app, "bob@example.com", "viewer"))
    assert browser.get("/account").status_code == 200
    run(app, "members", "remove", "default", "bob@example.com")
    assert browser.get("/account").status_code == 302
    assert [row["email"] for row in run_json(app, "members", "list")] == [EMAIL]


def test_the_audit_trail_names_who_did_it(app) -> None:
    run(app, "members", "invite", "default", EMAIL)
    run(app, "members", "invite", "default", "bob@example.com")
    run(app, "members", "remove", "default", "bob@example.com")
    with app.app_context(), Session(db.engine) as session:
        events = [
            (event.action, event.detail, bool(event.os_user)) for event in audit_trail(session)
        ]
    assert events == [
        ("member removed", "bob@example.com", True),
        ("member invited", "bob@example.com as viewer", True),
        ("member invited", f"{EMAIL} as admin", True),
    ]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("invite nowhere a@b.c", "there is no account 'nowhere'"),
        ("invite default nobody", "not an email address"),
        ("invite default a@b.c --role owner", "'owner' is not one of 'admin', 'viewer'"),
        ("set-role default x@y.z admin", "has no member with this address"),
        ("remove default x@y.z", "has no member with this address"),
        ("remove default ada@example.com", "is the last admin of account default"),
        ("set-role default ada@example.com viewer", "is the last admin of account default"),
        ("invite default ada@example.com --role viewer", "is the last admin of account default"),
        ("list --account nowhere", "there is no account 'nowhere'"),
    ],
)
def test_a_rejected_change_of_members_is_one_line(app, words, message) -> None:
    make_member(app)
    result = app.test_cli_runner().invoke(args=["members", *words.split()])
    assert result.exit_code != 0
    assert message in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
    assert [row["role"] for row in run_json(app, "members", "list")] == ["admin"]
