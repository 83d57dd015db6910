"""The public types and errors of webhooks, without heavy imports."""

import datetime as dt
from dataclasses import dataclass

from app.core.http.addresses import MAX_URL_LENGTH, UrlPolicy
from app.core.record_fields import NAME_METADATA, described_field
from app.delivery.formats import DEFAULT_FORMAT, FORMATS

WEBHOOK_URLS = UrlPolicy("WEBHOOK_ALLOWED_NETWORKS", "verify the signature of messages instead")


@dataclass(frozen=True)
class LastAttempt:
    """The last attempt to send a message to a webhook."""

    id: str = described_field("The `webhook-id` header of every attempt in the format `standard`.")
    type: str = described_field("What the message reports.")
    at: dt.datetime = described_field("When it ended.")
    status: int | None = described_field("HTTP status of the response; null without a response.")
    error: str | None = described_field("Why it failed; null if the receiver accepted the message.")


@dataclass(frozen=True, kw_only=True)
class WebhookRecord:
    """The public state of a webhook at one moment."""

    name: str = described_field(**NAME_METADATA)
    url: str = described_field(
        "HTTPS address that messages are sent to.",
        maxLength=MAX_URL_LENGTH,
        pattern="^https://",
        examples=["https://example.com/hook"],
        label="Address",
        hint="https:// only, also in networks that the operator allows; for a private certificate "
        "the operator sets SSL_CERT_FILE. Whoever knows the address of a chat can post there, so "
        "keep it private.",
    )
    format: str = described_field(
        "; ".join(
            f"`{name}`: {entry.description}, {'' if entry.is_signed else 'not '}signed"
            for name, entry in FORMATS.items()
        )
        + ".",
        enum=[*FORMATS],
        default=DEFAULT_FORMAT,
        label="Receiver",
        hint="Slack, Google Chat, Teams and PagerDuty are detected from the address.",
    )
    created_at: dt.datetime = described_field("When it was created.")
    last_attempt: LastAttempt | None = described_field(
        "Null if no message was sent in the last week."
    )


class NoSuchWebhookError(Exception):
    """The account has no webhook called ``name``."""

    def __init__(self, name: str) -> None:
        super().__init__(f"there is no webhook {name!r}")
        self.name = name


class NoSecretError(Exception):
    """Messages in the format of the webhook are not signed, so it has no secret."""

    def __init__(self, format_name: str) -> None:
        super().__init__(f"messages in the format {format_name} are not signed")
