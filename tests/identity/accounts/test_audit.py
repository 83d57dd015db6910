"""The audit trail: every change of accounts and keys is recorded with actor, time and origin."""

import datetime as dt
import functools
import os
import pwd
import re
import socket

import pytest
from sqlalchemy import func, select, text
from sqlalchemy.orm import Session

from app.core.api_keys import hash_key
from app.core.database import db
from app.identity.accounts import audit
from app.identity.accounts.accounts import set_tier
from app.identity.accounts.audit import AuditEvent
from app.identity.accounts.keys import rotate_key
from app.identity.accounts.models import ApiKey
from app.ops.cli import actor
from tests.identity.accounts.admins import start_second
from tests.support.cli import run, run_failing, run_json
from tests.support.databases import ON_POSTGRESQL
from tests.support.keys import ACTOR, change_tier, make_account, post, record_of, verify

CREATE = ("keys", "create", "--permissions", "read", "--quiet")
COLUMNS = [
    "id", "at", "os_user", "sudo_user", "host", "member", "by_key_id", "by_prefix", "address",
    "action", "account", "key_id", "prefix", "detail",
]  # fmt: skip


@pytest.fixture(autouse=True)
def without_sudo(monkeypatch) -> None:
    """Remove sudo's variables: the tests themselves may run by sudo."""
    monkeypatch.delenv("SUDO_USER", raising=False)


def trail(app, *words):
    """Return the events, as programs read them."""
    return run_json(app, "keys", "audit", *words)


def events_of(app, *words):
    """Return the events without the fields that are the same for all."""
    names = ("action", "account", "key_id", "detail")
    return [tuple(event[name] for name in names) for event in trail(app, *words)]


def test_the_trail_of_an_account_is_in_order_the_newest_last(app) -> None:
    custom = ("--per-minute", "5", "--per-hour", "50", "--per-day", "500")
    run(app, "accounts", "create", "acme", "--tier", "free")
    run(app, *CREATE, "--account", "acme", "--expires-at", "2099-01-31")
    run(app, "accounts", "set-tier", "acme", "enterprise", *custom)
    run(app, "keys", "rotate", "1", "--grace", "1h")
    run(app, "keys", "revoke", "1")
    run(app, "accounts", "set-tier", "acme", "none")
    events = events_of(app)
    grace_ends = re.search(r"until (\S+)", events[3][3])[1]
    in_an_hour = dt.datetime.now(dt.UTC) + dt.timedelta(hours=1)
    assert abs(dt.datetime.fromisoformat(grace_ends) - in_an_hour) < dt.timedelta(seconds=30)
    assert events == [
        ("account created", "acme", None, "tier free"),
        ("key created", "acme", 1, "read until 2099-01-31T00:00:00Z"),
        ("tier changed", "acme", None, "from tier free to tier enterprise 5/50/500"),
        ("key rotated", "acme", 1, f"into key 2, works until {grace_ends}"),
        ("key created", "acme", 2, "read until 2099-01-31T00:00:00Z, for key 1"),
        ("key revoked", "acme", 1, "was rotated"),
        ("tier changed", "acme", None, "from tier enterprise 5/50/500 to no tier"),
    ]


def test_an_event_says_who_from_where_and_when(app) -> None:
    run(app, *CREATE)
    (event,) = trail(app)
    assert list(event) == COLUMNS
    assert event["os_user"] == pwd.getpwuid(os.getuid()).pw_name
    assert event["sudo_user"] is None
    assert event["host"] == socket.gethostname()[:100]
    age = dt.datetime.now(dt.UTC) - dt.datetime.fromisoformat(event["at"])
    assert abs(age) < dt.timedelta(seconds=30)


def test_the_user_of_sudo_is_named_beside_the_user_of_the_command(app, monkeypatch) -> None:
    monkeypatch.setenv("SUDO_USER", "alice")
    run(app, *CREATE)
    assert trail(app)[0]["sudo_user"] == "alice"
    assert "alice" in run(app, "keys", "audit").splitlines()[1].split()


def test_the_environment_cannot_pretend_to_be_another_user(app, monkeypatch) -> None:
    for name in ("USER", "LOGNAME", "USERNAME"):
        monkeypatch.setenv(name, "mallory")
    run(app, *CREATE)
    assert "mallory" not in str(trail(app))


def test_a_user_without_a_name_is_known_by_number(app, monkeypatch) -> None:
    monkeypatch.setattr(actor.os, "getuid", lambda: 987_654)
    run(app, *CREATE)
    assert trail(app)[0]["os_user"] == "uid 987654"


@pytest.mark.parametrize("name", ["x" * 500, "a\x1b[2Jb", "a\nb", "\udcff"])
def test_control_characters_in_names_break_neither_command_nor_terminal(
    app, monkeypatch, name
) -> None:
    monkeypatch.setenv("SUDO_USER", name)
    monkeypatch.setattr(actor.socket, "gethostname", lambda: name)
    run(app, *CREATE)
    (event,) = trail(app)
    assert event["sudo_user"].isprintable()
    assert event["sudo_user"] == event["host"]
    assert 1 <= len(event["host"]) <= 100


def test_the_longest_texts_of_an_event_can_be_stored(app) -> None:
    custom = ("--per-minute", *["2147483647", "--per-hour"], *["2147483647", "--per-day"])
    run(app, "accounts", "create", "n" * 100, "--tier", "enterprise", *custom, "2147483647")
    run(app, "accounts", "set-tier", "n" * 100, "enterprise", *custom, "2147483646")
    run(app, "keys", "create", "--account", "n" * 100, "--permissions", "read,write,admin,delete")
    assert len(trail(app)) == 3


def test_a_tier_that_stays_the_same_is_not_a_change(app) -> None:
    make_account(app, "acme", "free")
    change_tier(app, "acme", "free")
    assert [event["action"] for event in trail(app)] == ["account created"]


def test_other_numbers_of_the_same_tier_are_a_change(app) -> None:
    make_account(app, "acme", "enterprise", 5, 50, 500)
    change_tier(app, "acme", "enterprise", 5, 50, 501)
    assert events_of(app)[-1][3] == "from tier enterprise 5/50/500 to tier enterprise 5/50/501"


def test_events_can_be_of_one_account(app) -> None:
    run(app, "accounts", "create", "acme")
    run(app, *CREATE)
    run(app, *CREATE, "--account", "acme")
    assert [event[1:3] for event in events_of(app, "--account", "acme")] == [
        ("acme", None),
        ("acme", 2),
    ]
    assert events_of(app, "--account", "default") == [events_of(app)[1]]


def test_without_events_there_is_an_empty_list_and_a_line_of_names(app) -> None:
    assert trail(app) == []
    assert run(app, "keys", "audit").split() == COLUMNS


def test_the_table_shows_what_the_json_says(app) -> None:
    run(app, *CREATE)
    (event,) = trail(app)
    names, line = run(app, "keys", "audit").splitlines()
    assert names.split() == COLUMNS
    assert line.split("  ")[0] == "1"
    for name in ("at", "os_user", "action", "prefix", "detail"):
        assert event[name] in line


def test_reading_using_and_being_rejected_leave_no_event(app, client, key) -> None:
    before = trail(app)
    verify(client, key)
    post(client, key)
    for words in (["keys", "list"], ["keys", "show", "1"], ["accounts", "list"], ["keys", "audit"]):
        run(app, *words)
    run_failing(app, "keys", "rotate", "77")
    run_failing(app, *CREATE, "--expires-at", "2001-01-01")
    run_failing(app, "accounts", "create", "default")
    run_failing(app, "accounts", "set-tier", "default", "enterprise")
    assert trail(app) == before


def test_no_key_and_no_hash_is_in_the_audit(app) -> None:
    old = run(app, *CREATE, "--label", "secret label").strip()
    new = run(app, "keys", "rotate", "1", "--quiet").strip()
    run(app, "keys", "revoke", "1")
    with app.app_context(), db.engine.connect() as connection:
        stored = str(connection.execute(text("SELECT * FROM audit_events")).all())
    for written in (stored, run(app, "keys", "audit"), run(app, "keys", "audit", "--json")):
        assert record_of(app, old).prefix in written
        for key in (old, new):
            assert key[3:] not in written
            assert key[12:] not in written
            assert hash_key(key) not in written
        assert "secret label" not in written


@pytest.mark.parametrize(
    "words",
    [
        ["accounts", "create", "new"], ["accounts", "set-tier", "default", "free"], CREATE,
        ["keys", "rotate", "1"], ["keys", "revoke", "1"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_a_change_whose_event_cannot_be_written_does_not_happen(app, key, monkeypatch, words):
    commands = ("accounts", "list"), ("keys", "list"), ("keys", "audit")
    before = [run_json(app, *command) for command in commands]
    monkeypatch.setattr(audit, "_sanitize", lambda *_: None)  # a column's NOT NULL
    run_failing(app, *words)
    assert [run_json(app, *command) for command in commands] == before


def test_an_event_disappears_when_its_change_is_rolled_back(app, key) -> None:
    with app.app_context(), Session(db.engine) as session:
        rotate_key(session, ACTOR, 1, dt.timedelta(0))
        assert session.scalar(select(func.count()).select_from(AuditEvent)) == 3
        session.rollback()
    assert [event["action"] for event in trail(app)] == ["key created"]


def test_every_key_has_one_event_of_its_creation(app, make_key) -> None:
    make_key()
    run(app, "keys", "rotate", "1")
    run(app, "keys", "rotate", "2")
    created = [event["key_id"] for event in trail(app) if event["action"] == "key created"]
    with app.app_context(), Session(db.engine) as session:
        assert created == list(session.scalars(select(ApiKey.id).order_by(ApiKey.id)))


def test_concurrent_changes_of_a_tier_leave_a_consistent_audit_trail(app) -> None:
    make_account(app, "acme", "free")
    with app.app_context(), Session(db.engine) as session, session.begin():
        set_tier(session, ACTOR, "acme", "standard", None)
        second = start_second(functools.partial(change_tier, app, "acme", "premium"))
    second.join(60)
    assert [event[3] for event in events_of(app)[1:]] == [
        "from tier free to tier standard",
        "from tier standard to tier premium",
    ]


@ON_POSTGRESQL
def test_an_account_that_is_being_changed_is_served_meanwhile(app, client, make_key) -> None:
    make_account(app, "acme", "free")
    key = make_key(account_name="acme")
    with app.app_context(), Session(db.engine) as session, session.begin():
        set_tier(session, ACTOR, "acme", "standard", None)
        assert verify(client, key).get_json()["rateLimit"]["limit"] == "10"
        make_key(account_name="acme")
    assert verify(client, key).get_json()["rateLimit"]["limit"] == "100"
