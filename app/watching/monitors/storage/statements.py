"""The statements of an append, compiled once."""

from dataclasses import dataclass
from functools import partial
from typing import Any

from sqlalchemy import (
    ARRAY,
    ColumnElement,
    Dialect,
    Integer,
    LargeBinary,
    Select,
    SmallInteger,
    bindparam,
    cast,
    column,
    delete,
    exists,
    func,
    insert,
    null,
    select,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite

from app.core.database.statements import PreparedStatement, cached_by_dialect
from app.watching.monitors.storage.detector_parts import PART_BYTES
from app.watching.monitors.storage.row_conversion import (
    GRID_COLUMNS,
    MONITORS,
    PARTS,
    POINT_COLUMNS,
    POINTS,
    SETTINGS_COLUMNS,
    STATE_COLUMNS,
    STATES,
)


@dataclass(frozen=True)
class AppendStatements:
    """The statements of an append.

    ``advance_by_point`` combines ``advance``, ``put_parts``, ``insert_point`` and ``trim_points``
    in one transaction, for PostgreSQL, where each of them is a round trip.
    """

    read: PreparedStatement
    read_without_detector: PreparedStatement
    points_between: PreparedStatement
    advance: PreparedStatement
    advance_by_point: PreparedStatement | None
    add_late: PreparedStatement
    put_parts: PreparedStatement
    drop_parts: PreparedStatement
    insert_point: PreparedStatement
    trim_points: PreparedStatement


_STATE_COLUMN_NAMES = [
    *("revision", "points", "events", "overdue_event_id"),
    *(table_column.name for table_column in GRID_COLUMNS),
]
# Columns of a state that change with the newest point only.
_NEWEST_COLUMN_NAMES = [
    "newest_index", "newest_at", "is_learning", "learning_reason", "open_event_id",
    "overdue_at", "is_absent",
]  # fmt: skip


@cached_by_dialect
def append_statements(dialect: Dialect) -> AppendStatements:
    point_values: dict[str, Any] = {
        table_column.key: bindparam(table_column.key) for table_column in POINTS.c
    }
    # The detector is in its parts.
    advance = _state_update([*_STATE_COLUMN_NAMES, *_NEWEST_COLUMN_NAMES]).values(state=b"")
    trim = _trim_points()
    is_postgresql = dialect.name == "postgresql"
    prepare = partial(PreparedStatement, dialect=dialect)
    return AppendStatements(
        read=prepare(_monitor_query_by_array() if is_postgresql else _monitor_query_by_rows()),
        read_without_detector=prepare(_monitor_query(null(), null())),
        points_between=prepare(_points_between()),
        advance=prepare(advance),
        advance_by_point=(
            prepare(_insert_point_and_advance(advance, trim)) if is_postgresql else None
        ),
        add_late=prepare(_state_update(_STATE_COLUMN_NAMES)),
        put_parts=prepare(_put_parts() if is_postgresql else _put_only_part()),
        drop_parts=prepare(_drop_parts()),
        insert_point=prepare(insert(POINTS).values(point_values)),
        trim_points=prepare(trim),
    )


def _points_between() -> Any:
    is_between = POINTS.c.index.between(bindparam("low"), bindparam("high"))
    return select(*POINT_COLUMNS).where(POINTS.c.monitor_id == bindparam("monitor"), is_between)


def _trim_points() -> Any:
    """Return the statement that deletes the ``surplus`` oldest points; others must stay."""
    is_monitor = POINTS.c.monitor_id == bindparam("monitor")
    first_kept = (
        select(POINTS.c.index)
        .where(is_monitor)
        .order_by(POINTS.c.index)
        .limit(1)
        .offset(bindparam("surplus"))
        .scalar_subquery()
    )
    return delete(POINTS).where(is_monitor, POINTS.c.index < first_kept)


def _drop_parts() -> Any:
    """Return the statement that deletes the parts from ``count`` on."""
    is_monitor = PARTS.c.monitor_id == bindparam("monitor")
    return delete(PARTS).where(is_monitor, PARTS.c.part >= bindparam("count"))


def _monitor_query_by_array() -> Select[Any]:
    in_order = func.array_agg(PARTS.c.packed).aggregate_order_by(PARTS.c.part)
    parts = select(in_order).where(PARTS.c.monitor_id == MONITORS.c.id)
    return _monitor_query(STATES.c.state, parts.scalar_subquery())


def _monitor_query_by_rows() -> Select[Any]:
    """Return the query of a row for each part, for SQLite, which has no arrays."""
    is_monitor = PARTS.c.monitor_id == MONITORS.c.id
    return (
        _monitor_query(STATES.c.state, PARTS.c.packed)
        .outerjoin(PARTS, is_monitor)
        .order_by(PARTS.c.part)
    )


def _monitor_query(state: Any, parts: Any) -> Select[Any]:
    """Return the query for a monitor, with ``state`` and ``parts`` as the detector's columns."""
    return (
        select(*MONITORS.c["id", "account_id", "name", "fed_by"], *SETTINGS_COLUMNS, *STATE_COLUMNS)
        .add_columns(state.label("state"), parts.label("parts"))
        .join(STATES, STATES.c.monitor_id == MONITORS.c.id)
        .where(
            MONITORS.c.account_id == bindparam("account_id"), MONITORS.c.name == bindparam("name")
        )
    )


def _state_update(names: list[str]) -> Any:
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


def _put_only_part() -> Any:
    """Return the statement that writes ``contents`` as the only part, for SQLite."""
    row = {"monitor_id": bindparam("monitor"), "part": 0, "packed": bindparam("contents")}
    return _upsert_parts(sqlite.insert(PARTS).values(row))


def _insert_point_and_advance(advance: Any, trim: Any) -> Any:
    """Return one statement that changes a state and parts, stores a point and trims older ones.

    All of it sees the rows before the statement: ``trim`` deletes up to an older point that stays.
    """
    changed = advance.cte("changed")
    is_changed = exists(select(changed.c.revision))
    row = select(
        *(bindparam(table_column.key, type_=table_column.type) for table_column in POINTS.c)
    )
    return (
        insert(POINTS)
        .from_select(list(POINTS.c), row.select_from(changed))
        .add_cte(_put_parts(is_changed).cte("put"), trim.where(is_changed).cte("trimmed"))
        .returning(POINTS.c.index)
    )


def _put_parts(condition: ColumnElement[bool] | None = None) -> Any:
    """Return the statement that writes the parts with the numbers ``part_numbers``.

    Their ``contents`` are joined: psycopg sends an array of bytes as digits, twice as long.
    """
    numbers = func.unnest(bindparam("part_numbers", type_=ARRAY(SmallInteger)))
    parts = numbers.table_valued(column("part", SmallInteger), with_ordinality="nth")
    parts = parts.render_derived(name="given")
    start = PART_BYTES * (cast(parts.c.nth, Integer) - 1) + 1
    content = func.substr(bindparam("contents", type_=LargeBinary), start, PART_BYTES)
    rows = select(bindparam("monitor", type_=Integer), parts.c.part, content)
    rows = rows if condition is None else rows.where(condition)
    return _upsert_parts(postgresql.insert(PARTS).from_select(list(PARTS.c), rows))


def _upsert_parts(new: Any) -> Any:
    key = [PARTS.c.monitor_id, PARTS.c.part]
    return new.on_conflict_do_update(index_elements=key, set_={"packed": new.excluded.packed})
