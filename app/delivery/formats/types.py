"""The input and the output of a message format."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class MessageType(StrEnum):
    """The types of an event's messages."""

    OPENED = "event.opened"
    CLOSED = "event.closed"


@dataclass(frozen=True)
class Message:
    """A stored message to a webhook.

    ``secrets`` sign it, newest first; formats without a signature have none. ``message_id`` is the
    same for all attempts. ``payload`` is JSON in the format ``standard``: ``type``, ``timestamp``
    and ``data``; ``text`` is the same in words: one line, then perhaps a line break and a link.
    """

    url: str
    format: str
    secrets: tuple[str, ...]
    message_id: str
    payload: str
    text: str

    @property
    def summary(self) -> str:
        """The line for people."""
        return self.text.partition("\n")[0]

    @property
    def link(self) -> str | None:
        """The page of the monitor that the message is about, if there is one."""
        return self.text.partition("\n")[2] or None

    def content(self) -> dict[str, Any]:
        return json.loads(self.payload)


@dataclass(frozen=True)
class MessageRequest:
    """The POST request of a message: ``body`` is JSON; ``headers`` are additional ones."""

    url: str
    body: str
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class MessageFormat:
    """A format of messages.

    Attributes:
        label: Its name in the dashboard.
        description: A phrase in Markdown, without a full stop, for the documents.
        render: Returns the request for a message.
        is_signed: Whether its webhooks have a secret.
        example_url: A valid URL of a webhook.
        url_problem: Returns how to correct the URL of a webhook, in the imperative ("send the
            integration key …"); None if it is valid.
        hosts: The domains whose hosts read only this format; empty if any host may.
    """

    label: str
    description: str
    render: Callable[[Message], MessageRequest]
    is_signed: bool = False
    example_url: str = "https://example.com/hook"
    url_problem: Callable[[str], str | None] = lambda _url: None
    hosts: tuple[str, ...] = ()


class UnknownFormatError(Exception):
    """The format of a webhook is unknown: a newer release has stored it."""

    def __init__(self, name: str) -> None:
        super().__init__(f"the format {name!r} of the webhook is unknown to this release")


def to_json(content: Any) -> str:
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"))
