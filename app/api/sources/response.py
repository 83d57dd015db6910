"""From records of sources and queries to response bodies."""

import datetime as dt
from dataclasses import asdict

from app.api.declaration import Json
from app.core.database import iso_string
from app.watching.sources.records import QueryRecord, SourceRecord


def source_body(source: SourceRecord) -> Json:
    """Return a source in the form of its endpoints, without its credentials."""
    return {
        "name": source.name,
        "url": source.url,
        "authorization": source.authorization and {"type": source.authorization},
        "tenant": source.tenant,
        "alertmanagers": source.alertmanagers,
        "queries": [{"name": name, "state": state} for name, state in source.queries.items()],
        "created_at": iso_string(source.created_at),
    }


def query_body(query: QueryRecord) -> Json:
    """Return a query in the form of its endpoints."""
    return asdict(query.settings) | {
        "source": query.source,
        "name": query.name,
        "muted_until": _moment(query.settings.muted_until),
        "state": query.state,
        "series": query.series,
        "monitors": query.monitors,
        "read_to": _moment(query.read_to),
        "polled_at": _moment(query.polled_at),
        "failing_since": _moment(query.failing_since),
        "problem": query.problem,
        "notices": query.notices,
        "created_at": iso_string(query.created_at),
    }


def _moment(at: dt.datetime | None) -> str | None:
    return None if at is None else iso_string(at)
