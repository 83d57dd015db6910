"""Several nodes that are deployed at once migrate one database: one does, the others wait."""

import contextlib
import os
import re

import pytest

from tests.support.cli import run_json
from tests.support.services import STARTUP_SECONDS, run_preloaded

NODES = 3


@pytest.fixture
def database_url(databases):
    """A database that no migration has touched."""
    return databases.empty()


def upgrade_everywhere(url, folder):
    """Run `flask db upgrade` on all nodes at once and return the exit codes and what they print."""
    words, environ = ["flask", "db", "upgrade"], os.environ | {"DATABASE_URL": url}
    logs = [folder / str(number) for number in range(NODES)]
    with contextlib.ExitStack() as stack:
        outputs = [stack.enter_context(log.open("wb")) for log in logs]
        started = [stack.enter_context(run_preloaded(words, environ, output)) for output in outputs]
        codes = [process.wait(STARTUP_SECONDS) for process in started]
    return [(code, log.read_text()) for code, log in zip(codes, logs, strict=True)]


def test_nodes_that_migrate_a_new_database_concurrently_all_succeed(app, database_url, tmp_path):
    for code, printed in upgrade_everywhere(database_url, tmp_path):
        assert (code, re.sub(r"\d+", "N", printed)) == (0, "The database is at revision N.\n")
    assert [row["name"] for row in run_json(app, "accounts", "list")] == ["default"]
