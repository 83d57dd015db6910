"""Web workers return freed memory to the system."""

from pathlib import Path

import orjson

from tests.integration.workers import web_workers
from tests.support.databases import SqliteDatabases
from tests.support.keys import new_key
from tests.support.load import send_exactly
from tests.support.series import regular_body
from tests.support.server import run_server
from tests.support.services import wait_until

LARGE = ("POST", "/forecast", orjson.dumps(regular_body("Hours", 50_000)))
GROWTH_MB = 110  # 40 to 60 measured; without `give_freed_memory_back` 160 to 200


def resident_mb(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    sizes = [int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")]
    return sum(sizes) / 1024  # a process that has just ended has no file


def test_large_requests_leave_no_memory_behind_in_a_web_worker(
    sqlite_databases: SqliteDatabases, tmp_path: Path
) -> None:
    url = sqlite_databases.migrated()
    key = new_key(url)
    settings = {"WEB_CONCURRENCY": "1", "FORECAST_QUEUE": "32"}
    with run_server(tmp_path, url, **settings) as server:
        (worker,) = web_workers(server)
        before = resident_mb(worker)
        sent = send_exactly(server.url, key, LARGE, clients=12, times=2)
        assert sent.statuses() == {200: 24}
        wait_until(lambda: resident_mb(worker) < before + GROWTH_MB, "memory given back", 10)
        assert web_workers(server) == [worker]
