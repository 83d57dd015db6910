"""One message, sent once: a signed POST that can be neither led elsewhere nor held up."""

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

DEADLINE_SECONDS = 10.0  # of all: resolving, connecting, sending, the head of the answer
CONNECT_SECONDS = 3.0  # where there is another address to try
GONE = 410  # by the standard: the receiver wants no more
USER_AGENT = "forecast-service"


@dataclass(frozen=True)
class Message:
    """What is sent: ``secrets`` sign it, each for itself."""

    url: str
    message_id: str
    payload: str
    secrets: tuple[str, ...]


@dataclass(frozen=True)
class Result:
    """What became of an attempt: ``problem`` is None when it was taken, ``final`` ends all."""

    problem: str | None = None
    final: bool = False


TAKEN = Result()


class Sender:
    """Sends messages to addresses that a webhook may go to.

    ``lookup`` resolves a host, for tests; ``deadline_seconds`` bounds an attempt.
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
        """Send ``message`` once and return what became of it; nothing is raised."""
        try:
            async with asyncio.timeout(self._deadline_seconds):
                target = check_url(message.url, self._allowed)
                addresses = await resolve(target.host, target.port, self._allowed, self._lookup)
                return _result(await self._post_to_first(addresses, target, message))
        except TimeoutError:
            return Result(f"no answer within {self._deadline_seconds:g} s")
        except WebhookUrlError as error:
            return Result(str(error))
        except httpx.ConnectError as error:
            return Result(_connect_problem(error))
        except httpx.HTTPError as error:
            return Result(f"no valid HTTP response: {type(error).__name__}")

    async def _post_to_first(
        self, addresses: Sequence[str], target: Target, message: Message
    ) -> int:
        """Return the status that the first address answers which can be connected to."""
        for address in addresses[:-1]:
            try:
                return await self._post(address, target, message, CONNECT_SECONDS)
            except (httpx.ConnectError, httpx.ConnectTimeout):
                continue
        return await self._post(addresses[-1], target, message, None)

    async def _post(
        self, address: str, target: Target, message: Message, connect_seconds: float | None
    ) -> int:
        """Send to one address; the certificate is held to the name, not to the address.

        A client of its own: a connection that is kept would be used again for another name. The
        body of the answer is not read.
        """
        headers = {
            "Host": _host_header(target),
            "Content-Type": "application/json",
            "User-Agent": USER_AGENT,
            **_signed(message),
        }
        timeout = httpx.Timeout(None, connect=connect_seconds)  # `send` bounds the whole
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
    """The headers of Standard Webhooks: one signature for each secret."""
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
    """Say why there was no connection: the certificate, TLS, or the network."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return f"the certificate is not accepted: {cause.verify_message}"
        if isinstance(cause, ssl.SSLError):
            return "TLS cannot be agreed upon"
        cause = cause.__cause__ or cause.__context__
    return "the host cannot be connected to"


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _host_header(target: Target) -> str:
    host = _bracketed(target.host)
    return host if target.port == 443 else f"{host}:{target.port}"
