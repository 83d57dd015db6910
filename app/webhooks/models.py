"""The table of deliveries: pending messages, and recent ones that were sent or failed."""

import datetime as dt
from enum import StrEnum

from sqlalchemy import BigInteger, ForeignKey, Index, Integer, String, Text, and_
from sqlalchemy.orm import Mapped, mapped_column

from app.database import Base, UtcDateTime

LONGEST_PROBLEM = 200


class DeliveryState(StrEnum):
    """The state of a delivery. A pending one has a next attempt."""

    PENDING = "pending"
    DELIVERED = "delivered"
    FAILED = "failed"


class WebhookDelivery(Base):
    """A message about an event of a monitor, for the monitor's ``webhook_url``.

    It is pending, and due at ``next_attempt_at``, until ``delivered_at`` or ``failed_at`` is set;
    then ``next_attempt_at`` is null, and an index has only what is pending.
    Until ``leased_until`` a deliverer is sending it. ``attempts`` counts the attempts started; a
    result is written with its attempt, so that a deliverer whose lease has expired changes nothing.
    """

    __tablename__ = "webhook_deliveries"
    __table_args__ = (
        {"sqlite_autoincrement": True},
    )  # ids are never reused: a deleted delivery may still be in flight

    id: Mapped[int] = mapped_column(primary_key=True)
    monitor_id: Mapped[int] = mapped_column(
        ForeignKey("monitors.id", ondelete="CASCADE"), index=True
    )
    event_id: Mapped[int] = mapped_column(BigInteger)
    message_id: Mapped[str] = mapped_column(String(40))
    type: Mapped[str] = mapped_column(String(20))
    payload: Mapped[str] = mapped_column(Text)
    created_at: Mapped[dt.datetime] = mapped_column(UtcDateTime)
    # Indexed for the release before; the index below is the one in use.
    next_attempt_at: Mapped[dt.datetime | None] = mapped_column(UtcDateTime, index=True)
    leased_until: Mapped[dt.datetime | None] = mapped_column(UtcDateTime)
    attempts: Mapped[int] = mapped_column(Integer, default=0)
    last_problem: Mapped[str | None] = mapped_column(String(LONGEST_PROBLEM))
    delivered_at: Mapped[dt.datetime | None] = mapped_column(UtcDateTime)
    failed_at: Mapped[dt.datetime | None] = mapped_column(UtcDateTime)

    @property
    def state(self) -> DeliveryState:
        """The current state."""
        if self.delivered_at is not None:
            return DeliveryState.DELIVERED
        return DeliveryState.PENDING if self.failed_at is None else DeliveryState.FAILED


_IS_PENDING = WebhookDelivery.next_attempt_at.is_not(None)
Index(
    "ix_webhook_deliveries_pending",
    WebhookDelivery.monitor_id,
    WebhookDelivery.next_attempt_at,
    WebhookDelivery.id,
    sqlite_where=_IS_PENDING,
    postgresql_where=_IS_PENDING,
)
PENDING = and_(WebhookDelivery.delivered_at.is_(None), WebhookDelivery.failed_at.is_(None))
