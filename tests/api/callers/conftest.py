"""The limits of callers on every store of counters, where a test asks for one."""

from tests.support.stores import database_url, storage_uri, store_kind  # noqa: F401 - fixtures
