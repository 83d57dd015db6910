"""Series whose points are checked as they arrive: ``monitors`` of both clients."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar, Unpack
from urllib.parse import urlencode

import httpx

from forecast_client import calls
from forecast_client.calls import Call, Json, Page, Paged
from forecast_client.records import (
    AlertOptions,
    AppendedPoints,
    Monitor,
    MonitorEvent,
    MonitorForecast,
    MonitorPoint,
)
from forecast_client.resources import AnyTransport, Method, NamedResource, Pages
from forecast_client.results import parse_record
from forecast_client.retries import Flow, Plan, Retries
from forecast_client.series import PointReading, Reading, SeriesLike, frequency_name, prepare

if TYPE_CHECKING:
    import pandas as pd

Item = TypeVar("Item")
MAX_POINTS, MAX_PAGE_SIZE = 1_000, 1_000


@dataclass(frozen=True)
class Appended(AppendedPoints):
    """The verdicts of points, the monitor's state, and the service's ``notices``."""

    notices: tuple[str, ...] = ()


@dataclass(frozen=True)
class LimitForecast(MonitorForecast):
    """The forecast of a monitor, its model, and the service's ``notices``."""

    model_id: str = ""
    notices: tuple[str, ...] = ()

    @property
    def frame(self) -> "pd.DataFrame":
        """A DataFrame of the median and bounds; its index is a DatetimeIndex."""
        import pandas as pd

        columns = ("median", "lower_bound", "upper_bound")
        index = pd.DatetimeIndex(self.forecast_timestamps)
        return pd.DataFrame({name: getattr(self, name) for name in columns}, index=index)


class Monitors(NamedResource[AnyTransport, Monitor]):
    """The monitors of the account."""

    noun, record = "monitor", Monitor

    @Method
    def put(
        self,
        name: str,
        frequency: str | None = None,
        step: int | None = None,
        *,
        history: SeriesLike | None = None,
        reading: Reading | None = None,
        **options: Unpack[AlertOptions],
    ) -> Call[Monitor]:
        """Create a monitor, or replace all settings of the one with this name.

        ``client.monitors.put("checkout", "Minutes", 5, webhook="ops", alert_severity=75)``

        Args:
            name: 1 to 100 of a-z, 0-9, hyphens, underscores and dots.
            frequency: ``Seconds`` to ``Yearly``; None: as in ``history``.
            step: Units of it between two points; None: as in ``history``, or 1.
            history: A series to learn from, as ``ForecastClient.forecast`` takes it.
            reading: How ``history`` is read, see ``prepare``.
            options: See ``AlertOptions``.
        """
        body: Json = calls.without_none(**options)
        if history is not None:
            series = prepare(history, **(Reading(frequency=frequency) | (reading or Reading())))
            body |= calls.series_body(series) | {"step": series.step}
        data_frequency = None if frequency is None else frequency_name(frequency)
        return self._put(name, body | calls.without_none(data_frequency=data_frequency, step=step))

    @Method
    def append(
        self, name: str, data: SeriesLike, **reading: Unpack[PointReading]
    ) -> Plan[Appended]:
        """Append points; return their verdicts.

        ``client.monitors.append("checkout", (["2026-01-01T00:00:00Z"], [900]))``

        Idempotent: a point is stored once, however often it is sent. More than 1,000 points are
        sent in several requests; after an error send the same points again.

        Args:
            name: The name of the monitor.
            data: A pandas Series, a DataFrame of one series, or a pair of timestamps and values.
            reading: How ``data`` are read, see ``PointReading``. ``frequency`` is the
                monitor's, needed if the times are in a zone that changes its clocks.
        """
        from forecast_client import preparing

        timestamps, values = preparing.points(data, **reading)
        path = self._path(name, "points")

        def plan(retries: Retries) -> Flow[Appended]:
            parts = []
            for start in range(0, len(timestamps), MAX_POINTS):
                part = slice(start, start + MAX_POINTS)
                body = {"timestamps": timestamps[part], "values": values[part]}
                call = Call("POST", path, _read_appended, calls.json_content(body))
                parts.append((yield from retries.flow(call)))
            return join_appended(parts)

        return plan

    @Method
    def forecast(
        self, name: str, horizon: int | None = None, *, confidence: float | None = None
    ) -> Call[LimitForecast]:
        """Forecast the series of a monitor, and when it reaches its limit, if it has one.

        ``client.monitors.forecast("disk", 72).reached.upper.p50``

        Args:
            name: The name of the monitor.
            horizon: Steps, 1 to 1,000; None: the limit's horizon, or 72.
            confidence: Probability of the interval, 0.1 to 0.99; None: 0.95.
        """
        query = urlencode(calls.without_none(horizon=horizon, confidence=confidence))
        path = self._path(name, "forecast")
        return Call("GET", f"{path}?{query}" if query else path, _read_forecast)

    @Pages
    def points(
        self, name: str, *, after: int | None = None, newest_first: bool = False
    ) -> Paged[MonitorPoint]:
        """Iterate over the stored points, after the cursor ``after``, page by page."""
        return _pages_of(self._path(name, "points"), MonitorPoint, after, newest_first)

    @Pages
    def events(
        self, name: str, *, after: int | None = None, newest_first: bool = False
    ) -> Paged[MonitorEvent]:
        """Iterate over the stored events, after the cursor ``after``, page by page.

        An event gets a new cursor when it becomes an alert and when it closes, and is then
        returned again.
        """
        return _pages_of(self._path(name, "events"), MonitorEvent, after, newest_first)


def _read_forecast(response: httpx.Response) -> LimitForecast:
    notices = calls.notices_of(response)
    model_id = response.headers[calls.MODEL]
    return parse_record(LimitForecast, response.json(), model_id=model_id, notices=notices)


def _read_appended(response: httpx.Response) -> Appended:
    return parse_record(Appended, response.json(), notices=calls.notices_of(response))


def join_appended(parts: Sequence[Appended]) -> Appended:
    """Join the verdicts of points that were sent in several requests."""
    columns = {
        name: [entry for part in parts for entry in getattr(part, name)]
        for name, value in vars(parts[0]).items()
        if isinstance(value, list)
    }
    # The last state of an event that several requests changed.
    events = {event.id: event for part in parts for event in part.events}
    return Appended(
        **columns,
        state=parts[-1].state,
        reason=parts[-1].reason,
        events=tuple(events.values()),
        notices=tuple(notice for part in parts for notice in part.notices),
    )


def _pages_of(path: str, kind: type[Item], after: int | None, newest_first: bool) -> Paged[Item]:
    def read(response: httpx.Response) -> Page[Item]:
        body = response.json()
        items = body[path.rpartition("/")[2]]
        return Page(tuple(parse_record(kind, item) for item in items), body["next"])

    def call(after: int | None) -> Call[Page[Item]]:
        order = "desc" if newest_first else "asc"
        query = urlencode(calls.without_none(after=after, limit=MAX_PAGE_SIZE, order=order))
        return Call("GET", f"{path}?{query}", read)

    return Paged(call, after)
