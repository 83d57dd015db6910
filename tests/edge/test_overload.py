"""Ten times the load that the cores can serve: fast, correct responses, and no damage afterwards.

``pytest -s`` prints the figures of docs/running/several-nodes.md. Where nginx is in front, what it
measured is asserted of time (a request's first byte to its response's last), so that the clients of
this test, which share the machine, do not time each other.
"""

import re
import statistics
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass

import orjson
import pytest
import yaml

from app.core.settings import SETTINGS
from tests.support import attack_bodies
from tests.support.databases import SqliteDatabases
from tests.support.edge import WIDE, Edge, edge
from tests.support.keys import new_key
from tests.support.load import VERIFY, Client, Load, Request, load, run_in_parallel
from tests.support.machine_speed import slowness
from tests.support.metrics import Counts, read
from tests.support.process_usage import descendants
from tests.support.series import regular_body
from tests.support.server import ROOT, Server, run_server
from tests.support.services import wait_until

pytestmark = [pytest.mark.timing, pytest.mark.alone]

MODEL = "forecast-model-1"
FORECAST = ("POST", "/forecast", orjson.dumps(regular_body("Hours", 200)))
QUICK = ("POST", "/forecast", orjson.dumps(regular_body("Minutes", 100)))
BACKTEST = ("POST", "/backtest", orjson.dumps(regular_body("Hours", 50_000)))
ENGINES = 2
PLACES = ENGINES + int(SETTINGS["forecast_queue"].default)
# Clients share the cores with the service, and send less on a busy machine: 6 to 10 measured.
TIMES_CAPACITY, BURST_SECONDS = 10, 10
CLIENTS = PLACES + 42  # those beyond the places send again and again
TIMES_SERVED = 3
REQUESTS, LONG_REQUESTS = 200, 50
BURSTS = 3  # at most
MAX_PAUSE_SECONDS = 0.5  # so a slow machine gets more than TIMES_CAPACITY times its capacity
WITHOUT_NGINX_SECONDS = 5
IDLE_SECONDS = 3
SLOWER_BY = 0.25  # of /verify's 99th percentile; 0.02 measured, and 0.23 beside other programs
REJECTED_WITHIN = 6.0  # the 99th percentile; rejections of the node are held for 3.2 s at most
ALERTS = yaml.safe_load((ROOT / "deploy" / "prometheus" / "alerts.yml").read_text())["groups"]


@pytest.fixture(scope="module")
def server(
    sqlite_databases: SqliteDatabases, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("overload")
    settings = {"TRUSTED_PROXIES": "1", "WEB_CONCURRENCY": str(ENGINES)}
    with run_server(folder, sqlite_databases.migrated(), **settings) as running:
        yield running


@pytest.fixture(scope="module")
def site(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Edge]:
    folder = tmp_path_factory.mktemp("nginx")
    upstream = server.url.removeprefix("http://")
    with edge(folder, upstream, forecasts_per_node=str(PLACES), **WIDE) as running:
        yield running


def processes(server: Server) -> set[int]:
    """Return the web workers, the fork server, the supervisor and its engines."""
    return set(descendants(server.process.pid))


def seconds(site: Edge, path: str, status: int, since: int = 0) -> list[float]:
    """Return the seconds of a path's responses with a status, from a line of the log on."""
    lines = site.requests()[since:]
    return sorted(x["seconds"] for x in lines if (x["path"], x["status"]) == (path, status))


def p95(values: list[float]) -> float:
    return values[int(len(values) * 0.95)]


def p99(values: list[float]) -> float:
    return values[int(len(values) * 0.99)]


def single_forecast(site: Edge, key: str) -> float:
    """Return the median seconds of a forecast for one client at a time."""
    client = Client(site.https, key, MODEL)
    calls = [client.send(FORECAST) for _ in range(5)]
    client.close()
    assert {call.status for call in calls} == {200}
    return statistics.median(call.seconds for call in calls)


def logged_rejections(site: Edge) -> int:
    return len(site.requests())


def scrape(server: Server) -> Counts:
    return read(server.request("/metrics").body.decode())


def scrapes(server: Server, during: float) -> list[Counts]:
    """Return the scrapes of ``during`` seconds, two a second, as Prometheus would see them."""
    seen, until = [], time.monotonic() + during
    while time.monotonic() < until:
        seen.append(scrape(server))
        time.sleep(0.5)
    return seen


def overload_is_alerted(seen: list[Counts]) -> bool:
    """Return whether ForecastOverload would fire for the scrapes."""
    (rule,) = (rule for rule in ALERTS[0]["rules"] if rule["alert"] == "ForecastOverload")
    average = r"avg_over_time\((\w+)\[\w+\]\)"
    ratio = rf"\s*{average}\s*/ {average} > ([0-9.]+)\s*"
    results = []
    for condition in rule["expr"].split(" or "):
        first, other, bound = re.fullmatch(ratio, condition).groups()
        taken, most = (statistics.mean(counts[name] for counts in seen) for name in (first, other))
        print(f"{first}: {taken:.1f} of {most:.0f}")
        results.append(taken / most > float(bound))
    return any(results)


@pytest.fixture(scope="module")
def key(server: Server) -> str:
    return new_key(server.environ["DATABASE_URL"])


@pytest.fixture(scope="module")
def max_rate(site: Edge, key: str) -> float:
    """Return the forecasts a second with all engines busy and none rejected."""
    with load(site.https, key, [FORECAST], clients=4, model=MODEL) as sent:
        time.sleep(IDLE_SECONDS)
    return sent.statuses()[200] / IDLE_SECONDS


@dataclass(frozen=True)
class Burst:
    """The calls of a burst, the scrapes during it, and nginx's time for each response."""

    forecasts: Load
    verifies: Load
    seen: list[Counts]
    then: list[float]
    served: list[float]
    rejected: list[float]

    def is_quick(self, idle: list[float]) -> bool:
        """Return whether, under overload, rejections and /verify came as quickly as promised."""
        return (
            len(self.forecasts.calls) > TIMES_SERVED * len(self.served)
            and p99(self.rejected) < REJECTED_WITHIN * slowness()
            and p99(self.then) < p99(idle) + SLOWER_BY * slowness()
        )


def send_burst(site: Edge, server: Server, key: str, pause: float) -> Burst:
    start = logged_rejections(site)
    with (
        load(site.https, key, [FORECAST], clients=CLIENTS, pause=pause, model=MODEL) as forecasts,
        load(site.https, key, [VERIFY], clients=4, pause=0.03) as verifies,
    ):
        seen = scrapes(server, BURST_SECONDS)
    all_sent = len(forecasts.calls) + len(verifies.calls)
    wait_until(lambda: logged_rejections(site) >= start + all_sent, "the log of all requests")
    then = seconds(site, "/verify", 200, start)
    served, rejected = (seconds(site, "/forecast", status, start) for status in (200, 503))
    return Burst(forecasts, verifies, seen, then, served, rejected)


def test_ten_times_the_capacity_gets_quick_responses_and_leaves_no_trace(
    site: Edge, server: Server, key: str, max_rate: float
) -> None:
    """One burst has to reach the promised times: a pause of the machine may spoil others."""
    single, before = single_forecast(site, key), processes(server)
    with load(site.https, key, [VERIFY], clients=4, pause=0.03):
        calm = scrapes(server, IDLE_SECONDS)
    assert not overload_is_alerted(calm)
    idle = seconds(site, "/verify", 200)
    pause = min(MAX_PAUSE_SECONDS, (CLIENTS - PLACES) / (TIMES_CAPACITY * max_rate))
    for _ in range(BURSTS):
        burst = send_burst(site, server, key, pause)
        after = single_forecast(site, key)
        print(
            f"\n{max_rate:.0f} forecasts a second without others; "
            f"{len(burst.forecasts.calls) / BURST_SECONDS:.0f} sent: "
            f"{dict(burst.forecasts.statuses())}; rejected within {p99(burst.rejected):.3f} (p99), "
            f"{burst.rejected[-1]:.3f} s; /verify p99 {p99(idle):.3f} s idle, "
            f"{p99(burst.then):.3f} s then; a forecast {single:.3f} s before, {after:.3f} s after"
        )
        assert_honest(burst.forecasts, burst.verifies)
        # On any machine: /verify does not wait like the requests in the queue.
        assert p95(burst.then) < statistics.median(burst.served)
        assert after < 2 * single + 1  # as before: a remaining queue would cause a wait
        assert processes(server) == before
        assert overload_is_alerted(burst.seen)
        if burst.is_quick(idle):
            return
    pytest.fail(f"in none of {BURSTS} bursts rejections and /verify were as quick as promised")


def test_without_nginx_the_service_rejects_by_itself_and_continues(
    server: Server, key: str
) -> None:
    """As on a platform, whose router passes on all requests."""
    before, counts = processes(server), scrape(server)
    with (
        load(server.url, key, [FORECAST], clients=CLIENTS, pause=0.3, model=MODEL) as burst,
        load(server.url, key, [VERIFY], clients=4, pause=0.03) as verifies,
    ):
        seen = scrapes(server, WITHOUT_NGINX_SECONDS)
    after = scrape(server)
    rejected = sorted(call.seconds for call in burst.calls if call.status == 503)
    served = sorted(call.seconds for call in burst.calls if call.status == 200)
    print(
        f"\nwithout nginx {len(burst.calls) / WITHOUT_NGINX_SECONDS:.0f} sent a second: "
        f"{dict(burst.statuses())}; rejected within {statistics.median(rejected):.3f} (p50), "
        f"{p99(rejected):.3f} (p99), {rejected[-1]:.3f} s; served {statistics.median(served):.3f} "
        f"(p50); /verify p99 {p99(sorted(call.seconds for call in verifies.calls)):.3f} s"
    )
    assert_honest(burst, verifies)
    assert overload_is_alerted(seen)
    name = "forecast_engine_refusals_total"
    assert after[name] - counts[name] == burst.statuses()[503]
    # Rejections are held for 3.2 s at most; those in the queue wait longer on any machine.
    assert statistics.median(rejected) < statistics.median(served)
    assert processes(server) == before


def send_simultaneously(
    url: str, key: str, request: Request, number: int, model: str | None = None
) -> Load:
    """Return the results of requests that are sent at the same moment."""
    sent, gate = Load(number), threading.Barrier(number)

    def work() -> None:
        client = Client(url, key, model)
        gate.wait()
        sent.calls.append(client.send(request))
        # The body of a rejected request is not part of the next one.
        sent.calls.append(client.send(VERIFY))
        client.close()

    run_in_parallel(work, number)
    assert sent.statuses("/verify") == {200: number}
    return sent


@pytest.mark.parametrize("through", ["nginx", "gunicorn"])
def test_a_burst_of_short_forecasts_on_an_idle_node_is_served(
    site: Edge, server: Server, key: str, through: str
) -> None:
    """A slow machine serves fewer, and a busy one may be too slow once."""
    url = site.https if through == "nginx" else server.url
    for _ in range(BURSTS):
        number = round(REQUESTS / slowness())
        statuses = send_simultaneously(url, key, QUICK, number, "forecast-model-2").statuses(
            "/forecast"
        )
        print(f"\n{statuses} of {number}")
        if statuses == {200: number}:
            return
    pytest.fail(f"in none of {BURSTS} bursts all were served")


def test_a_burst_of_long_backtests_is_rejected_immediately(site: Edge, key: str) -> None:
    """Except for the running ones, and the few that may wait."""
    sent = send_simultaneously(site.https, key, BACKTEST, LONG_REQUESTS)
    rejected = sorted(call.seconds for call in sent.calls if call.status == 503)
    served = sent.statuses("/backtest")[200]
    print(f"\n{served} served; rejected within {statistics.median(rejected):.2f} s (p50)")
    assert ENGINES <= served <= 6 * ENGINES
    assert len(rejected) == LONG_REQUESTS - served
    assert statistics.median(rejected) < REJECTED_WITHIN * slowness()
    assert {int(call.retry_after or 0) > 1 for call in sent.calls if call.status == 503} == {True}
    sent.assert_errors_have_the_one_shape()


def test_a_burst_of_the_longest_forecasts_meets_no_500(server: Server, key: str) -> None:
    """A busy process does not mistake its waits for a lock for an unavailable store."""
    longest = ("POST", "/forecast", attack_bodies.long_series())
    sent = send_simultaneously(server.url, key, longest, LONG_REQUESTS, MODEL)
    statuses = sent.statuses("/forecast")
    print(f"\n16 {LONG_REQUESTS} forecasts of 50,000 points at once, SQLite: {dict(statuses)}")
    assert set(statuses) <= {200, 503}
    sent.assert_errors_have_the_one_shape()


def assert_honest(burst: Load, verifies: Load) -> None:
    """Check that every request got a response, and that only forecasts were rejected."""
    assert set(burst.statuses()) == {200, 503}
    burst.assert_errors_have_the_one_shape()
    assert set(verifies.statuses()) == {200}
