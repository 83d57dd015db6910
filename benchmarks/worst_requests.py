"""What the worst request of each endpoint costs: ``python -m benchmarks.worst_requests``.

All endpoints that the application declares, and its pages, which a member of the account requests;
an endpoint without a worst request is an error. Each request is sent by itself to a service with
one web worker and one engine. /proc gives the CPU time of all processes, and the highest peak
of any. What creates is measured first; then the account is filled, so that reading it costs the
most. ``--write`` replaces the measured rows in docs/running/security.md. What exceeds its bound is
printed below it.
"""

import argparse
import contextlib
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from app import create_app
from app.api.endpoints.endpoint import PATH_VARIABLE, Endpoint, endpoints_of
from app.core.settings import SETTINGS
from app.identity.accounts.permissions import Permission
from app.watching.sources.source_records import DEFAULT_MAX_SERIES
from benchmarks.worst_bodies import (
    ACCEPTED,
    VARIABLES,
    Case,
    cases_of,
    needs_entry,
    stored_requests,
)
from benchmarks.worst_pages import Page, cases_of_page, pages_of, sign_in
from docs.tables import ROOT, Table
from tests.support.databases import SqliteDatabases
from tests.support.fake_prometheus import FakePrometheus, fake_prometheus
from tests.support.keys import new_key
from tests.support.monitors import noise_at_100
from tests.support.polling import poll
from tests.support.process_usage import processes_watched, total_cpu_seconds
from tests.support.server import Server, run_server

PAGE, NAME = "docs/running/security.md", "bench-worst"
HEADER = (
    "| Request | Worst request | Sent, bytes | Status | CPU time, s | Memory, MiB |\n"
    "|---|---|---:|---:|---:|---:|\n"
)
FIRST, LAST = ("PUT /", "POST /keys"), "DELETE /"
QUIET_SECONDS, MAX_QUIET_SECONDS = 0.2, 40.0
RESPONSE_SECONDS = 120.0
# Bounds: of a process's memory, of the time in which bad input is rejected, and of a job.
MAX_MEBIBYTES = 1_000.0
MAX_REJECTION_SECONDS = 1.0
# A batch of many series is rejected once its first second shows that it cannot be computed in time.
MAX_BATCH_REJECTION_SECONDS = 2.5
MAX_JOB_SECONDS = float(SETTINGS["forecast_timeout_seconds"].default)
SUCCESSES, SERVER_ERRORS = range(200, 300), range(500, 600)
MAX_LEFT_MEBIBYTES = 350.0
LIMIT = "1000000"
SOURCE_STEPS, SOURCE_STEP_SECONDS = 6_000, 300


@dataclass(frozen=True)
class RequestCost:
    """What a request has cost the service."""

    endpoint: Endpoint | Page
    case: Case
    status: int
    elapsed_seconds: float
    cpu_seconds: float
    peak_mebibytes: float

    @property
    def row(self) -> str:
        sent = len(self.case.body or self.case.query)
        return (
            f"| `{self.endpoint.name}` | {self.case.name} | {sent:,} | {self.status} | "
            f"{self.cpu_seconds:.2f} | {self.peak_mebibytes:.0f} |\n"
        )

    def findings(self) -> Iterator[str]:
        """Yield which bounds it exceeds."""
        batch_limit = self.endpoint.time_limit_seconds if isinstance(self.endpoint, Endpoint) else 0
        limit = batch_limit or MAX_JOB_SECONDS
        if self.status in SERVER_ERRORS:
            yield f"status {self.status}"
        max_rejection_seconds = (
            MAX_BATCH_REJECTION_SECONDS if batch_limit else MAX_REJECTION_SECONDS
        )
        if self.status >= 400 and self.elapsed_seconds > max_rejection_seconds:
            used = f"{self.cpu_seconds:.1f} s of CPU time"
            yield f"rejected after {self.elapsed_seconds:.1f} s, {used}"
        if self.elapsed_seconds > limit:
            yield f"{self.elapsed_seconds:.1f} s, of {limit:.0f} s"
        if self.peak_mebibytes > MAX_MEBIBYTES:
            yield f"{self.peak_mebibytes:.0f} MiB, of {MAX_MEBIBYTES:.0f} MiB"


def path_of(endpoint: Endpoint | Page, case: Case) -> str:
    if isinstance(endpoint, Page):
        return endpoint.filled_path() + case.query
    return PATH_VARIABLE.sub(lambda match: VARIABLES[match[1]], endpoint.path) + case.query


def missing_cases(endpoints: Sequence[Endpoint]) -> list[str]:
    """Return the names of the endpoints without a worst request, and of unknown variables."""
    return [
        endpoint.name
        for endpoint in endpoints
        if (needs_entry(endpoint) and endpoint.name not in ACCEPTED)
        or not VARIABLES.keys() >= {*PATH_VARIABLE.findall(endpoint.path)}
    ]


def ordered_endpoints(endpoints: Sequence[Endpoint | Page]) -> list[Endpoint | Page]:
    """Return the endpoints, those that create first and those that delete last."""

    def sort_key(endpoint: Endpoint | Page) -> tuple[bool, bool, int]:
        is_last = endpoint.name.startswith(LAST)
        # What is below a source is created after it, and deleted before it.
        return (
            is_last,
            not endpoint.name.startswith(FIRST),
            (-1 if is_last else 1) * len(endpoint.path),
        )

    return sorted(endpoints, key=sort_key)


def measure(server: Server, key: str | None, endpoint: Endpoint | Page, case: Case) -> RequestCost:
    """Send a request by itself; return what it has cost."""
    main_id = server.process.pid
    wait_for_quiet(main_id)
    headers = {name.replace("-", "_"): value for name, value in case.headers.items()}
    with processes_watched(main_id) as watch:
        began = time.monotonic()
        response = server.request(
            path_of(endpoint, case), case.body, key, endpoint.method, RESPONSE_SECONDS, **headers
        )
        elapsed = time.monotonic() - began
        wait_for_quiet(main_id)
    used = watch.cpu_seconds()
    return RequestCost(endpoint, case, response.status, elapsed, used, watch.highest())


def fill_account(server: Server, key: str, source_url: str) -> None:
    """Store as much as the account of a key may have."""
    for method, path, body in stored_requests(source_url):
        response = server.request(path, body, key, method)
        if response.status not in SUCCESSES:
            raise RuntimeError(f"{method} {path}: {response.status} {response.body.decode()}")


def shifted_value(values: Sequence[float], shift: int, at: int) -> float:
    """Return the value of a series of the source at a Unix time."""
    return values[(at // SOURCE_STEP_SECONDS + shift) % len(values)]


@contextlib.contextmanager
def restless_source() -> Iterator[FakePrometheus]:
    """Serve a source with the most series of a query by default, none of which is calm."""
    values = noise_at_100(SOURCE_STEPS)
    with fake_prometheus(time.time) as source:
        for number in range(DEFAULT_MAX_SERIES):
            source.add_series(partial(shifted_value, values, number), n=str(number))
        yield source


def wait_for_quiet(main_id: int) -> None:
    """Wait until a service does nothing, also what a request has left it to do."""
    seen = [(time.monotonic(), total_cpu_seconds(main_id))]

    def is_quiet() -> bool:
        now = time.monotonic()
        used = total_cpu_seconds(main_id)
        if used > seen[0][1] + 0.02:
            seen[0] = now, used
        return now - seen[0][0] > QUIET_SECONDS

    poll(is_quiet, MAX_QUIET_SECONDS)


def costliest_requests(spent: Sequence[RequestCost]) -> list[RequestCost]:
    """Return the request that took the most time, and the one that took the most memory."""
    slowest = max(spent, key=lambda measured: measured.cpu_seconds)
    largest = max(spent, key=lambda measured: measured.peak_mebibytes)
    return (
        [slowest] if largest.peak_mebibytes < 1.1 * slowest.peak_mebibytes else [slowest, largest]
    )


def _cases(endpoint: Endpoint | Page, token: str) -> Iterator[Case]:
    return cases_of_page(endpoint, token) if isinstance(endpoint, Page) else cases_of(endpoint)


def measure_all(endpoints: Sequence[Endpoint | Page], folder: Path) -> dict[str, list[RequestCost]]:
    """Measure all requests of some endpoints, by the names of these; print each."""
    url = SqliteDatabases(folder).migrated()
    key = new_key(url, permissions=Permission)
    token = sign_in(url)
    results: dict[str, list[RequestCost]] = {}
    pairs = (
        (endpoint, case)
        for endpoint in ordered_endpoints(endpoints)
        for case in _cases(endpoint, token)
    )
    start = partial(
        run_server,
        folder,
        url,
        WEB_CONCURRENCY="1",
        PAGES_PER_MINUTE=LIMIT,
        SOURCE_ALLOWED_NETWORKS="127.0.0.0/8",
    )
    pair = next(pairs, None)
    is_filled = False
    with restless_source() as source:
        while pair is not None:
            with start() as server:
                is_fresh = True
                while pair is not None and is_fresh:
                    if not is_filled and not pair[0].name.startswith(FIRST):
                        fill_account(server, key, source.url)
                        is_filled = True
                    spent = measure(server, None if isinstance(pair[0], Page) else key, *pair)
                    results.setdefault(spent.endpoint.name, []).append(spent)
                    print(spent.row, end="", flush=True)
                    # Memory that a request has left to its processes is not the next one's.
                    is_fresh = spent.peak_mebibytes < MAX_LEFT_MEBIBYTES
                    pair = next(pairs, None)
    return results


def merge_rows(page: str, measured: str) -> str:
    """Return the rows of the table on ``page``, of which those of ``measured`` are replaced."""
    names = {_name(row) for row in measured.splitlines()}
    stored = page.partition(f"<!-- {NAME}:")[2].partition("<!--")[0].splitlines(keepends=True)
    others = [row for row in stored if row.startswith("| `") and _name(row) not in names]
    return "".join(sorted(others + measured.splitlines(keepends=True), key=_name))


def _name(row: str) -> str:
    return row.split("`")[1]


def main() -> None:
    """Measure the endpoints, print the findings, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="part of the names of endpoints")
    parser.add_argument("--write", action="store_true", help="replace their rows")
    options = parser.parse_args()
    app = create_app()
    if names := missing_cases([*endpoints_of(app).values()]):
        parser.error(f"add a worst request to benchmarks/worst_bodies.py for {', '.join(names)}")
    everything: list[Endpoint | Page] = [*endpoints_of(app).values(), *pages_of(app)]
    endpoints = [endpoint for endpoint in everything if options.only in endpoint.name]
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        result = measure_all(endpoints, folder)
    rows = "".join(
        measured.row for name in sorted(result) for measured in costliest_requests(result[name])
    )
    print(f"\n{HEADER}{rows}")
    for spent in (measured for all_of_one in result.values() for measured in all_of_one):
        for finding in spent.findings():
            print(f"FINDING {spent.endpoint.name}, {spent.case.name}: {finding}")
    if options.write:
        if options.only:
            rows = merge_rows((ROOT / PAGE).read_text(), rows)
        Table(PAGE, NAME, HEADER + rows).write()


if __name__ == "__main__":
    main()
