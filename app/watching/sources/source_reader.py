"""Read sources, queries, and the feeds of monitors."""

import datetime as dt
import json
from dataclasses import fields
from typing import Any

from sqlalchemy import Connection, Row, Select, func, select

from app.anomalies.results import Direction
from app.core.database import db
from app.core.database.engine import read_connection, read_rows
from app.core.database.malformed import translate_row_errors
from app.delivery.webhook_registry import WEBHOOKS
from app.watching.feeds import Feed, feed_of, feeds_query
from app.watching.models.sources import QUERIES, SERIES, SOURCES, QueryState, query_name
from app.watching.monitors.settings.limits import parse_limit
from app.watching.monitors.storage.row_conversion import MONITORS
from app.watching.sources.alertmanagers import failing_alertmanagers
from app.watching.sources.source_records import (
    NoSuchQueryError,
    NoSuchSourceError,
    QueryRecord,
    QuerySettings,
    SourceRecord,
)


def get_source(account_id: int, name: str) -> SourceRecord:
    """Return a source; raise NoSuchSourceError if the account has none with this name."""
    source = next(iter(list_sources(account_id, name)), None)
    if source is None:
        raise NoSuchSourceError(name)
    return source


def list_sources(account_id: int, name: str | None = None) -> list[SourceRecord]:
    """Return the sources of an account, ordered by name; only the one called ``name``, if given."""
    sources = select(SOURCES).where(SOURCES.c.account_id == account_id).order_by(SOURCES.c.name)
    if name is not None:
        sources = sources.where(SOURCES.c.name == name)
    queries = (
        select(QUERIES.c.source_id, query_name().label("name"), QUERIES.c.state)
        .where(QUERIES.c.account_id == account_id)
        .order_by("name")
    )
    with read_connection() as connection:
        rows, states = connection.execute(sources).all(), connection.execute(queries).all()
    return [
        SourceRecord(
            name=row.name,
            url=row.url,
            authorization=row.authorization_type,
            tenant=row.tenant,
            alertmanagers=json.loads(row.alertmanagers),
            labels=json.loads(row.labels),
            failing_alertmanagers=failing_alertmanagers(row),
            queries={
                query.name: QueryState(query.state) for query in states if query.source_id == row.id
            },
            created_at=row.created_at,
        )
        for row in rows
    ]


def get_query(account_id: int, source: str, name: str) -> QueryRecord:
    """Return a query; raise NoSuchSourceError or NoSuchQueryError."""
    with read_connection() as connection:
        return read_query_record(connection, account_id, source, name)


def read_query_record(
    connection: Connection, account_id: int, source: str, name: str
) -> QueryRecord:
    """Return a query as `get_query` does, in a transaction."""
    get_source_row(connection, account_id, source)
    select_query = _select_queries(account_id, source).where(query_name() == name)
    row = connection.execute(select_query).one_or_none()
    if row is None:
        raise NoSuchQueryError(name)
    return _query_record(row)


def list_queries(account_id: int, source: str) -> list[QueryRecord]:
    """Return the queries of a source, ordered by name."""
    query = _select_queries(account_id, source).order_by(query_name())
    return [_query_record(row) for row in read_rows(db.engine, query)]


def _select_queries(account_id: int, source: str) -> Select[Any]:
    monitors = select(func.count()).where(SERIES.c.query_id == QUERIES.c.id).scalar_subquery()
    return (
        select(QUERIES, SOURCES.c.name.label("source"), WEBHOOKS.c.name.label("webhook"))
        .add_columns(monitors.label("monitors"), query_name().label("shown_name"))
        .join(SOURCES, SOURCES.c.id == QUERIES.c.source_id)
        .outerjoin(WEBHOOKS, WEBHOOKS.c.id == QUERIES.c.webhook_id)
        .where(QUERIES.c.account_id == account_id, SOURCES.c.name == source)
    )


def _query_record(row: Any) -> QueryRecord:
    return QueryRecord(
        source=row.source,
        name=row.shown_name,
        settings=query_settings_of(row),
        state=QueryState(row.state),
        series=row.series,
        monitors=row.monitors,
        read_to=None if row.read_to is None else dt.datetime.fromtimestamp(row.read_to, dt.UTC),
        polled_at=row.polled_at,
        failing_since=row.failing_since,
        problem=row.problem,
        notices=list(dict.fromkeys(json.loads(row.fill_notices) + json.loads(row.notices))),
        created_at=row.created_at,
    )


@translate_row_errors()
def query_settings_of(row: Any) -> QuerySettings:
    """Return the settings in the row of a query; no webhook if the row lacks its name."""
    values: dict[str, Any] = {
        field.name: getattr(row, field.name, None) for field in fields(QuerySettings)
    }
    values["direction"] = Direction(row.direction)
    values["limit"] = parse_limit(row.limit)
    values["labels"] = json.loads(row.labels)
    return QuerySettings(**values)


def get_source_row(connection: Connection, account_id: int, name: str) -> Row[Any]:
    """Return the row of a source; raise NoSuchSourceError if there is none."""
    row = find_source_row(connection, account_id, name)
    if row is None:
        raise NoSuchSourceError(name)
    return row


def find_source_row(connection: Connection, account_id: int, name: str) -> Row[Any] | None:
    query = select(SOURCES).where(SOURCES.c.account_id == account_id, SOURCES.c.name == name)
    return connection.execute(query).one_or_none()


def find_feeds(account_id: int, monitor: str | None = None) -> dict[str, Feed]:
    """Return the feeds of an account's fed monitors by the monitor's name.

    With ``monitor`` only this one's.
    """
    query = (
        feeds_query()
        .add_columns(MONITORS.c.name.label("monitor"))
        .join(MONITORS, MONITORS.c.id == SERIES.c.monitor_id)
        .where(MONITORS.c.account_id == account_id)
    )
    if monitor is not None:
        query = query.where(MONITORS.c.name == monitor)
    return {row.monitor: feed_of(row) for row in read_rows(db.engine, query)}
