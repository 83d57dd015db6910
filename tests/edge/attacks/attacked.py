"""Two nodes behind nginx as attackers see them, and the bounds of the cost of an attack."""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.activation import two_nodes
from tests.support.edge import MANY_CLIENTS, Edge, edge
from tests.support.honest_traffic import Victim
from tests.support.load import Load
from tests.support.machine_speed import slowness
from tests.support.many_webhooks import ALLOWED
from tests.support.process_usage import (
    ENGINE,
    FORK_SERVER,
    MAIN,
    SUPERVISOR,
    WEB,
    ProcessWatch,
    machine_time,
)

ATTACKER, VICTIM = "192.0.2.1", "192.0.2.2"
LOOPBACK = {"SOURCE_ALLOWED_NETWORKS": "127.0.0.0/8", "SOURCE_LEAST_STEP": "1"}
# A process takes about 200 MiB before it does anything.
MAX_MEBIBYTES = {MAIN: 500.0, WEB: 500.0, FORK_SERVER: 400.0, SUPERVISOR: 400.0, ENGINE: 500.0}
MAX_P99_SECONDS = {"forecasts": 2.0, "verifies": 1.0, "appends": 2.0}
MIN_REQUESTS = 40  # of each kind of the victim's
ATTACK_SECONDS = 3.0  # or longer, until there are ``MIN_REQUESTS``
MAX_ATTACKS = 3
MAX_FRACTION_OF_OTHERS = 0.1  # of all CPUs: more, and times say little of the service


@dataclass(frozen=True)
class Attacked:
    """The main processes of the nodes, and the site in front of them."""

    site: Edge
    database_url: str
    mains: tuple[int, ...]


@contextlib.contextmanager
def run_attacked_service(folder: Path, database_url: str, redis_url: str) -> Iterator[Attacked]:
    """Run two nodes behind nginx with its default limits within a block."""
    settings = {"database_url": database_url, "REDIS_URL": redis_url} | ALLOWED | LOOPBACK
    with contextlib.ExitStack() as stack:
        folder.mkdir()
        nodes = stack.enter_context(two_nodes(folder, settings))
        upstreams = [node.address for node in nodes]
        site = stack.enter_context(edge(folder / "nginx", upstreams, http_block=MANY_CLIENTS))
        mains = tuple(node.service.server.process.pid for node in nodes)
        yield Attacked(site, database_url, mains)


def print_figures(name: str, victim: Victim, memory: ProcessWatch, attacker: Load) -> None:
    """Print a row of docs/running/security.md."""
    print(f"\n{name}: {victim}; {memory}; the attacker {dict(attacker.statuses())}")


def assert_harmless(attack: Callable[[], tuple[Victim, ProcessWatch]]) -> None:
    """Attack, and look for failed requests of the victim, for memory and for slow requests.

    No request may fail in any attack. Only times are measured again, and only if other programs
    kept the machine busy meanwhile.
    """
    for _ in range(MAX_ATTACKS):
        before = machine_time()
        victim, watch = attack()
        others, scale = before.share_of_others(), slowness()
        assert victim.failures() == {}
        assert excess_mebibytes(watch) == {}
        slow = {
            name: seconds
            for name, seconds in victim.p99().items()
            if seconds > MAX_P99_SECONDS[name] * scale
        }
        if not slow:
            return
        figures = f"99th percentiles {slow} while others used {others:.0%} of the CPUs"
        print(figures)
        assert others > MAX_FRACTION_OF_OTHERS, figures
    pytest.fail(f"in each of {MAX_ATTACKS} attacks on a busy machine requests waited: {figures}")


def excess_mebibytes(memory: ProcessWatch) -> dict[str, float]:
    """Return the peaks above the bound of their kind of process, in MiB."""
    return {kind: peak for kind, peak in memory.peaks.items() if peak > MAX_MEBIBYTES[kind]}
