"""An account with normal requests during an attack: their failures and their times."""

import contextlib
import itertools
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import orjson

from app.identity.accounts.permissions import Permission
from tests.support import monitors
from tests.support.edge import Edge
from tests.support.keys import new_key
from tests.support.load import FORECAST, VERIFY, Client, Load, load
from tests.support.polling import poll

CREATED = {200, 201}
PAUSE_SECONDS = 0.05
VERIFY_SECONDS = 0.12  # nginx's limit is 10 a second
APPENDS = 2_000
POINTS = monitors.noise_at_100(APPENDS)
PATIENCE_SECONDS = 30  # for requests that an attack delays
LOG_SECONDS = 10

_numbers = itertools.count()


@dataclass(frozen=True)
class Victim:
    """The requests of an account through nginx, by its name."""

    site: Edge
    loads: dict[str, Load]

    def wait(self, seconds: float, requests: int) -> None:
        """Wait for some seconds, and until there are this many responses of each kind."""
        earliest = time.monotonic() + seconds

        def is_over() -> bool:
            has_requests = all(len(sent.calls) >= requests for sent in self.loads.values())
            return has_requests and time.monotonic() >= earliest

        poll(is_over, PATIENCE_SECONDS)

    def failures(self) -> dict[str, Counter[int]]:
        """Return the number of each status other than 200."""
        results = {
            name: sent.statuses() - Counter({200: len(sent.calls)})
            for name, sent in self.loads.items()
        }
        return {name: statuses for name, statuses in results.items() if statuses}

    def p99(self) -> dict[str, float]:
        """Return the 99th percentile of the seconds that requests took, by nginx's log.

        The clients share the machine and one process with the attacker's: what they measure is
        also how long they wait for each other.
        """
        ids = {
            name: {call.request_id for call in sent.calls if call.request_id}
            for name, sent in self.loads.items()
        }
        wanted = set().union(*ids.values())

        def logged_seconds() -> dict[str, float]:
            lines = self.site.requests()
            results = {x["request_id"]: x["seconds"] for x in lines if x["request_id"] in wanted}
            return results if len(results) == len(wanted) else {}

        seconds = poll(logged_seconds, LOG_SECONDS)
        return {
            name: _p99([seconds[request_id] for request_id in request_ids])
            for name, request_ids in ids.items()
        }

    def __str__(self) -> str:
        slow = self.p99()
        parts = (
            f"{name} {sent.statuses()[200]} of {len(sent.calls)}, p99 {slow[name]:.2f} s"
            for name, sent in self.loads.items()
        )
        return "; ".join(parts) + (f"; failed {failed}" if (failed := self.failures()) else "")


def _p99(seconds: list[float]) -> float:
    return sorted(seconds)[int(len(seconds) * 0.99)]


@contextlib.contextmanager
def victim(site: Edge, database_url: str, address: str) -> Iterator[Victim]:
    """Send small forecasts by model 2, /verify and appends to a monitor, for the length of a block.

    They are of a new account, through nginx and from one address.
    """
    url = site.https
    key = new_key(database_url, permissions=[Permission.READ, Permission.WRITE])
    headers = {"X_Test_Address": address}
    monitor = f"/monitors/victim-{next(_numbers)}"
    client = Client(url, key, **headers)
    created = client.send(("PUT", monitor, orjson.dumps(monitors.SETTINGS)))
    assert created.status in CREATED, created
    client.close()
    appends = [
        ("POST", f"{monitor}/points", orjson.dumps(monitors.points([value], index)))
        for index, value in enumerate(POINTS)
    ]
    with (
        load(url, key, [FORECAST], clients=2, pause=PAUSE_SECONDS, **headers) as forecasts,
        load(url, key, [VERIFY], clients=1, pause=VERIFY_SECONDS, **headers) as verifies,
        load(url, key, appends, clients=1, pause=PAUSE_SECONDS, **headers) as appended,
    ):
        loads = {"forecasts": forecasts, "verifies": verifies, "appends": appended}
        yield Victim(site, loads)
