"""Appends that are repeated until they succeed, while one process after another is killed.

All points lie in the past: a forecast of a season, which comes when an engine has time, would make
two runs differ.
"""

import contextlib
import datetime as dt
import itertools
import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest
from sqlalchemy import create_engine, text

from app.anomalies.results import Direction
from app.anomalies.streaming.detector import StreamDetector
from app.anomalies.streaming.learning import learn_stream
from app.identity.accounts.permissions import Permission
from tests.integration.workers import supervisor, web_workers
from tests.support.databases import POSTGRESQL, PostgresqlDatabases, SqliteDatabases
from tests.support.keys import new_key
from tests.support.load import Client
from tests.support.preloaded_programs import Program
from tests.support.receiver import Receiver, run_receiver
from tests.support.server import Server, run_server
from tests.support.services import PostgresqlCluster, postgresql_cluster, run_preloaded, wait_until

FEW_POINTS, MANY_POINTS = 300, 2_000
BETWEEN_KILLS = 40  # points
START = dt.datetime(2024, 1, 1)
DAY = 24
RATE = 0.001
SETTINGS = {"data_frequency": "Hours", "false_alarm_rate": RATE}
VERDICT = ("is_anomaly", "expected", "lower_bound", "upper_bound", "p_value", "severity")
HAPPENED = ("kind", "direction", "start", "end", "peak_timestamp", "severity", "closed_as")
WORKERS = 2
MAX_POINTS = 1_000  # points of an append and of a page
PATIENCE_SECONDS = 60

Json = dict[str, Any]


def values(count: int) -> list[float]:
    """Return a daily wave with noise, two outliers a week, and a new level in the middle."""
    index = np.arange(count)
    series = (
        100 + 10 * np.sin(index / DAY * 2 * np.pi) + np.random.default_rng(1).normal(size=count)
    )
    series[np.isin(index % 168, (100, 140))] += 60
    series[count // 2 :] += 30
    return series.tolist()


def body(sent: list[float], first: int = 0) -> Json:
    """Return a body of points from an index on."""
    hours = [START + dt.timedelta(hours=first + index) for index in range(len(sent))]
    return {"timestamps": [f"{hour.isoformat()}Z" for hour in hours], "values": sent}


@dataclass
class Service:
    """The service with its deliverer, which is started again after a kill."""

    server: Server
    key: str
    receiver: Receiver
    stack: contextlib.ExitStack
    cluster: PostgresqlCluster | None
    deliverer: Program | None = None
    responses: list[Json] = field(default_factory=list)

    def deliver(self) -> None:
        """Start the deliverer."""
        environ = self.server.environ | {"SSL_CERT_FILE": str(self.receiver.certificate)}
        log = self.stack.enter_context(self.receiver.certificate.with_name("log").open("ab"))
        started = run_preloaded(["flask", "worker"], environ, log)
        self.deliverer = self.stack.enter_context(started)

    def kill_deliverer(self) -> None:
        assert self.deliverer is not None
        self.deliverer.kill()
        self.deliverer.wait()
        self.deliver()

    def kill_worker(self) -> None:
        os.kill(web_workers(self.server)[0], signal.SIGKILL)

    def kill_engines(self) -> None:
        """Kill the engines' supervisor, unless the last one is still being replaced."""
        pid = supervisor(self.server)
        if pid:
            os.kill(pid, signal.SIGKILL)

    def kill_database(self) -> None:
        assert self.cluster is not None
        self.cluster.kill()
        self.cluster.start()

    @property
    def kills(self) -> list[Callable[[], None]]:
        """Return the processes that may be killed; SQLite runs in the web workers."""
        database = [self.kill_database] if self.cluster else []
        return [self.kill_worker, self.kill_deliverer, self.kill_engines, *database]

    def insist(self, method: str, path: str, content: Json | None = None) -> Json:
        """Send a request until it succeeds."""
        data = None if content is None else orjson.dumps(content)
        client = Client(self.server.url, self.key)
        bodies: list[bytes] = []

        def has_succeeded() -> bool:
            call = client.send((method, path, data))
            assert call.status in (0, 200, 201, 500, 502, 503), call
            bodies.extend([call.body] if call.status in (200, 201) else [])
            return bool(bodies)

        wait_until(has_succeeded, "a response", PATIENCE_SECONDS)
        client.close()
        return orjson.loads(bodies[0])

    def append_all(self, name: str, sent: list[float], at_once: int) -> list[Json]:
        """Append points, with retries until each succeeds; return the responses."""
        responses = []
        for first in range(0, len(sent), at_once):
            points = body(sent[first : first + at_once], first)
            responses.append(self.insist("POST", f"/monitors/{name}/points", points))
            self.responses.append(responses[-1])
        return responses

    def list_all(self, name: str, things: str) -> list[Json]:
        """Return all points or events of a monitor, by pages."""
        results: list[Json] = []
        after = ""
        while True:
            page = self.insist("GET", f"/monitors/{name}/{things}?limit={MAX_POINTS}{after}")
            results += page[things]
            if page["next"] is None:
                return results
            after = f"&after={page['next']}"


@contextlib.contextmanager
def service(folder: Path, url: str, cluster: PostgresqlCluster | None) -> Iterator[Service]:
    """The service on a migrated database, and a receiver of its messages."""
    key = new_key(url, permissions=(Permission.READ, Permission.WRITE))
    allowed = {"WEBHOOK_ALLOWED_NETWORKS": "127.0.0.0/8,::1/128"}
    with contextlib.ExitStack() as stack:
        receiver = stack.enter_context(run_receiver(folder, "localhost"))
        server = stack.enter_context(
            run_server(folder, url, WEB_CONCURRENCY=str(WORKERS), **allowed)
        )
        made = Service(server, key, receiver, stack, cluster)
        made.deliver()
        yield made


@pytest.fixture(params=["sqlite", POSTGRESQL])
def killable_service(
    request: pytest.FixtureRequest, sqlite_databases: SqliteDatabases, tmp_path: Path
) -> Iterator[Service]:
    """The service on either database; the server of PostgreSQL is its own."""
    with contextlib.ExitStack() as stack:
        cluster, url = None, sqlite_databases.migrated()
        if request.param == "postgresql":
            cluster = stack.enter_context(postgresql_cluster())
            url = PostgresqlDatabases(cluster.url).migrated()
        yield stack.enter_context(service(tmp_path, url, cluster))


@pytest.mark.parametrize("count", [FEW_POINTS, pytest.param(MANY_POINTS, marks=pytest.mark.soak)])
def test_retried_points_are_stored_judged_and_delivered_once(killable_service, count):
    sent = values(count)
    hook = f"https://localhost:{killable_service.receiver.port}/hook"
    killable_service.insist("PUT", "/webhooks/ops", {"url": hook})
    killable_service.insist("PUT", "/monitors/killed", SETTINGS | {"webhook": "ops"})
    killable_service.insist("PUT", "/monitors/calm", SETTINGS)
    with ThreadPoolExecutor(1) as pool:
        appending = pool.submit(killable_service.append_all, "killed", sent, 1)
        for number, kill in enumerate(itertools.cycle(killable_service.kills), 1):
            wait_until(
                lambda number=number: (
                    appending.done() or len(killable_service.responses) > BETWEEN_KILLS * number
                ),
                "some points",
            )
            if appending.done():
                break
            kill()
        responses = appending.result()
    assert number > len(killable_service.kills)
    assert_stored_once(killable_service, sent)
    assert_judged_once(killable_service, sent, responses)
    assert_no_event_lost(killable_service, sent)
    assert_all_delivered(killable_service)


def assert_stored_once(killable: Service, sent: list[float]) -> None:
    """Check that every point is stored, with the verdict of an undisturbed detector."""
    stored = killable.list_all("killed", "points")
    expected = body(sent)
    assert [point["timestamp"] for point in stored] == expected["timestamps"]
    assert [point["value"] for point in stored] == sent
    periods = (DAY, 7 * DAY)
    detector = StreamDetector(periods, RATE, Direction.BOTH)
    for index, (point, value) in enumerate(zip(stored, sent, strict=True)):
        if detector.needs_fit:
            known = np.array(sent[index - detector.learned_steps : index])
            detector.learn(*learn_stream(known, periods, detector.learning_context))
        verdict = detector.update(value)
        assert point["status"] == ("learning" if verdict.is_learning else "judged")
        results = [point[name] for name in ("is_anomaly", "expected", "lower_bound", "upper_bound")]
        assert results == [verdict.is_anomaly, verdict.expected, verdict.lower, verdict.upper]


def assert_judged_once(killable: Service, sent: list[float], responses: list[Json]) -> None:
    """Check that every point sent again gets its first verdict."""
    second = killable.append_all("killed", sent, MAX_POINTS)
    for name in VERDICT:
        first = [response[name][0] for response in responses]
        assert [value for response in second for value in response[name]] == first
    assert {status for response in second for status in response["status"]} == {"duplicate"}


def assert_no_event_lost(killable: Service, sent: list[float]) -> None:
    """Check that the events are those of a monitor without interruptions."""
    killable.append_all("calm", sent, MAX_POINTS)
    calm, killed = (
        sorted(
            [event[name] or "" for name in HAPPENED]
            for event in killable.list_all(monitor, "events")
        )
        for monitor in ("calm", "killed")
    )
    assert len(calm) > 2
    assert killed == calm


def assert_all_delivered(killable: Service) -> None:
    """Wait until each alert was reported when it opened, and when it closed."""
    end_leases(killable)

    def reported_alerts() -> set[tuple[str, int]]:
        messages = [orjson.loads(request.body) for request in killable.receiver.requests]
        return {(message["type"], message["data"]["event"]["id"]) for message in messages}

    def is_all_reported() -> bool:
        events = [event for event in killable.list_all("killed", "events") if event["is_alert"]]
        assert events
        due = {("event.opened", event["id"]) for event in events}
        due |= {("event.closed", event["id"]) for event in events if event["end"] is not None}
        return due <= reported_alerts()

    wait_until(is_all_reported, "messages about all events")


def end_leases(killable: Service) -> None:
    """End the leases of killed deliverers, which last a minute."""
    engine = create_engine(killable.server.environ["DATABASE_URL"])
    with engine.begin() as connection:
        connection.execute(
            text("UPDATE deliveries SET leased_until = NULL WHERE delivered_at IS NULL")
        )
    engine.dispose()
