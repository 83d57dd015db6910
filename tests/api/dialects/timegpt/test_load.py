"""Thousands of series beside single forecasts in a real service: priority, limits, lost clients."""

import http.client
import time
from collections.abc import Iterator
from urllib.parse import urlsplit

import numpy as np
import orjson
import pytest

from app.forecasting.jobs.window_forecasts import forecast_windows
from app.forecasting.jobs.windows import ForecastWindows, WindowOptions
from app.timeseries.calendar.frequency import Frequency
from tests.api.dialects.timegpt.calls import PREFIX, Body, body, compressed_body, months
from tests.support.api import QUICK_MODEL
from tests.support.databases import SqliteDatabases
from tests.support.keys import new_key
from tests.support.load import Client, Request, load, run_in_parallel
from tests.support.machine_speed import slowness
from tests.support.metrics import read
from tests.support.process_usage import total_cpu_seconds
from tests.support.series import daily_body
from tests.support.server import Server, run_server
from tests.support.services import wait_until

PATH = f"{PREFIX}v2/forecast"
ENGINES = 2
JOBS_IN_FLIGHT = "forecast_engine_jobs_in_flight"
CLIENT_LEFT = '"status":499'


@pytest.fixture(scope="module")
def server(
    sqlite_databases: SqliteDatabases, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("timegpt")
    database = sqlite_databases.migrated()
    with run_server(folder, database, WEB_CONCURRENCY=str(ENGINES)) as live:
        yield live


@pytest.fixture(scope="module")
def key(server: Server) -> str:
    return new_key(server.environ["DATABASE_URL"])


def body_of_many_series(series: int, **fields: object) -> Body:
    """Return a body with a number of series of ten years each."""
    return body(*[months(120, seed) for seed in range(series)], h=12, level=[80, 95], **fields)


def forecasts_in_flight(server: Server) -> float:
    return read(server.request("/metrics").body.decode()).get(JOBS_IN_FLIGHT, 0.0)


def start(server: Server, key: str, sent: Body) -> http.client.HTTPConnection:
    """Send a call, and return as soon as it is being computed."""
    address = urlsplit(server.url)
    connection = http.client.HTTPConnection(address.hostname or "", address.port)
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    connection.request("POST", PATH, orjson.dumps(sent), headers)
    wait_until(lambda: forecasts_in_flight(server) > 0, "the call at the engines")
    return connection


def test_a_call_in_parts_is_each_of_its_series_by_itself(server: Server, key: str) -> None:
    sent = body_of_many_series(200)
    whole = server.request(PATH, compressed_body(sent), key, Content_Encoding="zstd").json()
    for index in (0, 77, 199):
        series = sent["series"]["y"][120 * index : 120 * (index + 1)]
        single = server.request(PATH, body(series, h=12, level=[80, 95]), key).json()
        which = slice(12 * index, 12 * (index + 1))
        assert whole["mean"][which] == single["mean"]
        assert {name: bound[which] for name, bound in whole["intervals"].items()} == single[
            "intervals"
        ]


def test_a_call_is_in_the_metrics_by_its_number_of_series(server: Server, key: str) -> None:
    name = "forecast_batch_series_bucket{engine_job=forecast-batch,le=10.0}"
    before = read(server.request("/metrics").body.decode()).get(name, 0.0)
    assert server.request(PATH, body_of_many_series(5), key).status == 200
    assert read(server.request("/metrics").body.decode())[name] == before + 1


@pytest.mark.timing
def test_a_client_that_leaves_frees_the_engines_within_a_second(server: Server, key: str) -> None:
    connection = start(server, key, body_of_many_series(1_000, model="timegpt-2-pro"))
    before = server.logged.count(CLIENT_LEFT)
    connection.close()
    left = time.monotonic()
    wait_until(lambda: server.logged.count(CLIENT_LEFT) > before, "the end of the call", 10)
    assert time.monotonic() - left < 1.0
    assert forecasts_in_flight(server) == 0


@pytest.mark.timing
def test_ten_concurrent_partitions_leave_single_forecasts_as_they_are(
    server: Server, key: str
) -> None:
    single: Request = ("POST", "/forecast", orjson.dumps(daily_body()))
    part: Request = ("POST", PATH, orjson.dumps(body_of_many_series(100)))
    statuses = []
    with load(server.url, key, [single], clients=1, pause=0.02, model=QUICK_MODEL) as singles:

        def send() -> None:
            client = Client(server.url, key)
            statuses.append(client.send(part).status)
            client.close()

        run_in_parallel(send, 10)
    assert statuses == [200] * 10
    assert set(singles.statuses()) == {200}
    seconds = [call.seconds for call in singles.calls]
    assert len(seconds) > 20
    assert np.percentile(seconds, 99) < 1.0 * slowness()


@pytest.mark.timing
def test_a_thousand_series_take_little_more_than_the_engine(server: Server, key: str) -> None:
    sent = body_of_many_series(int(1_000 / slowness()))  # a slower machine would reject a thousand
    started = total_cpu_seconds(server.process.pid)
    response = server.request(PATH, compressed_body(sent), key, Content_Encoding="zstd")
    assert response.status == 200
    taken = total_cpu_seconds(server.process.pid) - started
    values, ends = np.array(sent["series"]["y"]), np.cumsum(sent["series"]["sizes"])
    windows = ForecastWindows(ends - 120, ends, np.full_like(ends, 12))
    options = WindowOptions(Frequency.MONTHLY, (12,), QUICK_MODEL, (0.8, 0.95), None, None)
    started = time.process_time()
    single = forecast_windows(options, values, windows)
    by_itself = time.process_time() - started
    print(f"{len(ends)} series: {taken:.2f} s of CPU time, the engine {by_itself:.2f} s")
    assert response.json()["mean"] == single.median.tolist()
    assert taken < 1.3 * by_itself + 0.5
