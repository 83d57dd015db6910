"""The addresses of receivers: looked up, checked, and remembered for some seconds."""

import asyncio
import ipaddress
import socket
import threading
import time
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Future
from typing import Any

from app.delivery.addresses import Network, WebhookUrlError, is_allowed_address

Lookup = Callable[[str, int], Awaitable[list[str]]]

CACHE_SECONDS = 10.0
MAX_CACHED_HOSTS = 1_000

# The same message for unknown and internal names: customers must not learn which names exist in the
# operator's network.
NOT_RESOLVED = (
    "the host does not resolve, or not only to public addresses and those that "
    "WEBHOOK_ALLOWED_NETWORKS allows"
)


class Lookups:
    """Looks up hosts, each once for all messages that wait for it.

    ``lookup`` resolves a host (replaceable for tests).
    """

    def __init__(self, allowed: Sequence[Network], lookup: Lookup | None = None) -> None:
        self._allowed = allowed
        self._lookup = lookup or look_up
        self._known: dict[str, tuple[float, list[str]]] = {}
        self._under_way: dict[str, asyncio.Task[list[str]]] = {}

    async def addresses(self, host: str, port: int) -> list[str]:
        """Return the addresses of ``host``, in the order in which to try them.

        Raises:
            WebhookUrlError: There is none, or one of them is not allowed.
        """
        until, addresses = self._known.get(host, (0.0, []))
        if time.monotonic() < until:
            return addresses
        if host not in self._under_way:
            task = asyncio.create_task(resolve(host, port, self._allowed, self._lookup))
            self._under_way[host] = task
            task.add_done_callback(lambda task: self._ended(host, task))
        return await asyncio.shield(self._under_way[host])

    def invalidate(self, host: str) -> None:
        """Look ``host`` up again next time."""
        self._known.pop(host, None)

    async def finish(self, host: str) -> None:
        """Wait for a look-up that outlives the attempt that it is for."""
        if host in self._under_way:
            await asyncio.wait([self._under_way[host]])

    def _ended(self, host: str, task: asyncio.Task[list[str]]) -> None:
        del self._under_way[host]
        if not task.cancelled() and task.exception() is None:
            self._known.pop(host, None)
            while len(self._known) >= MAX_CACHED_HOSTS:
                del self._known[next(iter(self._known))]
            self._known[host] = (time.monotonic() + CACHE_SECONDS, task.result())


async def resolve(
    host: str, port: int, allowed: Sequence[Network], lookup: Lookup | None = None
) -> list[str]:
    """Return the addresses of ``host``, in the order in which to try them.

    Raises:
        WebhookUrlError: There is none, or one of them is not allowed.
    """
    try:
        addresses = await (lookup or look_up)(host, port)
    except OSError:
        raise WebhookUrlError(NOT_RESOLVED) from None
    if not all(is_allowed_address(ipaddress.ip_address(address), allowed) for address in addresses):
        raise WebhookUrlError(NOT_RESOLVED)
    return addresses


async def look_up(host: str, port: int) -> list[str]:
    """Return the addresses of ``host`` from the system's resolver.

    It cannot be interrupted, so it gets a thread of its own: with a pool, resolvers that do not
    respond would keep others waiting, and the process from ending.
    """
    found: Future[list[Any]] = Future()

    def ask() -> None:
        found.set_running_or_notify_cancel()  # from here on it cannot be cancelled
        try:
            found.set_result(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        except Exception as error:
            found.set_exception(error)

    threading.Thread(target=ask, daemon=True, name=f"look up {host}").start()
    return list(dict.fromkeys(str(where[0]) for *_, where in await asyncio.wrap_future(found)))
