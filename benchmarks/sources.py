"""One worker that watches a Prometheus: ``python -m benchmarks.sources [--series N]``.

A real Prometheus has days of gauges with a daily pattern, and scrapes them on. Measured are the
learning, then by minutes: CPU share, memory, lag, false alerts. Halfway the worker, the web
process and, if it is PostgreSQL, the database are killed. At the end ``FAULTS`` series triple for
some minutes. docs/running/several-nodes.md has the figures.
"""

import argparse
import contextlib
import datetime as dt
import hashlib
import ipaddress
import itertools
import math
import os
import signal
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from app.anomalies.results import Direction
from app.core.database import db
from app.core.unchanged import UNCHANGED
from app.watching.monitors.queries.monitor_queries import list_monitors, read_events, read_points
from app.watching.sources.query_registry import put_query
from app.watching.sources.source_reader import get_query
from app.watching.sources.source_records import QuerySettings, SourceSettings
from app.watching.sources.source_registry import put_source
from tests.support.databases import PostgresqlDatabases, SqliteDatabases, second_application
from tests.support.keys import ACTOR
from tests.support.monitoring_servers import Exporter, backfill, prometheus, run_exporter
from tests.support.preloaded_programs import Program
from tests.support.process_usage import descendants, total_cpu_seconds
from tests.support.server import run_server
from tests.support.services import (
    ENDING_SECONDS,
    PostgresqlCluster,
    free_port,
    postgresql_cluster,
    run_preloaded,
    wait_until,
)

STEP = 60
SCRAPE_SECONDS = 15
HISTORY = 4_032
FAULTS = 21
FAULT_STEPS = 4
PATIENCE_SECONDS = 3_600
LOOPBACK = ipaddress.ip_network("127.0.0.0/8")
QUERY_SETTINGS = QuerySettings(
    query="max by (service) (shop_load)",
    step=STEP,
    history=HISTORY,
    delay=SCRAPE_SECONDS + 5,
    max_series=1_000,
    false_alarm_rate=0.001,
    direction=Direction.BOTH,
    alert_severity=50.0,
    alert_min_deviation=0.0,
    muted_until=None,
    webhook=None,
)


def series_value(at: float, number: int) -> float:
    """Return the value of a series at a time: a daily pattern with noise, new each scrape."""
    digest = hashlib.blake2b(f"{number}:{int(at) // SCRAPE_SECONDS}".encode(), digest_size=8)
    parts = [int.from_bytes(digest.digest()[k : k + 2], "big") / 65_535 for k in range(0, 8, 2)]
    base = 100 * (1 + number % 7 / 3)
    day = 2 * math.pi * at / 86_400
    pattern = 1 + 0.5 * math.sin(day - 1.5) + 0.12 * math.sin(2 * day)
    return base * (pattern + 0.06 * (sum(parts) - 2))


class WorkerProcesses:
    """The processes of the worker, over its restarts."""

    def __init__(self, process: Program) -> None:
        self.process = process

    def pids(self) -> list[int]:
        """Return the process and what it started."""
        return [self.process.pid, *descendants(self.process.pid)]

    def seconds(self) -> float:
        """Return the CPU time so far."""
        return total_cpu_seconds(self.process.pid)

    def megabytes(self) -> float:
        """Return the memory, what is shared being divided among those who share it."""
        rollups = [Path(f"/proc/{pid}/smaps_rollup").read_text() for pid in self.pids()]
        lines = [line for text in rollups for line in text.splitlines() if line.startswith("Pss:")]
        return sum(int(line.split()[1]) for line in lines) / 1024


@contextlib.contextmanager
def run_worker(url: str, log: Path) -> Iterator[WorkerProcesses]:
    """Run a worker for the length of a block."""
    environ = os.environ | {"DATABASE_URL": url, "SOURCE_ALLOWED_NETWORKS": str(LOOPBACK)}
    words = ["flask", "worker"]
    with log.open("ab") as output, run_preloaded(words, environ, output) as process:
        yield WorkerProcesses(process)


def read_to() -> float:
    """Return the last step that is judged, as Unix time."""
    reached = get_query(1, "prod", "load").read_to
    return 0.0 if reached is None else reached.timestamp()


def is_live() -> bool:
    """Return whether the history of all series is learned."""
    return str(get_query(1, "prod", "load").state) == "live"


def print_usage(processes: WorkerProcesses, minutes: float) -> None:
    """Print what the worker uses for some minutes, and how far it is behind."""
    began = time.monotonic()
    before = processes.seconds()
    lags = []
    last = read_to()
    while time.monotonic() - began < minutes * 60:
        time.sleep(0.5)
        if (reached := read_to()) > last:
            lags.append(time.time() - reached)
            last = reached
    share = (processes.seconds() - before) / (time.monotonic() - began)
    print(f"CPU share {share:.1%}, memory {processes.megabytes():.0f} MB")
    print(f"lag: median {statistics.median(lags):.1f} s, most {max(lags):.1f} s, {len(lags)} steps")


def kill(process: Program | subprocess.Popen[bytes]) -> None:
    """Kill -9 a program, and what it started."""
    for pid in descendants(process.pid):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    process.send_signal(signal.SIGKILL)
    process.wait(ENDING_SECONDS)


def alert_counts() -> dict[str, int]:
    """Return how many alerts each monitor has had."""
    events = {
        monitor.name: read_events(1, monitor.name, None, 1_000, False).items
        for monitor in list_monitors(1)
    }
    return {
        name: sum(event.is_alert for event in events_of_query)
        for name, events_of_query in events.items()
    }


def print_counts() -> None:
    """Print where the monitors' points end, and which steps between them there are."""
    ends, steps = set(), set()
    for monitor in list_monitors(1):
        points = read_points(1, monitor.name, None, 100_000, False).items
        times = [dt.datetime.fromisoformat(point.timestamp).timestamp() for point in points]
        ends.add(points[-1].timestamp)
        steps |= {after - before for before, after in itertools.pairwise(times)}
    print(f"points of the monitors end at {sorted(ends)}; seconds between them: {sorted(steps)}")


def wait_for_step(number: int = 1) -> None:
    """Wait until ``number`` more steps are judged."""
    goal = read_to() + number * STEP
    wait_until(lambda: read_to() >= goal, "the next steps", PATIENCE_SECONDS)


def run_benchmark(url: str, cluster: PostgresqlCluster | None, series: int, minutes: float) -> None:
    """Run all parts on a migrated database."""
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        exporter = stack.enter_context(run_exporter(series, series_value))
        backfill(folder / "prometheus", exporter, (HISTORY + 10) * STEP, STEP)
        source = stack.enter_context(
            prometheus(folder / "prometheus", exporter, free_port(), SCRAPE_SECONDS)
        )
        app = stack.enter_context(second_application(url, source_allowed_networks=(LOOPBACK,)))
        settings = app.config["SETTINGS"]
        put_source(settings, ACTOR, 1, "prod", SourceSettings(source, UNCHANGED, None, []))
        put_query(settings, ACTOR, 1, "prod", "load", QUERY_SETTINGS)
        with run_worker(url, folder / "worker") as processes:
            began = time.monotonic()
            wait_until(is_live, "the history", PATIENCE_SECONDS)
            print(f"learning {series} x {HISTORY}: {time.monotonic() - began:.0f} s, ", end="")
            print(f"{processes.seconds():.0f} s of CPU time, {processes.megabytes():.0f} MB")
            wait_for_step(2)
            print_usage(processes, minutes)
            kill_during_step(processes, url, cluster, folder)
        with run_worker(url, folder / "worker"):
            wait_for_step(2)
            print_counts()
            report_faults(exporter, minutes)


def kill_during_step(
    processes: WorkerProcesses, url: str, cluster: PostgresqlCluster | None, folder: Path
) -> None:
    """Kill the web process, the database and the worker while a step is judged."""
    with run_server(folder, url) as server:
        kill(server.process)
    if cluster is not None:
        cluster.kill()
        time.sleep(STEP / 2)
        cluster.start()
        db.engine.dispose()
        wait_for_step()
    before = read_to()
    time.sleep(max(0.0, before + STEP + QUERY_SETTINGS.delay + 0.5 - time.time()))
    kill(processes.process)
    print("killed the web process, the worker" + (", the database" if cluster else ""))


def report_faults(exporter: Exporter, minutes: float) -> None:
    """Triple some series, and print how many are reported; the others' alerts are false."""
    before = alert_counts()
    false_alerts = sum(before.values())
    exporter.broken |= {*range(0, exporter.series, max(1, exporter.series // FAULTS))[:FAULTS]}
    wait_for_step(FAULT_STEPS)
    exporter.broken.clear()
    wait_for_step()
    reported = sum(now > before.get(name, 0) for name, now in alert_counts().items())
    print(f"false alerts in some {minutes + 4:.0f} minutes: {false_alerts}")
    print(f"faults reported: {reported} of {FAULTS}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--series", type=int, default=500)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--postgresql", action="store_true")
    options = parser.parse_args()
    with contextlib.ExitStack() as stack:
        if options.postgresql:
            cluster = stack.enter_context(postgresql_cluster())
            run_benchmark(
                PostgresqlDatabases(cluster.url).migrated(),
                cluster,
                options.series,
                options.minutes,
            )
        else:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            run_benchmark(SqliteDatabases(folder).migrated(), None, options.series, options.minutes)


if __name__ == "__main__":
    main()
