"""What monitors are to those who use them; light to import."""

import datetime as dt
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

from app.anomalies.results import Direction
from app.forecasting.calendar.defects import SeriesDefects
from app.forecasting.calendar.frequency import Frequency

OVERDUE = "overdue"
"""The kind of the event that no point came; the other kinds are those of ``EventKind``."""

T = TypeVar("T")


class State(StrEnum):
    """What a monitor is up to. ``overdue``, the next point being late, wins over the others."""

    LEARNING = "learning"
    NORMAL = "normal"
    ANOMALOUS = "anomalous"
    OVERDUE = "overdue"


def state_of(is_learning: bool, is_anomalous: bool) -> State:
    """Return the state of a monitor that is not overdue; an event is open or not."""
    if is_anomalous:
        return State.ANOMALOUS
    return State.LEARNING if is_learning else State.NORMAL


class Status(StrEnum):
    """What became of a point that was sent; the last two are never stored."""

    JUDGED = "judged"
    LEARNING = "learning"
    LATE = "late"
    DUPLICATE = "duplicate"
    CONFLICT = "conflict"


@dataclass(frozen=True)
class MonitorSettings:
    """What an account says of its monitor: ``step`` is in units of ``data_frequency``."""

    data_frequency: Frequency
    step: int
    false_alarm_rate: float
    direction: Direction
    webhook_url: str | None = None


@dataclass(frozen=True)
class Point:
    """A point and its verdict; a late one has none, and None for each number of it.

    ``cursor`` is its place on the grid: 0 for the first point ever, negative for late ones before.
    """

    cursor: int
    timestamp: str
    value: float
    status: Status
    is_anomaly: bool = False
    expected: float | None = None
    lower: float | None = None
    upper: float | None = None
    p_value: float | None = None
    severity: float | None = None


@dataclass(frozen=True)
class EventRecord:
    """An event: ``end``, ``closed_as`` and ``closed_at`` are None while it is open.

    ``kind`` is one of ``EventKind`` or ``OVERDUE``; the latter has no ``direction``. ``cursor``
    changes when it opens and when it closes, ``id`` does not.
    """

    id: int
    cursor: int
    kind: str
    direction: str | None
    start: str
    end: str | None
    peak_timestamp: str
    severity: float
    closed_as: str | None
    opened_at: dt.datetime
    closed_at: dt.datetime | None


@dataclass(frozen=True)
class Monitor:
    """A monitor as of one moment: ``points`` counts those kept."""

    id: int
    name: str
    settings: MonitorSettings
    state: State
    created_at: dt.datetime
    points: int
    last_point: Point | None
    overdue_at: dt.datetime | None


@dataclass(frozen=True)
class Put:
    """A monitor created or changed; ``webhook_secret`` where it is new, and never again."""

    monitor: Monitor
    is_new: bool
    webhook_secret: str | None
    notices: tuple[str, ...] = ()


@dataclass(frozen=True)
class Appended:
    """What became of the points of an append, in the order sent.

    Attributes:
        points: With the status as of this append.
        state: Of the monitor after it.
        events: Those that it opened or closed, as they are after it.
        notices: Short sentences about what to know.
    """

    points: list[Point]
    state: State
    events: list[EventRecord]
    notices: tuple[str, ...] = ()


@dataclass(frozen=True)
class Page(Generic[T]):
    """Some of many; ``next`` is the cursor to read on after, None at the end."""

    items: list[T]
    next: int | None


class PointErrors(SeriesDefects):
    """Points that the monitor cannot take, by their index; none of the append is stored."""


class NoSuchMonitorError(Exception):
    """The account has no monitor of this name."""


class NoWebhookError(Exception):
    """The monitor has no webhook, and so no secret of one."""


class GridFixedError(Exception):
    """The frequency or step of a monitor that has points cannot change."""


class TooManyMonitorsError(Exception):
    """The account has ``most`` monitors already."""

    def __init__(self, most: int) -> None:
        super().__init__(f"an account has at most {most} monitors")
        self.most = most


class BusyError(Exception):
    """Others wrote to the monitor for as long as this could wait; nothing was stored."""
