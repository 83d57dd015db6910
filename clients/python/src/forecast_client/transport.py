"""The two ways to send a call: blocking, and asynchronous. All else is decided without I/O."""

import asyncio
import functools
import platform
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import partial
from typing import Any, TypeVar

import httpx

from forecast_client.calls import Call, Paged
from forecast_client.failures import connection_error, result_of
from forecast_client.retries import Flow, Plan, Retries, Together
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
def _parse_url(url: str) -> httpx.URL:
    """Of many calls few have another URL, and parsing it takes a third of the time of sending."""
    return httpx.URL(url)


def _request(base: str, call: Call[T]) -> dict[str, Any]:
    """What httpx's ``request`` is called with."""
    headers = {"Content-Type": "application/json"} if call.content is not None else {}
    return {
        "method": call.method,
        "url": _parse_url(base + call.path),
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

    def send(self, wanted: Call[T] | Plan[T]) -> T:
        """Send a call, or all that a plan wants, with retries; return the result."""
        return self._run(self.retries.flow(wanted))

    def pages(self, paged: Paged[T]) -> Iterator[T]:
        """Iterate over the items of all pages."""
        after = paged.after
        while True:
            page = self.send(paged.call(after))
            yield from page.items
            if page.next is None:
                return
            after = page.next

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def _run(self, flow: Flow[T]) -> T:
        resume: Callable[[], Any] = partial(next, flow)
        while True:
            try:
                wanted = resume()
            except StopIteration as end:
                result: T = end.value
                return result
            try:
                resume = partial(flow.send, self._do(wanted))
            except Exception as error:  # the flow decides what becomes of it
                resume = partial(flow.throw, error)

    def _do(self, wanted: Call[Any] | float | Together) -> Any:
        if isinstance(wanted, Together):
            return self._run_together(wanted)
        if not isinstance(wanted, Call):
            return self.sleep(wanted)
        try:
            response = self._http.request(**_request(self.url, wanted))
        except httpx.RequestError as error:
            raise connection_error(error, self.url) from error
        return result_of(wanted, response)

    def _run_together(self, together: Together) -> None:
        with ThreadPoolExecutor(len(together.flows)) as pool:
            futures = [pool.submit(self._run, flow) for flow in together.flows]
            try:
                for future in as_completed(futures):
                    future.result()
            except BaseException as error:
                together.stop(error)
                raise


class AsyncTransport:
    """Sends calls, and awaits their responses; ``sleep`` waits for so many seconds."""

    def __init__(
        self, settings: Settings, retries: Retries, http: httpx.AsyncBaseTransport | None = None
    ) -> None:
        self.url = settings.url
        self.retries = retries
        self.sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
        self._http = httpx.AsyncClient(transport=http, **_options(settings))

    async def send(self, wanted: Call[T] | Plan[T]) -> T:
        """Send a call, or all that a plan wants, with retries; return the result."""
        return await self._run(self.retries.flow(wanted))

    async def pages(self, paged: Paged[T]) -> AsyncIterator[T]:
        """Iterate over the items of all pages."""
        after = paged.after
        while True:
            page = await self.send(paged.call(after))
            for item in page.items:
                yield item
            if page.next is None:
                return
            after = page.next

    async def aclose(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def _run(self, flow: Flow[T]) -> T:
        resume: Callable[[], Any] = partial(next, flow)
        while True:
            try:
                wanted = resume()
            except StopIteration as end:
                result: T = end.value
                return result
            try:
                resume = partial(flow.send, await self._do(wanted))
            except Exception as error:  # the flow decides what becomes of it
                resume = partial(flow.throw, error)

    async def _do(self, wanted: Call[Any] | float | Together) -> Any:
        if isinstance(wanted, Together):
            return await self._run_together(wanted)
        if not isinstance(wanted, Call):
            return await self.sleep(wanted)
        try:
            response = await self._http.request(**_request(self.url, wanted))
        except httpx.RequestError as error:
            raise connection_error(error, self.url) from error
        return result_of(wanted, response)

    async def _run_together(self, together: Together) -> None:
        tasks = [asyncio.create_task(self._run(flow)) for flow in together.flows]
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
