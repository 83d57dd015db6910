"""What a running service takes for appends, beside ``/verify`` in the same run."""

import itertools
import threading
import time
from dataclasses import dataclass

import orjson

from benchmarks.monitors.fill import Target, body
from tests.support.load import VERIFY, Client, Request
from tests.support.process_usage import cpu_seconds
from tests.support.server import Server

# CPU time has a resolution of 10 ms: this is the number of requests between two readings.
BLOCK = 100
_CREATORS = 2


class Feed:
    """A monitor that is fed, on a connection that others may share."""

    def __init__(self, target: Target, client: Client) -> None:
        self._name, self._next, self.client = target.name, target.position, client

    def request(self, count: int = 1) -> Request:
        """Return the request that appends the next points."""
        first, self._next = self._next, self._next + count
        return "POST", f"/monitors/{self._name}/points", orjson.dumps(body(first, count))

    def seconds(self, request: Request) -> float:
        """Send a request; return how long the response took."""
        call = self.client.send(request)
        if call.status not in (200, 201):
            raise SystemExit(f"{request[1]}: {call.status} {call.body.decode()}")
        return call.seconds


@dataclass(frozen=True)
class RequestTimes:
    """The seconds of requests to ``/verify``, and of appends."""

    verify: list[float]
    append: list[float]


def feeds_of(server: Server, targets: list[Target]) -> list[Feed]:
    """Return feeds of monitors, one connection a key."""
    clients = {target.key: Client(server.url, target.key) for target in targets}
    return [Feed(target, clients[target.key]) for target in targets]


def measure_latencies(feeds: list[Feed], pairs: int) -> RequestTimes:
    """Return the seconds of requests, sent in pairs, each to the next monitor."""
    result = RequestTimes([], [])
    for feed in itertools.islice(itertools.cycle(feeds), pairs):
        result.verify.append(feed.seconds(VERIFY))
        result.append.append(feed.seconds(feed.request()))
    return result


def measure_cpu_times(
    feeds: list[Feed], groups: dict[str, list[int]], blocks: int
) -> dict[str, RequestTimes]:
    """Return the CPU seconds that a request takes groups of processes, by pairs of blocks."""
    results = {name: RequestTimes([], []) for name in groups}
    following = itertools.cycle(feeds)
    for _block in range(blocks):
        for is_append in (False, True):
            before = {name: sum(map(cpu_seconds, pids)) for name, pids in groups.items()}
            for feed in itertools.islice(following, BLOCK):
                feed.seconds(feed.request() if is_append else VERIFY)
            for name, pids in groups.items():
                used = results[name].append if is_append else results[name].verify
                used.append((sum(map(cpu_seconds, pids)) - before[name]) / BLOCK)
    return results


@dataclass(frozen=True)
class Rate:
    """Points a second, and the CPU seconds that a call takes."""

    points: float
    cpu_seconds: float


def measure_writing(
    server: Server, targets: list[Target], pids: list[int], batch: int, seconds: float
) -> Rate:
    """Return how fast writers append, one writer a monitor, all at once."""
    feeds = [Feed(target, Client(server.url, target.key)) for target in targets]
    calls = [0] * len(feeds)
    used = sum(map(cpu_seconds, pids))
    began = time.monotonic()

    def write(number: int) -> None:
        while time.monotonic() < began + seconds:
            feeds[number].seconds(feeds[number].request(batch))
            calls[number] += 1

    threads = [threading.Thread(target=write, args=(number,)) for number in range(len(feeds))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    passed = time.monotonic() - began
    return Rate(batch * sum(calls) / passed, (sum(map(cpu_seconds, pids)) - used) / sum(calls))


def measure_creation(server: Server, key: str, count: int, points: int) -> float:
    """Return the seconds in which monitors with a history are created, two at a time."""
    order = {"data_frequency": "Minutes", "step": 5, "series": [body(0, points)]}
    packed = orjson.dumps(order)
    numbers = iter(range(count))

    def create() -> None:
        feed = Feed(Target("", key, 0), Client(server.url, key))
        for number in numbers:
            feed.seconds(("PUT", f"/monitors/created-{number}", packed))

    began = time.monotonic()
    threads = [threading.Thread(target=create) for _ in range(_CREATORS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.monotonic() - began
