"""The requests for forecasts, anomalies and backtests, and what reads their responses; no I/O."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import httpx

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
Json = dict[str, Any]


@dataclass(frozen=True)
class Call(Generic[T]):
    """One request, and what makes a result of its response.

    ``content`` is the body in JSON, ready to be sent. ``is_repeatable``: the service may get it
    twice and nothing is lost or done twice.
    """

    method: str
    path: str
    read: Callable[[httpx.Response], T]
    content: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    is_repeatable: bool = True


def json_content(body: Json) -> bytes:
    """Return a body as it is sent."""
    return json.dumps(body, separators=(",", ":"), allow_nan=False).encode()
