"""Receivers of messages: the ``webhooks`` of both clients."""

import datetime as dt
from dataclasses import dataclass, field

from forecast_client import calls
from forecast_client.calls import Call
from forecast_client.resources import AnyTransport, Method, Resource


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


@dataclass(frozen=True)
class Webhook:
    """A receiver of messages; ``format`` is ``standard`` (signed) or that of a chat.

    ``secret`` is there once: in the response to the PUT that has made it. ``last_attempt`` is
    None if no message was sent in the last week.
    """

    name: str
    url: str
    format: str
    created_at: dt.datetime
    last_attempt: WebhookAttempt | None
    secret: str | None = field(default=None, repr=False)


def list_webhooks() -> Call[list[Webhook]]:
    """Return all webhooks, by name."""
    return Call("GET", "/webhooks", calls.list_reader(Webhook, "webhooks"))


def get(name: str) -> Call[Webhook]:
    """Return a webhook, and how the last attempt to send it a message went."""
    return Call("GET", calls.path("webhook", name), calls.reader(Webhook))


def put(name: str, url: str, format: str | None = None) -> Call[Webhook]:
    """Create a webhook, or change the one of this name; a monitor names it as ``webhook``.

    ``secret`` of the result is shown this once: for a new webhook, and for a URL with another
    host. So it is not sent again if the response was lost: ``rotate`` then gives another.

    Args:
        name: 1 to 100 of a-z, 0-9, hyphens, underscores and dots.
        url: Where messages are sent to, over HTTPS.
        format: ``standard`` (the default): signed; or that of a chat, without a secret, such as
            ``text`` for Slack: those that the service knows.
    """
    content = calls.content_of(calls.given(url=url, format=format))
    return Call(
        "PUT", calls.path("webhook", name), calls.reader(Webhook), content, is_repeatable=False
    )


def delete(name: str) -> Call[None]:
    """Delete a webhook, which no monitor may name."""
    return Call("DELETE", calls.path("webhook", name), calls.nothing)


def rotate(name: str) -> Call[str]:
    """Make a new secret; the former one signs beside it for 24 hours."""
    read = calls.string_reader("secret")
    return Call("POST", calls.path("webhook", name, "rotate"), read, is_repeatable=False)


def test(name: str) -> Call[str]:
    """Send a test message, once; return its id, which ``last_attempt`` of ``get`` then has."""
    return Call(
        "POST", calls.path("webhook", name, "test"), calls.string_reader("id"), is_repeatable=False
    )


class Webhooks(Resource[AnyTransport]):
    """The webhooks of the account."""

    list = Method(list_webhooks)
    get = Method(get)
    put = Method(put)
    delete = Method(delete)
    rotate = Method(rotate)
    test = Method(test)
