"""Handle the monitors that are due, one by one, in the worker."""

from collections.abc import Callable
from typing import Any

from sqlalchemy import Row, Select

from app.core.database.engine import read_connection
from app.core.database.malformed import skipped_rows
from app.watching.monitors.tables import MONITORS

MAX_DUE_MONITORS = 1_000


def handle_due(
    noun: str, due: Select[Any], handle: Callable[[Row[Any]], bool], max_monitors: int | None = None
) -> int:
    """Handle the monitors that are due; return for how many ``handle`` returned True.

    A monitor whose rows are malformed is skipped for a while, so that it does not block the others.

    Args:
        noun: The name of malformed rows in the log.
        due: The rows to handle, which have the ``id`` of the monitor.
        handle: Reads the monitor again; returns False if nothing is due now.
        max_monitors: The rows of one call, if fewer than usual; the others stay due.
    """
    skipped = skipped_rows(noun)
    query = due.where(MONITORS.c.id.not_in(skipped.ids())).limit(max_monitors or MAX_DUE_MONITORS)
    with read_connection() as connection:
        rows = connection.execute(query).all()
    handled = 0
    for row in rows:
        with skipped.skip_if_malformed(row.id):
            handled += handle(row)
    return handled
