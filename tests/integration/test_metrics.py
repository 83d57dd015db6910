"""Counters over several workers: as many as requests, also after workers were replaced."""

import contextlib
import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import orjson
import pytest
from prometheus_client.mmap_dict import MmapedDict

from tests.integration.workers import web_workers
from tests.support.keys import QUICK, new_key
from tests.support.metrics import Counts, read, rises
from tests.support.series import daily_body
from tests.support.server import Server, run_server
from tests.support.services import wait_until

WORKERS = 3
MEMORY = Path("/dev/shm")
HEADERS = {name.replace("-", "_"): value for name, value in QUICK.items()}


@pytest.fixture(scope="module")
def server(sqlite_databases, tmp_path_factory):
    folder, settings = tmp_path_factory.mktemp("gunicorn"), {"WEB_CONCURRENCY": str(WORKERS)}
    with run_server(folder, sqlite_databases.migrated(), **settings) as server:
        yield server


@pytest.fixture(scope="module")
def keys(server: Server) -> tuple[str, str]:
    """A key without a limit, and one with a limit of two requests."""
    url = server.environ["DATABASE_URL"]
    return new_key(url), new_key(url, per_minute=2)


def scrape(server: Server) -> Counts:
    response = server.request("/metrics")
    assert response.status == 200
    return read(response.body.decode())


@contextlib.contextmanager
def pause(workers: list[int]) -> Iterator[None]:
    """Pause workers within a block, so that the others respond."""
    for pid in workers:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in workers:
            os.kill(pid, signal.SIGCONT)


def counting_files(server: Server) -> set[str]:
    """Return the files with counts of requests."""
    files = folder_of(server).glob("counter_[0-9]*.db")
    read_file = MmapedDict.read_all_values_from_file
    return {
        file.name
        for file in files
        if any("forecast_http_requests" in name and value for name, value, *_ in read_file(file))
    }


def send_mixed_requests(server: Server, keys: tuple[str, str]) -> None:
    """Send the requests of `EXPECTED` from many clients at once, so that each worker gets some."""
    plenty, few = keys

    def send(path: str, key: str | None, body: object = None) -> Callable[[], object]:
        return lambda: server.request(path, body, key, **(HEADERS if body is not None else {}))

    mix = [send("/forecast", plenty, daily_body(points)) for points in (15, 40, 150)] * 6
    mix += [send("/forecast", plenty, {})] * 5
    mix += [send("/forecast", None, daily_body())] * 4
    mix += [send("/forecast", few, daily_body())] * 7
    mix += [send("/verify", plenty)] * 30
    mix += [send("/nowhere", None)] * 3
    workers = web_workers(server)
    with ThreadPoolExecutor(8) as pool:
        for turn, worker in enumerate(workers):
            with pause([pid for pid in workers if pid != worker]):
                list(pool.map(lambda request: request(), mix[turn :: len(workers)]))


def requests(method: str, route: str, **statuses: int) -> Counts:
    """Return how often each status of a route was sent."""
    name = "forecast_http_requests_total{{method={},route={},status={}}}"
    responses = {name.format(method, route, s[1:]): number for s, number in statuses.items()}
    name = f"forecast_http_request_duration_seconds_count{{route={route}}}"
    return responses | {name: sum(statuses.values())}


EXPECTED = {
    **requests("POST", "/forecast", _200=18 + 2, _400=5, _401=4, _429=5),
    **requests("GET", "/verify", _200=30),
    **requests("GET", "unmatched", _404=3),
    "forecast_series_points_count": 20,
    "forecast_engine_duration_seconds_count{engine_job=forecast-model-2}": 20,
    "forecast_authentication_failures_total{reason=missing}": 4,
    "forecast_limit_refusals_total{tier=enterprise}": 5,
}


def counts_without_scrapes(counts: Counts) -> Counts:
    return {name: count for name, count in counts.items() if "/metrics" not in name}


def test_the_counts_of_all_workers_are_the_requests_that_were_sent(server, keys) -> None:
    before = scrape(server)
    send_mixed_requests(server, keys)
    assert counts_without_scrapes(rises(before, scrape(server))) == EXPECTED
    present = {name: count for name, count in scrape(server).items() if "workers" in name}
    assert present == {"forecast_web_workers": WORKERS}
    assert len(counting_files(server)) == WORKERS


def reload(server: Server, workers: list[int]) -> None:
    server.process.send_signal(signal.SIGHUP)


def terminate(server: Server, workers: list[int]) -> None:
    """Terminate the workers, again until none is left: one that was just forked misses a signal."""

    def are_gone() -> bool:
        left = {*workers} & {*web_workers(server)}
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)
        return not left

    wait_until(are_gone, "the end of the workers")


def kill(server: Server, workers: list[int]) -> None:
    for pid in workers:
        os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize("renew", [reload, terminate, kill])
def test_counts_stay_and_continue_when_workers_are_renewed(server, keys, renew) -> None:
    before = scrape(server)
    old = web_workers(server)
    renew(server, old)
    wait_until(lambda: len(web_workers(server)) == WORKERS, "new workers")
    wait_until(lambda: not {*old} & {*web_workers(server)}, "the end of the old workers")
    wait_until(lambda: scrape(server)["forecast_web_workers"] == WORKERS, "the count of workers")
    assert counts_without_scrapes(rises(before, scrape(server))) == {}
    server.request("/verify", key=keys[0])
    assert counts_without_scrapes(rises(before, scrape(server))) == requests(
        "GET", "/verify", _200=1
    )
    assert scrape(server)["forecast_http_requests_in_flight"] == 1
    # A reload starts the new workers beside the old; there are never more files than that.
    assert len(list(folder_of(server).glob("counter_[0-9]*"))) <= 2 * WORKERS


def folder_of(server: Server) -> Path:
    """Return the folder with the counters of a server's workers."""
    maps = Path(f"/proc/{web_workers(server)[0]}/maps").read_text().split()
    (folder,) = {Path(name).parent for name in maps if "/forecast-metrics-" in name}
    return folder


def test_the_counts_are_in_memory_and_for_the_service_only(server) -> None:
    folder = folder_of(server)
    assert MEMORY in folder.parents
    assert folder.stat().st_mode & 0o77 == 0


def test_every_line_of_the_log_is_json_of_one_shape(server) -> None:
    lines = [orjson.loads(line) for line in server.logged.splitlines()]
    assert {line["logger"] for line in lines} >= {"app.access", "gunicorn.error"}
    assert all(list(line)[:4] == ["time", "level", "logger", "message"] for line in lines)
