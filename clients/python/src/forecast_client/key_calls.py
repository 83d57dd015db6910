"""The requests about keys, and what reads their responses; no I/O."""

import datetime as dt
from collections.abc import Sequence
from enum import Enum
from typing import Any

import httpx

from forecast_client.calls import Call, content_of, given, nothing
from forecast_client.key_results import Key


class Unchanged(Enum):
    """That something is to stay as it is, where None is a value of it."""

    UNCHANGED = "unchanged"


UNCHANGED = Unchanged.UNCHANGED
Moment = str | dt.datetime


def _read(response: httpx.Response) -> Key:
    return Key.from_body(response.json())


def _read_new(response: httpx.Response) -> Key:
    created = _read(response)
    if created.key is None:
        raise ValueError("a new key is missing")
    return created


def _read_all(response: httpx.Response) -> list[Key]:
    return [Key.from_body(each) for each in response.json()["keys"]]


def _sent(moment: Moment | None) -> str | None:
    return moment.isoformat() if isinstance(moment, dt.datetime) else moment


def list_keys() -> Call[list[Key]]:
    """Return the call that lists the keys of the account."""
    return Call("GET", "/keys", _read_all)


def create(permissions: Sequence[str], label: str, expires_at: Moment | None) -> Call[Key]:
    """Return the call that creates a key: sent twice, it would create two."""
    body = given(permissions=list(permissions), label=label, expires_at=_sent(expires_at))
    return Call("POST", "/keys", _read_new, content_of(body), is_repeatable=False)


def get(key_id: int) -> Call[Key]:
    """Return the call that shows a key's record."""
    return Call("GET", f"/keys/{key_id:d}", _read)


def change(key_id: int, label: str | Unchanged, expires_at: Moment | Unchanged | None) -> Call[Key]:
    """Return the call that changes a key's label or expiry."""
    body: dict[str, Any] = {}
    if not isinstance(label, Unchanged):
        body["label"] = label
    if not isinstance(expires_at, Unchanged):
        body["expires_at"] = _sent(expires_at)
    return Call("PATCH", f"/keys/{key_id:d}", _read, content_of(body))


def rotate(key_id: int, grace: str | dt.timedelta) -> Call[Key]:
    """Return the call that replaces a key: its successor is shown once, and could be lost."""
    length = f"{grace.total_seconds():.0f}s" if isinstance(grace, dt.timedelta) else grace
    content = content_of({"grace": length})
    return Call("POST", f"/keys/{key_id:d}/rotate", _read_new, content, is_repeatable=False)


def revoke(key_id: int) -> Call[None]:
    """Return the call that revokes a key; again is the same."""
    return Call("DELETE", f"/keys/{key_id:d}", nothing)
