"""The two clients: a blocking one, and one for asyncio."""

from typing import Self

import httpx

from forecast_client import calls, table_forecasts
from forecast_client.keys import Keys
from forecast_client.many import ManySeries
from forecast_client.monitors import Monitors
from forecast_client.resources import AnyTransport, Method, Resource
from forecast_client.retries import DEFAULT_MAX_WAIT_SECONDS, DEFAULT_RETRIES, Retries
from forecast_client.settings import DEFAULT_TIMEOUT_SECONDS, Settings
from forecast_client.sources import Sources
from forecast_client.transport import AsyncTransport, Transport
from forecast_client.webhooks import Webhooks


class _Client(Resource[AnyTransport]):
    """The methods of both clients."""

    forecast = Method.of(table_forecasts.forecast)
    anomalies = Method.of(calls.anomalies)
    backtest = Method.of(calls.backtest)
    verify = Method.of(calls.verify)

    def __init__(self, transport: AnyTransport) -> None:
        super().__init__(transport)
        self.many = ManySeries(transport)
        self.monitors = Monitors(transport)
        self.sources = Sources(transport)
        self.webhooks = Webhooks(transport)
        self.keys = Keys(transport)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.transport.url!r})"


class ForecastClient(_Client[Transport]):
    """A client of the forecast service; threads may share one. Use it in ``with``, or close it.

    ``client.forecast(series, horizon=12).frame``

    ``many`` sends many series in parallel; ``monitors``, ``sources``, ``webhooks`` and ``keys``
    manage the resources of the account.
    """

    def __init__(
        self,
        url: str | None = None,
        key: str | None = None,
        *,
        timeout: float = DEFAULT_TIMEOUT_SECONDS,
        retries: int = DEFAULT_RETRIES,
        max_wait: float = DEFAULT_MAX_WAIT_SECONDS,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        """Create a client; nothing is sent yet.

        Args:
            url: Where the service is; None: the environment variable FORECAST_URL.
            key: An API key; None: the environment variable FORECAST_KEY.
            timeout: Seconds that the service may be silent, in each attempt.
            retries: How often a failed call is retried, if that can help.
            max_wait: Seconds after which no further attempt of a call begins.
            transport: A transport of httpx, for your own proxy or certificates.

        Raises:
            SettingsError: The URL or the key is missing or wrong.
        """
        settings = Settings.read(url, key, timeout)
        super().__init__(Transport(settings, Retries(retries, max_wait), transport))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self.transport.close()


class AsyncForecastClient(_Client[AsyncTransport]):
    """``ForecastClient`` with calls that are awaited; use it in ``async with``, or close it."""

    def __init__(
        self,
        url: str | None = None,
        key: str | None = None,
        *,
        timeout: float = DEFAULT_TIMEOUT_SECONDS,
        retries: int = DEFAULT_RETRIES,
        max_wait: float = DEFAULT_MAX_WAIT_SECONDS,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        """Create a client; the arguments are as in ``ForecastClient``."""
        settings = Settings.read(url, key, timeout)
        super().__init__(AsyncTransport(settings, Retries(retries, max_wait), transport))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections."""
        await self.transport.aclose()
