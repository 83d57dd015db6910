"""Nixtla's SDK against the service: `sdk/calls.py`, run where `make test` installs the SDK."""

import ast
from pathlib import Path

import pytest

from tests.support.databases import SqliteDatabases
from tests.support.keys import new_key
from tests.support.other_environment import Results, run_cases
from tests.support.server import run_server

CALLS = Path(__file__).parent / "sdk" / "calls.py"
NAMES = [
    node.name
    for node in ast.parse(CALLS.read_text()).body
    if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
]


@pytest.fixture(scope="module", params=[200, pytest.param(2_000, marks=pytest.mark.soak)])
def results(
    request: pytest.FixtureRequest,
    sqlite_databases: SqliteDatabases,
    tmp_path_factory: pytest.TempPathFactory,
) -> Results:
    """The problem of each call by its name, empty if it succeeded.

    Dask spreads as many series as the parameter says.
    """
    folder = tmp_path_factory.mktemp("sdk")
    database_url = sqlite_databases.migrated()
    with run_server(folder, database_url, WEB_CONCURRENCY="2") as server:
        environ = {"TIMEGPT_URL": f"{server.url}/timegpt", "TIMEGPT_KEY": new_key(database_url)}
        return run_cases(CALLS, folder, **environ, SPREAD_SERIES=str(request.param))


@pytest.mark.parametrize("name", NAMES)
def test_the_sdk_works_unchanged(results: Results, name: str) -> None:
    assert name in results
    assert not results[name], results[name][0]
