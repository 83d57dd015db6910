"""The tables of sources."""

from typing import cast

from sqlalchemy import ColumnElement, Table, func

from app.watching.sources.models import SourceQuery, SourceRow, SourceSeries

SOURCES, QUERIES, SERIES = (
    cast(Table, model.__table__) for model in (SourceRow, SourceQuery, SourceSeries)
)


def query_name() -> ColumnElement[str]:
    return func.coalesce(QUERIES.c.path_name, QUERIES.c.name)
