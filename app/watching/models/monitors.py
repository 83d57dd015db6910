"""The tables of monitors; columns changed by appends are separate from those changed by PUT."""

import datetime as dt

from sqlalchemy import (
    BigInteger,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    SmallInteger,
    String,
    Text,
    UniqueConstraint,
    and_,
    false,
    true,
)
from sqlalchemy.orm import Mapped, mapped_column

from app.core.database import Base, UtcDateTime, utcnow
from app.core.http.addresses import MAX_URL_LENGTH
from app.core.record_fields import MAX_NAME_LENGTH
from app.delivery.models import Webhook


class AlertColumns:
    """The columns of ``AlertSettings``, of monitors and of queries.

    ``limit`` is JSON (`app.watching.monitors.settings.limits`).
    """

    false_alarm_rate: Mapped[float] = mapped_column(Double)
    direction: Mapped[str] = mapped_column(String(4))
    alert_for: Mapped[int] = mapped_column(Integer, server_default="1")
    alert_min_relative: Mapped[float] = mapped_column(Double, server_default="0")
    muted_until: Mapped[dt.datetime | None] = mapped_column(UtcDateTime)
    limit: Mapped[str | None] = mapped_column(Text)


class MonitorKeyColumn:
    """The key of the rows of a monitor, which are deleted with it."""

    monitor_id: Mapped[int] = mapped_column(
        ForeignKey("monitors.id", ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
        sort_order=-1,
    )


class MonitorRow(AlertColumns, Base):
    """A monitor's name and settings.

    ``fed_by`` is the query of a source that feeds it, null if clients do. The columns of webhooks
    are for release 1.2 (`app.watching.monitors.storage.compat_1_2`).
    """

    __tablename__ = "monitors"
    # Ids are never reused: a writer that has read a deleted monitor must not write to a new one.
    __table_args__ = (UniqueConstraint("account_id", "name"), {"sqlite_autoincrement": True})

    id: Mapped[int] = mapped_column(primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey("accounts.id"))
    name: Mapped[str] = mapped_column(String(MAX_NAME_LENGTH))
    data_frequency: Mapped[str] = mapped_column(String(10))
    step: Mapped[int] = mapped_column(Integer)
    alert_severity: Mapped[float] = mapped_column(Double, server_default="50")
    alert_min_deviation: Mapped[float] = mapped_column(Double, server_default="0")
    webhook_url: Mapped[str | None] = mapped_column(String(MAX_URL_LENGTH))
    webhook_secret: Mapped[str | None] = mapped_column(String(100))
    former_webhook_secret: Mapped[str | None] = mapped_column(String(100))
    former_secret_ends_at: Mapped[dt.datetime | None] = mapped_column(UtcDateTime)
    fed_by: Mapped[str | None] = mapped_column(String(MAX_NAME_LENGTH))
    created_at: Mapped[dt.datetime] = mapped_column(UtcDateTime, default=utcnow)


class MonitorWebhook(MonitorKeyColumn, Base):
    """The webhook that gets the alerts of a monitor; without a row none does."""

    __tablename__ = "monitor_webhooks"

    webhook_id: Mapped[int] = mapped_column(ForeignKey(Webhook.id, ondelete="CASCADE"), index=True)


class MonitorState(MonitorKeyColumn, Base):
    """The columns that an append changes, one row per monitor."""

    __tablename__ = "monitor_states"

    # Grows with each change; a write is conditional on the revision that was read.
    revision: Mapped[int] = mapped_column(BigInteger, default=0)
    # From here to `second_of_day`: the grid (`monitors.grid`), null before the first point.
    suffix: Mapped[str | None] = mapped_column(String(6))
    axis: Mapped[str | None] = mapped_column(String(13))
    anchor: Mapped[int | None] = mapped_column(BigInteger)
    day: Mapped[int | None] = mapped_column(SmallInteger)
    min_day: Mapped[int | None] = mapped_column("least_day", SmallInteger, key="min_day")
    second_of_day: Mapped[int | None] = mapped_column(Integer)
    newest_index: Mapped[int | None] = mapped_column("newest_place", BigInteger, key="newest_index")
    newest_at: Mapped[dt.datetime | None] = mapped_column(UtcDateTime)
    points: Mapped[int] = mapped_column(Integer, default=0)  # how many are stored
    events: Mapped[int] = mapped_column(Integer, default=0)  # how many are stored
    is_learning: Mapped[bool] = mapped_column(default=True)
    # Why it learns, or why it learned last.
    learning_reason: Mapped[str] = mapped_column(String(7), server_default="new")
    open_event_id: Mapped[int | None] = mapped_column(BigInteger)
    overdue_event_id: Mapped[int | None] = mapped_column(BigInteger)
    overdue_at: Mapped[dt.datetime | None] = mapped_column(UtcDateTime)
    # Whether its query no longer returns the series; the next point ends that.
    is_absent: Mapped[bool] = mapped_column(default=False, server_default=false())
    # A packed detector that release 1.1 has stored; empty if it is in `monitor_detectors`. The last
    # column, so that the others can be read without it.
    state: Mapped[bytes | None] = mapped_column(LargeBinary)


class MonitorDetectorPart(MonitorKeyColumn, Base):
    """A part of the packed detector of a monitor (`app.watching.monitors.storage.detector_parts`).

    Appends change no column of an index here, so PostgreSQL needs no VACUUM to use the space of
    obsolete rows again.
    """

    __tablename__ = "monitor_detectors"

    part: Mapped[int] = mapped_column(SmallInteger, primary_key=True, autoincrement=False)
    packed: Mapped[bytes] = mapped_column(LargeBinary)


# Monitors that get an event when they are overdue: those without an open one, and whose newest
# point was not already overdue on arrival, as the points of a history are.
NEEDS_OVERDUE_EVENT = and_(
    MonitorState.overdue_event_id.is_(None), MonitorState.overdue_at > MonitorState.newest_at
)
# Contains only these monitors, so that those that have been silent for long cost nothing.
Index(
    "ix_monitor_states_overdue_at",
    MonitorState.overdue_at,
    sqlite_where=NEEDS_OVERDUE_EVENT,
    postgresql_where=NEEDS_OVERDUE_EVENT,
)


class MonitorPoint(MonitorKeyColumn, Base):
    """A point at its index on the grid, and the verdict that was returned.

    ``status`` is judged, learning or late; a late point has no verdict but nulls.
    """

    __tablename__ = "monitor_points"
    __table_args__ = ({"sqlite_with_rowid": False},)

    index: Mapped[int] = mapped_column(
        "place", BigInteger, key="index", primary_key=True, autoincrement=False
    )
    value: Mapped[float] = mapped_column(Double)
    status: Mapped[str] = mapped_column(String(8))
    is_anomaly: Mapped[bool]
    expected: Mapped[float | None] = mapped_column(Double)
    lower: Mapped[float | None] = mapped_column("lower_bound", Double, key="lower")
    upper: Mapped[float | None] = mapped_column("upper_bound", Double, key="upper")
    p_value: Mapped[float | None] = mapped_column(Double)
    severity: Mapped[float | None] = mapped_column(Double)


class MonitorEvent(MonitorKeyColumn, Base):
    __tablename__ = "monitor_events"
    __table_args__ = (
        Index("ix_monitor_events_monitor_id_revision", "monitor_id", "revision", unique=True),
    )

    # The monitor's revision at which it opened.
    id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    # That of its last change (opening, becoming an alert or closing): the cursor of events.
    revision: Mapped[int] = mapped_column(BigInteger)
    kind: Mapped[str] = mapped_column(String(20))
    direction: Mapped[str | None] = mapped_column(String(4))
    start_index: Mapped[int] = mapped_column("start_place", BigInteger, key="start_index")
    # Null while it is open; the point that closes it is after this index.
    end_index: Mapped[int | None] = mapped_column("end_place", BigInteger, key="end_index")
    peak_index: Mapped[int] = mapped_column("peak_place", BigInteger, key="peak_index")
    severity: Mapped[float] = mapped_column(Double)
    closed_as: Mapped[str | None] = mapped_column(String(10))  # null while it is open
    opened_at: Mapped[dt.datetime] = mapped_column(UtcDateTime)
    closed_at: Mapped[dt.datetime | None] = mapped_column(UtcDateTime)
    deviation: Mapped[float | None] = mapped_column(Double)  # at the peak; null if unknown
    # The default is for events of releases that sent all of them.
    is_alert: Mapped[bool] = mapped_column(server_default=true())
    # Whether a message about it waits until the monitor is no longer muted.
    is_withheld: Mapped[bool] = mapped_column(server_default=false())
    expected: Mapped[float | None] = mapped_column(Double)  # at the peak; null if unknown


# Contains only these events: hardly any.
Index(
    "ix_monitor_events_withheld",
    MonitorEvent.monitor_id,
    sqlite_where=MonitorEvent.is_withheld,
    postgresql_where=MonitorEvent.is_withheld,
)


class MonitorLimit(MonitorKeyColumn, Base):
    """When the limit of a monitor is evaluated next, and the result of the newest evaluation.

    There is a row for each monitor with a limit, and one for a removed limit until its event is
    closed.
    """

    __tablename__ = "monitor_limits"

    due_at: Mapped[dt.datetime] = mapped_column(UtcDateTime, index=True)
    # Of the newest evaluated point.
    evaluated_index: Mapped[int | None] = mapped_column("place", BigInteger, key="evaluated_index")
    # How many of the newest evaluations, one after the other, contradict the open event.
    low_evaluations: Mapped[int] = mapped_column(SmallInteger, default=0)
    probability: Mapped[float | None] = mapped_column(Double)  # the highest of a step
    direction: Mapped[str | None] = mapped_column(String(4))  # the side of that
    # Of the step at which the limit is reached; null if not within the horizon.
    reached_index: Mapped[int | None] = mapped_column(
        "reached_place", BigInteger, key="reached_index"
    )
    # The first of the failed evaluations since the newest that succeeded.
    failing_since: Mapped[dt.datetime | None] = mapped_column(UtcDateTime)
