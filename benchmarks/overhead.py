"""Requests a second of the whole path around the engine, as a share of a bare Flask view.

``python -m benchmarks.overhead`` starts PostgreSQL, Redis and gunicorn on loopback and loads each
in turn with ``wrk``, several rounds, so that a machine whose speed drifts treats all alike. Needs
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

from benchmarks.overhead_apps import ANSWER, HORIZON
from tests.support.databases import migrate
from tests.support.series import regular
from tests.support.server import ROOT, Server, flask
from tests.support.services import (
    accepts_connections,
    free_port,
    postgresql,
    redis_server,
    running,
    wait_until,
)

POINTS = 200
CONNECTIONS = 4
HUGE = ("--per-minute", "2000000000", "--per-hour", "2000000000", "--per-day", "2000000000")


@dataclass(frozen=True)
class Target:
    """Something to load: its name in the table, its port and the key it wants."""

    name: str
    port: int
    key: str


def body() -> bytes:
    """Return a request of ``POINTS`` hourly points, horizon 24."""
    return orjson.dumps(regular("Hours", POINTS) | {"forecast_horizon": HORIZON})


def serve(stack: contextlib.ExitStack, factory: str, environ: dict[str, str]) -> int:
    """Start gunicorn with an application of ``overhead_apps``; return its port."""
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
    stack.enter_context(running(command, cwd=ROOT, env=environ, stdout=quiet, stderr=quiet))
    wait_until(lambda: accepts_connections(port), factory)
    return port


def load(target: Target, seconds: int, script: Path) -> float:
    """Return the requests a second that ``wrk`` got answered; fail on any answer but 200."""
    script.write_text(
        'wrk.method = "POST"\nwrk.headers["Content-Type"] = "application/json"\n'
        f'wrk.headers["Authorization"] = "Bearer {target.key}"\nwrk.body = [[{body().decode()}]]\n'
    )
    command = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "-s", str(script)]
    url = f"http://127.0.0.1:{target.port}/forecast"
    report = subprocess.run([*command, url], check=True, capture_output=True, text=True).stdout
    if "Non-2xx" in report:
        raise SystemExit(f"{target.name}: {report}")
    return float(report.split("Requests/sec:")[1].split()[0])


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
        found.append(Target(name, serve(stack, "stubbed", environ), key))
    answer = folder / "answer.json"
    first = found[0]
    with subprocess.Popen(["true"]) as nothing:
        client = Server(f"http://127.0.0.1:{first.port}", nothing, folder, {})
        answer.write_bytes(client.request("/forecast", body(), first.key).body)
    port = serve(stack, "bare", os.environ | {ANSWER: str(answer)})
    return [*found, Target("bare Flask view", port, "-")]


def main() -> None:
    """Load everything in turn and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=4)
    options = parser.parse_args()
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        loaded = targets(stack, folder)
        rates: dict[str, list[float]] = {target.name: [] for target in loaded}
        for _round in range(options.rounds):
            for target in loaded:
                rates[target.name].append(load(target, options.seconds, folder / "load.lua"))
    bare = rates["bare Flask view"]
    print("| keys and counters in | requests a second | share of the bare view (min to max) |")
    print("|---|---|---|")
    for name, found in rates.items():
        shares = [rate / base for rate, base in zip(found, bare, strict=True)]
        print(
            f"| {name} | {statistics.median(found):,.0f} | {statistics.median(shares):.2f} "
            f"({min(shares):.2f} to {max(shares):.2f}) |"
        )


if __name__ == "__main__":
    main()
