"""The public types and errors of monitors, without heavy imports."""

import datetime as dt
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Generic, TypeVar

from app.anomalies.results import DIRECTION, FALSE_ALARM_RATE, Direction, EventKind
from app.anomalies.streaming.events import Closing
from app.core.described import NAME, TIMESTAMP, described
from app.timeseries.calendar.defects import SeriesDefects
from app.timeseries.calendar.frequency import Frequency
from app.watching.monitors.limits import LIMIT, Limit

OVERDUE = "overdue"
"""The kind of event for overdue points; those that the detector finds are in ``EventKind``."""

LIMIT_AHEAD, LIMIT_REACHED = "limit_ahead", "limit_reached"
"""The kinds of events for a limit that the forecast passes, and for one that a value has passed."""
LIMIT_KINDS = (LIMIT_AHEAD, LIMIT_REACHED)

REACHED = "reached"
"""How an event ``limit_ahead`` closes when a value is beyond the limit."""

ABSENT = "absent"
"""How an event closes whose series is no longer returned; the others are in ``Closing``."""

DEFAULT_ALERT_SEVERITY = 50.0
"""Points flagged by chance at the default false alarm rate are below this severity."""

MAX_STEP = 10_000
MAX_ALERT_STEPS = 1_000

ALERT_SEVERITY: dict[str, Any] = {
    "description": "Only events of at least this severity are alerts. 50 is as much as "
    "chance does not reach at the default false alarm rate, 75 twice that evidence; 0: "
    "all events.",
    "minimum": 0,
    "maximum": 100,
    "default": DEFAULT_ALERT_SEVERITY,
    "label": "Minimum severity",
    "hint": "0 to 100. 50 is more than chance reaches.",
}
ALERT_MIN_DEVIATION: dict[str, Any] = {
    "description": "Only events whose value at the peak is at least this far from the "
    "expected one are alerts, in the values' unit.",
    "minimum": 0,
    "issue": "Must be 0 or more, in the unit of the values",
    "default": 0.0,
    "label": "Minimum deviation",
    "hint": "From the expected value, in the unit of the values: what would matter to you.",
}
ALERT_FOR: dict[str, Any] = {
    "description": "Only events that last at least this number of steps are alerts, from the step "
    "on at which they do.",
    "minimum": 1,
    "maximum": MAX_ALERT_STEPS,
    "issue": f"Must be between 1 and {MAX_ALERT_STEPS:,}",
    "label": "Steps that it lasts",
    "hint": "1: immediately.",
    "default": 1,
}
ALERT_MIN_RELATIVE: dict[str, Any] = {
    "description": "Only events whose value at the peak is at least this share of the expected "
    "value away from it are alerts: 0.5 is half as much again, or half of it.",
    "minimum": 0,
    "issue": "Must be 0 or more: a share, not a percentage; send 0.5 for 50 %",
    "label": "Minimum relative deviation",
    "hint": "Share of the expected value: 0.5 is 50 %.",
    "default": 0.0,
}
MUTED_UNTIL: dict[str, Any] = {
    "description": "Nothing is sent before this time; null: not muted.",
    "default": None,
}
WEBHOOK: dict[str, Any] = NAME | {
    "description": "Name of the webhook that alerts are sent to, which "
    "`PUT /webhooks/{name}` creates; null: none.",
    "examples": ["ops"],
    "default": None,
    "label": "Webhook",
}
STATE_MEANINGS = (
    "`learning`: too few points yet to judge; `anomalous`: an event is open; `normal`: no event is "
    "open"
)
REASON_MEANINGS = (
    "Why the monitor is learning; null unless `state` is `learning`. `new`: it has had too few "
    "points; `gap`: more than two seasons of points were missing; `changed`: the series has "
    "changed for good."
)

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
    """Return all states of a monitor: its state, and anomalous if that is hidden by it."""
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
    """The type of a message about an event."""

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
    """What clients set of a monitor; ``webhook`` is None in settings that a point is judged by."""

    data_frequency: Frequency = described(
        "Unit of the step between two points.", issue="invalid frequency", label="Unit"
    )
    step: int = described(
        "Units of `data_frequency` between two points: 5 for five-minute data.",
        minimum=1,
        maximum=MAX_STEP,
        issue=f"Must be between 1 and {MAX_STEP}",
        default=1,
        label="Units between two points",
        hint="5 for five-minute data.",
    )
    false_alarm_rate: float = described(**FALSE_ALARM_RATE)
    direction: Direction = described(**DIRECTION)
    webhook: str | None = described(**WEBHOOK)
    alert_severity: float = described(**ALERT_SEVERITY)
    alert_min_deviation: float = described(**ALERT_MIN_DEVIATION)
    muted_until: dt.datetime | None = described(**MUTED_UNTIL)
    limit: Limit | None = described(**LIMIT)
    alert_for: int = described(**ALERT_FOR)
    alert_min_relative: float = described(**ALERT_MIN_RELATIVE)

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
    """An incident of one or more points."""

    id: int = described("Never changes.")
    cursor: int = described(
        "Cursor: send it as `after` to continue from here. It changes when the "
        "event becomes an alert and when it closes."
    )
    kind: str = described(
        "As in `POST /anomalies`; `overdue`: an expected point did not arrive; `limit_ahead`: the "
        "forecast passes the limit; `limit_reached`: a value is beyond the limit.",
        enum=[*EventKind, OVERDUE, *LIMIT_KINDS],
    )
    direction: str | None = described(
        "Null if `kind` is `overdue`.", enum=[Direction.UP, Direction.DOWN, None]
    )
    start: str = described("Timestamp of the first point.", format=TIMESTAMP)
    end: str | None = described(
        "Timestamp of the last point; null while the event is open.", format=TIMESTAMP
    )
    peak_timestamp: str = described(
        "Timestamp of the point that is farthest from its expected value.", format=TIMESTAMP
    )
    reached_at: str | None = described(
        "When the limit is expected to be reached: the first step with a probability of 0.5, or of "
        "`probability` if that is less. Null unless `kind` is `limit_ahead`.",
        format=TIMESTAMP,
    )
    severity: float = described(
        "If `kind` is `limit_ahead`, the probability of a value beyond the limit, in percent.",
        minimum=0,
        maximum=100,
    )
    deviation: float | None = described(
        "Distance of the value from the expected one at the peak, in the "
        "values' unit; null if `kind` is `overdue` or about a limit.",
        minimum=0,
    )
    is_alert: bool = described(
        "Whether it fulfilled `alert_severity`, `alert_min_deviation`, `alert_min_relative` and "
        "`alert_for` at a time when the monitor was not muted. Only alerts are sent."
    )
    closed_as: str | None = described(
        "`ended`: the series is back to normal; `new_level`: the new level is the normal one; "
        "`absent`: the query no longer returns the series; `reached`: a value is beyond the limit; "
        "null while the event is open.",
        enum=[*Closing, ABSENT, REACHED, None],
    )
    opened_at: dt.datetime = described("When the event was detected.")
    closed_at: dt.datetime | None = described(
        "When the end was detected; null while the event is open."
    )


@dataclass(frozen=True, kw_only=True)
class MonitorQuality:
    """How well a monitor forecast its newest points, each from those before it."""

    judged: int = described("Judged points of the newest 2,000 steps.", minimum=1)
    inside: float = described(
        "Share of them inside the band, on the sides that `direction` watches.",
        minimum=0,
        maximum=1,
    )
    promised: float = described(
        "Share that the band promises for a clean series: 1 - `false_alarm_rate`.",
        minimum=0,
        maximum=1,
    )
    mean_error: float = described(
        "Mean distance of the values from the expected ones, in the values' unit.", minimum=0
    )
    seasonal_error: float | None = described(
        "The same if the value a seasonal period before had been expected, such as that of "
        "yesterday; null without a seasonal period. Where it is given, both are of the points that "
        "have such a value.",
        minimum=0,
    )
    seasonal_period: int | None = described("That period, in steps; null without one.", minimum=1)


@dataclass(frozen=True, kw_only=True)
class Monitor:
    """A monitor at one moment; ``fed_by`` is the query that feeds it, None if clients do.

    ``source``, ``query`` and ``labels`` are only known where its feed was read.
    """

    id: int
    name: str = described(**NAME)
    fed_by: str | None
    source: str | None = described(
        "Source whose query feeds it; null: clients append its points.", default=None
    )
    query: str | None = described(
        "Query that feeds it, and whose settings it has; or null.", default=None
    )
    labels: dict[str, str] | None = described(
        "Labels of the series that it is, if a query feeds it; or null.", default=None
    )
    settings: MonitorSettings = described(is_inlined=True)
    state: State = described(
        f"{STATE_MEANINGS}; `overdue`: the next point is two steps late; `absent`: the query that "
        "feeds it has not returned the series for five steps."
    )
    reason: LearningReason | None = described(REASON_MEANINGS)
    is_anomalous: bool = described("Whether an event is open, also while the state is `overdue`.")
    points: int = described("Number of points stored.", minimum=0)
    last_point: Point | None = described("The newest point; null if there is none.")
    created_at: dt.datetime = described("When the monitor was created.")
    overdue_at: dt.datetime | None = described(
        "When the monitor becomes overdue if no point arrives."
    )
    quality: MonitorQuality | None = described(
        "How well it forecast its newest points; null before the first judged one, in lists and in "
        "responses to `PUT`.",
        default=None,
    )

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


class BusyError(Exception):
    """Other writers were first until the time limit; nothing was stored."""
