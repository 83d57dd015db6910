"""The public types and errors of webhooks, without heavy imports."""

import datetime as dt
from dataclasses import dataclass


@dataclass(frozen=True)
class Attempt:
    """An attempt to send a message: ``status`` is None without a response.

    ``problem`` is why it failed, None if the receiver accepted the message.
    """

    message_id: str
    type: str
    at: dt.datetime
    status: int | None
    problem: str | None


@dataclass(frozen=True)
class WebhookRecord:
    """A webhook at one moment; ``last_attempt`` is None if there was none in the last week."""

    name: str
    url: str
    format: str
    created_at: dt.datetime
    last_attempt: Attempt | None


class NoSuchWebhookError(Exception):
    """The account has no webhook called ``name``."""

    def __init__(self, name: str) -> None:
        super().__init__(f"there is no webhook {name!r}")
        self.name = name


class NoSecretError(Exception):
    """Messages in ``format`` are not signed, so the webhook has no secret."""

    def __init__(self, format_name: str) -> None:
        super().__init__(f"messages in the format {format_name} are not signed")
        self.format = format_name


class TooManyWebhooksError(Exception):
    """The account already has ``limit`` webhooks."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"an account has at most {limit} webhooks")
        self.limit = limit
