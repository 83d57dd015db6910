"""Send one message: a signed POST that follows no redirect and has a deadline."""

import asyncio
import ssl
from collections.abc import Sequence
from dataclasses import dataclass

import httpx
from standardwebhooks import Webhook

from app.database import utcnow
from app.webhooks.addresses import (
    Lookup,
    Network,
    Target,
    WebhookUrlError,
    check_url,
    resolve,
)

DEADLINE_SECONDS = 10.0  # for everything: resolving, connecting, sending, the response headers
CONNECT_SECONDS = 3.0  # if there is another address to try
GONE = 410  # by the standard: the receiver wants no more messages
USER_AGENT = "forecast-service"


@dataclass(frozen=True)
class Message:
    """The message to send; each of ``secrets`` signs it."""

    url: str
    message_id: str
    payload: str
    secrets: tuple[str, ...]


@dataclass(frozen=True)
class Result:
    """The result of an attempt: ``problem`` is None if accepted, ``final`` forbids retries."""

    problem: str | None = None
    final: bool = False


TAKEN = Result()


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
        self._lookup = lookup
        self._deadline_seconds = deadline_seconds
        self._tls = ssl.create_default_context()

    async def send(self, message: Message) -> Result:
        """Send ``message`` once and return the result; raises nothing."""
        try:
            async with asyncio.timeout(self._deadline_seconds):
                target = check_url(message.url, self._allowed)
                addresses = await resolve(target.host, target.port, self._allowed, self._lookup)
                return _result(await self._post_to_first(addresses, target, message))
        except TimeoutError:
            return Result(f"no response within {self._deadline_seconds:g} s")
        except WebhookUrlError as error:
            return Result(str(error))
        except httpx.ConnectError as error:
            return Result(_connect_problem(error))
        except httpx.HTTPError as error:
            return Result(f"no valid HTTP response: {type(error).__name__}")

    async def _post_to_first(
        self, addresses: Sequence[str], target: Target, message: Message
    ) -> int:
        """Return the status from the first address that accepts a connection."""
        for address in addresses[:-1]:
            try:
                return await self._post(address, target, message, CONNECT_SECONDS)
            except (httpx.ConnectError, httpx.ConnectTimeout):
                continue
        return await self._post(addresses[-1], target, message, None)

    async def _post(
        self, address: str, target: Target, message: Message, connect_seconds: float | None
    ) -> int:
        """Send to one address; the certificate must match the host name, not the address.

        Each call has its own client: a pooled connection could be reused for another name. The
        response body is not read.
        """
        headers = {
            "Host": _host_header(target),
            "Content-Type": "application/json",
            "User-Agent": USER_AGENT,
            **_signed(message),
        }
        timeout = httpx.Timeout(None, connect=connect_seconds)  # `send` limits the total time
        url = f"https://{_bracketed(address)}:{target.port}{target.path}"
        async with (
            httpx.AsyncClient(verify=self._tls, trust_env=False, timeout=timeout) as client,
            client.stream(
                "POST",
                url,
                content=message.payload.encode(),
                headers=headers,
                extensions={"sni_hostname": target.host},
                follow_redirects=False,
            ) as response,
        ):
            return response.status_code


def _signed(message: Message) -> dict[str, str]:
    """Return the headers of Standard Webhooks, with one signature per secret."""
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
        return TAKEN
    if 300 <= status < 400:
        return Result(f"returned {status}: redirects are not followed")
    return Result(f"returned {status}", final=status == GONE)


def _connect_problem(error: httpx.ConnectError) -> str:
    """Return why the connection failed: the certificate, TLS or the network."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return f"the certificate is not valid: {cause.verify_message}"
        if isinstance(cause, ssl.SSLError):
            return "the TLS handshake failed"
        cause = cause.__cause__ or cause.__context__
    return "cannot connect to the host"


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _host_header(target: Target) -> str:
    host = _bracketed(target.host)
    return host if target.port == 443 else f"{host}:{target.port}"
