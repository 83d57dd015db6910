"""The tables of sources, and where the points of a fed monitor are from."""

import json
from typing import Any, cast

from sqlalchemy import Select, Table, select

from app.sources.models import SourceQuery, SourceRow, SourceSeries
from app.sources.records import Feed

SOURCES, QUERIES, SERIES = (
    cast(Table, model.__table__) for model in (SourceRow, SourceQuery, SourceSeries)
)


def reading() -> Select[Any]:
    """Return the query for feeds, one row for each fed monitor."""
    return (
        select(SOURCES.c.name.label("source"), QUERIES.c.name.label("query"), SERIES.c.labels)
        .join_from(SERIES, QUERIES, QUERIES.c.id == SERIES.c.query_id)
        .join(SOURCES, SOURCES.c.id == QUERIES.c.source_id)
    )


def feed_in(row: Any) -> Feed:
    """Return the feed in a row of `reading`."""
    return Feed(row.source, row.query, json.loads(row.labels))
