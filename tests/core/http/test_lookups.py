"""Names are looked up once, in threads of their own."""

import asyncio
import socket
import threading
from collections.abc import Iterator

import pytest

from app.core.http import lookups
from app.core.http.lookups import Lookups

HOST = "hooks.example.com"
HANGING = 100


class Names:
    """A resolver that counts, and whose responses wait until they are let go."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.let_go = asyncio.Event()

    async def __call__(self, host: str, _port: int) -> list[str]:
        self.asked.append(host)
        await self.let_go.wait()
        return ["8.8.8.8"]


async def test_messages_to_one_host_share_a_name_lookup() -> None:
    names = Names()
    looked_up = Lookups(names)
    waiting = [asyncio.create_task(looked_up.addresses(HOST, port)) for port in (443, 8443)]
    await asyncio.sleep(0)
    names.let_go.set()
    assert await asyncio.gather(*waiting) == [["8.8.8.8"]] * 2
    assert await looked_up.addresses(HOST, 443) == ["8.8.8.8"]
    assert names.asked == [HOST]


async def test_a_resolved_address_counts_for_some_seconds_or_until_it_fails(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [100.0]
    monkeypatch.setattr("app.core.http.lookups.time.monotonic", lambda: now[0])
    names = Names()
    names.let_go.set()
    looked_up = Lookups(names)
    for seconds, count in ((0.0, 1), (9.9, 1), (0.2, 2)):
        now[0] += seconds
        await looked_up.addresses(HOST, 443)
        assert len(names.asked) == count
    looked_up.invalidate(HOST)
    await looked_up.addresses(HOST, 443)
    assert len(names.asked) == 3


async def test_resolved_addresses_are_forgotten_where_there_are_many_names(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lookups, "MAX_CACHED_HOSTS", 2)
    names = Names()
    names.let_go.set()
    looked_up = Lookups(names)
    for host in ("a.example", "b.example", "c.example", "c.example", "a.example"):
        await looked_up.addresses(host, 443)
    assert names.asked == ["a.example", "b.example", "c.example", "a.example"]


async def test_a_name_that_does_not_resolve_is_looked_up_again() -> None:
    hosts: list[str] = []

    async def lookup(host: str, _port: int) -> list[str]:
        hosts.append(host)
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    looked_up = Lookups(lookup)
    for _ in range(2):
        with pytest.raises(OSError, match="not known"):
            await looked_up.addresses(HOST, 443)
    assert hosts == [HOST] * 2


@pytest.fixture
def hanging_resolver(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """The system's resolver says nothing of names that begin with "mute" until it is let go."""
    real, let_go = socket.getaddrinfo, threading.Event()

    def getaddrinfo(host: str, port: int, *args: object, **options: object) -> list[object]:
        if host.startswith("mute"):
            let_go.wait()
        return real("127.0.0.1", port, *args, **options)

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    yield let_go
    let_go.set()


def test_hanging_resolvers_delay_neither_other_names_nor_shutdown(
    hanging_resolver: threading.Event,
) -> None:
    async def main() -> list[str]:
        mute = [
            asyncio.create_task(lookups.resolve_host(f"mute{number}.example", 443))
            for number in range(HANGING)
        ]
        await asyncio.sleep(0)
        result = await lookups.resolve_host(HOST, 443)
        assert not any(task.done() for task in mute)
        return result

    assert asyncio.run(main()) == ["127.0.0.1"]
    named = [thread for thread in threading.enumerate() if thread.name.startswith("look up mute")]
    assert len(named) == HANGING
    assert all(thread.daemon for thread in named)
    assert not hanging_resolver.is_set()


async def test_a_look_up_that_outlives_its_attempt_can_be_waited_for() -> None:
    names = Names()
    looked_up = Lookups(names)
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(looked_up.addresses(HOST, 443), 0.01)
    settling = asyncio.create_task(looked_up.finish(HOST))
    await asyncio.sleep(0)
    assert not settling.done()
    names.let_go.set()
    await settling
    await looked_up.finish("other.example")
