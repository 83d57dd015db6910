"""schemathesis against the live service: requests made from /openapi.json, good and bad.

A request that the document allows must be answered 200, one that it does not must be refused, and
no answer may be a 5xx or outside the document.
"""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.support.databases import SqliteDatabases
from tests.support.keys import mint
from tests.support.server import ROOT, serving

# Of one operation. Of app/api five times as many reach no further branch; `make soak` sends more.
EXAMPLES = 300
MANY_EXAMPLES = 2000
PLENTY = "1000000"
PATIENCE_SECONDS = 540  # half a minute where nothing else runs, of many examples two
REPORT = "report.json"


@pytest.fixture(
    scope="module", params=[EXAMPLES, pytest.param(MANY_EXAMPLES, marks=pytest.mark.soak)]
)
def examples(request: pytest.FixtureRequest) -> int:
    return request.param


@pytest.fixture(scope="module")
def report(
    examples: int, sqlite_databases: SqliteDatabases, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Any]:
    """What schemathesis reports of one run."""
    folder = tmp_path_factory.mktemp("schemathesis")
    database_url = sqlite_databases.migrated()
    config = ROOT / "tests" / "integration" / "schemathesis.toml"
    # It keeps notes in its working directory, so that is not the project's.
    environ = os.environ | {"FORECAST_KEY": mint(database_url), "PYTHONPATH": str(ROOT)}
    with serving(folder, database_url, ANONYMOUS_PER_MINUTE=PLENTY, WEB_CONCURRENCY="1") as server:
        command = [
            *(sys.executable, "-m", "schemathesis.cli", "--config-file", str(config)),
            *("run", f"{server.url}/openapi.json", "--report", "json"),
            *("--report-json-path", REPORT, "--max-examples", str(examples)),
        ]
        done = subprocess.run(
            command,
            cwd=folder,
            env=environ,
            check=False,
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS,
        )
    assert done.returncode == 0, done.stdout + done.stderr
    print(done.stdout)
    return orjson.loads(Path(folder, REPORT).read_bytes())


def test_generated_requests_find_no_answer_outside_the_document(report, examples) -> None:
    assert report["complete"]
    assert report["operations"]["tested"] == report["operations"]["total"] == 9
    assert report["test_cases"]["generated"] >= examples
    assert report["failures"] == report["errors"] == []


def test_a_good_part_of_them_is_answered_with_a_forecast(report, examples) -> None:
    phases = report["valid_rates"]["POST /forecast"].values()
    assert sum(phase["accepted"] for phase in phases) >= examples // 2
    assert sum(phase["rejected"] for phase in phases) == 0
