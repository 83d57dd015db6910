"""Minutes of mixed traffic on four workers, and an attacker beside it for the last third.

No 500, no 503 for others than the attacker, no growth of memory, exact counts. `make soak` runs it;
`SOAK_SECONDS` says how long, warm-up included.
"""

import contextlib
import os
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import orjson
import pytest

from app.core.api_keys import generate_key
from app.identity.accounts.permissions import Permission
from tests.integration.workers import fork_server, web_workers
from tests.support import attack_bodies, monitors
from tests.support.keys import new_key, usage
from tests.support.load import FORECAST, VERIFY, Call, Load, Request, load
from tests.support.process_usage import descendants, processes_watched
from tests.support.series import daily_body
from tests.support.server import Server, run_server
from tests.support.services import wait_until
from tests.tables.hostile_files import FILES
from tests.tables.hostile_tables import GAPS

pytestmark = pytest.mark.soak

SECONDS = float(os.environ.get("SOAK_SECONDS") or 300)
WARM_UP = 0.3  # of the time: every thread has had its turn, every library its first use
CALM, ATTACKED = 0.2, 0.3  # of the time, without an attacker and with one
WORKERS = 4
GROWTH = 1.05
SMALL_LIMIT = 50  # a minute, and an hour and a day, which end after the soak
PAUSE = 0.06  # so slow that a forecast seldom finds too many waiting
MIXED: list[Request] = [
    FORECAST,
    VERIFY,
    ("POST", "/forecast", orjson.dumps(daily_body() | {"forecast_horizon": 0})),
    ("POST", "/forecast", orjson.dumps(daily_body(points=5))),
    ("POST", "/forecast", b"{"),
    ("GET", "/healthz", None),
    ("GET", "/nothing", None),
    ("PUT", "/forecast", b"{}"),
]
MONITOR, POINTS = "/monitors/soak", "/monitors/soak/points"
# A long history, so that forecasts of its season are as large from the start as at the end.
LEARNED = monitors.SETTINGS | {
    "series": [monitors.points(monitors.noise_at_100(4_000, seed=2), first=-4_000)]
}
# Each client begins at another one: points come in order, late and again.
MONITORED: list[Request] = [
    *(
        ("POST", POINTS, orjson.dumps(monitors.points([value], index)))
        for index, value in enumerate(monitors.noise_at_100(5_000))
    ),
    ("GET", MONITOR, None),
    ("GET", f"{MONITOR}/events", None),
]
# Three years of a shop's sales.
TABLE: Request = (
    "POST",
    "/tables/forecast?horizon=12",
    "\n".join(
        ["month,sales", *(f"{2020 + n // 12}-{n % 12 + 1:02}-01,{100 + n % 12}" for n in range(36))]
    ).encode(),
)
EXPECTED = {"/forecast": {200, 400, 405, 422}, "/verify": {200}, "/healthz": {200}}


READ, TABLES, AGENTS = "/read", "/tables/forecast?horizon=100", "/mcp"
WIDE = ("4,999 days across", "5,000 columns of 2020", "501 series", "names in 40 columns")
MAX_SMALL_BYTES = 300_000
AGENT = {"Accept": "application/json, text/event-stream"}
ATTACKERS, ATTACK_PAUSE = 4, 0.1  # connections for each of these, and how long they wait
ATTACKED_WITH = {200, 400, 413, 422, 429, 503}
MAX_MEBIBYTES = 500.0


def tool_call(tool: str, arguments: dict[str, object]) -> Request:
    """Return the call of a tool by an agent."""
    params = {"name": tool, "arguments": arguments}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    return "POST", AGENTS, orjson.dumps(body)


def files(kinds: Iterable[str]) -> list[Request]:
    """Return small hostile files, some wide ones among them, as tables to read and to forecast."""
    names = [name for name in FILES if name.startswith(tuple(kinds)) and "MB" not in name]
    made = {name: FILES[name]() for name in names}
    return [
        ("POST", path, body)
        for name, body in made.items()
        if name in WIDE or len(body) < MAX_SMALL_BYTES
        for path in (READ, TABLES)
    ]


def attacks() -> list[tuple[dict[str, str], list[Request]]]:
    """Return the attacker's requests by their headers."""
    xlsx = [
        ("POST", READ, body)
        for body in (attack_bodies.unclosed_tag(), attack_bodies.repeated_string())
    ]
    csv = [("POST", READ, body) for body in (attack_bodies.dashes(), attack_bodies.honest_table())]
    longest = orjson.loads(attack_bodies.long_series())
    calls = [
        tool_call("forecast", longest | {"chart": True, "X-Model-Id": "forecast-model-1"}),
        tool_call("detect_anomalies", longest | {"chart": True}),
        tool_call("read_table", {"table": attack_bodies.honest_table().decode()}),
        tool_call("read_table", {"table": FILES["json: objects 400,000 deep"]().decode()}),
        tool_call("forecast", {"series": [{"timestamps": [], "values": [1e308] * 50_000}]}),
        ("POST", AGENTS, b"[" * 1_000_000),
    ]
    return [
        ({"Content_Type": attack_bodies.XLSX}, xlsx),
        ({"Content_Type": attack_bodies.CSV}, csv),
        (
            {"Content_Encoding": "zstd"},
            [("POST", "/timegpt/v2/forecast", attack_bodies.timegpt_bomb())],
        ),
        ({"X_Model_Id": "forecast-model-1"}, [("POST", "/forecast", attack_bodies.long_series())]),
        ({"Content_Type": attack_bodies.CSV}, files([*GAPS, *WIDE, "json: "])),
        ({"Content_Type": attack_bodies.ODS}, files(["ods: "])),
        (AGENT, calls),
    ]


def proportional_memory(pids: list[int]) -> int:
    """Return kilobytes of these processes; of what they share with others, their part."""
    return sum(
        int(line.split()[1])
        for pid in pids
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        if line.startswith("Pss:")
    )


def engines(server: Server) -> list[int]:
    """Return the engine processes with their fork server and their supervisor."""
    return [fork_server(server), *descendants(fork_server(server))]


def highest(pids: Callable[[], list[int]], seconds: float) -> int:
    """Return the peak memory of a time, so that a collector's saw-tooth does not count."""
    until, most = time.monotonic() + seconds, 0
    while time.monotonic() < until:
        most = max(most, proportional_memory(pids()))
        time.sleep(0.5)
    return most


def measure(server: Server, seconds: float) -> dict[str, int]:
    """Return the peak memory of web workers, then of engines, each over half of a time."""
    return {
        "web workers": highest(lambda: web_workers(server), seconds / 2),
        "engines": highest(lambda: engines(server), seconds / 2),
    }


def send_attacks(url: str, key: str, seconds: float) -> Load:
    """Attack for some seconds, with and without a key of an account, and return what came of it."""
    with contextlib.ExitStack() as stack:
        loads = []
        for headers, requests in attacks():
            own_key = None if {path for _, path, _ in requests} == {READ} else key
            for number in range(ATTACKERS):
                start = len(requests) * number // ATTACKERS
                sent = requests[start:] + requests[:start]
                attacker = load(url, own_key, sent, clients=1, pause=ATTACK_PAUSE, **headers)
                loads.append(stack.enter_context(attacker))
        time.sleep(seconds)
    return Load([call for attacker in loads for call in attacker.calls])


def print_faults(whose: str, calls: list[Call]) -> None:
    """Print each kind of response that says the service failed."""
    faults = {(call.path, call.status, call.body[:300]) for call in calls if call.status >= 500}
    for path, status, body in sorted(faults)[:10]:
        print(f"{whose}: {path} {status} {body!r}")


def assert_counts(valid: Load, small: Load, uses: int, small_uses: int) -> None:
    """Every authenticated call of an endpoint is a use, and the small limit held."""
    counted = [call for call in valid.calls if call.path in ("/forecast", "/verify")]
    assert uses == sum(call.status != 405 for call in counted)
    assert small_uses == len(small.calls)
    assert set(small.statuses()) == {400, 429}
    assert small.statuses()[400] == SMALL_LIMIT


def test_mixed_traffic_beside_an_attacker_gets_no_5xx_and_exact_counts(
    sqlite_databases, tmp_path
) -> None:
    url = sqlite_databases.migrated()
    wide, narrow, hostile_key = new_key(url), new_key(url, SMALL_LIMIT), new_key(url)
    writer = new_key(url, permissions=(Permission.READ, Permission.WRITE))
    with run_server(tmp_path, url, WEB_CONCURRENCY=str(WORKERS)) as server:
        wait_until(lambda: len(web_workers(server)) == WORKERS, "all workers")
        workers = web_workers(server)
        assert server.request(MONITOR, LEARNED, writer, "PUT").status == 201
        with (
            load(server.url, wide, MIXED, clients=8, pause=PAUSE) as valid,
            load(server.url, narrow, [MIXED[2]], clients=1, pause=0.3) as small,
            load(server.url, writer, MONITORED, clients=3, pause=PAUSE) as monitored,
            load(
                *(server.url, new_key(url), [TABLE]),
                clients=1,
                pause=0.3,
                Content_Type=attack_bodies.CSV,
            ) as tables,
            load(server.url, generate_key(), [FORECAST, VERIFY], clients=1, pause=0.3) as rejected,
        ):
            time.sleep(SECONDS * WARM_UP)
            before = measure(server, SECONDS / 10)
            time.sleep(SECONDS * CALM)
            after = measure(server, SECONDS / 10)
            with processes_watched(server.process.pid) as watch:
                attack = send_attacks(server.url, hostile_key, SECONDS * ATTACKED)
        replaced = server.logged.count("Booting worker") - WORKERS
        assert (web_workers(server), replaced) == (workers, 0)
    print(f"\n{len(valid.calls)} requests; memory in kB {before} then {after}")
    print(f"all: {valid.statuses()}; of a monitor: {monitored.statuses()}")
    print(f"tables: {tables.statuses()}, slowest {tables.max_seconds():.1f} s")
    paths = {call.path: dict(attack.statuses(call.path)) for call in attack.calls}
    print(f"the attacker: {paths}; {watch}")
    print_faults("others", [*valid.calls, *monitored.calls, *tables.calls])
    print_faults("the attacker", attack.calls)
    for path, statuses in EXPECTED.items():
        assert set(valid.statuses(path)) <= statuses
    assert set(rejected.statuses()) <= {401, 429}
    assert set(monitored.statuses()) == set(tables.statuses()) == {200}
    assert set(attack.statuses()) <= ATTACKED_WITH
    assert watch.highest() < MAX_MEBIBYTES
    assert usage(url, writer) == len(monitored.calls) + 1
    assert {name: after[name] <= GROWTH * before[name] for name in before} == {
        "web workers": True,
        "engines": True,
    }
    assert_counts(valid, small, usage(url, wide), usage(url, narrow))
