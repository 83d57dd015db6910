"""Series that are judged as their points arrive: the ``monitors`` of both clients."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict, TypeVar, Unpack
from urllib.parse import urlencode

import httpx

from forecast_client import calls
from forecast_client.calls import Call, Json, Page, Paged
from forecast_client.errors import DataError
from forecast_client.resources import AnyTransport, Method, Pages, Resource
from forecast_client.results import record
from forecast_client.retries import Flow, Plan, Retries
from forecast_client.series import PointReading, Reading, SeriesLike, prepare

Item = TypeVar("Item")
MAX_POINTS, MAX_PAGE_SIZE = 1_000, 1_000


class MonitorOptions(TypedDict, total=False):
    """Settings of a monitor; what is left out has the service's default."""

    false_alarm_rate: float
    direction: str
    webhook: str
    alert_severity: float
    alert_min_deviation: float
    muted_until: str | dt.datetime


@dataclass(frozen=True)
class MonitorPoint:
    """A point and its verdict; a late one has no numbers."""

    cursor: int
    timestamp: str
    value: float
    status: str
    is_anomaly: bool
    expected: float | None
    lower_bound: float | None
    upper_bound: float | None
    p_value: float | None
    severity: float | None


@dataclass(frozen=True)
class MonitorEvent:
    """One thing that happened; ``end``, ``closed_as`` and ``closed_at`` are None while it is open.

    ``id`` stays the same, ``cursor`` changes when it becomes an alert and when it closes.
    ``deviation`` is the distance from the expected value at the peak. ``is_alert``: it reached the
    monitor's ``alert_severity`` and ``alert_min_deviation`` while the monitor was not muted.
    """

    id: int
    cursor: int
    kind: str
    direction: str | None
    start: str
    end: str | None
    peak_timestamp: str
    severity: float
    deviation: float | None
    is_alert: bool
    closed_as: str | None
    opened_at: dt.datetime
    closed_at: dt.datetime | None


@dataclass(frozen=True)
class Monitor:
    """A monitor: its settings, and how it is.

    ``state`` is ``learning``, ``normal``, ``anomalous`` or ``overdue``; ``reason`` says why it is
    learning: ``new``, ``gap`` or ``changed``. Nothing is sent before ``muted_until``.
    ``webhook`` is the name of its webhook.
    """

    name: str
    data_frequency: str
    step: int
    false_alarm_rate: float
    direction: str
    webhook: str | None
    alert_severity: float
    alert_min_deviation: float
    muted_until: dt.datetime | None
    state: str
    reason: str | None
    points: int
    last_point: MonitorPoint | None
    created_at: dt.datetime
    overdue_at: dt.datetime | None


@dataclass(frozen=True)
class Appended:
    """What became of points: parallel lists, one entry a point; then the monitor's state.

    ``status`` is ``judged``, ``learning``, ``late``, ``duplicate`` or ``conflict``. ``events`` are
    those that these points opened, made alerts or closed.
    """

    timestamps: list[str]
    status: list[str]
    is_anomaly: list[bool]
    expected: list[float | None]
    lower_bound: list[float | None]
    upper_bound: list[float | None]
    p_value: list[float | None]
    severity: list[float | None]
    state: str
    reason: str | None
    events: tuple[MonitorEvent, ...]
    notices: tuple[str, ...] = ()

    @classmethod
    def joined(cls, parts: Sequence["Appended"]) -> "Appended":
        """Return what became of points that were sent in several requests."""
        columns = {
            name: [entry for part in parts for entry in getattr(part, name)]
            for name, value in vars(parts[0]).items()
            if isinstance(value, list)
        }
        # An event that one request opened and a later one closed is returned as it is now.
        events = {event.id: event for part in parts for event in part.events}
        return cls(
            **columns,
            state=parts[-1].state,
            reason=parts[-1].reason,
            events=tuple(events.values()),
            notices=tuple(notice for part in parts for notice in part.notices),
        )


def list_monitors() -> Call[list[Monitor]]:
    """Return all monitors, by name."""
    return Call("GET", "/monitors", calls.list_reader(Monitor, "monitors"))


def get(name: str) -> Call[Monitor]:
    """Return a monitor: its settings, its state, its newest point."""
    return Call("GET", calls.path("monitor", name), calls.reader(Monitor))


def put(
    name: str,
    frequency: str | None = None,
    step: int | None = None,
    *,
    history: SeriesLike | None = None,
    reading: Reading | None = None,
    **options: Unpack[MonitorOptions],
) -> Call[Monitor]:
    """Make a monitor, or replace all settings of the one of this name.

    Args:
        name: 1 to 100 of a-z, 0-9, hyphens, underscores and dots.
        frequency: ``Seconds`` to ``Yearly``; None: that of ``history``.
        step: Units of it between two points; None: that of ``history``, or 1.
        history: A series to learn from, as ``ForecastClient.forecast`` takes it.
        reading: How ``history`` is read, see ``prepare``.
        options: ``false_alarm_rate``, ``direction``; ``webhook``, the name of the webhook that
            alerts are sent to; ``alert_severity`` (0 to 100) and ``alert_min_deviation`` (in the
            values' unit), which events must reach to be sent; ``muted_until``, before which
            nothing is.
    """
    body: Json = calls.given(**options)
    if history is not None:
        series = prepare(history, **(Reading(frequency=frequency) | (reading or Reading())))
        body |= calls.series_body(series) | {"step": series.step}
    content = calls.content_of(body | calls.given(data_frequency=frequency, step=step))
    return Call("PUT", calls.path("monitor", name), calls.reader(Monitor), content)


def delete(name: str) -> Call[None]:
    """Delete a monitor and all that it has learned."""
    return Call("DELETE", calls.path("monitor", name), calls.nothing)


def append(name: str, data: SeriesLike, **reading: Unpack[PointReading]) -> Plan[Appended]:
    """Append points, and return their verdicts.

    Points are stored once, however often they are sent. More than 1,000 go in several requests:
    after an error the same points may be sent again.

    Args:
        name: Of the monitor.
        data: A pandas Series, a DataFrame of one series, or a pair of timestamps and values.
        reading: How ``data`` are read, see ``PointReading``. ``frequency`` is that of the monitor,
            needed where the times are in a zone that changes its clocks.
    """
    from forecast_client import preparing

    timestamps, values = preparing.points(data, **reading)
    if not timestamps:
        raise DataError("there are no points to append: send at least one")

    def read(response: httpx.Response) -> Appended:
        return record(Appended, response.json(), notices=calls.notices_of(response))

    def part(start: int) -> Call[Appended]:
        some = slice(start, start + MAX_POINTS)
        content = calls.content_of({"timestamps": timestamps[some], "values": values[some]})
        return Call("POST", calls.path("monitor", name, "points"), read, content)

    parts = [part(start) for start in range(0, len(timestamps), MAX_POINTS)]

    def plan(retries: Retries) -> Flow[Appended]:
        done = []
        for call in parts:
            done.append((yield from retries.flow(call)))
        return Appended.joined(done)

    return plan


def points(
    name: str, *, after: int | None = None, newest_first: bool = False
) -> Paged[MonitorPoint]:
    """Iterate over the points that are kept, after the cursor ``after``, page by page."""
    return _paged(name, "points", MonitorPoint, after, newest_first)


def events(
    name: str, *, after: int | None = None, newest_first: bool = False
) -> Paged[MonitorEvent]:
    """Iterate over the events that are kept, after the cursor ``after``, page by page.

    An event gets a new cursor when it becomes an alert and when it closes: reading after the
    last one returns it again.
    """
    return _paged(name, "events", MonitorEvent, after, newest_first)


def _paged(
    name: str, what: str, kind: type[Item], after: int | None, newest_first: bool
) -> Paged[Item]:
    def read(response: httpx.Response) -> Page[Item]:
        body = response.json()
        return Page(tuple(record(kind, each) for each in body[what]), body["next"])

    def call(after: int | None) -> Call[Page[Item]]:
        order = "desc" if newest_first else "asc"
        query = urlencode(calls.given(after=after, limit=MAX_PAGE_SIZE, order=order))
        return Call("GET", f"{calls.path('monitor', name, what)}?{query}", read)

    return Paged(call, after)


class Monitors(Resource[AnyTransport]):
    """The monitors of the account."""

    list = Method(list_monitors)
    get = Method(get)
    put = Method(put)
    delete = Method(delete)
    append = Method(append)
    points = Pages(points)
    events = Pages(events)
