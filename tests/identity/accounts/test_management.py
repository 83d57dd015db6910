"""The changes of accounts and keys by an admin: each is atomic."""

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.core.database import db
from app.identity.accounts.accounts import create_account, get_account, set_tier
from app.identity.accounts.errors import AccountError, TooManyError
from app.identity.accounts.keys import create_key
from app.identity.accounts.models import DEFAULT_ACCOUNT, Account
from app.identity.accounts.permissions import Permission, parse_permissions
from app.identity.limits.tiers import Allowance
from tests.identity.accounts.admins import start_second
from tests.support.keys import ACTOR

READ = frozenset({Permission.READ})
CUSTOM = Allowance(7, 70, 700)


@pytest.fixture
def session(app):
    with app.app_context(), Session(db.engine) as session, session.begin():
        yield session


def test_the_default_account_is_there_from_the_start_and_has_no_tier(session) -> None:
    account = session.scalars(select(Account)).one()
    assert (account.name, account.tier) == (DEFAULT_ACCOUNT, None)
    assert DEFAULT_ACCOUNT == "default"


def test_leaving_enterprise_forgets_its_numbers(session) -> None:
    create_account(session, ACTOR, "acme", "enterprise", CUSTOM)
    account = set_tier(session, ACTOR, "acme", "free", None)
    assert (account.tier, account.per_minute, account.per_hour, account.per_day) == (
        "free",
        *[None] * 3,
    )


def test_a_rejected_tier_leaves_the_account_as_it_was(session) -> None:
    create_account(session, ACTOR, "acme", "enterprise", CUSTOM)
    for tier, problem in (("enterprise", "enterprise"), ("gold", "unknown tier")):
        with pytest.raises(AccountError, match=problem):
            set_tier(session, ACTOR, "acme", tier, None)
    account = session.scalars(select(Account).where(Account.name == "acme")).one()
    session.refresh(account)
    assert (account.tier, account.per_minute) == ("enterprise", 7)


def test_a_name_that_another_admin_takes_meanwhile_is_rejected_by_that_name(app) -> None:
    outcomes = []

    def create() -> None:
        with app.app_context(), Session(db.engine) as session, session.begin():
            create_account(session, ACTOR, "acme", None, None)

    def create_too() -> None:
        try:
            create()
        except AccountError as error:
            outcomes.append(str(error))

    with app.app_context(), Session(db.engine) as session, session.begin():
        create_account(session, ACTOR, "acme", None, None)
        second = start_second(create_too)
    second.join(60)
    assert outcomes == ["the account 'acme' already exists; choose another name"]


@pytest.mark.parametrize("text", ["'; DROP TABLE api_keys; --", "Zoë's 日本", "%s {0} \\"])
def test_text_is_stored_as_it_is(session, text) -> None:
    create_account(session, ACTOR, text, None, None)
    record = create_key(session, ACTOR, get_account(session, text).id, READ, label=text).record
    session.expire_all()
    assert (record.label, record.account.name) == (text, text)


def test_permissions_are_the_four_of_the_specification() -> None:
    assert [str(permission) for permission in Permission] == ["read", "write", "admin", "delete"]
    assert parse_permissions([" Read", "write", "read"]) == {Permission.READ, Permission.WRITE}


@pytest.mark.parametrize("names", [[], [""], ["read", "execute"], ["read write"]])
def test_other_permissions_are_rejected(names: list[str]) -> None:
    with pytest.raises(ValueError, match="permission"):
        parse_permissions(names)


def test_a_quota_of_one_is_not_called_several() -> None:
    error = TooManyError("query", 1, "QUERIES_PER_SOURCE", owner="source")
    assert (str(error), error.plural) == ("the source has 1 query, the most allowed", "queries")
