"""What calls about webhooks return."""

import datetime as dt
from dataclasses import dataclass, field

from forecast_client.results import Body, moment, record


@dataclass(frozen=True)
class WebhookAttempt:
    """An attempt to send a message, whose id is ``id``.

    ``status`` is the HTTP status, None without a response; ``error`` is why it failed, None if the
    receiver accepted the message.
    """

    id: str
    type: str
    at: dt.datetime
    status: int | None
    error: str | None

    @classmethod
    def from_body(cls, body: Body) -> "WebhookAttempt":
        """Return an attempt of a response."""
        return record(cls, body, at=moment(body["at"]))


@dataclass(frozen=True)
class Webhook:
    """A receiver of messages; ``format`` is ``standard`` (signed) or ``text`` (for a chat).

    ``secret`` is there once: in the response to the PUT that has made it. ``last_attempt`` is
    None if no message was sent in the last week.
    """

    name: str
    url: str
    format: str
    created_at: dt.datetime
    last_attempt: WebhookAttempt | None
    secret: str | None = field(default=None, repr=False)

    @classmethod
    def from_body(cls, body: Body) -> "Webhook":
        """Return a webhook of a response."""
        last = body["last_attempt"]
        return record(
            cls,
            body,
            created_at=moment(body["created_at"]),
            last_attempt=None if last is None else WebhookAttempt.from_body(last),
            secret=body.get("secret"),
        )
