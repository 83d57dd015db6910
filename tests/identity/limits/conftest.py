"""Run all tests of limits on every store of counters."""

from tests.support.stores import (  # noqa: F401 - fixtures
    database_url,
    storage_uri,
    store,
    store_kind,
)
