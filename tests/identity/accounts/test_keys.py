"""The life of a key: expiry, rotation with a grace period, revocation, each to the second."""

import datetime as dt
import re

import pytest
from sqlalchemy.orm import Session

from app.core.database import base, db
from app.identity.accounts.errors import AccountError
from app.identity.accounts.keys import revoke_key, rotate_key
from app.identity.accounts.models import KeyState
from tests.support.cli import run, run_json
from tests.support.databases import ON_POSTGRESQL, ON_SQLITE
from tests.support.keys import ACTOR, change_key, make_account, moment_in, post, record_of, verify

NOON = dt.datetime(2031, 5, 6, 12, tzinfo=dt.UTC)
SECOND = dt.timedelta(seconds=1)
HOUR = dt.timedelta(hours=1)


@pytest.fixture
def set_clock(monkeypatch):
    """Set the clock of this node, which decides the life of keys in SQLite: ``at(NOON)``."""

    def set_clock(moment) -> None:
        monkeypatch.setattr(base, "now", lambda _zone: moment)

    return set_clock


@pytest.fixture
def rotate(app):
    """Rotate a key and return its successor."""

    def rotate_by(key, grace=HOUR):
        key_id = record_of(app, key).id
        with app.app_context(), Session(db.engine) as session, session.begin():
            return rotate_key(session, ACTOR, key_id, grace).key

    return rotate_by


@pytest.fixture
def revoke(app):
    """Revoke a key."""

    def revoke_it(key) -> None:
        key_id = record_of(app, key).id
        with app.app_context(), Session(db.engine) as session, session.begin():
            revoke_key(session, ACTOR, key_id)

    return revoke_it


def test_keys_have_the_specified_format_and_are_never_the_same(make_key) -> None:
    keys = {make_key() for _ in range(20)}
    assert len(keys) == 20
    assert all(re.fullmatch(r"ak_[0-9a-f]{64}", key) for key in keys)


@ON_SQLITE
@pytest.mark.parametrize("column", ["expires_at", "grace_ends_at"])
def test_a_key_works_until_the_second_its_time_is_up(app, client, key, set_clock, column) -> None:
    change_key(app, key, **{column: NOON})
    set_clock(NOON - SECOND)
    assert verify(client, key).status_code == 200
    set_clock(NOON + SECOND)
    assert verify(client, key).status_code == 401
    set_clock(NOON - SECOND)
    assert post(client, key).status_code == 400


@ON_SQLITE
@pytest.mark.parametrize("column", ["expires_at", "grace_ends_at", "revoked_at"])
@pytest.mark.parametrize("moment", [NOON - SECOND, NOON, NOON + SECOND])
def test_the_state_that_is_shown_is_the_state_that_is_served(
    app, client, key, set_clock, column, moment
) -> None:
    change_key(app, key, **{column: NOON})
    set_clock(moment)
    works = record_of(app, key).state(moment) in (KeyState.ACTIVE, KeyState.ROTATED)
    assert verify(client, key).status_code == (200 if works else 401)


@ON_SQLITE
def test_an_expiry_given_in_another_time_zone_holds_at_the_same_instant(
    client, make_key, set_clock
) -> None:
    tokyo = dt.timezone(dt.timedelta(hours=9))
    key = make_key(expires_at=NOON.astimezone(tokyo))
    set_clock(NOON - SECOND)
    assert verify(client, key).status_code == 200
    set_clock(NOON)
    assert verify(client, key).status_code == 401


@ON_SQLITE
def test_a_key_without_expiry_never_expires(client, key, set_clock) -> None:
    set_clock(dt.datetime(9999, 1, 1, tzinfo=dt.UTC))
    assert verify(client, key).status_code == 200


@ON_POSTGRESQL
@pytest.mark.parametrize("hours", [-30, 30])
class TestNodeWhoseClockIsOff:
    """The life of keys in PostgreSQL follows its clock, not the clock of a node."""

    @pytest.fixture(autouse=True)
    def wrong_clock(self, set_clock, hours) -> None:
        set_clock(dt.datetime.now(dt.UTC) + hours * HOUR)

    @pytest.mark.parametrize("column", ["expires_at", "grace_ends_at"])
    @pytest.mark.parametrize(("seconds", "status"), [(-1, 401), (60, 200)])
    def test_a_key_ends_at_its_stored_expiry(
        self, app, client, key, column, seconds, status
    ) -> None:
        change_key(app, key, **{column: moment_in(seconds)})
        assert verify(client, key).status_code == status

    def test_a_grace_is_as_long_as_was_asked_for(self, app, client, key, rotate) -> None:
        rotate(key, HOUR)
        grace_left = record_of(app, key).grace_ends_at - dt.datetime.now(dt.UTC)
        assert abs(grace_left - HOUR) < 30 * SECOND
        assert verify(client, key).status_code == 200

    def test_a_lifetime_is_counted_from_the_true_time(self, app) -> None:
        key = run(
            app, *["keys", "create", "--permissions", "read", "--expires-in", "1h", "--quiet"]
        ).strip()
        life_left = record_of(app, key).expires_at - dt.datetime.now(dt.UTC)
        assert abs(life_left - HOUR) < 30 * SECOND
        assert run_json(app, "keys", "list")[0]["state"] == "active"

    def test_the_last_use_is_recorded_with_the_true_time(self, app, client, key) -> None:
        verify(client, key)
        age = dt.datetime.now(dt.UTC) - record_of(app, key).last_used_at
        assert abs(age) < 30 * SECOND


@ON_SQLITE
def test_both_keys_work_during_the_grace_and_then_only_the_new_one(client, key, set_clock, rotate):
    set_clock(NOON)
    new = rotate(key, HOUR)
    set_clock(NOON + HOUR - SECOND)
    assert [verify(client, secret).status_code for secret in (key, new)] == [200, 200]
    set_clock(NOON + HOUR + SECOND)
    assert [verify(client, secret).status_code for secret in (key, new)] == [401, 200]


def test_the_states_of_a_life_are_distinguished(app, key, rotate, revoke) -> None:
    now = dt.datetime.now(dt.UTC)
    assert record_of(app, key).state(now) == "active"
    rotate(key)
    assert record_of(app, key).state(moment_in(1)) == "rotated"
    assert record_of(app, key).state(moment_in(3700)) == "expired"
    revoke(key)
    assert record_of(app, key).state(now) == "revoked"


def test_revoking_a_rotated_key_ends_its_grace_and_leaves_the_successor(
    client, key, rotate, revoke
) -> None:
    new = rotate(key)
    revoke(key)
    assert [verify(client, secret).status_code for secret in (key, new)] == [401, 200]


def test_revoking_the_successor_does_not_revive_or_end_the_old_key(client, key, rotate, revoke):
    new = rotate(key)
    revoke(new)
    assert [verify(client, secret).status_code for secret in (key, new)] == [200, 401]


def test_the_successor_inherits_permissions_label_account_and_expiry(app, make_key, rotate) -> None:
    account = make_account(app, "acme", "standard")
    old = make_key("read", "delete", account_name=account, label="batch", expires_at=NOON)
    new = rotate(old)
    before, after = record_of(app, old), record_of(app, new)
    for name in ("permissions", "label", "account_id", "expires_at"):
        assert getattr(after, name) == getattr(before, name), name
    assert after.usage_count == 0
    assert before.successor_id == after.id


@ON_SQLITE
def test_an_expiry_before_the_end_of_the_grace_still_applies(client, make_key, set_clock, rotate):
    set_clock(NOON)
    old = make_key(expires_at=NOON + SECOND)
    new = rotate(old, HOUR)
    set_clock(NOON + SECOND)
    assert [verify(client, secret).status_code for secret in (old, new)] == [401, 401]


def test_a_rotation_does_not_give_a_second_budget(client, make_key, rotate) -> None:
    old = make_key("read")
    post(client, old)
    new = rotate(old)
    assert post(client, new).headers["X-RateLimit-Remaining"] == "48"
    assert post(client, old).headers["X-RateLimit-Remaining"] == "47"


def test_a_key_is_rotated_once_and_revoked_once(key, rotate, revoke) -> None:
    rotate(key)
    with pytest.raises(AccountError, match="rotated"):
        rotate(key)
    revoke(key)
    with pytest.raises(AccountError, match="revoked"):
        revoke(key)
