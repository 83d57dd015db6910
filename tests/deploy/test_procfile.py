"""The Procfile as a platform runs it: PORT, DATABASE_URL and REDIS_URL are set, nothing else."""

import contextlib
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest
import redis

from tests.integration.workers import supervisor
from tests.support.databases import PostgresqlDatabases
from tests.support.process_usage import total_cpu_seconds
from tests.support.programs import output_of
from tests.support.series import airline_body, regular_body
from tests.support.server import ROOT, Server
from tests.support.services import (
    ENDING_SECONDS,
    accepts_connections,
    children,
    free_port,
    run_process,
    wait_until,
)

pytestmark = pytest.mark.services

# Heroku ends what does not listen within 60 s, and a start takes a slow dyno 46 to 55 s: the port
# is to open within 20 s.
MAX_LISTENING_FRACTION = 20 / 55
PROCESSES = dict(re.findall(r"^(\w+): (.*)$", (ROOT / "Procfile").read_text(), re.MULTILINE))


@pytest.fixture(scope="module")
def environ(postgresql_databases: PostgresqlDatabases, redis_url: str) -> dict[str, str]:
    """All that a platform sets, after `release`."""
    url = postgresql_databases.empty().replace("postgresql+psycopg://", "postgres://")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environ = {"PATH": path, "PORT": str(free_port()), "DATABASE_URL": url, "REDIS_URL": redis_url}
    subprocess.run(["sh", "-c", PROCESSES["release"]], cwd=ROOT, env=environ, check=True)
    return environ


@contextlib.contextmanager
def run_web(environ: dict[str, str], log: Path) -> Iterator[Server]:
    """What `web` has started, as a process group of its own, once a platform sees its port."""
    port = int(environ["PORT"])
    web = ["sh", "-c", f"exec {PROCESSES['web']}"]
    options = {"cwd": ROOT, "env": environ, "start_new_session": True}
    with (
        log.open("wb") as output,
        run_process(web, stdout=output, stderr=output, **options) as process,
    ):
        wait_until(lambda: accepts_connections(port) or process.poll() is not None, "web")
        yield Server(f"http://127.0.0.1:{port}", process, log, environ)


@pytest.fixture(scope="module")
def server(environ: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """What `web` has started."""
    with run_web(environ, tmp_path_factory.mktemp("web") / "log") as running:
        yield running


@pytest.fixture(scope="module")
def key(environ: dict[str, str]) -> str:
    """A key, created as an admin does it on a platform."""
    command = ["flask", "keys", "create", "--permissions", "read", "--quiet"]
    return output_of(command, env=environ).strip()


def test_a_platform_gets_a_forecast_and_its_stores_are_used(
    server: Server, key: str, environ: dict[str, str]
) -> None:
    response = server.request("/forecast", airline_body(), key)
    assert response.status == 200, response.body
    assert len(response.json()["median"]) == 12
    assert server.request("/readyz").status == 200
    with redis.from_url(environ["REDIS_URL"]) as store:
        assert any(b"key:" in name for name in store.keys("*"))
    with psycopg.connect(environ["DATABASE_URL"]) as database:
        (uses,) = database.execute("SELECT usage_count FROM api_keys").fetchone()
        (counters,) = database.execute("SELECT count(*) FROM rate_limit_windows").fetchone()
    assert uses == 1
    assert counters <= 1  # the row that the probe writes: Redis has the limits


@pytest.mark.timing
def test_the_port_opens_before_loading_ends_and_the_first_request_waits(
    key: str, environ: dict[str, str], tmp_path: Path
) -> None:
    with run_web(environ | {"PORT": str(free_port())}, tmp_path / "log") as started:
        main = started.process.pid
        listening = total_cpu_seconds(main)
        assert started.request("/forecast", airline_body(), key).status == 200
        wait_until(lambda: started.request("/readyz").status == 200, "a ready service")
        loaded = total_cpu_seconds(main)
    print(f"\n{listening:.2f} s of CPU time to listen, {loaded:.2f} s to a first forecast")
    assert listening <= MAX_LISTENING_FRACTION * loaded
    assert "loading the application; requests wait" in started.logged


def test_the_worker_delivers_webhooks_until_the_platform_stops_it(
    server: Server, environ: dict[str, str], tmp_path: Path
) -> None:
    log = tmp_path / "log"
    worker = ["sh", "-c", f"exec {PROCESSES['worker']}"]
    options = {"cwd": ROOT, "env": environ, "start_new_session": True}
    with (
        log.open("wb") as output,
        run_process(worker, stdout=output, stderr=output, **options) as process,
    ):
        wait_until(lambda: "worker started" in log.read_text(), "the worker")
        os.killpg(process.pid, signal.SIGTERM)
        assert process.wait(ENDING_SECONDS) == 0


def test_a_stop_that_reaches_all_processes_together_finishes_the_forecasts(
    server: Server, key: str
) -> None:
    """Platforms send SIGTERM to all processes, not only to the first."""
    slow = regular_body("Minutes", 50_000) | {"forecast_horizon": 100}
    with ThreadPoolExecutor(3) as pool:
        with engines_frozen(server):  # none is done before the signal, however late a look comes
            responses = [pool.submit(server.request, "/forecast", slow, key) for _ in range(3)]
            wait_until(lambda: forecasts_in_flight(server) == 3, "the forecasts")
            os.killpg(server.process.pid, signal.SIGTERM)
            wait_until(lambda: "Handling signal: term" in server.logged, "the signal at the master")
        assert [response.result().status for response in responses] == [200] * 3
    assert server.process.wait(ENDING_SECONDS) == 0


@contextlib.contextmanager
def engines_frozen(server: Server) -> Iterator[None]:
    """The processes that compute, which the supervisor has started, do nothing for a block."""
    wait_until(lambda: bool(children(supervisor(server))), "the engines")
    engines = children(supervisor(server))
    try:
        for pid in engines:
            os.kill(pid, signal.SIGSTOP)
        yield
    finally:
        for pid in engines:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)


def forecasts_in_flight(server: Server) -> float:
    """Return how many forecasts are in the engine."""
    text = server.request("/metrics").body.decode()
    return float(re.search(r"^forecast_engine_jobs_in_flight ([0-9.]+)$", text, re.MULTILINE)[1])
