"""The client that waits for each response."""

from collections.abc import Sequence
from types import TracebackType
from typing import Self, Unpack

import httpx

from forecast_client import calls
from forecast_client.keys import Keys
from forecast_client.many import ManySeries
from forecast_client.models import Model
from forecast_client.monitors import Monitors
from forecast_client.results import Backtest, Detection, Forecast, Verification
from forecast_client.retries import MAX_WAIT, RETRIES, Retries
from forecast_client.series import Reading, SeriesLike, prepare
from forecast_client.settings import TIMEOUT, Settings
from forecast_client.transport import Transport
from forecast_client.webhooks import Webhooks


class ForecastClient:
    """A client of the forecast service; threads may share one. Use it in ``with``, or close it.

    ``many`` sends many series at once, ``monitors``, ``webhooks`` and ``keys`` manage those of the
    account.
    """

    def __init__(
        self,
        url: str | None = None,
        key: str | None = None,
        *,
        timeout: float = TIMEOUT,
        retries: int = RETRIES,
        max_wait: float = MAX_WAIT,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        """Make a client; nothing is sent yet.

        Args:
            url: Where the service is; None: the environment variable FORECAST_URL.
            key: An API key; None: the environment variable FORECAST_KEY.
            timeout: Seconds that the service may be silent, in each attempt.
            retries: How often a call that failed is sent again, where that helps.
            max_wait: Seconds after which no further attempt of a call begins. A limit that has
                room later than that is not waited for.
            transport: What httpx sends by, for a proxy or certificates of one's own.

        Raises:
            SettingsError: The URL or the key is missing or wrong.
        """
        settings = Settings.read(url, key, timeout)
        self.transport = Transport(settings, Retries(retries, max_wait), transport)
        self.many = ManySeries(self.transport)
        self.monitors = Monitors(self.transport)
        self.webhooks = Webhooks(self.transport)
        self.keys = Keys(self.transport)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.transport.url!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self.transport.close()

    def forecast(
        self,
        data: SeriesLike,
        horizon: int,
        *,
        model: Model | None = None,
        confidence: float | None = None,
        holidays: str | None = None,
        **reading: Unpack[Reading],
    ) -> Forecast:
        """Forecast the next ``horizon`` points of a series.

        Args:
            data: A pandas Series, a DataFrame of one series, or a pair of timestamps and values.
            horizon: 1 to 100 points.
            model: ``General``, ``Fast``, ``Seasonal`` or ``Robust``; 1 to 4; or an id. None:
                General.
            confidence: Probability of the interval, 0.1 to 0.99; None: 0.95.
            holidays: Whose public holidays to use of days and hours: an ISO 3166 code of a country
                or a part of it, such as ``AU-VIC``. None: of days, Christmas, New Year and Easter.
            reading: How ``data`` are read, see ``prepare``.

        Raises:
            DataError: The data cannot be sent as they are.
            ForecastError: What else can go wrong, see ``forecast_client.errors``.
        """
        series = prepare(data, **reading)
        return self.transport.send(
            calls.forecast(series, horizon, model=model, confidence=confidence, holidays=holidays)
        )

    def anomalies(
        self,
        data: SeriesLike,
        *,
        detect: str | None = None,
        false_alarm_rate: float | None = None,
        direction: str | None = None,
        **reading: Unpack[Reading],
    ) -> Detection:
        """Find the points of a series that do not fit.

        Args:
            data: As for ``forecast``; at least 20 points.
            detect: ``all`` points or the ``last``; None: all.
            false_alarm_rate: Share of the points of a clean series that may be flagged, 0.0001 to
                0.1; None: 0.001.
            direction: The sides on which a point counts: ``up``, ``down`` or ``both``; None: both.
            reading: How ``data`` are read, see ``prepare``.

        Raises:
            ForecastError: As of ``forecast``.
        """
        series = prepare(data, **reading)
        return self.transport.send(
            calls.anomalies(
                series, detect=detect, false_alarm_rate=false_alarm_rate, direction=direction
            )
        )

    def backtest(
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
        """Forecast the past of a series by several models, and measure how well each does.

        Args:
            data: As for ``forecast``.
            horizon: Points of a window, 1 to 100.
            models: Names, numbers or ids; None: all four. Seasonal naive is always beside them.
            windows: How many parts of the past are forecast, 1 to 10; None: 5.
            confidence: Probability of the intervals; None: 0.95.
            holidays: As for ``forecast``.
            reading: How ``data`` are read, see ``prepare``.

        Raises:
            ForecastError: As of ``forecast``.
        """
        series = prepare(data, **reading)
        return self.transport.send(
            calls.backtest(
                series,
                horizon,
                models=models,
                windows=windows,
                confidence=confidence,
                holidays=holidays,
            )
        )

    def verify(self) -> Verification:
        """Tell what the key may do, and what is left of its limit; costs nothing of it."""
        return self.transport.send(calls.verify())
