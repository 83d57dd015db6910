"""Which keys the calls that failed alike were made with."""

import datetime as dt
from collections.abc import Sequence

from sqlalchemy import func, or_, select

from app.database.engine import read_connection
from app.usage.models import FailureDay
from app.usage.periods import Interval
from app.usage.reading import Failure


def failing_keys(
    account_id: int, since: dt.datetime, failures: Sequence[Failure], most: int
) -> dict[Failure, list[int]]:
    """Return the ids of ``most`` keys of each of ``failures``, those that failed most often first.

    ``since`` is that of `app.usage.reading.failures`; a day that has begun counts whole.
    """
    if not failures:
        return {}
    kinds = {(one.endpoint, one.status, one.field): one for one in failures}
    columns = FailureDay.endpoint, FailureDay.status, FailureDay.field
    alike = or_(
        *(
            (columns[0] == endpoint) & (columns[1] == status) & (columns[2] == field)
            for endpoint, status, field in kinds
        )
    )
    key_id, calls = FailureDay.key_id, func.sum(FailureDay.calls)
    rank = func.row_number().over(partition_by=columns, order_by=(calls.desc(), key_id))
    ranked = (
        select(*columns, key_id, rank.label("rank"))
        .where(FailureDay.account_id == account_id)
        .where(FailureDay.day >= Interval.DAY.start(since))
        .where(alike)
        .group_by(*columns, key_id)
        .subquery()
    )
    found: dict[Failure, list[int]] = {one: [] for one in failures}
    query = select(ranked).where(ranked.c.rank <= most).order_by(ranked.c.rank)
    with read_connection() as connection:
        for row in connection.execute(query):
            found[kinds[row.endpoint, row.status, row.field]].append(row.key_id)
    return found
