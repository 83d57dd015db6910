"""The API keys of an account: the ``keys`` of both clients. They need the permission ``admin``."""

import datetime as dt
from collections.abc import Sequence

from forecast_client import key_calls
from forecast_client.key_calls import UNCHANGED, Moment, Unchanged
from forecast_client.key_results import Key
from forecast_client.transport import AsyncTransport, Transport

GRACE = "24h"


class Keys:
    """The keys of the account. Each method raises ``ForecastError``."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self) -> list[Key]:
        """Return all keys, the oldest first, those that have ended too."""
        return self._transport.send(key_calls.list_keys())

    def create(
        self, permissions: Sequence[str], label: str = "", expires_at: Moment | None = None
    ) -> Key:
        """Create a key; ``key`` of the result is shown this once.

        It is not sent again where the response was lost: that could create two.

        Args:
            permissions: Some of ``read``, ``write``, ``delete``, ``admin``.
            label: What the key is for.
            expires_at: A datetime, or a string in ISO 8601; None: never.
        """
        return self._transport.send(key_calls.create(permissions, label, expires_at))

    def get(self, key_id: int) -> Key:
        """Return the record of a key."""
        return self._transport.send(key_calls.get(key_id))

    def change(
        self,
        key_id: int,
        *,
        label: str | Unchanged = UNCHANGED,
        expires_at: Moment | Unchanged | None = UNCHANGED,
    ) -> Key:
        """Change the label or the expiry (None: never); what is left out stays."""
        return self._transport.send(key_calls.change(key_id, label, expires_at))

    def rotate(self, key_id: int, grace: str | dt.timedelta = GRACE) -> Key:
        """Create a successor of a key, which works beside it for ``grace``, such as ``24h``.

        ``key`` of the result is shown this once. Not sent again where the response was lost.
        """
        return self._transport.send(key_calls.rotate(key_id, grace))

    def revoke(self, key_id: int) -> None:
        """Revoke a key at once."""
        self._transport.send(key_calls.revoke(key_id))


class AsyncKeys:
    """``Keys`` with methods that are awaited."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def list(self) -> list[Key]:
        """Return all keys, as ``Keys.list`` does."""
        return await self._transport.send(key_calls.list_keys())

    async def create(
        self, permissions: Sequence[str], label: str = "", expires_at: Moment | None = None
    ) -> Key:
        """Create a key, as ``Keys.create`` does."""
        return await self._transport.send(key_calls.create(permissions, label, expires_at))

    async def get(self, key_id: int) -> Key:
        """Return the record of a key."""
        return await self._transport.send(key_calls.get(key_id))

    async def change(
        self,
        key_id: int,
        *,
        label: str | Unchanged = UNCHANGED,
        expires_at: Moment | Unchanged | None = UNCHANGED,
    ) -> Key:
        """Change the label or the expiry, as ``Keys.change`` does."""
        return await self._transport.send(key_calls.change(key_id, label, expires_at))

    async def rotate(self, key_id: int, grace: str | dt.timedelta = GRACE) -> Key:
        """Create a successor of a key, as ``Keys.rotate`` does."""
        return await self._transport.send(key_calls.rotate(key_id, grace))

    async def revoke(self, key_id: int) -> None:
        """Revoke a key at once."""
        await self._transport.send(key_calls.revoke(key_id))
