"""An account with honest requests beside an attack: whether all succeed, and how long they take."""

import contextlib
import itertools
import time
from collections.abc import Iterator
from dataclasses import dataclass

import orjson

from app.accounts.permissions import Permission
from tests.support import monitors
from tests.support.keys import mint
from tests.support.load import FORECAST, VERIFY, Client, Load, load
from tests.support.polling import poll

CREATED = {200, 201}
PAUSE_SECONDS = 0.05
APPENDS = 2_000
POINTS = monitors.restless(APPENDS)
PATIENCE_SECONDS = 45  # for requests that an attack delays

_numbers = itertools.count()


@dataclass(frozen=True)
class Victim:
    """What an account has sent: small forecasts by model 2, /verify, appends to a monitor."""

    forecasts: Load
    verifies: Load
    appends: Load

    @property
    def loads(self) -> dict[str, Load]:
        """Return what was sent, by its name."""
        return {"forecasts": self.forecasts, "verifies": self.verifies, "appends": self.appends}

    def wait(self, seconds: float, requests: int) -> None:
        """Wait for some seconds, and until this many of each kind have a response."""
        earliest = time.monotonic() + seconds

        def is_over() -> bool:
            enough = all(len(sent.calls) >= requests for sent in self.loads.values())
            return enough and time.monotonic() >= earliest

        poll(is_over, PATIENCE_SECONDS)

    def failures(self) -> dict[str, list[int]]:
        """Return the statuses other than 200, of which a test shows all."""
        found = {
            name: [call.status for call in sent.calls if call.status != 200]
            for name, sent in self.loads.items()
        }
        return {name: statuses for name, statuses in found.items() if statuses}

    def __str__(self) -> str:
        parts = (
            f"{name} {sent.statuses()[200]} of {len(sent.calls)}, p99 {p99(sent):.2f} s"
            for name, sent in self.loads.items()
        )
        return "; ".join(parts)


def p99(sent: Load) -> float:
    """Return the 99th percentile of the seconds that requests took."""
    seconds = sorted(call.seconds for call in sent.calls)
    return seconds[int(len(seconds) * 0.99)]


@contextlib.contextmanager
def victim(url: str, database_url: str, address: str) -> Iterator[Victim]:
    """Send an account's requests for the length of a block, through nginx from one address."""
    key = mint(database_url, permissions=[Permission.READ, Permission.WRITE])
    headers = {"X_Test_Address": address}
    monitor = f"/monitors/victim-{next(_numbers)}"
    client = Client(url, key, **headers)
    created = client.send(("PUT", monitor, orjson.dumps(monitors.SETTINGS)))
    assert created.status in CREATED, created
    client.close()
    appends = [
        ("POST", f"{monitor}/points", orjson.dumps(monitors.points([value], place)))
        for place, value in enumerate(POINTS)
    ]
    with (
        load(url, key, [FORECAST], clients=2, pause=PAUSE_SECONDS, **headers) as forecasts,
        load(url, key, [VERIFY], clients=2, pause=PAUSE_SECONDS, **headers) as verifies,
        load(url, key, appends, clients=1, pause=PAUSE_SECONDS, **headers) as appended,
    ):
        yield Victim(forecasts, verifies, appended)
