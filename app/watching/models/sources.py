"""The tables of sources: servers, their queries, and the series that each query returns."""

import datetime as dt
from enum import StrEnum

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Double,
    ForeignKey,
    Integer,
    String,
    Text,
    UniqueConstraint,
    func,
)
from sqlalchemy.orm import Mapped, mapped_column

from app.core.database import Base, UtcDateTime, utcnow
from app.core.http.addresses import MAX_URL_LENGTH
from app.delivery.models import Webhook
from app.watching.models.monitors import AlertColumns, MonitorKeyColumn

METRIC_LABEL = "__name__"  # the label that has the name of a metric

MAX_SOURCE_NAME_LENGTH = 40
MAX_QUERY_LENGTH = 4_000
MAX_SOURCE_PROBLEM_LENGTH = 300
MAX_TENANT_LENGTH = 150


class QueryState(StrEnum):
    """The state of a query: see `app.watching.sources.polling`."""

    WAITING = "waiting"
    FILLING = "filling"
    LIVE = "live"
    FAILING = "failing"
    REFUSED = "refused"


class SourceRow(Base):
    """A server with Prometheus' API.

    ``credentials`` is the encrypted authorization, whose type is ``authorization_type``; both are
    null without one. ``alertmanagers`` is a list of URLs as JSON, ``labels`` an object of strings.
    ``alertmanager_problems`` has those that fail: see `app.watching.sources.alertmanagers`.
    """

    __tablename__ = "sources"
    __table_args__ = (UniqueConstraint("account_id", "name"), {"sqlite_autoincrement": True})

    id: Mapped[int] = mapped_column(primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey("accounts.id"))
    name: Mapped[str] = mapped_column(String(MAX_SOURCE_NAME_LENGTH))
    url: Mapped[str] = mapped_column(String(MAX_URL_LENGTH))
    authorization_type: Mapped[str | None] = mapped_column(String(10))
    credentials: Mapped[str | None] = mapped_column(Text)
    tenant: Mapped[str | None] = mapped_column(String(MAX_TENANT_LENGTH))
    alertmanagers: Mapped[str] = mapped_column(Text)
    labels: Mapped[str] = mapped_column(Text, server_default="{}")
    alertmanager_problems: Mapped[str] = mapped_column(Text, server_default="{}")
    created_at: Mapped[dt.datetime] = mapped_column(UtcDateTime, default=utcnow)


class SourceQuery(AlertColumns, Base):
    """A query of a source: its settings, and how far it was read.

    ``name`` is unique in the account: the names of its monitors begin with it. ``path_name`` is its
    name in its source, null if that is the same. ``step`` and ``delay`` are in seconds, ``history``
    in steps. ``read_to`` is the Unix time of the newest step that was read and stored: the next
    poll continues after it. ``fill_to`` is the newest step of the history: an interrupted fill
    continues to the same step. ``lease`` counts the leases; only the holder of the newest one
    writes. ``series`` is their number in the newest response. ``fill_notices`` and ``notices`` are
    lists of strings as JSON: of the history with steps skipped since, and of the newest poll.
    """

    __tablename__ = "source_queries"
    # Ids are never reused: a worker that was stopped must not write to another query.
    __table_args__ = (UniqueConstraint("account_id", "name"), {"sqlite_autoincrement": True})

    id: Mapped[int] = mapped_column(primary_key=True)
    source_id: Mapped[int] = mapped_column(ForeignKey(SourceRow.id, ondelete="CASCADE"), index=True)
    account_id: Mapped[int] = mapped_column(ForeignKey("accounts.id"))
    name: Mapped[str] = mapped_column(String(MAX_SOURCE_NAME_LENGTH))
    path_name: Mapped[str | None] = mapped_column(String(MAX_SOURCE_NAME_LENGTH))
    query: Mapped[str] = mapped_column(Text)
    step: Mapped[int] = mapped_column(Integer)
    history: Mapped[int] = mapped_column(Integer)
    delay: Mapped[int] = mapped_column(Integer)
    max_series: Mapped[int] = mapped_column(Integer)
    alert_severity: Mapped[float] = mapped_column(Double)
    alert_min_deviation: Mapped[float] = mapped_column(Double)
    labels: Mapped[str] = mapped_column(Text, server_default="{}")
    webhook_id: Mapped[int | None] = mapped_column(
        ForeignKey(Webhook.id, ondelete="SET NULL"), index=True
    )
    created_at: Mapped[dt.datetime] = mapped_column(UtcDateTime, default=utcnow)
    state: Mapped[str] = mapped_column(String(10), default=QueryState.WAITING)
    next_poll_at: Mapped[dt.datetime] = mapped_column(UtcDateTime, index=True)
    leased_until: Mapped[dt.datetime | None] = mapped_column(UtcDateTime)
    lease: Mapped[int] = mapped_column(Integer, default=0)
    fill_to: Mapped[int | None] = mapped_column(BigInteger)
    read_to: Mapped[int | None] = mapped_column(BigInteger)
    polled_at: Mapped[dt.datetime | None] = mapped_column(UtcDateTime)
    failures: Mapped[int] = mapped_column(Integer, default=0)
    failing_since: Mapped[dt.datetime | None] = mapped_column(UtcDateTime)
    problem: Mapped[str | None] = mapped_column(String(MAX_SOURCE_PROBLEM_LENGTH))
    series: Mapped[int] = mapped_column(Integer, default=0)
    fill_notices: Mapped[str] = mapped_column(Text, default="[]")
    notices: Mapped[str] = mapped_column(Text, default="[]")


class SourceSeries(MonitorKeyColumn, Base):
    """A series of a query, and its monitor.

    ``labels`` is an object of strings as JSON, its keys sorted. ``since`` and ``seen_to`` are the
    Unix times of the steps at which it was first and last seen.
    """

    __tablename__ = "source_series"

    query_id: Mapped[int] = mapped_column(
        ForeignKey(SourceQuery.id, ondelete="CASCADE"), index=True
    )
    labels: Mapped[str] = mapped_column(Text)
    since: Mapped[int] = mapped_column(BigInteger)
    seen_to: Mapped[int] = mapped_column(BigInteger)


SOURCES, QUERIES, SERIES = (model.__table__ for model in (SourceRow, SourceQuery, SourceSeries))


def query_name() -> ColumnElement[str]:
    return func.coalesce(QUERIES.c.path_name, QUERIES.c.name)
