"""What calls about monitors return."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from forecast_client.results import Body, moment, record

Item = TypeVar("Item")


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

    @classmethod
    def from_body(cls, body: Body) -> "MonitorPoint":
        """Return a point of a response."""
        return record(cls, body)


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

    @classmethod
    def from_body(cls, body: Body) -> "MonitorEvent":
        """Return an event of a response."""
        moments = {name: moment(body[name]) for name in ("opened_at", "closed_at")}
        return record(cls, body, **moments)


@dataclass(frozen=True)
class Monitor:
    """A monitor: its settings, and how it is.

    ``state`` is ``learning``, ``normal``, ``anomalous`` or ``overdue``; ``reason`` says why it is
    learning: ``new``, ``gap`` or ``changed``. Nothing is sent before ``muted_until``.
    ``webhook`` is the name of its webhook, ``webhook_url`` that one's URL. ``webhook_secret`` is
    there once: in the response to the PUT that has set ``webhook_url`` for the first time.
    """

    name: str
    data_frequency: str
    step: int
    false_alarm_rate: float
    direction: str
    webhook: str | None
    webhook_url: str | None
    alert_severity: float
    alert_min_deviation: float
    muted_until: dt.datetime | None
    state: str
    reason: str | None
    points: int
    last_point: MonitorPoint | None
    created_at: dt.datetime
    overdue_at: dt.datetime | None
    webhook_secret: str | None = field(default=None, repr=False)

    @classmethod
    def from_body(cls, body: Body) -> "Monitor":
        """Return a monitor of a response."""
        last = body["last_point"]
        return record(
            cls,
            body,
            last_point=None if last is None else MonitorPoint.from_body(last),
            **{name: moment(body[name]) for name in ("created_at", "overdue_at", "muted_until")},
            webhook_secret=body.get("webhook_secret"),
        )


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
    def from_body(cls, body: Body, notices: tuple[str, ...]) -> "Appended":
        """Return what a response says."""
        events = tuple(MonitorEvent.from_body(each) for each in body["events"])
        return record(cls, body, events=events, notices=notices)

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


@dataclass(frozen=True)
class Page(Generic[Item]):
    """Some of many; ``next`` is the cursor of those after them, None where there are none yet."""

    items: tuple[Item, ...]
    next: int | None
