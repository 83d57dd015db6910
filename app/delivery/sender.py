"""Send one message: a signed POST that follows no redirect and has a deadline."""

import html
import json
import ssl
from collections.abc import Sequence
from dataclasses import dataclass

from standardwebhooks import Webhook

from app.core.database import utcnow
from app.core.http.addresses import WEBHOOK_URLS, Network, check_url, host_of
from app.core.http.client import HttpClient, redirect_problem
from app.core.http.errors import HttpError
from app.core.http.lookups import Lookup

DEADLINE_SECONDS = 10.0  # for everything: resolving, connecting, sending, the response headers
GONE = 410  # by the standard: the receiver wants no more messages
UNAVAILABLE = (429, 502, 503, 504)


@dataclass(frozen=True)
class Message:
    """The message to send; each of ``secrets`` signs it, and without one it is not signed."""

    url: str
    message_id: str
    payload: str
    secrets: tuple[str, ...]


@dataclass(frozen=True)
class Result:
    """The result of an attempt: ``problem`` is None if accepted, ``final`` forbids retries.

    An ``unavailable`` receiver would not have accepted other messages either. ``status`` is that of
    the response, if there was one.
    """

    problem: str | None = None
    is_final: bool = False
    unavailable: bool = False
    status: int | None = None


class Sender:
    """Sends messages, only to addresses that are allowed for webhooks.

    ``lookup`` resolves a host (replaceable for tests); ``deadline_seconds`` limits an attempt.
    """

    def __init__(
        self,
        allowed: Sequence[Network],
        lookup: Lookup | None = None,
        deadline_seconds: float = DEADLINE_SECONDS,
    ) -> None:
        self._allowed = allowed
        self._deadline_seconds = deadline_seconds
        self._client = HttpClient(WEBHOOK_URLS, allowed, lookup, ssl.create_default_context())

    async def send(self, message: Message) -> Result:
        """Send ``message`` once and return the result; raises nothing."""
        try:
            target = check_url(message.url, self._allowed, WEBHOOK_URLS)
            body, headers = message.payload.encode(), _headers(message)
            return _result(await self._client.post(target, headers, body, self._deadline_seconds))
        except HttpError as error:
            return Result(str(error), unavailable=True)

    async def finish(self, message: Message) -> None:
        """Wait for what outlives an attempt: a look-up cannot be interrupted."""
        await self._client.finish(host_of(message.url))

    async def close(self) -> None:
        """Close all connections."""
        await self._client.close()


def _headers(message: Message) -> list[tuple[str, str]]:
    signature = _signature_headers(message).items()
    return [("Accept", "*/*"), ("Content-Type", "application/json"), *signature]


def _signature_headers(message: Message) -> dict[str, str]:
    """Return the headers of Standard Webhooks, with one signature per secret; none without one."""
    if not message.secrets:
        return {}
    now = utcnow()
    signatures = [
        Webhook(secret).sign(message.message_id, now, message.payload) for secret in message.secrets
    ]
    return {
        "webhook-id": message.message_id,
        "webhook-timestamp": str(int(now.replace(microsecond=0).timestamp())),
        "webhook-signature": " ".join(signatures),
    }


def _result(status: int) -> Result:
    if 200 <= status < 300:
        return Result(status=status)
    problem = redirect_problem(status) or f"returned {status}"
    return Result(problem, status == GONE, status in UNAVAILABLE, status)


def text_body(text: str) -> str:
    """Return the body for a chat, in which ``text`` mentions nobody and links nowhere."""
    return json.dumps({"text": html.escape(text, quote=False)}, ensure_ascii=False)
