"""What a format is given, and what it returns."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Message:
    """A stored message to a webhook.

    Attributes:
        url: The address of the webhook.
        format: The name of its format.
        secrets: The secrets that sign, the newest first; empty if the format signs nothing.
        message_id: The id, which repeats keep.
        payload: Its JSON in the format ``standard``: ``type``, ``timestamp`` and ``data``.
        text: The same for people: a line and, after a line break, a link if there is one.
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
        """The page of the monitor that it is about, if there is one."""
        return self.text.partition("\n")[2] or None

    def content(self) -> dict[str, Any]:
        """Return the payload, parsed."""
        content: dict[str, Any] = json.loads(self.payload)
        return content


@dataclass(frozen=True)
class MessageRequest:
    """The POST of a message: ``body`` is JSON; ``headers`` are besides those of every request."""

    url: str
    body: str
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class MessageFormat:
    """A format of messages.

    Attributes:
        label: What the dashboard calls a receiver of it.
        description: What it is, in Markdown, for the documents: a phrase without a full stop.
        render: Returns the request of a message.
        is_signed: Whether a webhook of it has a secret.
        url_problem: Returns what is wrong with the address of a webhook, if anything is.
    """

    label: str
    description: str
    render: Callable[[Message], MessageRequest]
    is_signed: bool = False
    url_problem: Callable[[str], str | None] = lambda _url: None


class UnknownFormatError(Exception):
    """A webhook has a format that this release does not have: a newer one has stored it."""

    def __init__(self, name: str) -> None:
        super().__init__(f"the format {name!r} of the webhook is unknown to this release")
        self.name = name


def to_json(content: Any) -> str:
    """Return a body."""
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"))
