"""The SQL statements of the delivery queue.

They do not read all due messages: an index leads from webhook to webhook, and in each to the oldest
message. Rows that others have locked are skipped: a deliverer that waited for them could deadlock
with a deletion.
"""

import functools

from sqlalchemy import Executable, bindparam, exists, or_, select, update

from app.core.database import UtcDateTime
from app.delivery.formats.types import MessageType
from app.delivery.models import HAS_NEXT_ATTEMPT, NOT_ENDED, Webhook, WebhookDelivery
from app.identity.accounts.models import Account

SENT_COLUMNS = (
    *WebhookDelivery.__table__.c["id", "webhook_id", "attempts", "created_at"],
    *WebhookDelivery.__table__.c["message_id", "type", "payload", "text"],
    *Webhook.__table__.c["url", "format", "secret", "former_secret", "former_secret_ends_at"],
)
_RESULT_COLUMNS = (
    "attempted_at", "last_status", "last_problem",
    "next_attempt_at", "delivered_at", "failed_at",
)  # fmt: skip

# Deliveries of a suspended account wait until it is resumed.
_IS_SENDABLE = exists().where(Account.id == Webhook.account_id, Account.suspended_at.is_(None))

RESULT_UPDATE = (
    update(WebhookDelivery.__table__)
    .where(
        WebhookDelivery.id == bindparam("delivery"),
        WebhookDelivery.message_id == bindparam("message"),
        WebhookDelivery.attempts == bindparam("attempt"),
        NOT_ENDED,
    )
    .values({name: bindparam(name) for name in _RESULT_COLUMNS} | {"leased_until": None})
)

_NOW = bindparam("now", type_=UtcDateTime)

_OPENINGS = WebhookDelivery.__table__.alias("opening")
_HAS_NO_PENDING_OPENING = ~exists().where(
    _OPENINGS.c.subject == WebhookDelivery.subject,
    _OPENINGS.c.id < WebhookDelivery.id,
    _OPENINGS.c.webhook_id == WebhookDelivery.webhook_id,
    _OPENINGS.c.type == MessageType.OPENED,
    _OPENINGS.c.next_attempt_at.is_not(None),
)

# A message that closes an event waits for the one that opened it, and so for those that opened
# others of the same subject: PagerDuty ignores a resolve before its trigger. No opening waits.
_DUE_CONDITIONS = (
    WebhookDelivery.next_attempt_at <= _NOW,
    WebhookDelivery.leased_until.is_(None) | (WebhookDelivery.leased_until <= _NOW),
    or_(WebhookDelivery.type != MessageType.CLOSED, _HAS_NO_PENDING_OPENING),
)

_OLDEST_FIRST = (WebhookDelivery.next_attempt_at, WebhookDelivery.id)

LEASABLE_QUERY = (
    select(*SENT_COLUMNS)
    .join(Webhook, Webhook.id == WebhookDelivery.webhook_id)
    .where(WebhookDelivery.webhook_id == bindparam("webhook"), *_DUE_CONDITIONS, _IS_SENDABLE)
    .order_by(*_OLDEST_FIRST)
    .limit(bindparam("limit"))
    .with_for_update(of=WebhookDelivery, skip_locked=True)
)


@functools.cache
def due_webhooks_query() -> Executable:
    """Return the statement that finds the webhooks of due messages.

    It goes from webhook to webhook by the index of pending messages (a loose index scan), and reads
    one due message of each.
    """
    # The order of the index of pending messages, so that it is used.
    in_order = (WebhookDelivery.webhook_id, *_OLDEST_FIRST)
    lowest = select(WebhookDelivery.webhook_id).order_by(*in_order).limit(1)
    first = lowest.where(HAS_NEXT_ATTEMPT, WebhookDelivery.webhook_id > bindparam("after"))
    waiting = select(first.scalar_subquery().label("webhook_id")).cte("waiting", recursive=True)
    after = lowest.where(HAS_NEXT_ATTEMPT, WebhookDelivery.webhook_id > waiting.c.webhook_id)
    waiting = waiting.union_all(
        select(after.scalar_subquery()).where(waiting.c.webhook_id.is_not(None))
    )
    deliveries = select(WebhookDelivery.id).where(
        WebhookDelivery.webhook_id == waiting.c.webhook_id, *_DUE_CONDITIONS
    )
    is_webhook = Webhook.id == waiting.c.webhook_id
    # Scalar subqueries, as some joins that the planner might choose read all due messages.
    columns = {
        "due_id": deliveries.order_by(*_OLDEST_FIRST).limit(1),
        "account_id": select(Webhook.account_id).where(is_webhook, _IS_SENDABLE),
        "url": select(Webhook.url).where(is_webhook),
    }
    due_columns = (query.scalar_subquery().label(name) for name, query in columns.items())
    return select(waiting.c.webhook_id, *due_columns).limit(bindparam("limit"))
