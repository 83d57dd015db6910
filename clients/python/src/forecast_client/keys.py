"""The API keys of an account: ``keys`` of both clients. This needs the permission ``admin``."""

import builtins
import datetime as dt
from collections.abc import Sequence
from numbers import Integral

import httpx

from forecast_client.calls import (
    UNCHANGED,
    Call,
    json_content,
    list_reader,
    read_nothing,
    reader,
    without_none,
)
from forecast_client.errors import DataError
from forecast_client.records import Key
from forecast_client.resources import AnyTransport, Method, Resource
from forecast_client.results import parse_record

Moment = str | dt.datetime


class Keys(Resource[AnyTransport]):
    """The keys of the account.

    ``create`` and ``rotate`` are not retried if the response is lost: that could make two keys.
    """

    @Method
    def list(self) -> Call[builtins.list[Key]]:
        """Return all keys, oldest first, including expired and revoked ones."""
        return Call("GET", "/keys", list_reader(Key, "keys"))

    @Method
    def create(
        self, permissions: Sequence[str], label: str = "", expires_at: Moment | None = None
    ) -> Call[Key]:
        """Create a key; ``key`` of the result is shown only once.

        Args:
            permissions: Some of ``read``, ``write``, ``delete``, ``admin``.
            label: What the key is for.
            expires_at: A datetime, or a string in ISO 8601; None: never.
        """
        body = without_none(permissions=[*permissions], label=label, expires_at=expires_at)
        return Call("POST", "/keys", _read_new, json_content(body), is_repeatable=False)

    @Method
    def get(self, key_id: int) -> Call[Key]:
        """Return a key."""
        return Call("GET", _path(key_id), reader(Key))

    @Method
    def change(
        self, key_id: int, *, label: str = UNCHANGED, expires_at: Moment | None = UNCHANGED
    ) -> Call[Key]:
        """Change the label or the expiry (None: never); omitted arguments change nothing."""
        changes = {"label": label, "expires_at": expires_at}
        body = {name: value for name, value in changes.items() if value is not UNCHANGED}
        return Call("PATCH", _path(key_id), reader(Key), json_content(body))

    @Method
    def rotate(self, key_id: int, grace: str | dt.timedelta = "24h") -> Call[Key]:
        """Replace a key by a new one; the old one works for ``grace``, such as ``24h``.

        ``key`` of the result is shown only once.
        """
        length = f"{grace.total_seconds():.0f}s" if isinstance(grace, dt.timedelta) else grace
        content = json_content({"grace": length})
        return Call("POST", f"{_path(key_id)}/rotate", _read_new, content, is_repeatable=False)

    @Method
    def revoke(self, key_id: int) -> Call[None]:
        """Revoke a key immediately. Idempotent."""
        return Call("DELETE", _path(key_id), read_nothing)


def _path(key_id: int) -> str:
    if not isinstance(key_id, Integral):
        raise DataError(f"{key_id!r}: pass the number of a key", "key_id")
    return f"/keys/{key_id:d}"


def _read_new(response: httpx.Response) -> Key:
    created = parse_record(Key, response.json())
    if created.key is None:
        raise ValueError("the new key is missing")
    return created
