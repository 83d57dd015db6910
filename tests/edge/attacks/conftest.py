"""Two nodes and nginx for all attacks: each must leave them as they were."""

from collections.abc import Iterator

import pytest
import redis

from tests.edge.attacks.attacked import Attacked, run_attacked_service
from tests.support.databases import PostgresqlDatabases


@pytest.fixture(scope="package")
def target(
    postgresql_databases: PostgresqlDatabases,
    redis_url: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Attacked]:
    """The service as operators run it."""
    with redis.from_url(redis_url) as store:
        store.flushall()
    folder = tmp_path_factory.mktemp("attacked") / "nodes"
    with run_attacked_service(folder, postgresql_databases.migrated(), redis_url) as running:
        yield running
