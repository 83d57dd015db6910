"""Conversion of rows to records and back, and the statements of an append."""

from dataclasses import dataclass
from typing import Any, cast

from sqlalchemy import Dialect, Table, bindparam, delete, exists, insert, null, select, update

from app.anomalies.results import Direction
from app.database.statements import Prepared, once_for_each_kind
from app.forecasting.calendar.axes import BusinessDayAxis, MonthAxis, SecondAxis, TimeAxis
from app.forecasting.calendar.frequency import Frequency
from app.monitors.events import Event
from app.monitors.grid import Grid
from app.monitors.models import MonitorEvent, MonitorPoint, MonitorRow, MonitorState
from app.monitors.records import MonitorSettings, Point, Status

MONITORS, STATES, POINTS, EVENTS = (
    cast(Table, model.__table__) for model in (MonitorRow, MonitorState, MonitorPoint, MonitorEvent)
)
_SECONDS, _BUSINESS_DAYS, _MONTHS = "seconds", "business days", "months"
SETTINGS_COLUMNS = [
    MONITORS.c[name]
    for name in ("data_frequency", "step", "false_alarm_rate", "direction", "webhook_url")
]
GRID_COLUMNS = [
    STATES.c[name] for name in ("suffix", "axis", "anchor", "day", "least_day", "second_of_day")
]


@dataclass(frozen=True)
class Stored:
    """A monitor as read by a writer: everything that the next point depends on."""

    id: int
    account_id: int
    name: str
    settings: MonitorSettings
    revision: int
    grid: Grid | None
    newest_place: int | None
    points: int
    events: int
    is_learning: bool
    open_event_id: int | None
    overdue_event_id: int | None
    state: bytes | None


def stored_of(row: Any) -> Stored:
    """Return the monitor in a row of `Statements.read`."""
    settings = settings_of(row)
    return Stored(
        id=row.id,
        account_id=row.account_id,
        name=row.name,
        settings=settings,
        revision=row.revision,
        grid=grid_of(row, settings),
        newest_place=row.newest_place,
        points=row.points,
        events=row.events,
        is_learning=bool(row.is_learning),
        open_event_id=row.open_event_id,
        overdue_event_id=row.overdue_event_id,
        state=row.state,
    )


def settings_of(row: Any) -> MonitorSettings:
    """Return the settings in a row with `SETTINGS_COLUMNS`."""
    return MonitorSettings(
        Frequency(row.data_frequency),
        row.step,
        row.false_alarm_rate,
        Direction(row.direction),
        row.webhook_url,
    )


def grid_of(row: Any, settings: MonitorSettings) -> Grid | None:
    """Return the grid in a row with `GRID_COLUMNS`; None before the first point."""
    if row.axis is None:
        return None
    axis: TimeAxis
    if row.axis == _SECONDS:
        axis = SecondAxis()
    elif row.axis == _BUSINESS_DAYS:
        axis = BusinessDayAxis(row.second_of_day)
    else:
        axis = MonthAxis(row.day, row.second_of_day)
    frequency, step = settings.data_frequency, settings.step
    return Grid(frequency, step, row.suffix, axis, row.anchor, row.least_day)


def grid_values(grid: Grid) -> dict[str, Any]:
    """Return the values of `GRID_COLUMNS` for ``grid``."""
    axis, day, second = _SECONDS, None, None
    if isinstance(grid.axis, BusinessDayAxis):
        axis, second = _BUSINESS_DAYS, grid.axis.second_of_day
    elif isinstance(grid.axis, MonthAxis):
        axis, day, second = _MONTHS, grid.axis.day, grid.axis.second_of_day
    return {
        "suffix": grid.suffix,
        "axis": axis,
        "anchor": grid.anchor,
        "day": day,
        "least_day": grid.least_day,
        "second_of_day": second,
    }


def point_of(row: Any, timestamp: str) -> Point:
    """Return the point in a row of ``monitor_points``."""
    return Point(
        row.place,
        timestamp,
        row.value,
        Status(row.status),
        bool(row.is_anomaly),
        row.expected,
        row.lower_bound,
        row.upper_bound,
        row.p_value,
        row.severity,
    )


def point_values(monitor_id: int, point: Point) -> dict[str, Any]:
    """Return the row of ``monitor_points`` for ``point``."""
    return {
        "monitor_id": monitor_id,
        "place": point.cursor,
        "value": point.value,
        "status": point.status.value,
        "is_anomaly": point.is_anomaly,
        "expected": point.expected,
        "lower_bound": point.lower,
        "upper_bound": point.upper,
        "p_value": point.p_value,
        "severity": point.severity,
    }


def event_of(row: Any) -> Event:
    """Return the event in a row of ``monitor_events``, without its monitor."""
    return Event(*row)


EVENT_COLUMNS = [column for column in EVENTS.c if column.name != "monitor_id"]


@dataclass(frozen=True)
class Statements:
    """The statements of an append, compiled once.

    ``advance_by_point`` combines ``advance``, ``insert_point`` and ``trim_points`` in one
    transaction, for PostgreSQL, where each of them is a round trip.
    """

    read: Prepared
    read_but_detector: Prepared
    points_between: Prepared
    advance: Prepared
    advance_by_point: Prepared | None
    add_late: Prepared
    relearn: Prepared
    insert_point: Prepared
    trim_points: Prepared


@once_for_each_kind
def statements(dialect: Dialect) -> Statements:
    """Return the statements for the engine of ``dialect``."""
    *others, state = STATES.c[1:]
    read, read_but_detector = (
        select(*MONITORS.c["id", "account_id", "name"], *SETTINGS_COLUMNS, *others, last)
        .join(STATES, STATES.c.monitor_id == MONITORS.c.id)
        .where(
            MONITORS.c.account_id == bindparam("account_id"), MONITORS.c.name == bindparam("name")
        )
        for last in (state, null().label(state.name))
    )
    of_monitor = POINTS.c.monitor_id == bindparam("monitor")
    between = select(POINTS).where(
        of_monitor, POINTS.c.place.between(bindparam("low"), bindparam("high"))
    )
    first_kept = (
        select(POINTS.c.place)
        .where(of_monitor)
        .order_by(POINTS.c.place)
        .limit(1)
        .offset(bindparam("surplus"))
        .scalar_subquery()
    )
    trim = delete(POINTS).where(of_monitor, POINTS.c.place < first_kept)
    grid_names = [column.name for column in GRID_COLUMNS]
    of_all = ["revision", "points", "events", "overdue_event_id", *grid_names]
    of_newest = ["newest_place", "newest_at", "is_learning", "open_event_id", "overdue_at", "state"]
    advance = _change([*of_all, *of_newest])
    return Statements(
        read=Prepared(read, dialect),
        read_but_detector=Prepared(read_but_detector, dialect),
        points_between=Prepared(between, dialect),
        advance=Prepared(advance, dialect),
        advance_by_point=(
            Prepared(_by_point(advance, trim), dialect) if dialect.name == "postgresql" else None
        ),
        add_late=Prepared(_change(of_all), dialect),
        relearn=Prepared(_change(["revision", "state"]), dialect),
        insert_point=Prepared(_insert(POINTS), dialect),
        trim_points=Prepared(trim, dialect),
    )


def _insert(table: Table) -> Any:
    return insert(table).values({column.name: bindparam(column.name) for column in table.c})


def _change(names: list[str]) -> Any:
    """Return the update of a state; it returns no row if the revision read is outdated."""
    return (
        update(STATES)
        .where(
            STATES.c.monitor_id == bindparam("monitor"),
            STATES.c.revision == bindparam("revision_read"),
        )
        .values({name: bindparam(name) for name in names})
        .returning(STATES.c.revision)
    )


def _by_point(advance: Any, trim: Any) -> Any:
    """Return one statement that changes a state, stores its newest point and trims older ones.

    All its parts see the rows from before the statement: ``trim`` must allow for the new point.
    """
    changed = advance.cte("changed")
    row = select(*(bindparam(column.name, type_=column.type) for column in POINTS.c))
    return (
        insert(POINTS)
        .from_select(list(POINTS.c), row.select_from(changed))
        .add_cte(trim.where(exists(select(changed.c.revision))).cte("trimmed"))
        .returning(POINTS.c.place)
    )
