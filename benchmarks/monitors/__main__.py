"""Appends against ``/verify`` on a full database: ``python -m benchmarks.monitors [--quick]``.

Fills SQLite and PostgreSQL, or the empty database of ``--database``, in bulk, then sends requests
to gunicorn on loopback. docs/running/several-nodes.md has the figures and the conclusions.
"""

import argparse
import contextlib
import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path

from sqlalchemy import create_engine, text

from app.identity.accounts.permissions import Permission
from benchmarks.monitors.fill import Filled, fill
from benchmarks.monitors.measure import (
    BLOCK,
    RequestTimes,
    feeds_of,
    measure_cpu_times,
    measure_creation,
    measure_latencies,
    measure_writing,
)
from tests.support.databases import migrate, normalized_url
from tests.support.keys import new_key
from tests.support.process_usage import descendants
from tests.support.server import Server, run_server
from tests.support.services import postgresql

FULL, SMALL, PAIRS, SECONDS = 500, 10_000, 3_000, 10.0
QUICK_FULL, QUICK_SMALL, QUICK_PAIRS, QUICK_SECONDS = 20, 200, 500, 3.0
POINTS_PER_CALL, CALLS, BATCHES = 1_000, 10, (1, 10, 100)
HISTORY = 3_000
WORKERS = "2"

# Workers that tidy up come and go, and belong to what was filled.
LASTING = """\
SELECT pid FROM pg_stat_activity
WHERE pid <> pg_backend_pid() AND backend_type <> 'autovacuum worker'"""

Row = tuple[str, str]


def percentile(seconds: list[float], percent: int) -> float:
    return statistics.quantiles(seconds, n=100, method="inclusive")[percent - 1] * 1000


@contextlib.contextmanager
def databases(url: str | None, folder: Path) -> Iterator[list[str]]:
    """Give empty databases: the one that is given, or one of each kind."""
    if url:
        yield [url]
        return
    with postgresql() as server:
        yield [f"sqlite:///{folder / 'monitors.db'}", f"{server}/postgres"]


def processes(server: Server, url: str) -> dict[str, list[int]]:
    """Return the service's processes, and those of PostgreSQL on this machine."""
    groups = {"service": descendants(server.process.pid)}
    engine = create_engine(url)
    if engine.dialect.name == "postgresql":
        with engine.connect() as connection:
            groups["PostgreSQL"] = list(connection.scalars(text(LASTING)))
    engine.dispose()
    return groups


def sizes(filled: Filled) -> list[Row]:
    """Return what was filled, and what it takes."""
    return [
        ("filled in", f"{filled.seconds:.0f} s"),
        ("bytes of a state", f"{filled.state_bytes:,}"),
        ("bytes on disk, a monitor without points", f"{filled.bytes_of_monitor:,.0f}"),
        ("bytes on disk, a point", f"{filled.bytes_of_point:.0f}"),
    ]


def comparison_rows(name: str, timings: RequestTimes, percent: int) -> list[Row]:
    """Return rows of a percentile of both kinds of request."""
    verify, append = percentile(timings.verify, percent), percentile(timings.append, percent)
    figures = f"{verify:.2f} / {append:.2f} ms, {append - verify:+.2f} ms"
    return [(f"{name}, `/verify` / append", figures)]


def measure_rows(
    url: str, server: Server, filled: Filled, pairs: int, seconds: float, count: int
) -> list[Row]:
    """Return what the service takes; ``count`` monitors are created at the end."""
    feeds = feeds_of(server, filled.full)
    measure_latencies(feeds, pairs // 10)  # so that every thread has its connections
    waited = measure_latencies(feeds, pairs)
    groups = processes(server, url)
    used = measure_cpu_times(feeds, groups, pairs // BLOCK)
    totals = [0.0, 0.0]
    rows = [*comparison_rows("p50", waited, 50), *comparison_rows("p99", waited, 99)]
    for name, measured in used.items():
        verify, append = (
            1000 * statistics.mean(part) for part in (measured.verify, measured.append)
        )
        totals = [totals[0] + verify, totals[1] + append]
        figures = f"{verify:.2f} / {append:.2f} ms, ratio {append / verify:.2f}"
        rows.append((f"CPU time of {name}", figures))
    rows.append(("CPU time in all, ratio", f"{totals[1] / totals[0]:.2f}"))
    many = [feed.seconds(feed.request(POINTS_PER_CALL)) for feed in feeds[:CALLS]]
    figures = f"{statistics.median(many):.2f} s, at most {max(many):.2f} s"
    rows.append((f"{POINTS_PER_CALL:,} points in one call", figures))
    for batch in BATCHES:
        rate = measure_writing(server, filled.writers, groups["service"], batch, seconds)
        figures = f"{rate.points:,.0f}; {1000 * rate.cpu_seconds:.2f} ms of the service a call"
        rows.append((f"points a second of twenty writers, {batch} a call", figures))
    seconds = measure_creation(
        server, new_key(url, permissions=(Permission.WRITE,)), count, HISTORY
    )
    rows.append((f"{count} monitors with {HISTORY:,} points of history", f"{seconds:.0f} s"))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", help="URL of an empty database on this machine")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    full, small, pairs, seconds = FULL, SMALL, PAIRS, SECONDS
    if options.quick:
        full, small, pairs, seconds = QUICK_FULL, QUICK_SMALL, QUICK_PAIRS, QUICK_SECONDS
    with tempfile.TemporaryDirectory() as name, databases(options.database, Path(name)) as urls:
        for url in map(normalized_url, urls):
            migrate(url)
            filled = fill(url, full, small)
            with run_server(Path(name), url, WEB_CONCURRENCY=WORKERS) as server:
                rows = sizes(filled) + measure_rows(url, server, filled, pairs, seconds, full)
            print(f"\n| {url.partition(':')[0]}: {full:,} full monitors, {small:,} others | |")
            print("|---|---|")
            print("\n".join(f"| {name} | {figures} |" for name, figures in rows), flush=True)


if __name__ == "__main__":
    main()
