"""Messages from a network whose loopback may receive, and their name resolution."""

import asyncio
import contextlib
import ipaddress
import select
from collections.abc import Iterator

from app.core.http.lookups import ResolveHost
from app.delivery.formats.types import Message
from app.delivery.sender import AttemptResult, Sender
from app.delivery.webhook_secrets import new_message_id, new_secret
from tests.support.receiver import Handler

LOOPBACK = [ipaddress.ip_network("127.0.0.0/8")]
DEADLINE = 1.0
SUCCESS = AttemptResult(status=204)
PAYLOAD = '{"type": "event.opened", "data": {"monitor": "cpu – Kühlung"}}'
SECRETS = (new_secret(), new_secret())


class Names:
    """A resolver that returns the next of ``responses`` for each lookup, then the last one."""

    def __init__(self, *responses: list[str]) -> None:
        self.responses = [*responses] or [["127.0.0.1"]]
        self.asked: list[str] = []

    async def __call__(self, host: str, _port: int) -> list[str]:
        self.asked.append(host)
        return self.responses.pop(0) if len(self.responses) > 1 else self.responses[0]


def message_to(url: str, secrets: tuple[str, ...] = SECRETS[:1]) -> Message:
    return Message(url, "standard", secrets, new_message_id(), PAYLOAD, "cpu: spike")


def send_all(
    *messages: Message, names: ResolveHost | None = None, deadline: float = 10
) -> list[AttemptResult]:
    """Send messages by one sender, from a network whose loopback may receive."""

    async def main() -> list[AttemptResult]:
        sender = Sender(LOOPBACK, names or Names(), deadline)
        results = [await sender.send(message) for message in messages]
        await sender.close()
        return results

    return asyncio.run(main())


def send(message: Message, names: ResolveHost | None = None, deadline: float = 10) -> AttemptResult:
    (result,) = send_all(message, names=names, deadline=deadline)
    return result


def send_until_closed(handler: Handler, pieces: Iterator[bytes], pause: float) -> None:
    """Send ``pieces`` with a ``pause`` between them until the other side closes."""
    with contextlib.suppress(OSError):
        for piece in pieces:
            handler.wfile.write(piece)
            handler.wfile.flush()
            hung_up, _, _ = select.select([handler.connection], [], [], pause)
            if hung_up:
                return
