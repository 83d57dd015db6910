"""Clients of both kinds on a service that responds by a script; their pauses take no time."""

import asyncio
import dataclasses
import inspect
import json
from collections.abc import Callable
from typing import Any

import httpx

from app.api.examples.recorded import EXAMPLES
from forecast_client import AsyncForecastClient, ForecastClient, Prepared

URL, KEY = "https://forecast.example/api", "ak_" + "5ec7e7" * 10 + "0123"
CLIENTS = {"sync": ForecastClient, "async": AsyncForecastClient}
Step = httpx.Response | Exception
TIMES = [f"2024-{month:02}-01T00:00:00Z" for month in range(1, 13)]
MONTHS = Prepared(TIMES, [float(value) for value in range(12)], "Monthly")
VERIFIED = {
    "apiKey": {"permissions": ["read", "write"]},
    "rateLimit": {"limit": "100", "remaining": "87", "resetTime": "1767225660000"},
}
FORECAST = {
    "forecast_timestamps": ["2025-01-01T00:00:00Z", "2025-02-01T00:00:00Z"],
    "median": [1.0, 2.0],
    "lower_bound": [0.0, 1.0],
    "upper_bound": [2.0, 3.0],
}
KEY_RECORD = {
    "id": 3,
    "prefix": "ak_1a2b3c4d",
    "label": "web shop",
    "permissions": ["read"],
    "state": "active",
    "created_at": "2026-01-01T00:00:00Z",
    "expires_at": None,
    "last_used_at": None,
    "usage_count": 0,
}
WEBHOOK = {
    "name": "ops",
    "url": "https://example.com/hook",
    "format": "standard",
    "created_at": "2026-01-01T00:00:00Z",
    "last_attempt": {
        "id": "msg_1",
        "type": "webhook.test",
        "at": "2026-01-01T00:00:05Z",
        "status": 500,
        "error": "returned 500",
    },
}
SOURCE = {
    "name": "prod",
    "url": "https://prometheus.example",
    "authorization": {"type": "bearer"},
    "tenant": None,
    "alertmanagers": [],
    "failing_alertmanagers": [],
    "labels": {},
    "queries": [{"name": "errors", "state": "live"}],
    "created_at": "2026-01-01T00:00:00Z",
}
MONITOR = EXAMPLES.responses["monitor"] | {"name": "cpu"}


def ok(body: object, status: int = 200, **headers: str) -> httpx.Response:
    """Return a success; header names take ``_``."""
    return httpx.Response(status, json=body, headers=_header_names(headers))


def forecast_ok(notices: str = "") -> httpx.Response:
    """Return a forecast of two months."""
    reported = {"X_Forecast_Notice": notices} if notices else {}
    return ok(FORECAST, X_Model_Id="forecast-model-2", **reported)


def rejection(status: int, message: str = "No", details: object = None, **headers: str) -> Step:
    """Return a rejection of the service; header names take ``_``."""
    error = {"code": "CODE", "message": message}
    error |= {} if details is None else {"details": details}
    return httpx.Response(status, json={"error": error}, headers=_header_names(headers))


def page(status: int, text: str = "<html><body>Bad Gateway</body></html>") -> httpx.Response:
    """Return a page of a proxy."""
    return httpx.Response(status, html=text)


def _header_names(headers: dict[str, str]) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in headers.items()}


class Scripted:
    """A client of one kind, on a service that plays ``steps``, the last again and again.

    ``requests`` are those that the service got, ``pauses`` the seconds that the client slept.
    """

    def __init__(self, kind: str, steps: tuple[Step, ...], options: dict[str, Any]) -> None:
        self.requests: list[httpx.Request] = []
        self.pauses: list[float] = []
        self._steps = list(steps)
        self._is_async = kind == "async"
        mock = httpx.MockTransport(self._respond)
        self.client = CLIENTS[kind](URL, KEY, transport=mock, **options)
        transport: Any = self.client.transport
        # The clock moves only by pauses, and these are not shortened by chance.
        transport.retries = dataclasses.replace(
            transport.retries, clock=lambda: sum(self.pauses), chance=lambda: 0.0
        )
        transport.sleep = self._sleep_async if self._is_async else self.pauses.append

    async def _sleep_async(self, seconds: float) -> None:
        self.pauses.append(seconds)

    def _respond(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        step = self._steps.pop(0) if len(self._steps) > 1 else self._steps[0]
        if isinstance(step, Exception):
            raise step
        return httpx.Response(step.status_code, headers=step.headers, content=step.content)

    def run(self, use: Callable[[Any], Any]) -> Any:
        """Return the result of ``use`` for the client: awaited, and iterators as lists."""
        if not self._is_async:
            result = use(self.client)
            return list(result) if inspect.isgenerator(result) else result
        return asyncio.run(_await_result(use(self.client)))

    @property
    def body(self) -> Any:
        """The JSON in the body of the last request."""
        return json.loads(self.requests[-1].content)


async def _await_result(result: Any) -> Any:
    if inspect.isasyncgen(result):
        return [value async for value in result]
    return await result
