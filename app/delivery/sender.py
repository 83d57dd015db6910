"""Send one message: a POST that follows no redirect and has a deadline."""

import ssl
from collections.abc import Sequence
from dataclasses import dataclass

from app.core.database.malformed import MALFORMED_ERRORS, MALFORMED_PROBLEM
from app.core.http.addresses import Network, check_url, host_of
from app.core.http.client import HttpClient, redirect_problem
from app.core.http.errors import HttpError
from app.core.http.lookups import ResolveHost
from app.delivery.formats import find_format
from app.delivery.formats.types import Message, UnknownFormatError
from app.delivery.webhook_records import WEBHOOK_URLS

DEADLINE_SECONDS = 10.0  # all of it: resolving, connecting, sending, the response headers
_GONE = 410  # Standard Webhooks: the receiver rejects all further messages
_UNAVAILABLE = (429, 502, 503, 504)
_HEADERS = (("Accept", "*/*"), ("Content-Type", "application/json"))


@dataclass(frozen=True)
class AttemptResult:
    """The result of an attempt: ``problem`` is None if accepted, ``is_final`` forbids retries.

    ``is_unavailable``: the receiver would not have accepted other messages either. ``status`` is
    the response's, if there was one.
    """

    problem: str | None = None
    is_final: bool = False
    is_unavailable: bool = False
    status: int | None = None


class Sender:
    """Sends messages to addresses that are allowed for webhooks.

    ``lookup`` resolves a host (replaceable for tests); ``deadline_seconds`` limits an attempt.
    """

    def __init__(
        self,
        allowed: Sequence[Network],
        lookup: ResolveHost | None = None,
        deadline_seconds: float = DEADLINE_SECONDS,
    ) -> None:
        self._allowed = allowed
        self._deadline_seconds = deadline_seconds
        self._client = HttpClient(WEBHOOK_URLS, allowed, lookup, ssl.create_default_context())

    async def send(self, message: Message) -> AttemptResult:
        """Send ``message`` once; return the result instead of raising errors."""
        try:
            request = find_format(message.format).render(message)
        except UnknownFormatError as error:
            return AttemptResult(str(error))
        except MALFORMED_ERRORS:
            return AttemptResult(MALFORMED_PROBLEM, is_final=True)
        try:
            target = check_url(request.url, self._allowed, WEBHOOK_URLS)
            headers = [*_HEADERS, *request.headers]
            body = request.body.encode()
            return _result(await self._client.post(target, headers, body, self._deadline_seconds))
        except HttpError as error:
            return AttemptResult(str(error), is_unavailable=True)

    async def finish(self, message: Message) -> None:
        """Wait for a look-up that outlived the attempt: it cannot be interrupted."""
        await self._client.finish(host_of(message.url))

    async def close(self) -> None:
        await self._client.close()


def _result(status: int) -> AttemptResult:
    if 200 <= status < 300:
        return AttemptResult(status=status)
    problem = redirect_problem(status) or f"returned {status}"
    return AttemptResult(
        problem, is_final=status == _GONE, is_unavailable=status in _UNAVAILABLE, status=status
    )
