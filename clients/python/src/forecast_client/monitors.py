"""Series that are judged as their points arrive: the ``monitors`` of both clients."""

import datetime as dt
from collections.abc import AsyncIterator, Callable, Iterator
from typing import TypedDict, TypeVar, Unpack

from forecast_client import monitor_calls
from forecast_client.calls import Call
from forecast_client.monitor_results import Appended, Monitor, MonitorEvent, MonitorPoint, Page
from forecast_client.series import PointReading, Prepared, Reading, SeriesLike, points, prepare
from forecast_client.transport import AsyncTransport, Transport

Item = TypeVar("Item", MonitorPoint, MonitorEvent)
PageCall = Callable[[str, int | None, bool], Call[Page[Item]]]


class MonitorOptions(TypedDict, total=False):
    """Settings of a monitor; what is left out has the service's default."""

    false_alarm_rate: float
    direction: str
    webhook: str
    webhook_url: str
    alert_severity: float
    alert_min_deviation: float
    muted_until: str | dt.datetime


def _history(
    data: SeriesLike | None, frequency: str | None, reading: Reading | None
) -> Prepared | None:
    if data is None:
        return None
    return prepare(data, **(Reading(frequency=frequency) | (reading or Reading())))


class Monitors:
    """The monitors of the account. Each method raises ``ForecastError``."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self) -> list[Monitor]:
        """Return all monitors, by name."""
        return self._transport.send(monitor_calls.list_monitors())

    def get(self, name: str) -> Monitor:
        """Return a monitor: its settings, its state, its newest point."""
        return self._transport.send(monitor_calls.get(name))

    def put(
        self,
        name: str,
        frequency: str | None = None,
        step: int | None = None,
        *,
        history: SeriesLike | None = None,
        reading: Reading | None = None,
        **options: Unpack[MonitorOptions],
    ) -> Monitor:
        """Make a monitor, or replace all settings of the one of this name.

        With ``webhook_url`` it is not sent again if the response was lost, as only that has
        ``webhook_secret``: ``rotate_secret`` then gives another. A URL with another host has a new
        secret.

        Args:
            name: 1 to 100 of a-z, 0-9, hyphens, underscores and dots.
            frequency: ``Seconds`` to ``Yearly``; None: that of ``history``.
            step: Units of it between two points; None: that of ``history``, or 1.
            history: A series to learn from, as ``ForecastClient.forecast`` takes it.
            reading: How ``history`` is read, see ``prepare``.
            options: ``false_alarm_rate``, ``direction``; ``webhook``, the name of the webhook that
                alerts are sent to, or ``webhook_url`` (deprecated); ``alert_severity`` (0 to 100)
                and ``alert_min_deviation`` (in the values' unit), which events must reach to be
                sent; ``muted_until``, before which nothing is.
        """
        series = _history(history, frequency, reading)
        return self._transport.send(monitor_calls.put(name, frequency, step, series, **options))

    def delete(self, name: str) -> None:
        """Delete a monitor and all that it has learned."""
        self._transport.send(monitor_calls.delete(name))

    def rotate_secret(self, name: str) -> str:
        """Make a new secret for the webhook; the former one signs beside it for 24 hours."""
        return self._transport.send(monitor_calls.rotate_secret(name))

    def append(self, name: str, data: SeriesLike, **reading: Unpack[PointReading]) -> Appended:
        """Append points, and return their verdicts.

        Points are stored once, however often they are sent. More than 1,000 go in several
        requests: after an error the same points may be sent again.

        Args:
            name: Of the monitor.
            data: A pandas Series, a DataFrame of one series, or a pair of timestamps and values.
            reading: How ``data`` are read, see ``forecast_client.series.points``.
        """
        parts = monitor_calls.append(name, *points(data, **reading))
        return Appended.joined([self._transport.send(part) for part in parts])

    def points(
        self, name: str, *, after: int | None = None, newest_first: bool = False
    ) -> Iterator[MonitorPoint]:
        """Iterate over the points that are kept, after the cursor ``after``, page by page."""
        return self._pages(monitor_calls.points_page, name, after, newest_first)

    def events(
        self, name: str, *, after: int | None = None, newest_first: bool = False
    ) -> Iterator[MonitorEvent]:
        """Iterate over the events that are kept, after the cursor ``after``, page by page.

        An event gets a new cursor when it becomes an alert and when it closes: reading after the
        last one returns it again.
        """
        return self._pages(monitor_calls.events_page, name, after, newest_first)

    def _pages(
        self, page_call: PageCall[Item], name: str, after: int | None, newest_first: bool
    ) -> Iterator[Item]:
        while True:
            page = self._transport.send(page_call(name, after, newest_first))
            yield from page.items
            if page.next is None:
                return
            after = page.next


class AsyncMonitors:
    """``Monitors`` with methods that are awaited, and asynchronous iterators."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def list(self) -> list[Monitor]:
        """Return all monitors, by name."""
        return await self._transport.send(monitor_calls.list_monitors())

    async def get(self, name: str) -> Monitor:
        """Return a monitor: its settings, its state, its newest point."""
        return await self._transport.send(monitor_calls.get(name))

    async def put(
        self,
        name: str,
        frequency: str | None = None,
        step: int | None = None,
        *,
        history: SeriesLike | None = None,
        reading: Reading | None = None,
        **options: Unpack[MonitorOptions],
    ) -> Monitor:
        """Make a monitor, or replace its settings, as ``Monitors.put`` does."""
        series = _history(history, frequency, reading)
        call = monitor_calls.put(name, frequency, step, series, **options)
        return await self._transport.send(call)

    async def delete(self, name: str) -> None:
        """Delete a monitor and all that it has learned."""
        await self._transport.send(monitor_calls.delete(name))

    async def rotate_secret(self, name: str) -> str:
        """Make a new secret for the webhook; the former one signs beside it for 24 hours."""
        return await self._transport.send(monitor_calls.rotate_secret(name))

    async def append(
        self, name: str, data: SeriesLike, **reading: Unpack[PointReading]
    ) -> Appended:
        """Append points, and return their verdicts, as ``Monitors.append`` does."""
        parts = monitor_calls.append(name, *points(data, **reading))
        return Appended.joined([await self._transport.send(part) for part in parts])

    def points(
        self, name: str, *, after: int | None = None, newest_first: bool = False
    ) -> AsyncIterator[MonitorPoint]:
        """Iterate over the points that are kept, as ``Monitors.points`` does."""
        return self._pages(monitor_calls.points_page, name, after, newest_first)

    def events(
        self, name: str, *, after: int | None = None, newest_first: bool = False
    ) -> AsyncIterator[MonitorEvent]:
        """Iterate over the events that are kept, as ``Monitors.events`` does."""
        return self._pages(monitor_calls.events_page, name, after, newest_first)

    async def _pages(
        self, page_call: PageCall[Item], name: str, after: int | None, newest_first: bool
    ) -> AsyncIterator[Item]:
        while True:
            page = await self._transport.send(page_call(name, after, newest_first))
            for item in page.items:
                yield item
            if page.next is None:
                return
            after = page.next
