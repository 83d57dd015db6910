"""The targets of attacks on the dashboard: all paths, and the data that must not change."""

from typing import Any

from flask import Flask, url_for
from sqlalchemy import Select, Table, select

from app.core.database import Base, db
from tests.support.members import PASSWORD

IDS = {"key_id": 1, "member_id": 1, "session_id": 1}
IDS |= {"name": "load", "source": "prod", "query": "rate", "webhook": "ops"}
KEPT_TABLES = ("accounts", "api_keys", "members", "invitations", "sessions", "audit_events")
KEPT_TABLES += ("sources", "source_queries", "monitors", "webhooks", "deliveries")
MOVING = ("last_seen_at", "last_sign_in_at", "last_used_at", "usage_count")
WITHOUT_A_SESSION = ("/account/sign-in", "/account/invitation")
OWN_FORMS = ("/account/sign-out", "/account/sign-out-everywhere", "/account/password")
# A valid form for each path of the dashboard.
EVERY_FIELD = {
    "email": "x@example.com",
    "role": "viewer",
    "label": "changed",
    "permissions": "admin",
    "expires_in": "never",
    "grace": "0h",
    "password": PASSWORD,
    "new_password": "another long password",
    "name": "load",
    "url": "https://prometheus.example.com",
    "query": "up",
    "mute": "1h",
    "data_frequency": "Hours",
    "format": "text",
}


def paths(app: Flask, method: str, only: tuple[str, ...] = (), **ids: Any) -> list[str]:
    """Return the paths of the dashboard for ``method``; ``only`` those with one of these names."""
    result = set()
    with app.test_request_context():
        for rule in app.url_map.iter_rules():
            known = rule.endpoint.startswith("dashboard.") and not rule.endpoint.endswith("_page")
            wanted = not only or set(only) & rule.arguments
            if known and wanted and method in (rule.methods or ()):
                values = {name: (IDS | ids)[name] for name in rule.arguments}
                result.add(url_for(rule.endpoint, **values))
    return sorted(result)


def member_forms(app: Flask, **ids: Any) -> list[str]:
    """Return the paths that accept forms of members."""
    return [path for path in paths(app, "POST", **ids) if path not in WITHOUT_A_SESSION]


def _in_order(table: Table) -> Select[Any]:
    return select(table).order_by(*table.primary_key)


def stored_data(app: Flask) -> dict[str, list[dict[str, Any]]]:
    """Return the accounts' data in the database, without the times of last use."""
    with app.app_context(), db.engine.connect() as connection:
        return {
            name: [
                {column: value for column, value in row.items() if column not in MOVING}
                for row in connection.execute(_in_order(Base.metadata.tables[name])).mappings()
            ]
            for name in KEPT_TABLES
        }
