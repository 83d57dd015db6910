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

from app.accounts.permissions import Permission
from tests.integration.schemathesis_hooks import FREQUENCY, NAME, WEBHOOK
from tests.support.databases import SqliteDatabases
from tests.support.keys import mint
from tests.support.series import regular
from tests.support.server import ROOT, Server, serving

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


def make_monitor(server: Server, key: str) -> None:
    """The monitor that requests are made for."""
    path = f"/monitors/{NAME}"
    settings = {"data_frequency": FREQUENCY, "webhook_url": WEBHOOK}
    assert server.request(path, settings, key, method="PUT").status == 201
    first = {name: column[:1] for name, column in regular(FREQUENCY)["series"][0].items()}
    first["timestamps"] = [text + "Z" for text in first["timestamps"]]
    assert server.request(f"{path}/points", first, key).status == 200


@pytest.fixture(scope="module")
def report(
    examples: int, sqlite_databases: SqliteDatabases, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Any]:
    """What schemathesis reports of one run."""
    folder = tmp_path_factory.mktemp("schemathesis")
    database_url = sqlite_databases.migrated()
    config = ROOT / "tests" / "integration" / "schemathesis.toml"
    key = mint(database_url, permissions=Permission)
    # It keeps notes in its working directory, so that is not the project's.
    environ = os.environ | {"FORECAST_KEY": key, "PYTHONPATH": str(ROOT)}
    wide = {"ANONYMOUS_PER_MINUTE": PLENTY, "MONITORS_PER_ACCOUNT": PLENTY}
    with serving(folder, database_url, **wide, WEB_CONCURRENCY="1") as server:
        make_monitor(server, key)
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
    assert report["operations"]["tested"] == report["operations"]["total"] == 24
    assert report["test_cases"]["generated"] >= examples
    assert report["failures"] == report["errors"] == []


def test_a_good_part_of_them_is_answered(report, examples) -> None:
    wanted = {
        "POST /forecast": examples // 2,
        "PUT /monitors/{name}": 50,
        "POST /monitors/{name}/points": 50,
    }
    for operation, least in wanted.items():
        phases = report["valid_rates"][operation].values()
        assert sum(phase["accepted"] for phase in phases) >= least
        assert sum(phase["rejected"] for phase in phases) == 0
