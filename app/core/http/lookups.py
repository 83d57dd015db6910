"""Look up the addresses of hosts, and cache them for a few seconds."""

import asyncio
import socket
import threading
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from typing import Any

ResolveHost = Callable[[str, int], Awaitable[list[str]]]

CACHE_SECONDS = 10.0
MAX_CACHED_HOSTS = 1_000


class Lookups:
    """Looks up hosts; concurrent requests for one host share a look-up.

    ``lookup`` resolves a host (replaceable for tests).
    """

    def __init__(self, lookup: ResolveHost | None) -> None:
        self._lookup = lookup or resolve_host
        self._cached: dict[str, tuple[float, list[str]]] = {}
        self._running: dict[str, asyncio.Task[list[str]]] = {}

    async def addresses(self, host: str, port: int) -> list[str]:
        """Return the addresses of ``host`` in the order to try; raise OSError if there are none."""
        until, addresses = self._cached.get(host, (0.0, []))
        if time.monotonic() < until:
            return addresses
        if host not in self._running:
            task = asyncio.ensure_future(self._lookup(host, port))
            self._running[host] = task
            task.add_done_callback(lambda ended: self._store_result(host, ended))
        return await asyncio.shield(self._running[host])

    def invalidate(self, host: str) -> None:
        """Look ``host`` up again next time."""
        self._cached.pop(host, None)

    async def finish(self, host: str) -> None:
        """Wait for a look-up that outlived its request."""
        if host in self._running:
            await asyncio.wait([self._running[host]])

    def _store_result(self, host: str, task: asyncio.Task[list[str]]) -> None:
        del self._running[host]
        if not task.cancelled() and task.exception() is None:
            self._cached.pop(host, None)
            while len(self._cached) >= MAX_CACHED_HOSTS:
                del self._cached[next(iter(self._cached))]
            self._cached[host] = (time.monotonic() + CACHE_SECONDS, task.result())


async def resolve_host(host: str, port: int) -> list[str]:
    """Return the addresses of ``host`` from the system's resolver; raise OSError if there are none.

    It cannot be interrupted, so it gets a new thread: in a pool, resolvers that do not
    respond would block other look-ups, and the exit of the process.
    """
    addresses: Future[list[Any]] = Future()

    def resolve() -> None:
        addresses.set_running_or_notify_cancel()  # a running lookup cannot be cancelled
        try:
            addresses.set_result(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        except UnicodeError as error:
            addresses.set_exception(socket.gaierror(str(error)))
        except Exception as error:  # the waiting caller gets it
            addresses.set_exception(error)

    threading.Thread(target=resolve, daemon=True, name=f"look up {host}").start()
    return list(
        dict.fromkeys(str(address[0]) for *_, address in await asyncio.wrap_future(addresses))
    )
