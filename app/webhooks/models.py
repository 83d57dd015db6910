"""The table of deliveries: what is to be sent, and what became of it."""

import datetime as dt

from sqlalchemy import BigInteger, ForeignKey, Index, Integer, String, Text, and_
from sqlalchemy.orm import Mapped, mapped_column

from app.database import Base, UtcDateTime, utcnow

LONGEST_PROBLEM = 200


class WebhookDelivery(Base):
    """One message about one event, written with the event itself.

    It is done where ``delivered_at`` or ``failed_at`` is set; until then it is due at
    ``next_attempt_at``, and taken by one deliverer until ``leased_until``.
    """

    __tablename__ = "webhook_deliveries"

    id: Mapped[int] = mapped_column(primary_key=True)
    monitor_id: Mapped[int] = mapped_column(
        ForeignKey("monitors.id", ondelete="CASCADE"), index=True
    )
    event_id: Mapped[int] = mapped_column(BigInteger)
    message_id: Mapped[str] = mapped_column(String(40))
    type: Mapped[str] = mapped_column(String(20))
    payload: Mapped[str] = mapped_column(Text)
    created_at: Mapped[dt.datetime] = mapped_column(UtcDateTime, default=utcnow)
    next_attempt_at: Mapped[dt.datetime | None] = mapped_column(UtcDateTime)
    leased_until: Mapped[dt.datetime | None] = mapped_column(UtcDateTime)
    attempts: Mapped[int] = mapped_column(Integer, default=0)
    last_problem: Mapped[str | None] = mapped_column(String(LONGEST_PROBLEM))
    delivered_at: Mapped[dt.datetime | None] = mapped_column(UtcDateTime)
    failed_at: Mapped[dt.datetime | None] = mapped_column(UtcDateTime)


_UNDONE = and_(WebhookDelivery.delivered_at.is_(None), WebhookDelivery.failed_at.is_(None))
Index(
    "ix_webhook_deliveries_next_attempt_at",
    WebhookDelivery.next_attempt_at,
    sqlite_where=_UNDONE,
    postgresql_where=_UNDONE,
)
