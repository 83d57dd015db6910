"""Several nodes that are deployed at once migrate one database: one does, the others wait."""

import os
import subprocess
import sys

import pytest

from tests.support.cli import run_json
from tests.support.server import ROOT
from tests.support.services import STARTUP_SECONDS

NODES = 3


@pytest.fixture
def database_url(databases):
    """A database that no migration has touched."""
    return databases.empty()


def upgrade_everywhere(url):
    """Run `flask db upgrade` on all nodes at the same time; gives the exit codes and stderr."""
    options = {"cwd": ROOT, "env": os.environ | {"DATABASE_URL": url}, "text": True}
    command = [sys.executable, "-m", "flask", "db", "upgrade"]
    started = [subprocess.Popen(command, stderr=subprocess.PIPE, **options) for _ in range(NODES)]
    errors = [process.communicate(timeout=STARTUP_SECONDS)[1] for process in started]
    return [(process.returncode, error) for process, error in zip(started, errors, strict=True)]


def test_nodes_that_migrate_a_new_database_at_once_all_succeed(app, database_url):
    assert upgrade_everywhere(database_url) == [(0, "")] * NODES
    assert [row["name"] for row in run_json(app, "accounts", "list")] == ["default"]
