"""The two ways to send a call: blocking, and asynchronous. All else is decided without I/O."""

import asyncio
import functools
import platform
import time
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import httpx

from forecast_client.calls import Call
from forecast_client.errors import ForecastError
from forecast_client.failures import connection_error, result_of
from forecast_client.retries import Retries
from forecast_client.settings import Settings
from forecast_client.version import __version__

T = TypeVar("T")
CONNECT_SECONDS = 10.0
# As many as threads may want; idle ones are left before a usual proxy closes them.
LIMITS = httpx.Limits(max_connections=200, max_keepalive_connections=200, keepalive_expiry=15)


def _options(settings: Settings) -> dict[str, Any]:
    """What httpx's two clients are made with."""
    return {
        "headers": {
            "Authorization": f"Bearer {settings.key}",
            "Accept": "application/json",
            "User-Agent": f"forecast-service-client/{__version__} "
            f"python/{platform.python_version()}",
        },
        "timeout": httpx.Timeout(settings.timeout, connect=min(settings.timeout, CONNECT_SECONDS)),
        "limits": LIMITS,
        # The key is only for this address.
        "follow_redirects": False,
    }


@functools.lru_cache(maxsize=256)
def _parsed(url: str) -> httpx.URL:
    """Of many calls few have another URL, and parsing it takes a third of the time of sending."""
    return httpx.URL(url)


def _request(base: str, call: Call[T]) -> dict[str, Any]:
    """What httpx's ``request`` is called with."""
    headers = {"Content-Type": "application/json"} if call.content is not None else {}
    return {
        "method": call.method,
        "url": _parsed(base + call.path),
        "content": call.content,
        "headers": headers | dict(call.headers),
    }


class Transport:
    """Sends calls, and waits for their responses; threads may share one.

    ``sleep`` waits for so many seconds.
    """

    def __init__(
        self, settings: Settings, retries: Retries, http: httpx.BaseTransport | None = None
    ) -> None:
        self.url = settings.url
        self.retries = retries
        self.sleep: Callable[[float], None] = time.sleep
        self._http = httpx.Client(transport=http, **_options(settings))

    def send(self, call: Call[T]) -> T:
        """Send a call until it succeeds or a retry is useless; return its result."""
        attempts = self.retries.attempts(call)
        while True:
            try:
                return self.send_once(attempts.call)
            except ForecastError as error:
                pause = attempts.pause_after(error)
            self.sleep(pause)

    def send_once(self, call: Call[T]) -> T:
        """Send a call once; return its result."""
        try:
            response = self._http.request(**_request(self.url, call))
        except httpx.RequestError as error:
            raise connection_error(error, self.url) from error
        return result_of(call, response)

    def close(self) -> None:
        """Close the connections."""
        self._http.close()


class AsyncTransport:
    """Sends calls, and awaits their responses; ``sleep`` waits for so many seconds."""

    def __init__(
        self, settings: Settings, retries: Retries, http: httpx.AsyncBaseTransport | None = None
    ) -> None:
        self.url = settings.url
        self.retries = retries
        self.sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
        self._http = httpx.AsyncClient(transport=http, **_options(settings))

    async def send(self, call: Call[T]) -> T:
        """Send a call until it succeeds or a retry is useless; return its result."""
        attempts = self.retries.attempts(call)
        while True:
            try:
                return await self.send_once(attempts.call)
            except ForecastError as error:
                pause = attempts.pause_after(error)
            await self.sleep(pause)

    async def send_once(self, call: Call[T]) -> T:
        """Send a call once; return its result."""
        try:
            response = await self._http.request(**_request(self.url, call))
        except httpx.RequestError as error:
            raise connection_error(error, self.url) from error
        return result_of(call, response)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._http.aclose()
