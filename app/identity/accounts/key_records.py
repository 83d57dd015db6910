"""The public state of keys, and how often they were used."""

import datetime as dt
from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.core.api_keys import redact_stored_names
from app.core.database.database_clock import database_time
from app.core.integers import MAX_ID
from app.core.record_fields import described_field
from app.identity.accounts.models import ApiKey, KeyState
from app.identity.accounts.permissions import PERMISSION_LIST, Permission, sorted_permissions


@dataclass(frozen=True)
class Usage:
    """How often and when last something was used."""

    count: int
    last_used_at: dt.datetime | None


@dataclass(frozen=True, kw_only=True)
class KeyRecord:
    """The public state of a key at one moment; times are timezone-aware."""

    id: int = described_field("Never changes.", minimum=1, maximum=MAX_ID)
    prefix: str = described_field("First characters of the key.", examples=["ak_1a2b3c4d"])
    label: str = described_field("What the key is for.")
    permissions: list[Permission] = described_field(
        f"What the key may do.\n\n{PERMISSION_LIST}", minItems=1, uniqueItems=True
    )
    state: KeyState = described_field(
        "`active`; `rotated`: works until its grace period ends; `suspended`: works again once the "
        "account does; `expired`; `revoked`."
    )
    created_at: dt.datetime = described_field("When the key was created.")
    expires_at: dt.datetime | None = described_field(
        "When the key expires, for a rotated key when its grace period ends; null: never."
    )
    last_used_at: dt.datetime | None = described_field("When the key was last used; null: never.")
    usage_count: int = described_field(
        "Number of calls with the key, including those that failed.", minimum=0
    )
    grace_ends_at: dt.datetime | None
    revoked_at: dt.datetime | None
    successor_id: int | None


def key_record(key: ApiKey, now: dt.datetime) -> KeyRecord:
    """Return the public state of ``key`` at ``now``, by the clock of the database."""
    return KeyRecord(
        id=key.id,
        prefix=key.prefix,
        label=redact_stored_names(key.label),
        permissions=sorted_permissions(key.permissions),
        state=key.state(now),
        created_at=key.created_at,
        expires_at=key.ends_at,
        last_used_at=key.last_used_at,
        usage_count=key.usage_count,
        grace_ends_at=key.grace_ends_at,
        revoked_at=key.revoked_at,
        successor_id=key.successor_id,
    )


def list_keys(session: Session, account_id: int) -> list[KeyRecord]:
    """Return all keys of an account, oldest first, including expired and revoked ones."""
    now = database_time(session)
    query = select(ApiKey).where(ApiKey.account_id == account_id).order_by(ApiKey.id)
    return [key_record(key, now) for key in session.scalars(query)]


def usage_by_lineage(session: Session) -> dict[str, Usage]:
    """Return the usage of each lineage: a key and all its successors together."""
    query = select(
        ApiKey.lineage, func.sum(ApiKey.usage_count), func.max(ApiKey.last_used_at)
    ).group_by(ApiKey.lineage)
    return {lineage: Usage(int(count), last) for lineage, count, last in session.execute(query)}
