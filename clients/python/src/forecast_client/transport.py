"""Send calls, blocking or with asyncio. Everything else is decided without I/O.

Both run the same coroutine. In the blocking client it never waits by asyncio, so it finishes in one
step.
"""

import asyncio
import functools
import inspect
import platform
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import partial
from typing import Any, TypeVar

import httpx

from forecast_client.calls import Call, Paged
from forecast_client.failures import connection_error, result_of
from forecast_client.retries import Flow, Parallel, Plan, Retries, Sleep, Step
from forecast_client.settings import Settings
from forecast_client.version import __version__

T = TypeVar("T")
CONNECT_SECONDS = 10.0
# Enough for all threads; idle connections are closed before most proxies close them.
LIMITS = httpx.Limits(max_connections=200, max_keepalive_connections=200, keepalive_expiry=15)


@functools.lru_cache(maxsize=256)
def _parse_url(url: str) -> httpx.URL:
    """Parse a URL; calls share few of them, and parsing takes a third of the time of sending."""
    return httpx.URL(url)


class _Runner:
    """Runs flows; ``sleep`` blocks, or returns an awaitable."""

    sleep: Callable[[float], Any]

    def __init__(
        self, url: str, retries: Retries, client: httpx.Client | httpx.AsyncClient
    ) -> None:
        self.url = url
        self.retries = retries
        self._client = client

    async def _run(self, flow: Flow[T]) -> T:
        resume: Callable[[], Any] = partial(next, flow)
        while True:
            try:
                step = resume()
            except StopIteration as end:
                return end.value
            try:
                resume = partial(flow.send, await self._perform(step))
            except Exception as error:  # the flow decides whether to retry
                resume = partial(flow.throw, error)

    async def _perform(self, step: Step) -> Any:
        if isinstance(step, Parallel):
            return await self._run_parallel(step)
        if isinstance(step, Sleep):
            return await _await_if_needed(self.sleep(step.seconds))
        headers = {"Content-Type": "application/json"} if step.content is not None else {}
        try:
            response = await _await_if_needed(
                self._client.request(
                    step.method,
                    _parse_url(self.url + step.path),
                    content=step.content,
                    headers=headers | dict(step.headers),
                )
            )
        except httpx.RequestError as error:
            raise connection_error(error, self.url) from error
        return result_of(step, response)

    async def _run_parallel(self, parallel: Parallel) -> None:
        raise NotImplementedError


async def _await_if_needed(value: Any) -> Any:
    return await value if inspect.isawaitable(value) else value


class Transport(_Runner):
    """Sends calls and waits for their responses; threads can share one."""

    def __init__(
        self, settings: Settings, retries: Retries, transport: httpx.BaseTransport | None = None
    ) -> None:
        client = httpx.Client(transport=transport, **_client_arguments(settings))
        super().__init__(settings.url, retries, client)
        self.close, self.sleep = client.close, time.sleep

    def send(self, task: Call[T] | Plan[T]) -> T:
        """Send a call, or run a plan, with retries; return the result."""
        return _finish(self._run(self.retries.flow(task)))

    def pages(self, paged: Paged[T]) -> Iterator[T]:
        """Iterate over the items of all pages."""
        after, is_last = paged.after, False
        while not is_last:
            page = self.send(paged.call(after))
            yield from page.items
            after, is_last = page.next, page.next is None

    async def _run_parallel(self, parallel: Parallel) -> None:
        with ThreadPoolExecutor(len(parallel.flows)) as pool:
            futures = [pool.submit(_finish, self._run(flow)) for flow in parallel.flows]
            try:
                for future in as_completed(futures):
                    future.result()
            except BaseException as error:
                parallel.stop(error)
                raise


def _finish(coroutine: Coroutine[Any, Any, T]) -> T:
    """Return the result of a coroutine that never waits by asyncio."""
    try:
        coroutine.send(None)
    except StopIteration as end:
        return end.value
    raise RuntimeError("the blocking client waits by asyncio")


class AsyncTransport(_Runner):
    """Sends calls and awaits their responses."""

    def __init__(
        self,
        settings: Settings,
        retries: Retries,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        client = httpx.AsyncClient(transport=transport, **_client_arguments(settings))
        super().__init__(settings.url, retries, client)
        self.aclose, self.sleep = client.aclose, asyncio.sleep

    async def send(self, task: Call[T] | Plan[T]) -> T:
        """Send a call, or run a plan, with retries; return the result."""
        return await self._run(self.retries.flow(task))

    async def pages(self, paged: Paged[T]) -> AsyncIterator[T]:
        """Iterate over the items of all pages."""
        after, is_last = paged.after, False
        while not is_last:
            page = await self.send(paged.call(after))
            for item in page.items:
                yield item
            after, is_last = page.next, page.next is None

    async def _run_parallel(self, parallel: Parallel) -> None:
        tasks = [asyncio.create_task(self._run(flow)) for flow in parallel.flows]
        try:
            await asyncio.gather(*tasks)
        except BaseException as error:
            parallel.stop(error)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            raise


def _client_arguments(settings: Settings) -> dict[str, Any]:
    """Return the arguments for httpx's clients."""
    timeout = settings.timeout_seconds
    agent = f"forecast-service-client/{__version__} python/{platform.python_version()}"
    return {
        "headers": {
            "Authorization": f"Bearer {settings.key}",
            "Accept": "application/json",
            "User-Agent": agent,
        },
        "timeout": httpx.Timeout(timeout, connect=min(timeout, CONNECT_SECONDS)),
        "limits": LIMITS,
        # The key must not be sent to another address.
        "follow_redirects": False,
    }
