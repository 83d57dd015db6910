"""Everything about accounts holds on both kinds of database."""

import pytest

from tests.support.databases import PostgresqlDatabases, SqliteDatabases


@pytest.fixture
def database_url(databases: SqliteDatabases | PostgresqlDatabases) -> str:
    return databases.migrated()
