"""The tables of sources."""

from typing import cast

from sqlalchemy import Table

from app.watching.sources.models import SourceQuery, SourceRow, SourceSeries

SOURCES, QUERIES, SERIES = (
    cast(Table, model.__table__) for model in (SourceRow, SourceQuery, SourceSeries)
)
