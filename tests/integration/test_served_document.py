"""schemathesis against a real service: valid and invalid requests from /openapi.json.

A request that the document allows must get 200, one that it does not must be rejected, and
no response may be a 5xx or outside the document.
"""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import orjson
import pytest

from app.identity.accounts.permissions import Permission
from tests.integration.schemathesis_hooks import FREQUENCY, LONG_NAME, NAME, WEBHOOK
from tests.support.databases import SqliteDatabases
from tests.support.keys import new_key
from tests.support.machine_speed import slowness
from tests.support.series import regular_body
from tests.support.server import ROOT, Server, run_server

# Requests beside those that schemathesis derives from the schemas' bounds, which are always sent.
EXAMPLES_OF_FORECAST = 15  # as the configuration says; of other operations there are fewer
SOAK_FACTOR = 70  # times as many, in `make soak`
LIMIT = "1000000"
# For what hangs, as a run needs a minute, some beside other tests, and with many examples.
PATIENCE_SECONDS = 540
REPORT = "report.json"
UNTRIED = "phases.coverage.enabled = false"  # the bounds of schemas that another operation has
CONFIGURATION = ROOT / "tests" / "integration" / "schemathesis.toml"


@pytest.fixture(scope="module", params=[1, pytest.param(SOAK_FACTOR, marks=pytest.mark.soak)])
def times(request: pytest.FixtureRequest) -> int:
    return request.param


def make_monitor(server: Server, key: str) -> None:
    """Create the monitors and the webhook that requests name."""
    assert server.request(f"/webhooks/{NAME}", {"url": WEBHOOK}, key, method="PUT").status == 201
    path = f"/monitors/{NAME}"
    settings = {"data_frequency": FREQUENCY, "webhook": NAME}
    assert server.request(path, settings, key, method="PUT").status == 201
    first = {name: column[:1] for name, column in regular_body(FREQUENCY)["series"][0].items()}
    first["timestamps"] = [text + "Z" for text in first["timestamps"]]
    assert server.request(f"{path}/points", first, key).status == 200
    long = {"data_frequency": FREQUENCY, "series": regular_body(FREQUENCY)["series"]}
    assert server.request(f"/monitors/{LONG_NAME}", long, key, method="PUT").status == 201


@pytest.fixture(scope="module")
def report(
    times: int, sqlite_databases: SqliteDatabases, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Any]:
    """The report of one run of schemathesis."""
    folder = tmp_path_factory.mktemp("schemathesis")
    database_url = sqlite_databases.migrated()
    config = folder / "schemathesis.toml"
    text = CONFIGURATION.read_text()
    text = re.sub(r"(?<=max-examples = )\d+", lambda match: str(int(match[0]) * times), text)
    if times > 1:
        text = text.replace(UNTRIED, "")
    config.write_text(text)
    key = new_key(database_url, permissions=Permission)
    # It writes to its working directory, so that is not the project's.
    environ = os.environ | {"FORECAST_KEY": key, "PYTHONPATH": str(ROOT)}
    wide = {"ANONYMOUS_PER_MINUTE": LIMIT, "MONITORS_PER_ACCOUNT": LIMIT}
    wide |= {"WEBHOOKS_PER_ACCOUNT": LIMIT}
    with run_server(folder, database_url, **wide, WEB_CONCURRENCY="1") as server:
        make_monitor(server, key)
        command = [
            sys.executable, "-m", "schemathesis.cli", "--config-file", str(config),
            "run", f"{server.url}/openapi.json", "--report", "json",
            "--report-json-path", REPORT,
        ]  # fmt: skip
        done = subprocess.run(
            command,
            cwd=folder,
            env=environ,
            check=False,
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS * slowness(),
        )
    assert done.returncode == 0, done.stdout + done.stderr
    print(done.stdout)
    return orjson.loads(Path(folder, REPORT).read_bytes())


def test_generated_requests_find_no_response_outside_the_document(report, times) -> None:
    assert report["complete"]
    assert report["operations"]["tested"] == report["operations"]["total"] > 25
    assert report["test_cases"]["generated"] >= EXAMPLES_OF_FORECAST * times
    assert report["failures"] == report["errors"] == []


def test_a_good_part_of_them_succeeds(report, times) -> None:
    wanted = {
        "POST /forecast": EXAMPLES_OF_FORECAST * times // 2,
        "POST /backtest": 3 * times,
        "PUT /monitors/{name}": 3 * times,
        "POST /monitors/{name}/points": 3 * times,
    }
    for operation, least in wanted.items():
        phases = report["valid_rates"][operation].values()
        assert sum(phase["accepted"] for phase in phases) >= least
        assert sum(phase["rejected"] for phase in phases) == 0
