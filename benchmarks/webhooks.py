"""One deliverer of webhooks: fairness and throughput, ``python -m benchmarks.webhooks [--quick]``.

Receivers are on loopback: silent hosts accept connections and never respond, the quick one is
nginx. docs/running/metrics-and-alerts.md has the figures.
"""

import argparse
import contextlib
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from sqlalchemy import Engine

from app.core.database import db
from tests.support.databases import PostgresqlDatabases, SqliteDatabases, second_application
from tests.support.many_webhooks import (
    QuickReceiver,
    add_account,
    add_messages,
    count_delivered,
    deliverer,
    quick_receiver,
    silent_hosts,
)
from tests.support.process_usage import cpu_seconds
from tests.support.services import postgresql, wait_until

HOSTS = 60
CROWDS = ((1, 4), (1, 600), (50, 4), (50, 30))  # accounts, messages for each of their hosts
MANY, QUICK_MANY = 10_000, 1_000
HEAD_START_SECONDS = 3.0
PATIENCE_SECONDS = 300
SAMPLES = 5


@contextlib.contextmanager
def bench(url: str, folder: Path) -> Iterator[tuple[Engine, QuickReceiver]]:
    """Give the engine of a migrated database, and a quick receiver."""
    with quick_receiver(folder) as receiver, second_application(url):
        yield db.engine, receiver


def wait_seconds(url: str, folder: Path, accounts: int, webhooks: int) -> Iterator[float]:
    """Yield how long a message of each of some accounts waits beside others with silent hosts."""
    with bench(url, folder) as (engine, receiver), silent_hosts(accounts * HOSTS) as urls:
        for number in range(accounts):
            hosts = urls[number * HOSTS : (number + 1) * HOSTS]
            add_messages(engine, add_account(engine, f"silent-{number}"), hosts, webhooks)
        with deliverer(url, receiver, folder / "log"):
            time.sleep(HEAD_START_SECONDS)
            for number in range(SAMPLES):
                yield wait_of_one(engine, receiver, f"healthy-{number}")


def wait_of_one(engine: Engine, receiver: QuickReceiver, name: str) -> float:
    """Return how long a message of a new account waits."""
    account = add_account(engine, name)
    began = time.time()
    (message_id,) = add_messages(engine, account, [receiver.url], 1)
    wait_until(lambda: message_id in arrivals(receiver), "the message")
    return arrivals(receiver)[message_id] - began


def arrivals(receiver: QuickReceiver) -> dict[str, float]:
    """Return when each message has arrived, in epoch seconds."""
    return {message_id: moment for moment, message_id in receiver.arrivals()}


def throughput(url: str, folder: Path, number: int) -> tuple[float, float]:
    """Return messages a second to one quick receiver, and CPU ms a message."""
    with bench(url, folder) as (engine, receiver):
        add_messages(engine, add_account(engine, "busy"), [receiver.url], number)
        with deliverer(url, receiver, folder / "log") as process:
            before = cpu_seconds(process.pid)
            began = time.monotonic()
            seconds = float(PATIENCE_SECONDS)
            while time.monotonic() - began < seconds and count_delivered(engine) < number:
                time.sleep(0.2)
            took = time.monotonic() - began
            done = count_delivered(engine)
            return done / took, (cpu_seconds(process.pid) - before) / max(done, 1) * 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    with tempfile.TemporaryDirectory() as name, postgresql() as server:
        folder = Path(name)
        folder.chmod(0o755)
        os.environ["FLASK_APP"] = "wsgi:app"
        databases = (SqliteDatabases(folder), PostgresqlDatabases(server))
        for kind in databases:
            print(type(kind).__name__)
            for index, (accounts, webhooks) in enumerate(CROWDS[: 2 if quick else None]):
                work = folder / f"{type(kind).__name__}-{index}"
                waits = [*wait_seconds(kind.migrated(), work, accounts, webhooks)]
                crowd = f"{accounts} accounts with {HOSTS} silent hosts, {webhooks} messages each"
                print(f"beside {crowd}: {max(waits):.2f} s at most", flush=True)
            number = QUICK_MANY if quick else MANY
            rate, cost = throughput(
                kind.migrated(), folder / f"{type(kind).__name__}-quick", number
            )
            print(f"{number} to one receiver: {rate:.0f} a second, {cost:.2f} ms each", flush=True)


if __name__ == "__main__":
    main()
