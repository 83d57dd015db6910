"""When the limits of monitors are evaluated: rows of ``monitor_limits``."""

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, delete, insert, select, update

from app.core.database import db, utcnow
from app.watching.monitors.storage.row_conversion import LIMITS


def schedule_evaluations(connection: Connection, ids: Sequence[int], *, has_limit: bool) -> None:
    """Make evaluations of the monitors ``ids`` due now: the limit is new, changed or removed."""
    values = {
        "due_at": utcnow(),
        "evaluated_index": None,
        "low_evaluations": 0,
        "failing_since": None,
    }
    query = select(LIMITS.c.monitor_id).where(LIMITS.c.monitor_id.in_(ids))
    stored = set(connection.scalars(query))
    if stored:
        connection.execute(update(LIMITS).where(LIMITS.c.monitor_id.in_(stored)).values(values))
    if has_limit and (new := [monitor_id for monitor_id in ids if monitor_id not in stored]):
        connection.execute(
            insert(LIMITS), [values | {"monitor_id": monitor_id} for monitor_id in new]
        )


def advance_evaluation(monitor_id: int) -> None:
    """Make an evaluation due now: the newest value is beyond the limit."""
    now = utcnow()
    due = update(LIMITS).where(LIMITS.c.monitor_id == monitor_id, LIMITS.c.due_at > now)
    with db.engine.begin() as connection:
        connection.execute(due.values(due_at=now))


def update_evaluation(monitor_id: int, due_at: dt.datetime, values: Mapping[str, Any]) -> bool:
    """Change an evaluation if it is still due at ``due_at``; return whether it was.

    A worker claims an evaluation by postponing it, and stores its result unless another has become
    due since.
    """
    evaluation = update(LIMITS).where(_is_due_at(monitor_id, due_at))
    with db.engine.begin() as connection:
        return connection.execute(evaluation.values(values)).rowcount == 1


def end_evaluations(monitor_id: int, claimed_until: dt.datetime) -> bool:
    """Delete the row of a removed limit; False if there is a limit again."""
    with db.engine.begin() as connection:
        rows = connection.execute(delete(LIMITS).where(_is_due_at(monitor_id, claimed_until)))
        return rows.rowcount == 1


def _is_due_at(monitor_id: int, due_at: dt.datetime) -> ColumnElement[bool]:
    return (LIMITS.c.monitor_id == monitor_id) & (LIMITS.c.due_at == due_at)
