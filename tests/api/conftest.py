"""One application for all HTTP tests without limits: its caller never reaches one."""

from collections.abc import Iterator

import pytest
from flask import Flask
from sqlalchemy.orm import Session

from app import create_app
from app.identity.accounts.accounts import create_account, get_account
from app.identity.accounts.keys import create_key
from app.identity.accounts.permissions import Permission
from app.identity.limits.tiers import Allowance
from tests.support.api import Api
from tests.support.databases import SqliteDatabases
from tests.support.keys import ACTOR

LIMIT = 1_000_000


@pytest.fixture(scope="session")
def shared_app(sqlite_databases: SqliteDatabases) -> Iterator[Flask]:
    """An application with limits so wide that no test reaches them."""
    app = create_app(
        database_url=sqlite_databases.migrated(),
        ratelimit_storage_uri="memory://",
        anonymous_per_minute=LIMIT,
    )
    yield app
    with app.app_context():
        from app.core.database import db

        db.engine.dispose()


@pytest.fixture(scope="session")
def api(shared_app: Flask) -> Api:
    """A caller with all permissions and more requests than the tests send."""
    from app.core.database import db

    with shared_app.app_context(), Session(db.engine) as session, session.begin():
        create_account(session, ACTOR, "tests", "enterprise", Allowance(LIMIT, LIMIT, LIMIT))
        key = create_key(
            session, ACTOR, get_account(session, "tests").id, frozenset(Permission)
        ).key
    return Api(shared_app, key)


@pytest.fixture(scope="session")
def anonymous_api(shared_app: Flask) -> Api:
    """A caller without a key."""
    return Api(shared_app)
