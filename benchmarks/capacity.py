"""What one node does: forecasts a second by model and length, and memory by process.

``python -m benchmarks.capacity`` starts gunicorn with the service's own settings on loopback, with
keys and counters in SQLite, and keeps all engines busy with one kind of request after the other.
docs/running/several-nodes.md has the figures and the conclusions.
"""

import argparse
import contextlib
import statistics
import tempfile
import time
from pathlib import Path

import orjson

from app.forecasting.models.recipes import MODELS
from tests.support.databases import SqliteDatabases
from tests.support.keys import new_key
from tests.support.load import Client, Request, load
from tests.support.process_usage import ENGINE, FORK_SERVER, WEB, cpu_seconds, kinds
from tests.support.series import regular_body
from tests.support.server import Server, run_server

POINTS = (200, 1_000, 10_000)
MAX_POINTS = 50_000
HORIZON = 24
UNQUEUED_CALLS = 20
KIB_PER_MIB = 1024  # the unit of /proc is KiB


def forecast_request(points: int) -> Request:
    """Return a request with an hourly series."""
    body = regular_body("Hours", points) | {"forecast_horizon": HORIZON}
    return "POST", "/forecast", orjson.dumps(body)


def process_ids(server: Server) -> dict[str, list[int]]:
    """Return the web workers, the engines, and what the engines are forked from."""
    result = kinds(server.process.pid)
    return {
        kind: [pid for pid in result if result[pid] == kind] for kind in (WEB, ENGINE, FORK_SERVER)
    }


def service_cpu_seconds(server: Server) -> float:
    """Return the CPU time of web workers and engines so far."""
    return sum(cpu_seconds(pid) for pids in process_ids(server).values() for pid in pids)


def service_seconds(server: Server, key: str, sent: Request, model: str) -> list[float]:
    """Return the latency for one client that sends one forecast after the other."""
    client = Client(server.url, key, model)
    calls = [client.send(sent) for _ in range(UNQUEUED_CALLS)]
    client.close()
    assert {call.status for call in calls} == {200}
    return [call.seconds for call in calls]


def measure_busy(
    server: Server, key: str, sent: Request, model: str, seconds: float, cores: int
) -> tuple[float, float]:
    """Return forecasts a second, and the CPU seconds of each, with all engines busy."""
    before = service_cpu_seconds(server)
    started = time.monotonic()
    with load(server.url, key, [sent], clients=2 * cores, model=model) as done:
        time.sleep(seconds)
    assert set(done.statuses()) == {200}
    number = len(done.calls)
    return number / (time.monotonic() - started), (service_cpu_seconds(server) - before) / number


def memory_mib(pid: int) -> tuple[float, float, float]:
    """Return a process's memory in MiB: resident, private, and peak."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    status = dict(line.split(":", 1) for line in lines)
    rollup = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    private = sum(int(line.split()[1]) for line in rollup if line.startswith("Private"))
    resident, most = (int(status[name].split()[0]) for name in ("VmRSS", "VmHWM"))
    return resident / KIB_PER_MIB, private / KIB_PER_MIB, most / KIB_PER_MIB


def memory_rows(server: Server, state: str) -> str:
    """Return the rows of a table, the largest process of each kind."""
    rows = []
    for kind, pids in process_ids(server).items():
        columns = zip(*(memory_mib(pid) for pid in pids), strict=True)
        resident, private, peak = (max(column) for column in columns)
        rows.append(f"| {kind} | {state} | {resident:.0f} | {private:.0f} | {peak:.0f} |")
    return "\n".join(rows)


def main() -> None:
    """Load one kind of request after the other and print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--cores", type=int, default=2)
    options = parser.parse_args()
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        url = SqliteDatabases(folder).migrated()
        key = new_key(url)
        # A separate command, so that each process has loaded only what it needs.
        serve = run_server(folder, url, prefix=["env"], WEB_CONCURRENCY=str(options.cores))
        server = stack.enter_context(serve)
        tables = [memory_rows(server, "at the start")]
        print("| model | points | one, ms | CPU, ms | a second, measured | by the CPU |")
        print("|---|---|---|---|---|---|")
        for points in (*POINTS, MAX_POINTS):
            for model in MODELS:
                sent = forecast_request(points)
                single = statistics.median(service_seconds(server, key, sent, model))
                most, cpu = measure_busy(server, key, sent, model, options.seconds, options.cores)
                print(
                    f"| {model[-1]} | {points:,} | {single * 1000:.0f} | {cpu * 1000:.1f} | "
                    f"{most:.0f} | {options.cores / cpu:.0f} |",
                    flush=True,
                )
            tables.append(memory_rows(server, f"{points:,} points"))
        print("\n| process | after | holds, MiB | its own | most ever |\n|---|---|---|---|---|")
        print("\n".join(tables))


if __name__ == "__main__":
    main()
