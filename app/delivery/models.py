"""The tables of webhooks, their messages, and the worker's heartbeat."""

import datetime as dt
from enum import StrEnum

from sqlalchemy import ForeignKey, Index, Integer, String, Text, UniqueConstraint, and_
from sqlalchemy.orm import Mapped, mapped_column

from app.core.database import Base, UtcDateTime, utcnow
from app.core.http.addresses import MAX_URL_LENGTH
from app.core.record_fields import MAX_NAME_LENGTH

MAX_PROBLEM_LENGTH = 200
TEST_MESSAGE_TYPE = "webhook.test"  # the type of a message that is sent on request, and tried once


class DeliveryState(StrEnum):
    """The state of a delivery. A pending one has a next attempt."""

    PENDING = "pending"
    DELIVERED = "delivered"
    FAILED = "failed"


class Webhook(Base):
    """A receiver of messages.

    ``format`` is a name in `app.delivery.formats`. Only a signed one has a ``secret``;
    ``former_secret`` also signs until ``former_secret_ends_at``. ``is_managed``: created
    by release 1.2 for one monitor, so not counted towards the limit; false once changed or named.
    """

    __tablename__ = "webhooks"
    # Ids are never reused: an attempt for a deleted webhook may still be in flight.
    __table_args__ = (UniqueConstraint("account_id", "name"), {"sqlite_autoincrement": True})

    id: Mapped[int] = mapped_column(primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey("accounts.id"))
    name: Mapped[str] = mapped_column(String(MAX_NAME_LENGTH))
    url: Mapped[str] = mapped_column(String(MAX_URL_LENGTH))
    format: Mapped[str] = mapped_column(String(10))
    secret: Mapped[str | None] = mapped_column(String(100))
    former_secret: Mapped[str | None] = mapped_column(String(100))
    former_secret_ends_at: Mapped[dt.datetime | None] = mapped_column(UtcDateTime)
    is_managed: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[dt.datetime] = mapped_column(UtcDateTime, default=utcnow)


class WebhookDelivery(Base):
    """A message for a webhook.

    ``payload`` is its body in the format ``standard``, ``text`` the same for people; the webhook's
    format renders the request from them at each attempt. ``subject`` identifies what the message is
    about, such as ``monitor:7``.

    It is pending, and due at ``next_attempt_at``, until ``delivered_at`` or ``failed_at`` is set;
    then ``next_attempt_at`` is null. Until ``leased_until`` a deliverer is sending it. ``attempts``
    counts started attempts; a result is written only if that number is unchanged, so that a
    deliverer whose lease has expired changes nothing. ``last_status`` (HTTP; null without a
    response) and ``last_problem`` (null after a success) describe the attempt that ended at
    ``attempted_at``.
    """

    __tablename__ = "deliveries"
    __table_args__ = (
        Index("ix_deliveries_attempted_at", "webhook_id", "attempted_at"),
        Index("ix_deliveries_subject", "subject", "id"),
        {"sqlite_autoincrement": True},  # a deleted delivery may still be in flight
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    webhook_id: Mapped[int] = mapped_column(ForeignKey("webhooks.id", ondelete="CASCADE"))
    subject: Mapped[str] = mapped_column(String(100))
    message_id: Mapped[str] = mapped_column(String(40))
    type: Mapped[str] = mapped_column(String(20))
    payload: Mapped[str] = mapped_column(Text)
    text: Mapped[str] = mapped_column(Text)
    created_at: Mapped[dt.datetime] = mapped_column(UtcDateTime)
    next_attempt_at: Mapped[dt.datetime | None] = mapped_column(UtcDateTime)
    leased_until: Mapped[dt.datetime | None] = mapped_column(UtcDateTime)
    attempts: Mapped[int] = mapped_column(Integer, default=0)
    attempted_at: Mapped[dt.datetime | None] = mapped_column(UtcDateTime)
    last_status: Mapped[int | None] = mapped_column(Integer)
    last_problem: Mapped[str | None] = mapped_column(String(MAX_PROBLEM_LENGTH))
    delivered_at: Mapped[dt.datetime | None] = mapped_column(UtcDateTime)
    failed_at: Mapped[dt.datetime | None] = mapped_column(UtcDateTime)

    @property
    def state(self) -> DeliveryState:
        if self.delivered_at is not None:
            return DeliveryState.DELIVERED
        return DeliveryState.PENDING if self.failed_at is None else DeliveryState.FAILED


HAS_NEXT_ATTEMPT = WebhookDelivery.next_attempt_at.is_not(None)
Index(
    "ix_deliveries_pending",
    WebhookDelivery.webhook_id,
    WebhookDelivery.next_attempt_at,
    WebhookDelivery.id,
    sqlite_where=HAS_NEXT_ATTEMPT,
    postgresql_where=HAS_NEXT_ATTEMPT,
)
NOT_ENDED = and_(WebhookDelivery.delivered_at.is_(None), WebhookDelivery.failed_at.is_(None))


class WorkerHeartbeat(Base):
    """When a worker last ran, in the only row."""

    __tablename__ = "worker_heartbeats"

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    beaten_at: Mapped[dt.datetime] = mapped_column(UtcDateTime)
