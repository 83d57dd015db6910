"""What an admin does with accounts and keys: one whole change or none."""

import datetime as dt

import pytest
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.core.database import db
from app.identity.accounts.accounts import create_account, find_account, set_tier
from app.identity.accounts.errors import AccountError
from app.identity.accounts.keys import create_key
from app.identity.accounts.models import DEFAULT_ACCOUNT, Account, ApiKey
from app.identity.accounts.permissions import Permission, parse_permissions
from app.identity.limits.tiers import Allowance
from tests.identity.accounts.admins import start_second
from tests.support.keys import ACTOR

READ = frozenset({Permission.READ})
CUSTOM = Allowance(7, 70, 700)
BAD_TEXTS = ["line\nbreak", "nul\0", "x" * 500]


@pytest.fixture
def session(app):
    with app.app_context(), Session(db.engine) as session, session.begin():
        yield session


def count(session, model):
    return session.scalar(select(func.count()).select_from(model))


def test_the_default_account_is_there_from_the_start_and_has_no_tier(session):
    account = session.scalars(select(Account)).one()
    assert (account.name, account.tier) == (DEFAULT_ACCOUNT, None)
    assert DEFAULT_ACCOUNT == "default"


@pytest.fixture
def default(session):
    """The id of the default account."""
    return find_account(session, DEFAULT_ACCOUNT).id


def test_an_account_has_many_keys(session):
    create_account(session, ACTOR, "acme", "free", None)
    for label in ("a", "b", "c"):
        create_key(session, ACTOR, find_account(session, "acme").id, READ, label=label)
    account = session.scalars(select(Account).where(Account.name == "acme")).one()
    assert [key.label for key in account.keys] == ["a", "b", "c"]


@pytest.mark.parametrize("tier", [None, "free", "standard", "premium"])
def test_every_tier_can_be_given(session, tier):
    account = create_account(session, ACTOR, "acme", tier, None)
    assert (account.tier, account.per_minute) == (tier, None)


def test_enterprise_stores_its_three_numbers(session):
    account = create_account(session, ACTOR, "acme", "enterprise", CUSTOM)
    assert (account.per_minute, account.per_hour, account.per_day) == (7, 70, 700)


@pytest.mark.parametrize("tier", [None, "free", "standard", "premium"])
def test_numbers_without_enterprise_are_refused(session, tier):
    with pytest.raises(AccountError, match="enterprise"):
        create_account(session, ACTOR, "acme", tier, CUSTOM)


def test_leaving_enterprise_forgets_its_numbers(session):
    create_account(session, ACTOR, "acme", "enterprise", CUSTOM)
    account = set_tier(session, ACTOR, "acme", "free", None)
    assert (account.tier, account.per_minute, account.per_hour, account.per_day) == (
        "free",
        *[None] * 3,
    )


def test_a_refused_tier_leaves_the_account_as_it_was(session):
    create_account(session, ACTOR, "acme", "enterprise", CUSTOM)
    with pytest.raises(AccountError):
        set_tier(session, ACTOR, "acme", "enterprise", None)
    with pytest.raises(AccountError, match="unknown tier"):
        set_tier(session, ACTOR, "acme", "gold", None)
    account = session.scalars(select(Account).where(Account.name == "acme")).one()
    session.refresh(account)
    assert (account.tier, account.per_minute) == ("enterprise", 7)


def test_a_name_is_used_once(session):
    create_account(session, ACTOR, "acme", None, None)
    for name in ("acme", " acme ", "default"):
        with pytest.raises(AccountError, match="already"):
            create_account(session, ACTOR, name, None, None)


def test_a_name_that_another_admin_takes_meanwhile_is_refused_by_that_name(app):
    outcomes = []

    def create():
        with app.app_context(), Session(db.engine) as session, session.begin():
            create_account(session, ACTOR, "acme", None, None)

    def create_too():
        try:
            create()
        except AccountError as error:
            outcomes.append(str(error))

    with app.app_context(), Session(db.engine) as session, session.begin():
        create_account(session, ACTOR, "acme", None, None)
        second = start_second(create_too)
    second.join(60)
    assert outcomes == ["the account 'acme' already exists; choose another name"]


@pytest.mark.parametrize("name", ["", "   ", *BAD_TEXTS])
def test_a_name_that_cannot_be_stored_or_shown_is_refused(session, name):
    with pytest.raises(AccountError, match="name"):
        create_account(session, ACTOR, name, None, None)


@pytest.mark.parametrize("label", BAD_TEXTS)
def test_a_label_that_cannot_be_stored_or_shown_is_refused(session, default, label):
    with pytest.raises(AccountError, match="label"):
        create_key(session, ACTOR, default, READ, label=label)
    assert count(session, ApiKey) == 0


@pytest.mark.parametrize("text", ["'; DROP TABLE api_keys; --", "Zoë's 日本", "%s {0} \\"])
def test_text_is_stored_as_it_is(session, text):
    create_account(session, ACTOR, text, None, None)
    record = create_key(session, ACTOR, find_account(session, text).id, READ, label=text).record
    session.expire_all()
    assert (record.label, record.account.name) == (text, text)


@pytest.mark.parametrize("seconds", [0, -1, -86_400])
def test_a_key_must_expire_in_the_future(session, default, seconds):
    expires_at = dt.datetime.now(dt.UTC) + dt.timedelta(seconds=seconds)
    with pytest.raises(AccountError, match="past"):
        create_key(session, ACTOR, default, READ, expires_at=expires_at)
    assert count(session, ApiKey) == 0


def test_permissions_are_the_four_of_the_specification():
    assert [str(permission) for permission in Permission] == ["read", "write", "admin", "delete"]
    assert parse_permissions([" Read", "write", "read"]) == {Permission.READ, Permission.WRITE}


@pytest.mark.parametrize("names", [[], [""], ["read", "execute"], ["read write"]])
def test_other_permissions_are_refused(names):
    with pytest.raises(ValueError, match="permission"):
        parse_permissions(names)
