"""Fixtures of every store of the counters of limits."""

from collections.abc import Iterator

import pytest
import redis
from sqlalchemy import make_url

from app.identity.limits.stores import CounterStore, open_store
from tests.support.databases import SqliteDatabases

SERVICES = pytest.mark.services
STORES = [
    "sqlite",
    pytest.param("postgresql", marks=SERVICES),
    pytest.param("redis", marks=SERVICES),
    "memory",
]


@pytest.fixture(params=STORES)
def store_kind(request: pytest.FixtureRequest) -> str:
    """Every kind of store."""
    return request.param


@pytest.fixture
def storage_uri(store_kind: str, request: pytest.FixtureRequest) -> Iterator[str]:
    """The URI of an empty store."""
    if store_kind == "memory":
        yield "memory://"
    elif store_kind == "redis":
        uri = request.getfixturevalue("redis_url")
        with redis.from_url(uri) as server:
            server.flushall()
        yield uri
    else:
        with request.getfixturevalue(f"{store_kind}_databases").lend() as uri:
            yield uri


@pytest.fixture
def store(storage_uri: str) -> Iterator[CounterStore]:
    """The store, as the service opens it by its URI."""
    store = open_store(storage_uri, None)
    yield store
    if hasattr(store, "engine"):
        store.engine.dispose()


@pytest.fixture
def database_url(request: pytest.FixtureRequest, sqlite_databases: SqliteDatabases) -> str:
    """The database of the keys: the one of the counters, if they are in a database."""
    if "storage_uri" in request.fixturenames:
        uri = request.getfixturevalue("storage_uri")
        if make_url(uri).get_backend_name() in ("sqlite", "postgresql"):
            return uri
    return sqlite_databases.migrated()
