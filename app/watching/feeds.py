"""Feeds: the queries that the points of fed monitors come from."""

import json
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select, select

from app.core.database.statements import Transaction
from app.watching.models.sources import METRIC_LABEL, QUERIES, SERIES, SOURCES, query_name


@dataclass(frozen=True)
class Feed:
    """The origin of a fed monitor's points: the source, the query, and the series' labels."""

    source: str
    query: str
    labels: dict[str, str]

    @property
    def title(self) -> str:
        return feed_title(self.query, self.labels)


def feed_title(query: str, labels: dict[str, str]) -> str:
    """Return a series in words: ``load: service=s3``; a metric's name is without its label."""
    pairs = ", ".join(
        value if label == METRIC_LABEL else f"{label}={value}" for label, value in labels.items()
    )
    return f"{query}: {pairs}" if pairs else query


def feeds_query() -> Select[Any]:
    """Return the query for feeds, one row for each fed monitor."""
    return (
        select(SOURCES.c.name.label("source"), query_name().label("query"), SERIES.c.labels)
        .join_from(SERIES, QUERIES, QUERIES.c.id == SERIES.c.query_id)
        .join(SOURCES, SOURCES.c.id == QUERIES.c.source_id)
    )


def feed_of(row: Any) -> Feed:
    return Feed(row.source, row.query, json.loads(row.labels))


def find_feed(writes: Transaction, monitor_id: int) -> Feed | None:
    """Return the feed of a monitor, None if clients append its points."""
    rows = writes.execute(feeds_query().where(SERIES.c.monitor_id == monitor_id))
    return feed_of(rows[0]) if rows else None
