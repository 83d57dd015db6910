"""The cookie of a session: its attributes, its lifetime, and invalid cookies."""

import datetime as dt

import pytest
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from app.core.database import db, utcnow
from app.identity.members.models import MemberSession
from app.identity.members.tokens import hash_token
from tests.support.members import EMAIL, PASSWORD, make_member, sign_in

FORM = {"email": EMAIL, "password": PASSWORD}
HTTPS = "https://forecast.example"
pytestmark = pytest.mark.usefixtures("each_database")


def set_session_columns(app, **columns) -> None:
    """Set columns of every session."""
    with app.app_context(), db.engine.begin() as connection:
        connection.execute(update(MemberSession).values(columns))


def last_seen(app) -> dt.datetime:
    with app.app_context(), Session(db.engine) as session:
        return session.scalars(select(MemberSession.last_seen_at)).one()


def test_over_https_it_is_only_for_this_host_and_https(app, client) -> None:
    make_member(app)
    response = client.post("/account/sign-in", data=FORM, base_url=HTTPS)
    cookie = response.headers["Set-Cookie"]
    assert cookie.startswith("__Host-forecast-session=")
    parts = set(cookie.split("; ")[1:])
    assert {"Secure", "HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=604800"} <= parts
    assert not any(part.startswith("Domain") for part in parts)
    assert client.get("/account", base_url=HTTPS).status_code == 200


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:8000", "[::1]:8000"])
def test_on_this_machine_it_works_over_plain_http(app, client, host) -> None:
    make_member(app)
    response = client.post("/account/sign-in", data=FORM, base_url=f"http://{host}")
    cookie = response.headers["Set-Cookie"]
    assert cookie.startswith("forecast-session=")
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert "Secure" not in cookie


@pytest.mark.parametrize("host", ["forecast.example", "10.0.0.7:8000", "localhost.example"])
def test_sign_in_over_remote_plain_http_is_rejected(app, client, host) -> None:
    make_member(app)
    response = client.post("/account/sign-in", data=FORM, base_url=f"http://{host}")
    assert response.status_code == 403
    assert "Set-Cookie" not in response.headers


def test_each_sign_in_has_a_token_of_its_own(app, client) -> None:
    make_member(app)
    client.set_cookie("forecast-session", "chosen-by-somebody-else", domain="localhost")
    tokens = set()
    for _ in range(2):
        client.post("/account/sign-in", data=FORM)
        tokens.add(client.get_cookie("forecast-session").value)
    assert len(tokens) == 2
    assert {len(token) for token in tokens} == {43}


def test_the_database_holds_only_the_hash(app, admin) -> None:
    with app.app_context(), Session(db.engine) as session:
        stored = session.scalars(select(MemberSession.token_hash)).one()
    assert stored == hash_token(admin.token)


@pytest.mark.parametrize(
    ("columns", "status"),
    [
        ({"last_seen_at": dt.timedelta(hours=11, minutes=59)}, 200),
        ({"last_seen_at": dt.timedelta(hours=12, seconds=1)}, 302),
        ({"created_at": dt.timedelta(days=6, hours=23)}, 200),
        ({"created_at": dt.timedelta(days=7, seconds=1)}, 302),
    ],
)
def test_a_session_ends_after_twelve_idle_hours_and_after_seven_days(
    app, admin, columns, status
) -> None:
    set_session_columns(app, **{name: utcnow() - ago for name, ago in columns.items()})
    assert admin.get("/account").status_code == status


def test_a_request_keeps_it_alive_and_writes_once_a_minute(app, admin) -> None:
    before = utcnow() - dt.timedelta(hours=3)
    set_session_columns(app, last_seen_at=before)
    admin.get("/account")
    after = last_seen(app)
    assert after - before > dt.timedelta(hours=2)
    admin.get("/account")
    assert last_seen(app) == after


def test_the_next_sign_in_sweeps_what_has_ended(app, admin) -> None:
    set_session_columns(app, created_at=utcnow() - dt.timedelta(days=8))
    sign_in(app, "vic@example.com", "viewer")
    with app.app_context(), Session(db.engine) as session:
        assert len(session.scalars(select(MemberSession.id)).all()) == 1


@pytest.mark.parametrize("change", ["", "x", "é", "\x00", "A" * 43, "A" * 4_000])
def test_a_forged_session_cookie_is_not_a_session(app, admin, change) -> None:
    client = app.test_client(use_cookies=False)  # with a jar it would send the jar's cookie
    good = {"Cookie": f"forecast-session={admin.token}"}
    assert client.get("/account", headers=good).status_code == 200
    for value in (change, admin.token + change, admin.token[:-1] + change[:1]):
        if value == admin.token:
            continue
        sent = {"Cookie": f"forecast-session={value}".encode().decode("latin-1")}
        response = client.get("/account", headers=sent)
        assert response.status_code == 302
