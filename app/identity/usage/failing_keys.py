"""The keys of calls that failed in the same way."""

import datetime as dt
from collections.abc import Sequence

from sqlalchemy import bindparam, func, select

from app.core.database import utcnow
from app.core.database.engine import read_connection
from app.identity.usage.models import FailureDay
from app.identity.usage.periods import Interval
from app.identity.usage.queries import Failure


def find_failing_keys(
    account_id: int, since: dt.datetime, failures: Sequence[Failure], limit: int
) -> dict[Failure, list[int]]:
    """Return for each of ``failures`` the ids of up to ``limit`` keys, most frequent first.

    ``since`` is as in `app.identity.usage.queries.fetch_failures`: whole days.
    """
    length = Interval.DAY.seconds
    after = Interval.DAY.start(utcnow()) + 2 * length  # another node's clock may be a day ahead
    query = (
        select(FailureDay.key_id)
        .where(FailureDay.account_id == account_id)
        # Each day separately: day and kind are a prefix of the primary key, so the rows are sought.
        .where(FailureDay.day.in_(range(Interval.DAY.start(since), after, length)))
        .where(FailureDay.endpoint == bindparam("endpoint"))
        .where(FailureDay.status == bindparam("status"))
        .where(FailureDay.field == bindparam("field"))
        .group_by(FailureDay.key_id)
        .order_by(func.sum(FailureDay.calls).desc(), FailureDay.key_id)
        .limit(limit)
    )
    with read_connection() as connection:
        return {failure: [*connection.scalars(query, vars(failure))] for failure in failures}
