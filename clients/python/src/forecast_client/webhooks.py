"""Receivers of messages: the ``webhooks`` of both clients."""

from forecast_client import webhook_calls
from forecast_client.transport import AsyncTransport, Transport
from forecast_client.webhook_results import Webhook


class Webhooks:
    """The webhooks of the account. Each method raises ``ForecastError``."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self) -> list[Webhook]:
        """Return all webhooks, by name."""
        return self._transport.send(webhook_calls.list_webhooks())

    def get(self, name: str) -> Webhook:
        """Return a webhook, and how the last attempt to send it a message went."""
        return self._transport.send(webhook_calls.get(name))

    def put(self, name: str, url: str, format: str | None = None) -> Webhook:
        """Create a webhook, or change the one of this name; a monitor names it as ``webhook``.

        ``secret`` of the result is shown this once: for a new webhook, and for a URL with another
        host. So it is not sent again if the response was lost: ``rotate`` then gives another.

        Args:
            name: 1 to 100 of a-z, 0-9, hyphens, underscores and dots.
            url: Where messages are sent to, over HTTPS.
            format: ``standard`` (the default): signed; ``text``: for Slack, Mattermost or Google
                Chat, without a secret.
        """
        return self._transport.send(webhook_calls.put(name, url, format))

    def delete(self, name: str) -> None:
        """Delete a webhook, which no monitor may name."""
        self._transport.send(webhook_calls.delete(name))

    def rotate(self, name: str) -> str:
        """Make a new secret; the former one signs beside it for 24 hours."""
        return self._transport.send(webhook_calls.rotate(name))

    def test(self, name: str) -> str:
        """Send a test message, once; return its id, which ``last_attempt`` of ``get`` then has."""
        return self._transport.send(webhook_calls.test(name))


class AsyncWebhooks:
    """``Webhooks`` with methods that are awaited."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def list(self) -> list[Webhook]:
        """Return all webhooks, by name."""
        return await self._transport.send(webhook_calls.list_webhooks())

    async def get(self, name: str) -> Webhook:
        """Return a webhook, as ``Webhooks.get`` does."""
        return await self._transport.send(webhook_calls.get(name))

    async def put(self, name: str, url: str, format: str | None = None) -> Webhook:
        """Create or change a webhook, as ``Webhooks.put`` does."""
        return await self._transport.send(webhook_calls.put(name, url, format))

    async def delete(self, name: str) -> None:
        """Delete a webhook, which no monitor may name."""
        await self._transport.send(webhook_calls.delete(name))

    async def rotate(self, name: str) -> str:
        """Make a new secret, as ``Webhooks.rotate`` does."""
        return await self._transport.send(webhook_calls.rotate(name))

    async def test(self, name: str) -> str:
        """Send a test message, as ``Webhooks.test`` does."""
        return await self._transport.send(webhook_calls.test(name))
