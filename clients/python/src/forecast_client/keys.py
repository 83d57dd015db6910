"""The API keys of an account: the ``keys`` of both clients. They need the permission ``admin``."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx

from forecast_client.calls import Call, content_of, given, list_reader, nothing, reader
from forecast_client.resources import AnyTransport, Method, Resource
from forecast_client.results import record

UNCHANGED: Any = object()
"""What stays as it is, where None is a value of it."""
Moment = str | dt.datetime


@dataclass(frozen=True)
class Key:
    """The record of an API key; ``key`` is the key itself, which a new one has, this once.

    ``state`` is ``active``, ``rotated``, ``expired``, ``suspended`` or ``revoked``.
    """

    id: int
    prefix: str
    label: str
    permissions: tuple[str, ...]
    state: str
    created_at: dt.datetime
    expires_at: dt.datetime | None
    last_used_at: dt.datetime | None
    usage_count: int
    key: str | None = field(default=None, repr=False)


def _read_new(response: httpx.Response) -> Key:
    created = record(Key, response.json())
    if created.key is None:
        raise ValueError("a new key is missing")
    return created


def list_keys() -> Call[list[Key]]:
    """Return all keys, the oldest first, those that have ended too."""
    return Call("GET", "/keys", list_reader(Key, "keys"))


def create(
    permissions: Sequence[str], label: str = "", expires_at: Moment | None = None
) -> Call[Key]:
    """Create a key; ``key`` of the result is shown this once.

    It is not sent again where the response was lost: that could create two.

    Args:
        permissions: Some of ``read``, ``write``, ``delete``, ``admin``.
        label: What the key is for.
        expires_at: A datetime, or a string in ISO 8601; None: never.
    """
    body = given(permissions=list(permissions), label=label, expires_at=expires_at)
    return Call("POST", "/keys", _read_new, content_of(body), is_repeatable=False)


def get(key_id: int) -> Call[Key]:
    """Return the record of a key."""
    return Call("GET", f"/keys/{key_id:d}", reader(Key))


def change(
    key_id: int, *, label: str = UNCHANGED, expires_at: Moment | None = UNCHANGED
) -> Call[Key]:
    """Change the label or the expiry (None: never); what is left out stays."""
    changes = {"label": label, "expires_at": expires_at}
    body = {name: value for name, value in changes.items() if value is not UNCHANGED}
    return Call("PATCH", f"/keys/{key_id:d}", reader(Key), content_of(body))


def rotate(key_id: int, grace: str | dt.timedelta = "24h") -> Call[Key]:
    """Create a successor of a key, which works beside it for ``grace``, such as ``24h``.

    ``key`` of the result is shown this once. Not sent again where the response was lost.
    """
    length = f"{grace.total_seconds():.0f}s" if isinstance(grace, dt.timedelta) else grace
    content = content_of({"grace": length})
    return Call("POST", f"/keys/{key_id:d}/rotate", _read_new, content, is_repeatable=False)


def revoke(key_id: int) -> Call[None]:
    """Revoke a key at once; again is the same."""
    return Call("DELETE", f"/keys/{key_id:d}", nothing)


class Keys(Resource[AnyTransport]):
    """The keys of the account."""

    list = Method(list_keys)
    create = Method(create)
    get = Method(get)
    change = Method(change)
    rotate = Method(rotate)
    revoke = Method(revoke)
