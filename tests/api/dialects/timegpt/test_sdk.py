"""Nixtla's SDK against the service: `sdk/calls.py`, run where `make test` installs the SDK."""

import ast
import os
import subprocess
from collections import defaultdict
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.support.databases import SqliteDatabases
from tests.support.keys import mint
from tests.support.server import ROOT, serving

CALLS = Path(__file__).parent / "sdk" / "calls.py"
PYTHON = ROOT / ".venv-nixtla" / "bin" / "python"
PATIENCE_SECONDS = 400
NAMES = [
    node.name
    for node in ast.parse(CALLS.read_text()).body
    if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
]
Results = dict[str, list[str]]


@pytest.fixture(scope="module")
def results(sqlite_databases: SqliteDatabases, tmp_path_factory: pytest.TempPathFactory) -> Results:
    """What was wrong with each of the calls, by its name; empty if nothing was."""
    assert PYTHON.exists(), "the SDK is not installed: make .venv-nixtla/installed"
    folder = tmp_path_factory.mktemp("sdk")
    database_url, report = sqlite_databases.migrated(), folder / "report.xml"
    with serving(folder, database_url, WEB_CONCURRENCY="2") as server:
        environ = {name: value for name, value in os.environ.items() if "PYTEST" not in name}
        environ |= {"TIMEGPT_URL": f"{server.url}/timegpt", "TIMEGPT_KEY": mint(database_url)}
        # None of the project's own configuration, which that environment lacks the packages for.
        options = ["--noconftest", "-c", os.devnull, "-p", "no:cacheprovider", "-q"]
        command = [str(PYTHON), "-m", "pytest", *options, f"--junit-xml={report}", str(CALLS)]
        done = subprocess.run(
            command,
            cwd=folder,
            env=environ,
            check=False,
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS,
        )
    result: Results = defaultdict(list)
    assert report.exists(), done.stdout + done.stderr
    for case in ElementTree.parse(report).iter("testcase"):
        problems = [problem.text or "" for problem in case if problem.tag != "system-out"]
        result[case.attrib["name"].partition("[")[0]] += problems
    return result


@pytest.mark.parametrize("name", NAMES)
def test_the_sdk_works_unchanged(results: Results, name: str) -> None:
    assert name in results
    assert not results[name], results[name][0]
