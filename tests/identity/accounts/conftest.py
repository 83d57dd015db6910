"""Run all tests of accounts on both kinds of database."""

import pytest


@pytest.fixture
def database_url(each_database: str) -> str:
    return each_database
