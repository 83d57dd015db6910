"""Convert rows of monitors to records and back."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from app.anomalies.results import Direction
from app.core.database import aware_datetime
from app.core.database.malformed import reject_non_integers
from app.timeseries.calendar.axes import BusinessDayAxis, MonthAxis, SecondAxis, TimeAxis
from app.timeseries.calendar.frequency import Frequency
from app.watching.models.monitors import (
    MonitorDetectorPart,
    MonitorEvent,
    MonitorLimit,
    MonitorPoint,
    MonitorRow,
    MonitorState,
    MonitorWebhook,
)
from app.watching.monitors.judging.event_ledger import StoredEvent
from app.watching.monitors.judging.grid import MonitorGrid
from app.watching.monitors.settings.limits import parse_limit
from app.watching.monitors.settings.monitor_records import LIMIT_KINDS, Point, PointStatus
from app.watching.monitors.settings.monitor_settings import MonitorSettings
from app.watching.monitors.settings.states import LearningReason

MONITORS, STATES, PARTS, POINTS, EVENTS, MONITOR_WEBHOOKS, LIMITS = (
    model.__table__
    for model in (
        MonitorRow,
        MonitorState,
        MonitorDetectorPart,
        MonitorPoint,
        MonitorEvent,
        MonitorWebhook,
        MonitorLimit,
    )
)
_SECONDS, _BUSINESS_DAYS, _MONTHS = "seconds", "business days", "months"
SETTINGS_COLUMNS = [
    MONITORS.c[field.name] for field in fields(MonitorSettings) if field.name in MONITORS.c
]
# Labels: rows of a table have the names of the database, which differ from the keys of columns.
GRID_COLUMNS = [
    STATES.c[name].label(name)
    for name in ("suffix", "axis", "anchor", "day", "min_day", "second_of_day")
]
POINT_COLUMNS, EVENT_COLUMNS, STATE_COLUMNS = (
    [column.label(column.key) for column in table.c if column.key not in {"monitor_id", "state"}]
    for table in (POINTS, EVENTS, STATES)  # a state's detector is read on its own
)
IS_LIMIT_OPEN = EVENTS.c.kind.in_(LIMIT_KINDS) & EVENTS.c.closed_at.is_(None)


@dataclass(frozen=True)
class StoredMonitor:
    """A monitor as read by a writer: everything that the next point depends on.

    ``detector`` is packed. ``parts`` are those that are stored, to be compared with new ones.
    """

    id: int
    account_id: int
    name: str
    fed_by: str | None
    settings: MonitorSettings
    revision: int
    grid: MonitorGrid | None
    newest_index: int | None
    point_count: int
    event_count: int
    is_learning: bool
    learning_reason: LearningReason
    open_event_id: int | None
    overdue_event_id: int | None
    is_absent: bool
    detector: bytes
    parts: Sequence[bytes]


def stored_monitor(rows: Sequence[Any]) -> StoredMonitor:
    """Return the monitor in the rows of `AppendStatements.read`.

    Raise one of `MALFORMED_ERRORS` if a row is malformed.
    """
    row = rows[0]
    reject_non_integers(row, STATE_COLUMNS)
    parts = row.parts or ()
    if isinstance(parts, bytes):  # SQLite has no arrays: there is a row for each part
        parts = [row.parts for row in rows]
    return StoredMonitor(
        id=row.id,
        account_id=row.account_id,
        name=row.name,
        fed_by=row.fed_by,
        settings=settings_of(row),
        revision=row.revision,
        grid=grid_of(row),
        newest_index=row.newest_index,
        point_count=row.points,
        event_count=row.events,
        is_learning=bool(row.is_learning),
        learning_reason=LearningReason(row.learning_reason),
        open_event_id=row.open_event_id,
        overdue_event_id=row.overdue_event_id,
        is_absent=bool(row.is_absent),
        detector=row.state or b"".join(parts),
        parts=parts,
    )


def settings_of(row: Any) -> MonitorSettings:
    """Return the settings in a row with `SETTINGS_COLUMNS`, without the webhook."""
    values = {column.name: getattr(row, column.name) for column in SETTINGS_COLUMNS}
    values["data_frequency"] = Frequency(row.data_frequency)
    values["direction"] = Direction(row.direction)
    values["muted_until"] = aware_datetime(row.muted_until)
    values["limit"] = parse_limit(row.limit)
    return MonitorSettings(**values)


def grid_of(row: Any) -> MonitorGrid | None:
    """Return the grid in a row with `GRID_COLUMNS` and its step; None before the first point."""
    if row.axis is None:
        return None
    axis: TimeAxis
    if row.axis == _SECONDS:
        axis = SecondAxis()
    elif row.axis == _BUSINESS_DAYS:
        axis = BusinessDayAxis(row.second_of_day)
    else:
        axis = MonthAxis(row.day, row.second_of_day)
    frequency = Frequency(row.data_frequency)
    return MonitorGrid(frequency, row.step, row.suffix, axis, row.anchor, row.min_day)


def grid_values(grid: MonitorGrid) -> dict[str, Any]:
    axis = _SECONDS
    day = None
    second = None
    if isinstance(grid.axis, BusinessDayAxis):
        axis, second = _BUSINESS_DAYS, grid.axis.second_of_day
    elif isinstance(grid.axis, MonthAxis):
        axis, day, second = _MONTHS, grid.axis.day, grid.axis.second_of_day
    return {
        "suffix": grid.suffix,
        "axis": axis,
        "anchor": grid.anchor,
        "day": day,
        "min_day": grid.min_day,
        "second_of_day": second,
    }


def point_of(row: Any, timestamp: str) -> Point:
    """Return the point in a row with `POINT_COLUMNS`."""
    values = {column.name: getattr(row, column.name) for column in POINT_COLUMNS}
    values |= {"status": PointStatus(row.status), "is_anomaly": bool(row.is_anomaly)}
    return Point(timestamp=timestamp, **values)


def point_values(monitor_id: int, point: Point) -> dict[str, Any]:
    values = {column.name: getattr(point, column.name) for column in POINT_COLUMNS}
    return values | {"monitor_id": monitor_id, "status": point.status.value}


def event_of(row: Any) -> StoredEvent:
    """Return the event in a row with `EVENT_COLUMNS`, in any order."""
    return StoredEvent(**{column.name: getattr(row, column.name) for column in EVENT_COLUMNS})
