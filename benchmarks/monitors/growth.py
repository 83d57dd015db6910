"""How PostgreSQL's tables grow while points are appended: ``python -m benchmarks.monitors.growth``.

Four clients append one point after the other, each to its own monitor, as fast as the service
responds. docs/running/several-nodes.md has the figures.
"""

import argparse
import tempfile
import threading
import time
from pathlib import Path

import orjson
from sqlalchemy import Engine, create_engine, text

from app.identity.accounts.permissions import Permission
from benchmarks.monitors.fill import Target
from benchmarks.monitors.measure import Feed
from tests.support.databases import migrate, normalized
from tests.support.keys import mint
from tests.support.load import Client
from tests.support.server import serving
from tests.support.services import postgresql

MONITORS, APPENDS, HISTORY, SAMPLES = 4, 33_000, 1_000, 4
SETTINGS = {"data_frequency": "Minutes", "step": 5}
# Longer than the pause between two runs of autovacuum.
REST_SECONDS = 75.0
SIZES = """\
SELECT relname, pg_total_relation_size(oid) AS size FROM pg_class
WHERE relkind = 'r' AND relname LIKE 'monitor%' ORDER BY relname"""
WRITTEN = "SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn"


def show(engine: Engine, moment: str) -> None:
    """Print the MB of each table of monitors, with its TOAST and indexes."""
    with engine.connect() as connection:
        sizes = [f"{name} {size / 1e6:.1f}" for name, size in connection.execute(text(SIZES))]
    print(f"{moment}: {', '.join(sizes)} MB", flush=True)


def main() -> None:
    """Append, and print sizes before, during and after."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--appends", type=int, default=APPENDS)
    appends = parser.parse_args().appends // MONITORS
    with tempfile.TemporaryDirectory() as name, postgresql() as cluster:
        url = normalized(f"{cluster}/postgres")
        migrate(url)
        engine = create_engine(url)
        key = mint(url, permissions=(Permission.READ, Permission.WRITE))
        with serving(Path(name), url, WEB_CONCURRENCY="2") as server:
            feeds = []
            for number in range(MONITORS):
                target = Target(f"monitor-{number}", key, 0)
                client = Client(server.url, key)
                client.send(("PUT", f"/monitors/{target.name}", orjson.dumps(SETTINGS)))
                feeds.append(Feed(target, client))
                feeds[-1].seconds(feeds[-1].request(HISTORY))
            run(engine, feeds, appends)
        engine.dispose()


def run(engine: Engine, feeds: list[Feed], appends: int) -> None:
    """Append so many points to each monitor, all at once, and print what becomes of the tables."""
    show(engine, "before")
    with engine.connect() as connection:
        before = connection.scalar(text(WRITTEN))
    began = time.monotonic()
    for sample in range(1, SAMPLES + 1):
        threads = [
            threading.Thread(target=append, args=(feed, appends // SAMPLES)) for feed in feeds
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        show(engine, f"after {sample * len(feeds) * (appends // SAMPLES):,} appends")
    passed, count = time.monotonic() - began, SAMPLES * len(feeds) * (appends // SAMPLES)
    with engine.connect() as connection:
        log = (connection.scalar(text(WRITTEN)) - before) / count
    print(f"{count / passed:.0f} appends a second, {log:,.0f} bytes of log an append", flush=True)
    time.sleep(REST_SECONDS)
    show(engine, f"after {REST_SECONDS:.0f} s of rest")


def append(feed: Feed, count: int) -> None:
    """Append so many points, one a request."""
    for _ in range(count):
        feed.seconds(feed.request())


if __name__ == "__main__":
    main()
