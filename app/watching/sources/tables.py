"""The tables of sources, and where the points of a fed monitor are from."""

import json
from typing import Any, cast

from sqlalchemy import Select, Table, select

from app.core.database.statements import Transaction
from app.watching.monitors import feeds
from app.watching.monitors.feeds import Feed
from app.watching.sources.models import SourceQuery, SourceRow, SourceSeries

SOURCES, QUERIES, SERIES = (
    cast(Table, model.__table__) for model in (SourceRow, SourceQuery, SourceSeries)
)


def feeds_query() -> Select[Any]:
    """Return the query for feeds, one row for each fed monitor."""
    return (
        select(SOURCES.c.name.label("source"), QUERIES.c.name.label("query"), SERIES.c.labels)
        .join_from(SERIES, QUERIES, QUERIES.c.id == SERIES.c.query_id)
        .join(SOURCES, SOURCES.c.id == QUERIES.c.source_id)
    )


def feed_from_row(row: Any) -> Feed:
    """Return the feed in a row of `reading`."""
    return Feed(row.source, row.query, json.loads(row.labels))


def _find_feed(writes: Transaction, monitor_id: int) -> Feed | None:
    """Return the feed of a monitor, None if there is none."""
    rows = writes.execute(feeds_query().where(SERIES.c.monitor_id == monitor_id))
    return feed_from_row(rows[0]) if rows else None


feeds.register_finder(_find_feed)
