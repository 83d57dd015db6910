"""The permissions of keys, in one table for code, command line, documents and tests."""

from collections.abc import Iterable
from enum import StrEnum


class Permission(StrEnum):
    """The permissions of a key, in display order."""

    READ = "read"
    WRITE = "write"
    ADMIN = "admin"
    DELETE = "delete"


PERMISSION_MEANINGS: dict[Permission, str] = {
    Permission.READ: "forecast, backtest, detect anomalies, read monitors, webhooks and sources",
    Permission.WRITE: "create and change monitors, webhooks and sources, append points",
    Permission.ADMIN: "manage the API keys of the account, read its usage",
    Permission.DELETE: "delete monitors, webhooks and sources",
}
# The same in Markdown, for documents.
PERMISSION_LIST = "\n".join(
    f"- `{name}`: {meaning}" for name, meaning in PERMISSION_MEANINGS.items()
)


def parse_permissions(names: Iterable[str]) -> frozenset[Permission]:
    """Return the permissions in ``names``; raise ValueError if there are none, or unknown ones."""
    allowed = ", ".join(Permission)
    permissions = set()
    for name in names:
        try:
            permissions.add(Permission(name.strip().lower()))
        except ValueError:
            raise ValueError(f"unknown permission {name!r}; send one of {allowed}") from None
    if not permissions:
        raise ValueError(f"a key needs a permission; send at least one of {allowed}")
    return frozenset(permissions)


def sorted_permissions(permissions: Iterable[Permission]) -> list[Permission]:
    """Return ``permissions`` in display order."""
    granted = set(permissions)
    return [permission for permission in Permission if permission in granted]
