"""Requests a second of the whole path around the engine, as a share of a bare Flask view.

``python -m benchmarks.overhead`` starts PostgreSQL, Redis and gunicorn on loopback and loads each
in turn with ``wrk``, several rounds, so that a machine whose speed drifts treats all alike. What a
request costs the web workers in processor time is printed too: neighbours hardly change that. Needs
the programs of the integration tests and ``wrk`` (Debian's package of that name).
"""

import argparse
import contextlib
import os
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import orjson

from benchmarks.overhead_apps import HORIZON, RESPONSE
from tests.support.databases import migrate
from tests.support.series import regular
from tests.support.server import ROOT, Server, flask
from tests.support.services import (
    accepts_connections,
    children,
    free_port,
    postgresql,
    redis_server,
    running,
    wait_until,
)

POINTS = 200
CONNECTIONS = 4
BARE = "bare Flask view"
HUGE = ("--per-minute", "2000000000", "--per-hour", "2000000000", "--per-day", "2000000000")


@dataclass(frozen=True)
class Target:
    """Something to load: its name in the table, its port, the key it wants, gunicorn's process."""

    name: str
    port: int
    key: str
    master: int


@dataclass(frozen=True)
class Rate:
    """Responses a second, and the web workers' processor time of each in milliseconds."""

    per_second: float
    milliseconds: float


def body() -> bytes:
    """Return a request of ``POINTS`` hourly points, horizon 24."""
    return orjson.dumps(regular("Hours", POINTS) | {"forecast_horizon": HORIZON})


def serve(stack: contextlib.ExitStack, factory: str, environ: dict[str, str]) -> tuple[int, int]:
    """Start gunicorn with an application of ``overhead_apps``; return its port and process."""
    port = free_port()
    command = [
        sys.executable,
        "-m",
        "gunicorn",
        "-c",
        str(ROOT / "benchmarks/overhead_gunicorn.py"),
    ]
    command += ["-b", f"127.0.0.1:{port}", f"benchmarks.overhead_apps:{factory}()"]
    quiet = subprocess.DEVNULL
    options = {"cwd": ROOT, "env": environ, "stdout": quiet, "stderr": quiet}
    process = stack.enter_context(running(command, **options))
    wait_until(lambda: accepts_connections(port), factory)
    return port, process.pid


def processor_seconds(target: Target) -> float:
    """Return the processor time that the web workers of ``target`` have used so far."""
    ticks = 0
    for pid in children(target.master):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def load(target: Target, seconds: int, script: Path) -> Rate:
    """Return the rate that ``wrk`` measured; fail on any response but 200."""
    script.write_text(
        'wrk.method = "POST"\nwrk.headers["Content-Type"] = "application/json"\n'
        f'wrk.headers["Authorization"] = "Bearer {target.key}"\nwrk.body = [[{body().decode()}]]\n'
    )
    command = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "-s", str(script)]
    url = f"http://127.0.0.1:{target.port}/forecast"
    before = processor_seconds(target)
    report = subprocess.run([*command, url], check=True, capture_output=True, text=True).stdout
    used = processor_seconds(target) - before
    if "Non-2xx" in report:
        raise SystemExit(f"{target.name}: {report}")
    served = int(report.split(" requests in ")[0].split()[-1])
    return Rate(float(report.split("Requests/sec:")[1].split()[0]), used / served * 1000)


def targets(stack: contextlib.ExitStack, folder: Path) -> list[Target]:
    """Start everything; return what to load, the bare view last."""
    server = stack.enter_context(postgresql())
    redis = stack.enter_context(redis_server(folder / "redis"))
    sqlite = f"sqlite:///{folder / 'keys.db'}"
    postgres = f"{server}/postgres"
    stores = {
        "SQLite": {"DATABASE_URL": sqlite},
        "PostgreSQL": {"DATABASE_URL": postgres},
        "PostgreSQL, counters in Redis": {"DATABASE_URL": postgres, "REDIS_URL": redis},
        "SQLite, counters in Redis": {"DATABASE_URL": sqlite, "REDIS_URL": redis},
    }
    found = []
    for url in (sqlite, postgres):
        migrate(url)
    for number, (name, settings) in enumerate(stores.items()):
        environ = os.environ | settings
        flask(environ, "accounts", "create", f"load{number}", "--tier", "enterprise", *HUGE)
        words = ("--account", f"load{number}", "--permissions", "read", "--quiet")
        key = flask(environ, "keys", "create", *words)
        port, master = serve(stack, "stubbed", environ)
        found.append(Target(name, port, key, master))
    response = folder / "response.json"
    first = found[0]
    with subprocess.Popen(["true"]) as nothing:
        client = Server(f"http://127.0.0.1:{first.port}", nothing, folder, {})
        response.write_bytes(client.request("/forecast", body(), first.key).body)
    port, master = serve(stack, "bare", os.environ | {RESPONSE: str(response)})
    return [*found, Target(BARE, port, "-", master)]


def print_table(rates: dict[str, list[Rate]]) -> None:
    """Print medians over the rounds; a share is that of one round."""
    print("| keys and counters in | requests a second | share of the bare view | processor time |")
    print("|---|---|---|---|")
    for name, found in rates.items():
        shares = [
            rate.per_second / base.per_second for rate, base in zip(found, rates[BARE], strict=True)
        ]
        per_second = statistics.median(rate.per_second for rate in found)
        milliseconds = statistics.median(rate.milliseconds for rate in found)
        print(
            f"| {name} | {per_second:,.0f} | {statistics.median(shares):.2f} "
            f"({min(shares):.2f} to {max(shares):.2f}) | {milliseconds:.2f} ms |"
        )


def main() -> None:
    """Load everything in turn and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=4)
    options = parser.parse_args()
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        loaded = targets(stack, folder)
        rates: dict[str, list[Rate]] = {target.name: [] for target in loaded}
        for _round in range(options.rounds):
            for target in loaded:
                rates[target.name].append(load(target, options.seconds, folder / "load.lua"))
    print_table(rates)


if __name__ == "__main__":
    main()
