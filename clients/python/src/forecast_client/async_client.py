"""The client whose calls are awaited, by asyncio."""

from collections.abc import Sequence
from types import TracebackType
from typing import Self, Unpack

import httpx

from forecast_client import calls
from forecast_client.keys import AsyncKeys
from forecast_client.many import AsyncManySeries
from forecast_client.models import Model
from forecast_client.monitors import AsyncMonitors
from forecast_client.results import Backtest, Detection, Forecast, Verification
from forecast_client.retries import MAX_WAIT, RETRIES, Retries
from forecast_client.series import Reading, SeriesLike, prepare
from forecast_client.settings import TIMEOUT, Settings
from forecast_client.transport import AsyncTransport
from forecast_client.webhooks import AsyncWebhooks


class AsyncForecastClient:
    """``ForecastClient`` with calls that are awaited; use it in ``async with``, or close it."""

    def __init__(
        self,
        url: str | None = None,
        key: str | None = None,
        *,
        timeout: float = TIMEOUT,
        retries: int = RETRIES,
        max_wait: float = MAX_WAIT,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        """Make a client, as ``ForecastClient`` is made."""
        settings = Settings.read(url, key, timeout)
        self.transport = AsyncTransport(settings, Retries(retries, max_wait), transport)
        self.many = AsyncManySeries(self.transport)
        self.monitors = AsyncMonitors(self.transport)
        self.webhooks = AsyncWebhooks(self.transport)
        self.keys = AsyncKeys(self.transport)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.transport.url!r})"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections."""
        await self.transport.aclose()

    async def forecast(
        self,
        data: SeriesLike,
        horizon: int,
        *,
        model: Model | None = None,
        confidence: float | None = None,
        holidays: str | None = None,
        **reading: Unpack[Reading],
    ) -> Forecast:
        """Forecast the next points of a series, as ``ForecastClient.forecast`` does."""
        series = prepare(data, **reading)
        return await self.transport.send(
            calls.forecast(series, horizon, model=model, confidence=confidence, holidays=holidays)
        )

    async def anomalies(
        self,
        data: SeriesLike,
        *,
        detect: str | None = None,
        false_alarm_rate: float | None = None,
        direction: str | None = None,
        **reading: Unpack[Reading],
    ) -> Detection:
        """Find the points that do not fit, as ``ForecastClient.anomalies`` does."""
        series = prepare(data, **reading)
        return await self.transport.send(
            calls.anomalies(
                series, detect=detect, false_alarm_rate=false_alarm_rate, direction=direction
            )
        )

    async def backtest(
        self,
        data: SeriesLike,
        horizon: int,
        *,
        models: Sequence[Model] | None = None,
        windows: int | None = None,
        confidence: float | None = None,
        holidays: str | None = None,
        **reading: Unpack[Reading],
    ) -> Backtest:
        """Measure models on the past of a series, as ``ForecastClient.backtest`` does."""
        series = prepare(data, **reading)
        return await self.transport.send(
            calls.backtest(
                series,
                horizon,
                models=models,
                windows=windows,
                confidence=confidence,
                holidays=holidays,
            )
        )

    async def verify(self) -> Verification:
        """Tell what the key may do, and what is left of its limit; costs nothing of it."""
        return await self.transport.send(calls.verify())
