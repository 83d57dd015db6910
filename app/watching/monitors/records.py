"""The public types and errors of monitors, without heavy imports."""

import datetime as dt
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

from app.anomalies.results import Direction
from app.timeseries.calendar.defects import SeriesDefects
from app.timeseries.calendar.frequency import Frequency

OVERDUE = "overdue"
"""The kind of event for overdue points; the other kinds are in ``EventKind``."""

ABSENT = "absent"
"""How an event closes whose series is no longer returned; the others are in ``Closing``."""

DEFAULT_ALERT_SEVERITY = 50.0
"""What is flagged by chance at the default false alarm rate stays below this severity."""

T = TypeVar("T")


class State(StrEnum):
    """The state of a monitor.

    ``overdue``, a late next point, takes precedence, and so does ``absent``: the query that feeds
    it no longer returns the series.
    """

    LEARNING = "learning"
    NORMAL = "normal"
    ANOMALOUS = "anomalous"
    OVERDUE = "overdue"
    ABSENT = "absent"


def state_of(is_learning: bool, is_anomalous: bool) -> State:
    """Return the state of a monitor that is not overdue; anomalous means an open event."""
    if is_anomalous:
        return State.ANOMALOUS
    return State.LEARNING if is_learning else State.NORMAL


def states_of(state: State, is_anomalous: bool) -> tuple[State, ...]:
    """Return all that holds of a monitor: its state, and anomalous where that hides it."""
    is_hidden = is_anomalous and state is not State.ANOMALOUS
    return (state, State.ANOMALOUS) if is_hidden else (state,)


class LearningReason(StrEnum):
    """Why a monitor is learning: it is new, points were missing, or its series changed for good."""

    NEW = "new"
    GAP = "gap"
    CHANGED = "changed"


def reason_of(state: State, reason: LearningReason) -> LearningReason | None:
    """Return why a monitor in ``state`` is learning; ``reason`` is why it learned last."""
    return reason if state is State.LEARNING else None


class MessageType(StrEnum):
    """What a message about an event reports."""

    OPENED = "event.opened"
    CLOSED = "event.closed"


class PointStatus(StrEnum):
    """The status of a point that was sent; the last two are never stored."""

    JUDGED = "judged"
    LEARNING = "learning"
    LATE = "late"
    DUPLICATE = "duplicate"
    CONFLICT = "conflict"


@dataclass(frozen=True)
class MonitorSettings:
    """The settings of a monitor: ``step`` is in units of ``data_frequency``.

    Events of at least ``alert_severity``, and at their peak at least ``alert_min_deviation`` from
    the expected value, are alerts. Nothing is sent before ``muted_until``.
    """

    data_frequency: Frequency
    step: int
    false_alarm_rate: float
    direction: Direction
    alert_severity: float = DEFAULT_ALERT_SEVERITY
    alert_min_deviation: float = 0.0
    muted_until: dt.datetime | None = None

    def is_muted(self, now: dt.datetime) -> bool:
        """Return whether nothing is sent at ``now``."""
        return self.muted_until is not None and now < self.muted_until


@dataclass(frozen=True)
class Point:
    """A point and its verdict; a late one has None for each number of the verdict.

    ``cursor`` is its index on the grid: 0 for the first point, negative for late ones before it.
    """

    cursor: int
    timestamp: str
    value: float
    status: PointStatus
    is_anomaly: bool = False
    expected: float | None = None
    lower: float | None = None
    upper: float | None = None
    p_value: float | None = None
    severity: float | None = None


@dataclass(frozen=True)
class EventRecord:
    """An event: ``end``, ``closed_as`` and ``closed_at`` are None while it is open.

    ``kind`` is one of ``EventKind`` or ``OVERDUE``; the latter has no ``direction`` and no
    ``deviation``, the distance from the expected value at the peak. ``cursor`` changes when it
    opens, becomes an alert and closes, ``id`` does not.
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
    """A monitor at one moment: ``points`` is the number of stored points.

    ``reason`` is None unless ``state`` is learning. ``is_anomalous`` says whether an event is open,
    also while points are overdue. ``webhook`` is the name of its webhook, if any. ``fed_by`` is the
    query that feeds it, None if clients do.
    """

    id: int
    name: str
    fed_by: str | None
    settings: MonitorSettings
    state: State
    reason: LearningReason | None
    is_anomalous: bool
    created_at: dt.datetime
    points: int
    last_point: Point | None
    overdue_at: dt.datetime | None
    webhook: str | None

    @property
    def states(self) -> tuple[State, ...]:
        """The state, and anomalous beside it where that hides it."""
        return states_of(self.state, self.is_anomalous)


@dataclass(frozen=True)
class PutResult:
    """A created or changed monitor."""

    monitor: Monitor
    is_new: bool
    notices: tuple[str, ...] = ()


@dataclass(frozen=True)
class AppendResult:
    """The result of an append.

    Attributes:
        points: The points in the order sent, with their status in this append.
        state: The state of the monitor after it.
        reason: Why it is learning, None in other states.
        events: Events that it opened, made alerts or closed, as they are after it.
        notices: Short sentences for the client.
    """

    points: list[Point]
    state: State
    reason: LearningReason | None
    events: list[EventRecord]
    notices: tuple[str, ...] = ()


@dataclass(frozen=True)
class Page(Generic[T]):
    """A page; ``next`` is the cursor for the next one, None at the end."""

    items: list[T]
    next: int | None


class PointErrors(SeriesDefects):
    """Points that the monitor cannot accept, by index; nothing of the append is stored."""


class NoSuchMonitorError(Exception):
    """The account has no monitor with this name."""


class FedError(Exception):
    """The monitor is fed by ``query``, so clients cannot change it."""

    def __init__(self, query: str) -> None:
        super().__init__(f"the monitor is fed by the query {query!r}")
        self.query = query


class GridFixedError(Exception):
    """The frequency or step of a monitor that has points cannot change."""


class TooManyMonitorsError(Exception):
    """The account already has ``limit`` monitors."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"an account has at most {limit} monitors")
        self.limit = limit


class BusyError(Exception):
    """Other writers were first until the time limit; nothing was stored."""
