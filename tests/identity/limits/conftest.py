"""Everything about limits holds on every store that counters can be kept in."""

from tests.support.stores import (  # noqa: F401 - fixtures
    database_url,
    storage_uri,
    store,
    store_kind,
)
