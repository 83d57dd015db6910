"""Real Prometheus, Alertmanager and VictoriaMetrics, while each part is restarted.

Tested are history, live points, a fault, its alert and its end.
"""

import contextlib
import datetime as dt
import itertools
import os
import signal
import time
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from app.core.unchanged import UNCHANGED
from app.watching.monitors.queries.monitor_queries import list_monitors, read_events, read_points
from app.watching.monitors.settings.states import State
from app.watching.sources.source_reader import find_feeds, get_query
from app.watching.sources.source_records import SourceSettings
from tests.support.databases import SqliteDatabases, second_application
from tests.support.keys import ACTOR
from tests.support.monitoring_servers import (
    active_alerts,
    alertmanager,
    backfill,
    calm_value,
    prometheus,
    run_exporter,
    victoria_metrics,
)
from tests.support.preloaded_programs import Program
from tests.support.services import ENDING_SECONDS, free_port, run_preloaded, wait_until
from tests.support.watching import put_query, put_source
from tests.watching.sources import source_queries
from tests.watching.sources.source_queries import poll_due

pytestmark = pytest.mark.services

SERIES = 3
HISTORY = 300
# A fault of 30 steps becomes the level; a busy machine needs most of a minute to restart each part.
STEP = 3
QUERY_SETTINGS = replace(
    source_queries.QUERY_SETTINGS,
    query="max by (service) (shop_load)",
    step=STEP,
    history=HISTORY,
    delay=3,
    max_series=10,
    alert_min_deviation=50.0,
)


@contextlib.contextmanager
def worker(database_url: str, log: Path):
    environ = os.environ | {
        "DATABASE_URL": database_url,
        "SOURCE_ALLOWED_NETWORKS": "127.0.0.0/8",
        "SOURCE_LEAST_STEP": "1",
    }
    words = ["flask", "worker"]
    with log.open("ab") as output, run_preloaded(words, environ, output) as process:
        yield process


def kill(process: Program) -> None:
    process.send_signal(signal.SIGKILL)
    process.wait(ENDING_SECONDS)


def state() -> str:
    return str(get_query(1, "prod", "load").state)


def services_alerted(url: str) -> set[str]:
    with contextlib.suppress(httpx.HTTPError):
        return {alert["labels"]["service"] for alert in active_alerts(url)}
    return set()


def gaps(name: str) -> set[float]:
    """Return the gaps between the points of a monitor in seconds."""
    points = read_points(1, name, None, 100_000, False).items
    times = [dt.datetime.fromisoformat(point.timestamp).timestamp() for point in points]
    return {after - before for before, after in itertools.pairwise(times)}


def test_a_fault_reaches_alertmanager_and_ends_while_each_part_is_restarted(
    tmp_path: Path, sqlite_databases: SqliteDatabases
) -> None:
    database_url = sqlite_databases.migrated()
    folder, ports = tmp_path / "prometheus", (free_port(), free_port())
    with contextlib.ExitStack() as stack:
        exporter = stack.enter_context(run_exporter(SERIES))
        backfill(folder, exporter, HISTORY * STEP + 60)
        settings = {"source_allowed_networks": source_queries.LOOPBACK, "source_least_step": 1}
        stack.enter_context(second_application(database_url, **settings))
        with prometheus(folder, exporter, ports[0]) as url:
            alert_url = f"http://127.0.0.1:{ports[1]}"
            put_source(ACTOR, 1, "prod", SourceSettings(url, UNCHANGED, None, [alert_url]))
            put_query(ACTOR, 1, "prod", "load", QUERY_SETTINGS)
            with (
                alertmanager(tmp_path / "alertmanager", ports[1]),
                worker(database_url, tmp_path / "worker") as process,
            ):
                wait_until(lambda: state() == "live", "the history")
                assert {feed.labels["service"] for feed in find_feeds(1).values()} == {
                    "s0",
                    "s1",
                    "s2",
                }
                assert all(monitor.points >= HISTORY - 30 for monitor in list_monitors(1))
                # Prometheus repeats the last value of its history until it has scraped the
                # exporter: on a busy machine that is long enough to be an event.
                wait_until(
                    lambda: {monitor.state for monitor in list_monitors(1)} == {State.NORMAL},
                    "the end of an event of the first steps",
                )
                read_to = get_query(1, "prod", "load").read_to
                wait_until(lambda: get_query(1, "prod", "load").read_to > read_to, "the next steps")
                exporter.broken.add(1)
                wait_until(lambda: services_alerted(alert_url) == {"s1"}, "the alert")
                kill(process)
            # Alertmanager and the worker are both new: the open alert is alert_url again.
            with (
                alertmanager(tmp_path / "another", ports[1]),
                worker(database_url, tmp_path / "worker"),
            ):
                wait_until(lambda: services_alerted(alert_url) == {"s1"}, "the alert again")
        # Prometheus is restarted meanwhile.
        with worker(database_url, tmp_path / "worker"):
            wait_until(lambda: state() == "failing", "the end of Prometheus")
            with prometheus(folder, exporter, ports[0]), alertmanager(tmp_path / "third", ports[1]):
                wait_until(lambda: state() == "live", "Prometheus again")
                exporter.broken.clear()
                (broken,) = [
                    name for name, feed in find_feeds(1).items() if feed.labels["service"] == "s1"
                ]
                wait_until(lambda: is_over(broken), "the end of the event")
                wait_until(lambda: services_alerted(alert_url) == set(), "the end of the alert")
        for monitor in list_monitors(1):
            points = read_points(1, monitor.name, None, 100_000, False).items
            assert len({point.timestamp for point in points}) == len(points)
        others = [name for name, feed in find_feeds(1).items() if feed.labels["service"] != "s1"]
        alerts = [event for name in others for event in events(name) if event.is_alert]
        assert alerts == []


def events(name: str):
    return read_events(1, name, None, 1_000, False).items


def is_over(name: str) -> bool:
    return all(event.closed_at for event in events(name))


def test_victoria_metrics_is_read_step_by_step(
    tmp_path: Path, sqlite_databases: SqliteDatabases
) -> None:
    step, now = 15, int(time.time())
    with (
        victoria_metrics(tmp_path / "victoria") as url,
        second_application(
            sqlite_databases.migrated(), source_allowed_networks=source_queries.LOOPBACK
        ),
    ):
        lines = [
            f'shop_load{{service="s{number}"}} {calm_value(at, number)} {at * 1000}'
            for number in range(2)
            for at in range(now - 3_600, now, step)
        ]
        httpx.post(f"{url}/api/v1/import/prometheus", content="\n".join(lines), trust_env=False)
        httpx.get(f"{url}/internal/force_flush", trust_env=False)
        put_source(ACTOR, 1, "prod", SourceSettings(url, UNCHANGED, None, []))
        query_settings = replace(
            QUERY_SETTINGS, query="avg_over_time(shop_load[15s])", step=step, history=200, delay=120
        )
        put_query(ACTOR, 1, "prod", "load", query_settings)

        def is_live() -> bool:
            poll_due()
            return state() == "live" and len(list_monitors(1)) == 2

        wait_until(is_live, "the history")
        assert get_query(1, "prod", "load").problem is None
        for monitor in list_monitors(1):
            assert gaps(monitor.name) == {step}
            assert monitor.points == 200
