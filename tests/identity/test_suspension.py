"""Suspended accounts: rejected immediately, and unchanged once they are resumed."""

import datetime as dt
import functools

import pytest
from sqlalchemy.orm import Session

from app.core.database import db
from app.identity.accounts.accounts import get_account
from app.identity.accounts.errors import AccountError, SuspendedAccountError
from app.identity.accounts.keys import create_key, get_key, revoke_key, rotate_key
from app.identity.accounts.permissions import Permission
from app.identity.suspension import resume_account, suspend_account
from tests.identity.accounts.admins import start_second
from tests.support.cli import run_json
from tests.support.keys import ACTOR, change_key, make_account, moment_in, post, record_of, verify
from tests.support.members import sign_in

READ = frozenset({Permission.READ})


@pytest.fixture
def change(app):
    """Return a function that calls another with a session, in its own transaction."""

    def call_with_session(function, *arguments, **options):
        with app.app_context(), Session(db.engine) as session, session.begin():
            return function(session, ACTOR, *arguments, **options)

    return call_with_session


@pytest.fixture
def acme(app):
    return make_account(app, "acme", "standard")


def test_a_suspension_rejects_all_keys_from_the_next_request_until_it_ends(
    client, make_key, change, acme
) -> None:
    keys = [make_key("read", account_name=acme) for _ in range(2)]
    other = make_key("read")
    change(suspend_account, acme)
    assert [verify(client, key).status_code for key in keys] == [401, 401]
    assert post(client, keys[0]).status_code == 401
    assert verify(client, other).status_code == 200
    change(resume_account, acme)
    assert [verify(client, key).status_code for key in keys] == [200, 200]


@pytest.mark.parametrize("has_dashboard", [True])
def test_exactly_its_members_are_signed_out_and_stay_signed_out(app, change, acme) -> None:
    inside, outside = sign_in(app, account=acme), sign_in(app)
    change(suspend_account, acme)
    change(resume_account, acme)
    assert inside.get("/account/members").status_code == 302
    assert outside.get("/account/members").status_code == 200


def test_a_rejected_key_looks_like_one_that_was_never_there(client, make_key, change, acme) -> None:
    key = make_key("read", account_name=acme)
    change(suspend_account, acme)
    bodies = [verify(client, secret).data for secret in (key, "ak_" + "0" * 64)]
    assert bodies[0] == bodies[1]


def test_rejected_requests_are_not_counted_as_use(app, client, make_key, change, acme) -> None:
    key = make_key("read", account_name=acme)
    post(client, key)
    change(suspend_account, acme)
    post(client, key)
    change(resume_account, acme)
    assert post(client, key).headers["X-RateLimit-Remaining"] == "98"
    assert record_of(app, key).usage_count == 2


def test_the_state_of_keys_says_so_unless_they_have_ended(app, make_key, change, acme) -> None:
    keys = {
        name: make_key("read", account_name=acme)
        for name in ("active", "rotated", "revoked", "expired")
    }
    change(rotate_key, record_of(app, keys["rotated"]).id, dt.timedelta(hours=1))
    change(revoke_key, record_of(app, keys["revoked"]).id)
    change_key(app, keys["expired"], expires_at=moment_in(-1))
    change(suspend_account, acme)
    now = dt.datetime.now(dt.UTC)
    states = {name: record_of(app, key).state(now) for name, key in keys.items()}
    assert states == {
        "active": "suspended",
        "rotated": "suspended",
        "revoked": "revoked",
        "expired": "expired",
    }
    change(resume_account, acme)
    assert {name: record_of(app, key).state(now) for name, key in keys.items()} == {
        name: name for name in keys
    }


def test_it_gets_no_keys_by_creation_or_rotation(app, make_key, change, acme) -> None:
    record = record_of(app, make_key("read", account_name=acme))
    key_id, account_id = record.id, record.account_id
    change(suspend_account, acme)
    with pytest.raises(SuspendedAccountError, match="is suspended"):
        change(create_key, account_id, READ)
    with pytest.raises(AccountError, match="is suspended; only an active key"):
        change(rotate_key, key_id, dt.timedelta(0))


def test_a_key_revoked_meanwhile_stays_revoked(app, client, make_key, change, acme) -> None:
    key = make_key("read", account_name=acme)
    change(suspend_account, acme)
    change(revoke_key, record_of(app, key).id)
    change(resume_account, acme)
    assert verify(client, key).status_code == 401


@pytest.mark.parametrize("create", [True, False], ids=["created", "rotated"])
def test_a_key_created_during_a_suspension_is_suspended(
    app, make_key, change, acme, create
) -> None:
    record = record_of(app, make_key("read", account_name=acme))
    key_id, account_id = record.id, record.account_id
    outcomes = []

    def make_another() -> None:
        try:
            if create:
                change(create_key, account_id, READ)
            else:
                change(rotate_key, key_id, dt.timedelta(0))
        except AccountError as error:
            outcomes.append(str(error))

    with app.app_context(), Session(db.engine) as session, session.begin():
        suspend_account(session, ACTOR, acme)
        second = start_second(make_another)
    second.join(60)
    assert len(outcomes) == 1
    assert "suspended" in outcomes[0]


def test_a_suspension_during_the_creation_of_a_key_includes_it(app, client, change, acme) -> None:
    with app.app_context(), Session(db.engine) as session, session.begin():
        key = create_key(session, ACTOR, get_account(session, acme).id, READ).key
        second = start_second(functools.partial(change, suspend_account, acme))
    second.join(60)
    assert verify(client, key).status_code == 401


def test_it_is_suspended_once_and_resumed_once(change, acme) -> None:
    with pytest.raises(AccountError, match="is not suspended"):
        change(resume_account, acme)
    change(suspend_account, acme)
    with pytest.raises(AccountError, match="already suspended"):
        change(suspend_account, acme)


def test_suspending_and_resuming_are_audited(app, change, acme) -> None:
    change(suspend_account, acme)
    change(resume_account, acme)
    events = run_json(app, "keys", "audit", "--account", acme)
    assert [event["action"] for event in events] == [
        "account created",
        "account suspended",
        "account resumed",
    ]


def test_a_key_of_another_account_is_not_found_by_its_account(app, make_key, acme) -> None:
    key_id = record_of(app, make_key("read", account_name=acme)).id
    with app.app_context(), Session(db.engine) as session:
        account_id = get_key(session, key_id).account_id
        assert get_key(session, key_id, account_id).id == key_id
        with pytest.raises(AccountError, match=f"there is no key {key_id}"):
            get_key(session, key_id, account_id + 1)
