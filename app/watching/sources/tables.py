"""The tables of sources."""

from sqlalchemy import ColumnElement, func

from app.watching.sources.models import SourceQuery, SourceRow, SourceSeries

SOURCES, QUERIES, SERIES = (model.__table__ for model in (SourceRow, SourceQuery, SourceSeries))


def query_name() -> ColumnElement[str]:
    return func.coalesce(QUERIES.c.path_name, QUERIES.c.name)
