"""Send one message: a signed POST that follows no redirect and has a deadline."""

import asyncio
import contextlib
import html
import json
import ssl
from collections.abc import Sequence
from dataclasses import dataclass

import httpcore
from standardwebhooks import Webhook

from app.core.database import utcnow
from app.delivery.addresses import (
    HTTPS_PORT,
    Network,
    Target,
    WebhookUrlError,
    check_url,
    host_of,
)
from app.delivery.connections import Connections, Peer
from app.delivery.lookups import Lookup, Lookups

DEADLINE_SECONDS = 10.0  # for everything: resolving, connecting, sending, the response headers
CONNECT_SECONDS = 3.0  # if there is another address to try
DRAIN_SECONDS = 0.5  # for a response body, so that the connection can be kept
MAX_DRAINED_BYTES = 65_536
GONE = 410  # by the standard: the receiver wants no more messages
UNAVAILABLE = (429, 502, 503, 504)
NOT_CONNECTED = (httpcore.ConnectError, httpcore.ConnectTimeout)
USER_AGENT = "forecast-service"


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
        self._lookups = Lookups(allowed, lookup)
        self._deadline_seconds = deadline_seconds
        self._connections = Connections(ssl.create_default_context())

    async def send(self, message: Message) -> Result:
        """Send ``message`` once and return the result; raises nothing."""
        try:
            async with asyncio.timeout(self._deadline_seconds) as deadline:
                target = check_url(message.url, self._allowed)
                addresses = await self._lookups.addresses(target.host, target.port)
                return _result(await self._post_to_first(addresses, target, message, deadline))
        except TimeoutError:
            problem = f"no response within {self._deadline_seconds:g} s"
        except WebhookUrlError as error:
            problem = str(error)
        except httpcore.ConnectError as error:
            problem = _connect_problem(error)
        except (httpcore.NetworkError, httpcore.ProtocolError) as error:
            problem = f"no valid HTTP response: {type(error).__name__}"
        self._lookups.invalidate(host_of(message.url))
        return Result(problem, unavailable=True)

    async def finish(self, message: Message) -> None:
        """Wait for what outlives an attempt: a look-up cannot be interrupted."""
        await self._lookups.finish(host_of(message.url))

    async def close(self) -> None:
        """Close all connections."""
        await self._connections.close()

    async def _post_to_first(
        self,
        addresses: Sequence[str],
        target: Target,
        message: Message,
        deadline: asyncio.Timeout,
    ) -> int:
        """Return the status from the first address that accepts a connection."""
        for address in addresses[:-1]:
            try:
                return await self._post(address, target, message, deadline, CONNECT_SECONDS)
            except NOT_CONNECTED:
                continue
        return await self._post(addresses[-1], target, message, deadline, None)

    async def _post(
        self,
        address: str,
        target: Target,
        message: Message,
        deadline: asyncio.Timeout,
        connect_seconds: float | None,
    ) -> int:
        """Send to one address; the certificate must match the host name, not the address."""
        body = message.payload.encode()
        request = httpcore.Request(
            "POST",
            httpcore.URL(scheme="https", host=address, port=target.port, target=target.path),
            headers=_headers(target, message, len(body)),
            content=body,
            extensions={"timeout": {"connect": connect_seconds}},
        )
        peer = Peer(target.host, address, target.port)
        async with self._connections.response(peer, request) as response:
            deadline.reschedule(None)  # the status is the result, whatever follows
            await _drain(response)
            return response.status


async def _drain(response: httpcore.Response) -> None:
    """Read the body, if it is short and comes at once: then the connection can be kept."""
    length = 0
    with contextlib.suppress(TimeoutError, httpcore.NetworkError, httpcore.ProtocolError):
        async with asyncio.timeout(DRAIN_SECONDS):
            async for part in response.aiter_stream():
                length += len(part)
                if length > MAX_DRAINED_BYTES:
                    return


def _headers(target: Target, message: Message, length: int) -> list[tuple[str, str]]:
    host = _url_host(target.host)
    return [
        ("Host", host if target.port == HTTPS_PORT else f"{host}:{target.port}"),
        ("Accept", "*/*"),
        ("Content-Type", "application/json"),
        ("Content-Length", str(length)),
        ("User-Agent", USER_AGENT),
        *_signature_headers(message).items(),
    ]


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
    if 300 <= status < 400:
        return Result(f"returned {status}: redirects are not followed", status=status)
    unavailable = status in UNAVAILABLE
    return Result(f"returned {status}", status == GONE, unavailable, status)


def text_body(text: str) -> str:
    """Return the body for a chat, in which ``text`` mentions nobody and links nowhere."""
    return json.dumps({"text": html.escape(text, quote=False)}, ensure_ascii=False)


def _connect_problem(error: httpcore.ConnectError) -> str:
    """Return why the connection failed: the certificate, TLS or the network."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return f"the certificate is not valid: {cause.verify_message}"
        if isinstance(cause, ssl.SSLError):
            return "the TLS handshake failed"
        cause = cause.__cause__ or cause.__context__
    return "cannot connect to the host"


def _url_host(host: str) -> str:
    return f"[{host}]" if ":" in host else host
