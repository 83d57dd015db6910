"""What calls about keys return."""

import datetime as dt
from dataclasses import dataclass, field

from forecast_client.results import Body, moment, record

MOMENTS = ("created_at", "expires_at", "last_used_at")


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

    @classmethod
    def from_body(cls, body: Body) -> "Key":
        """Return a key of a response."""
        moments = {name: moment(body[name]) for name in MOMENTS}
        permissions = tuple(body["permissions"])
        return record(cls, body, permissions=permissions, key=body.get("key"), **moments)
