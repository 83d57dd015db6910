"""Deleted accounts: all that is theirs is gone, the trail stays, and the name starts afresh."""

import functools
import sys

import pytest
from sqlalchemy import delete, func, select, text
from sqlalchemy.orm import Session

from app.core.database import Base, db
from app.identity.accounts.accounts import get_account
from app.identity.accounts.audit import Action, Actor, AuditEvent, audit_trail, record_event
from app.identity.accounts.errors import NoSuchAccountError
from app.identity.accounts.keys import create_key
from app.identity.accounts.models import Account
from app.identity.accounts.permissions import Permission
from app.ops.account_deletion import delete_account
from tests.identity.accounts.admins import start_second
from tests.support.api import Api
from tests.support.keys import ACTOR, make_account, post, remaining_requests, verify
from tests.support.monitors import HOOK, SETTINGS, points
from tests.support.programs import output_of

pytestmark = pytest.mark.usefixtures("each_database")

READ = frozenset({Permission.READ})


def rows(app):
    """Return how many rows each table has."""
    with app.app_context(), db.engine.connect() as connection:
        return {
            table.name: connection.scalar(select(func.count()).select_from(table))
            for table in Base.metadata.sorted_tables
        }


@pytest.fixture
def remove(app):
    """Delete an account."""

    def delete_named(name):
        with app.app_context(), Session(db.engine) as session, session.begin():
            return delete_account(session, ACTOR, name)

    return delete_named


@pytest.fixture
def acme(app, make_key):
    """An account with keys, one rotated into another, a monitor with points and counts."""
    name = make_account(app, "acme", "standard")
    caller = Api(app, make_key("read", "write", "admin", account_name=name))
    caller.send("PUT", "/webhooks/ops", {"url": HOOK})
    caller.send("PUT", "/monitors/cpu", SETTINGS | {"webhook": "ops"})
    caller.send("POST", "/monitors/cpu/points", points([1.0, 2.0]))
    key_id = caller.request("GET", "/keys").get_json()["keys"][0]["id"]
    caller.send("POST", f"/keys/{key_id}/rotate", {})
    return caller


def test_deletion_removes_all_rows_of_the_account_only(app, client, make_key, remove) -> None:
    other = make_key("read")
    post(client, other)
    before = rows(app)
    caller = Api(app, make_key("read", "write", account_name=make_account(app, "acme", "free")))
    assert caller.send("PUT", "/webhooks/ops", {"url": HOOK}).status_code == 201
    settings = SETTINGS | {"webhook": "ops"}
    assert caller.send("PUT", "/monitors/cpu", settings).status_code == 201
    assert caller.send("POST", "/monitors/cpu/points", points([1.0])).status_code == 200
    assert caller.request("POST", "/webhooks/ops/test").status_code == 202
    table = b"day,sales\n2024-01-01,1\n2024-01-02,2\n"
    assert caller.request("POST", "/read", table, Content_Type="text/csv").status_code == 200
    deleted = remove("acme")
    assert (deleted.keys, deleted.monitors) == (1, 1)
    after = rows(app)
    assert after.pop("audit_events") == before.pop("audit_events") + 5
    assert after == before
    assert remaining_requests(client, other) == 49


def test_keys_of_a_deleted_account_are_rejected_immediately(acme, remove) -> None:
    assert remove("acme").keys == 2
    assert acme.verify().status_code == 401


def test_every_table_with_something_of_an_account_is_emptied_by_its_deletion() -> None:
    """By its own account_id, or by a foreign key that cascades from a table that has one."""
    reached = {table for table in Base.metadata.sorted_tables if "account_id" in table.c}
    reached.add(Base.metadata.tables["accounts"])
    for table in Base.metadata.sorted_tables:
        for key in table.foreign_keys:
            if table not in reached:
                assert key.ondelete == "CASCADE", f"{table.name} would keep an account from going"
                assert key.column.table in reached


def test_the_trail_stays_and_another_account_of_the_name_sees_none_of_it(
    app, client, acme, remove, make_key
) -> None:
    remove("acme")
    make_account(app, "acme", None)
    with app.app_context(), Session(db.engine) as session:
        actions = [event.action for event in audit_trail(session)]
        assert actions[:2] == ["account created", "account deleted"]
        assert "key rotated" in actions
        account = session.scalars(select(Account).where(Account.name == "acme")).one()
        assert [event.action for event in audit_trail(session, account)] == ["account created"]
    key = make_key("read", account_name="acme")
    assert remaining_requests(client, key) == 50
    assert acme.verify().status_code == 401


def test_ids_are_never_given_again(app, acme, remove, make_key) -> None:
    key_id = acme.request("GET", "/keys").get_json()["keys"][-1]["id"]
    with app.app_context(), Session(db.engine) as session:
        account_id = session.scalar(select(func.max(Account.id)))
    remove("acme")
    make_account(app, "acme", None)
    with app.app_context(), Session(db.engine) as session, session.begin():
        record = create_key(session, ACTOR, get_account(session, "acme").id, READ).record
        assert record.account_id > account_id
        assert record.id > key_id


def test_deleting_an_unknown_account_deletes_nothing(app, acme, remove) -> None:
    before = rows(app)
    with pytest.raises(NoSuchAccountError):
        remove("acmee")
    assert rows(app) == before


def test_a_deletion_that_fails_leaves_everything(app, acme, remove, monkeypatch) -> None:
    before = rows(app)
    monkeypatch.setattr("app.ops.account_deletion.delete", fails_for_accounts)
    with pytest.raises(ZeroDivisionError):
        remove("acme")
    assert rows(app) == before
    assert acme.verify().status_code == 200


def fails_for_accounts(table):
    """Return the last statement of a deletion."""
    if table is Account:
        raise ZeroDivisionError
    return delete(table)


@pytest.mark.parametrize("databases", ["postgresql"], indirect=True)
def test_a_deletion_may_take_longer_than_a_request(app, acme) -> None:
    with app.app_context(), Session(db.engine) as session, session.begin():
        delete_account(session, ACTOR, "acme")
        assert session.scalar(text("SHOW statement_timeout")) == "0"


def test_a_key_that_is_made_meanwhile_is_not_left_over(app, remove) -> None:
    make_account(app, "acme", None)
    with app.app_context(), Session(db.engine) as session, session.begin():
        key = create_key(session, ACTOR, get_account(session, "acme").id, READ).key
        second = start_second(functools.partial(remove, "acme"))
    second.join(60)
    assert verify(app.test_client(), key).status_code == 401
    assert rows(app)["api_keys"] == 0


class TestTrail:
    """Reading the trail in pages, by action, key and time."""

    @pytest.fixture
    def session(self, app):
        with app.app_context(), Session(db.engine) as session, session.begin():
            yield session

    @pytest.fixture
    def account(self, session):
        """An account with five events: two of its key 7, one by it."""
        account = session.scalars(select(Account)).one()
        actors = [
            ACTOR,
            Actor(key_id=7, prefix="ak_00000007", address="192.0.2.1"),
            Actor(email="a@example.com", address="2001:db8::1"),
            Actor(email="a@example.com"),
        ]
        for actor in actors:
            record_event(session, actor, Action.TIER_CHANGED, account)
        record_event(session, ACTOR, Action.ROLE_CHANGED, account, detail="b@example.com")
        return account

    def test_an_event_has_its_actor(self, session, account) -> None:
        actors = [
            (event.os_user, event.by_key_id, event.by_prefix, event.member, event.address)
            for event in audit_trail(session, account, limit=4)
        ]
        assert actors == [
            ("tests", None, None, None, None),
            ("", None, None, "a@example.com", None),
            ("", None, None, "a@example.com", "2001:db8::1"),
            ("", 7, "ak_00000007", None, "192.0.2.1"),
        ]

    def test_pages_go_back_from_the_newest(self, session, account) -> None:
        newest = audit_trail(session, account, limit=2)
        older = audit_trail(session, account, limit=2, before_id=newest[-1].id)
        ids = [event.id for event in [*newest, *older]]
        assert ids == sorted(ids, reverse=True)
        assert ids == [event.id for event in audit_trail(session, account)][:4]

    @pytest.mark.parametrize(
        ("options", "count"),
        [
            ({"action": "role changed"}, 1),
            ({"action": "tier changed", "limit": 3}, 3),
            ({"key_id": 7}, 1),
            ({"key_id": 8}, 0),
        ],
    )
    def test_events_can_be_filtered_by_action_or_key(self, session, account, options, count):
        assert len(audit_trail(session, account, **options)) == count

    def test_events_can_be_filtered_by_a_span_of_time(self, session, account) -> None:
        third = audit_trail(session, account)[2]
        since = audit_trail(session, account, since=third.at)
        until = audit_trail(session, account, until=third.at)
        assert third in since
        assert third not in until
        assert len(since) + len(until) == 5

    @pytest.mark.parametrize("action", Action)
    def test_every_action_fits_its_column(self, action) -> None:
        assert len(action) <= AuditEvent.__table__.c.action.type.length


def test_a_command_that_loads_little_still_knows_every_table_of_an_account() -> None:
    code = (
        "import app.ops.account_deletion\n"
        "from app.core.database import Base\nprint(*Base.metadata.tables)"
    )
    words = [sys.executable, "-c", code]
    printed = output_of(words)
    of_accounts = {name for name, table in Base.metadata.tables.items() if "account_id" in table.c}
    assert of_accounts - {*printed.split()} == set()
